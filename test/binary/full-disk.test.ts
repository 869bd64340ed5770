/**
 * The binary on a disk that fills up while it runs, and has room again later. Two such disks: a limit on the size of
 * files, which needs no privileges and shows as an I/O error; and a small file-system, where one may be mounted.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, statfsSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Invariants } from '../simulation/invariants'
import { HANGS_AFTER_MS, until } from '../support/until'
import { alone, compile } from './compiled'
import { type Answer, type Json, newFolder, type Program, type Received, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

/** Room for a few more issues, so that it is a busy server whose disk fills. */
const LAST_ROOM = 128 * 1024

interface Disk {
  /** Leaves room for little more. */
  fill(pid: number, dataFolder: string): void
  /** Leaves room for nothing: what a refused issue had no room in, a smaller change would find. */
  stuff(pid: number, dataFolder: string): void
  free(pid: number, dataFolder: string): void
  /** Makes the data folder, and answers how to be rid of it. */
  prepare(dataFolder: string): () => void
  isPossible: () => boolean
}

/** Whether a command does what it should, here and for this user. */
const succeeds = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

function must(command: string, ...args: string[]): void {
  if (!succeeds(command, ...args)) throw new Error(`${command} ${args.join(' ')} failed`)
}

/** Only the soft limit: it may be lifted again. */
const limitFiles = (pid: number, bytes: number | 'unlimited') =>
  must('prlimit', '--pid', String(pid), `--fsize=${bytes}:`)

const limitedFiles: Disk = {
  fill: (pid, dataFolder) => limitFiles(pid, statSync(join(dataFolder, 'watchword.db-wal')).size + LAST_ROOM),
  stuff: (pid) => limitFiles(pid, 0),
  free: (pid) => limitFiles(pid, 'unlimited'),
  prepare: () => () => {},
  isPossible: () => succeeds('prlimit', '--pid', String(process.pid), '--fsize'),
}

const FILLER = 'filler'

const smallFileSystem: Disk = {
  fill(_, dataFolder) {
    const { bavail, bsize } = statfsSync(dataFolder)
    writeFileSync(join(dataFolder, FILLER), Buffer.alloc(bavail * bsize - LAST_ROOM))
  },
  stuff(_, dataFolder) {
    const db = new Database(join(dataFolder, 'watchword.db'), { strict: true })
    db.run('PRAGMA busy_timeout = 60000')
    db.run('PRAGMA wal_autocheckpoint = 0')
    const smallest = db.query("INSERT OR REPLACE INTO facts (name, value) VALUES ('stuffed', CAST($at AS BLOB))")
    expect(() => {
      for (let at = 0; at < 1_000; at++) smallest.run({ at })
    }).toThrow(/full|disk/)
    db.close()
  },
  free: (_, dataFolder) => unlinkSync(join(dataFolder, FILLER)),
  prepare(dataFolder) {
    mountSmall(dataFolder)
    return () => must('umount', '--lazy', dataFolder)
  },
  isPossible() {
    const { path, remove } = newFolder()
    try {
      if (!succeeds('mount', '-t', 'tmpfs', 'none', path)) return false
      must('umount', path)
      return true
    } finally {
      remove()
    }
  },
}

function mountSmall(dataFolder: string): void {
  mkdirSync(dataFolder, { mode: 0o700 })
  must('mount', '-t', 'tmpfs', '-o', 'size=4m,mode=700', 'none', dataFolder)
}

const DISKS: Array<[string, Disk]> = [
  ['files that may not grow', limitedFiles],
  ['a small file-system', smallFileSystem],
]

/** A write beyond the limit of a file ends a process, unless that signal is ignored; then it is an error like others. */
const ignoringTheSignal = ({ command, ...rest }: Program): Program => ({
  ...rest,
  command: ['/bin/sh', '-c', 'trap "" XFSZ; exec "$@"', 'sh', ...command],
})

const CREDIT = 10_000
const numberOf = (n: number) => `010-3000-${String(1_000 + n)}`
const e164 = (number: string) => `+82${number.replaceAll('-', '').slice(1)}`

const UNAVAILABLE = { defined: true, code: 'SERVICE_UNAVAILABLE', status: 503, message: expect.any(String) }

function expectUnavailable({ status, body, headers }: Answer): void {
  expect({ status, body }).toEqual({ status: 503, body: UNAVAILABLE })
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
}

let binary = ''
beforeAll(async () => {
  binary = await compile()
})

describe.each(DISKS.filter(([, disk]) => disk.isPossible()))('on a disk that fills up: %s', (_, disk) => {
  let dataFolder = ''
  let server: Server
  let key = ''
  let carrier: StubCarrier
  let reportSecret = ''
  let db: Database
  const undo: Array<() => unknown> = []

  /** Messages that the carrier took. */
  const taken: Received[] = []
  const isTaken = (number: string) => taken.filter(({ to }) => to === e164(number)).length
  /** It was told "later", and is due again when the disk is full. */
  const waiting = numberOf(0)
  /** Its carrier answers when the disk is full. */
  const held = numberOf(1)
  /** Its text arrived, and it is verified when the disk is full. */
  const arrived = numberOf(2)
  const issueIds = new Map<string, string>()
  const requests = (number: string) => carrier.received.filter(({ to }) => to === e164(number)).length

  const idOf = (number: string) => `x'${issueIds.get(number)?.replaceAll('-', '')}'`
  /** How often the server has looked for messages to send, and could not take any. */
  const looks = () => server.stderr.split('"jobs":"deliver","msg":"could not claim jobs"').length - 1

  const issue = (number: string, idempotencyKey = number) => server.issue(key, number, { idempotencyKey })
  async function issueNow(number: string): Promise<void> {
    const { status, body } = await issue(number)
    expect(status).toBe(200)
    issueIds.set(number, body.issueId)
  }
  const verify = (number: string, code: string) => server.verify(key, issueIds.get(number) ?? '', code)
  const rows = (sql: string): Json[] => db.query(sql).all()
  const only = (sql: string): Json => Object.values(rows(sql)[0] ?? {})[0]

  beforeAll(async () => {
    const { program, remove } = alone(binary)
    undo.push(remove)
    dataFolder = join(program.cwd, 'watchword-data')
    undo.push(disk.prepare(dataFolder))
    carrier = new StubCarrier()
    undo.push(() => carrier.stop())
    const { appId } = await runJson(program, 'app', 'create', 'demo')
    ;({ key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live'))
    await runJson(program, 'credit', 'add', '--app', appId, '--amount', String(CREDIT))
    const target = ['--type', 'http', '--channel', 'sms', '--url', carrier.url]
    ;({ reportSecret } = await runJson(program, 'provider', 'set', 'main', ...target))
    server = await Server.start(ignoringTheSignal(program))
    undo.push(() => server.stop('SIGKILL'))
    db = new Database(join(dataFolder, 'watchword.db'), { readonly: true })
    undo.push(() => db.close())

    let isFull = false
    const hasFilled = Promise.withResolvers<void>()
    carrier.answer = async (message) => {
      if (message.to === e164(waiting) && !isFull) return new Response('', { status: 429 })
      taken.push(message)
      if (message.to === e164(held)) await hasFilled.promise
      return Response.json({ id: message.messageId })
    }
    await issueNow(arrived)
    await until(() => isTaken(arrived) === 1, 'the text that arrives')
    await until(() => only("SELECT count(*) FROM attempts WHERE outcome = 'accepted'") === 1, 'its answer to be stored')
    await issueNow(held)
    await issueNow(waiting)
    await until(
      () => only("SELECT count(*) FROM attempts WHERE code = 'HTTP_429'") === 1,
      'the first try of what waits',
    )
    expect((await server.call('GET', '/readyz')).status).toBe(200)
    leaseEndsAt = only(`SELECT run_at FROM jobs WHERE subject_id = ${idOf(held)}`)
    disk.fill(server.child.pid, dataFolder)
    await useUpLastRoom()
    isFull = true
    hasFilled.resolve()
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  /** Of the message that is with its carrier while the disk fills up. */
  let leaseEndsAt = 0

  /** Answers of the issues that filled the disk, by the number they were for. */
  const filling = new Map<string, Answer>()
  /** What /readyz said right after the first issue that was refused, though it had been ready right before. */
  let toldAtOnce = 0
  async function useUpLastRoom(): Promise<void> {
    let refusedInARow = 0
    for (let n = 100; refusedInARow < 20; n++) {
      if (n > 1_000) throw new Error('the disk does not fill up')
      const number = numberOf(n)
      const answer = await issue(number)
      filling.set(number, answer)
      if (answer.status === 200) issueIds.set(number, answer.body.issueId)
      else if (toldAtOnce === 0) toldAtOnce = (await server.call('GET', '/readyz')).status
      refusedInARow = answer.status === 200 ? 0 : refusedInARow + 1
    }
    disk.stuff(server.child.pid, dataFolder)
  }

  test('it fills up at work: some issues are answered with 200, then all with 503 in the envelope', async () => {
    const answers = [...filling.values()]
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    for (const answer of answers.filter(({ status }) => status !== 200)) expectUnavailable(answer)
    const together = await Promise.all(Array.from({ length: 30 }, (_, n) => issue(numberOf(2_000 + n))))
    for (const answer of together) expectUnavailable(answer)
  })

  test('a verify is 503 and uses no attempt; the right code is not lost', async () => {
    expectUnavailable(await verify(arrived, '000000'))
    expectUnavailable(await verify(arrived, carrier.codeFor(e164(arrived))))
    expect(await server.status(key, issueIds.get(arrived) ?? '')).toMatchObject({
      verificationStatus: 'issued',
      attemptsUsed: 0,
    })
  })

  test('a delivery report is 503, so that the carrier repeats it', async () => {
    const messageId = taken.find(({ to }) => to === e164(arrived))?.messageId
    const report = { messageId, status: 'delivered' }
    expectUnavailable(await server.call('POST', '/provider-reports/main', reportSecret, report))
  })

  test('whoever reads is answered', async () => {
    const id = issueIds.get(arrived)
    for (const path of [`status?issueId=${id}`, `issues/${id}`, 'issues', 'credit-ledger', 'balance', 'templates']) {
      expect([path, (await server.call('GET', `/v1/${path}`, key)).status]).toEqual([path, 200])
    }
  })

  test('/readyz says so from the first refusal on and every time, /healthz that the process lives', async () => {
    const told = new Set([toldAtOnce])
    const before = looks()
    let time = 0
    await until(async () => {
      told.add((await server.call('GET', '/readyz')).status)
      if (time++ % 20 === 0) expectUnavailable(await issue(numberOf(3_000 + time)))
      return looks() >= before + 2
    }, 'the server to look for work')
    expect([...told]).toEqual([503])
    expect((await server.call('GET', '/healthz')).status).toBe(200)
  })

  test('nothing is half-written: what was answered with 200 is stored whole, and nothing else is', () => {
    expectWhole()
    const stored = rows('SELECT lower(hex(issue_id)) AS id FROM issues').map(({ id }) => id)
    expect(stored.toSorted()).toEqual([...issueIds.values()].map((id) => id.replaceAll('-', '')).toSorted())
  })

  test('what cannot be written down is not sent', async () => {
    const [requestsBefore, heldBefore] = [requests(waiting), requests(held)]
    const dueAt = only(`SELECT run_at FROM jobs WHERE subject_id = ${idOf(waiting)}`)
    await until(() => Date.now() > dueAt, 'its next try to be due')
    const before = looks()
    await until(() => looks() >= before + 2, 'the server to look for work')
    expect([requests(waiting), requests(held)]).toEqual([requestsBefore, heldBefore])
    expect(server.child.exitCode).toBeNull()
  })

  let freedAt = 0

  test('with room again it is ready without a restart, and takes what it refused under the same key', async () => {
    freedAt = Date.now()
    disk.free(server.child.pid, dataFolder)
    await until(async () => (await server.call('GET', '/readyz')).status === 200, 'the server to be ready')
    const refused = [...filling].filter(([, { status }]) => status !== 200).map(([number]) => number)
    expect(refused.length).toBeGreaterThan(0)
    for (const number of refused) await issueNow(number)
    expect((await verify(arrived, carrier.codeFor(e164(arrived)))).body).toMatchObject({ verified: true })
  })

  test('what a carrier answered while the disk was full is stored as it was answered, or as unknown after its lease', async () => {
    const answer = () => rows(`SELECT outcome, code FROM attempts WHERE issue_id = ${idOf(held)}`)
    await until(() => answer().length > 0, 'the answer to be stored')
    const known = [{ outcome: 'accepted', code: null }]
    const unknown = [{ outcome: 'ambiguous', code: 'INTERRUPTED' }]
    // A busy machine may take longer to fill the disk and free it than a lease lasts.
    if (Date.now() < leaseEndsAt) expect(answer()).toEqual(known)
    else expect([known, unknown]).toContainEqual(answer())
  })

  test('everything that was answered with 200 is sent exactly once, also what waited and what was on its way', async () => {
    endLeases()
    await until(() => only('SELECT count(*) FROM jobs') === 0, 'every job to be done')
    const sent = [...issueIds.keys()].map((number) => [number, isTaken(number)])
    expect(sent).toEqual([...issueIds.keys()].map((number) => [number, 1]))
    expect(requests(held)).toBe(1)
    expect(taken).toHaveLength(issueIds.size)
  })

  test('and is charged exactly once', async () => {
    expectWhole()
    expect(rows('SELECT balance, reserved FROM wallets')).toEqual([{ balance: CREDIT - issueIds.size, reserved: 0 }])
    expect(only('PRAGMA integrity_check')).toBe('ok')
  })

  test('the log tells of the disk, and holds no number and no code', () => {
    expect(server.stderr).toContain('The store cannot write at the moment')
    expect(server.stderr).not.toContain('request failed unexpectedly')
    for (const { to } of taken) expect(server.stderr).not.toContain(to.slice(-8))
  })

  /** A job that was claimed on the full disk and could not be prepared comes back when its lease of 30 s has ended; here now. */
  function endLeases(): void {
    const beside = new Database(join(dataFolder, 'watchword.db'))
    beside.run('PRAGMA busy_timeout = 60000')
    beside.run('UPDATE jobs SET run_at = 0 WHERE leased = 1 AND run_at <= ?', [freedAt + 30_000])
    beside.close()
  }

  function expectWhole(): void {
    const invariants = new Invariants(join(dataFolder, 'watchword.db'), [])
    const broken = invariants.broken()
    invariants.close()
    expect(broken).toBeUndefined()
    for (const [promise, offenders] of Object.entries({
      'what is to be sent has a job, or is with its carrier': `SELECT 1 FROM issues i WHERE send_pending AND
         begun_at IS NULL AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject_id = i.issue_id AND kind = 'deliver')`,
      'what is to be sent has its number and text, or is with its carrier': `SELECT 1 FROM issues i WHERE send_pending AND
         verification_status = 'issued' AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.issue_id = i.issue_id)
         AND begun_at IS NULL`,
      'what is to be settled has a job': `SELECT 1 FROM issues i WHERE billing_status IN ('debit_pending', 'release_pending')
         AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject_id = i.issue_id AND kind = 'settle')`,
      'an issue stands for a key': 'SELECT 1 FROM issues WHERE key_hash IS NULL',
      'a job is of an issue':
        'SELECT 1 FROM jobs j LEFT JOIN issues i ON i.issue_id = j.subject_id WHERE i.app_id IS NULL',
      'an attempt is of an issue': 'SELECT 1 FROM attempts LEFT JOIN issues i USING (issue_id) WHERE i.app_id IS NULL',
    })) {
      expect([promise, rows(offenders)]).toEqual([promise, []])
    }
  }
})

test('there is a disk here that can be filled', () => {
  // Both need Linux; a machine where neither is possible says so instead of passing silently.
  const isLinux = process.platform === 'linux'
  expect(DISKS.some(([, disk]) => disk.isPossible())).toBe(isLinux)
})
