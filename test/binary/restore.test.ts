/** `restore`: a backup in the place of the database, or nothing changed. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS, until } from '../support/until'
import { newFolder, programIn, run, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
const data = join(folder.path, 'watchword-data')
const backup = join(folder.path, 'backup.db')
let appId = ''
let sha256 = ''

/** An app with 7 credits in the backup, and with 8 more since. */
beforeAll(async () => {
  appId = (await runJson(program, 'app', 'create', 'shop')).appId
  const carrier = ['--type', 'http', '--channel', 'sms', '--url', 'http://127.0.0.1:9/']
  await runJson(program, 'provider', 'set', 'main', ...carrier)
  await addCredit(7)
  const made = await runJson(program, 'backup')
  copyFileSync(join(data, 'backups', made.name), backup)
  sha256 = made.sha256
  await addCredit(8)
})
afterAll(folder.remove)

const addCredit = (amount: number) => runJson(program, 'credit', 'add', '--app', appId, '--amount', String(amount))
/** As the next command will find it. */
function balance(): number {
  using database = new Database(join(data, 'watchword.db'))
  return database.query<{ balance: number }, []>('SELECT balance FROM wallets').get()?.balance ?? 0
}
const codeOf = (stderr: string) => JSON.parse(stderr).error.code

/** The backup, changed behind everybody's back. */
function changed(name: string, change: (database: Database) => void): string {
  const file = join(folder.path, name)
  copyFileSync(backup, file)
  const database = new Database(file)
  change(database)
  database.run('PRAGMA journal_mode = DELETE')
  database.close()
  return file
}

describe('leaves the database alone', () => {
  test.each([
    ['a file that is not whole', () => damaged(), 'damaged_database'],
    ['a file that is no database', () => written('text.db', 'not a database at all\n'.repeat(500)), 'damaged_database'],
    ['an empty file', () => written('empty.db', ''), 'damaged_database'],
    [
      'a database of another program',
      () => changed('foreign.db', (db) => db.run('PRAGMA user_version = 0')),
      'damaged_database',
    ],
    ['one of a newer release', () => changed('newer.db', (db) => db.run('PRAGMA user_version = 99')), 'newer_database'],
    [
      'one whose ledger does not add up',
      () => changed('ledger.db', (db) => db.run('UPDATE wallets SET balance = 70')),
      'damaged_database',
    ],
    [
      'one of another secret',
      () => changed('secret.db', (db) => db.run('UPDATE key_ring SET secret_id = zeroblob(16)')),
      'wrong_secret',
    ],
    [
      'one with a row that belongs to nothing',
      () =>
        changed('loose.db', (db) => {
          db.run('PRAGMA foreign_keys = OFF')
          db.run("UPDATE wallets SET app_id = 'app_gone'")
          db.run("UPDATE ledger_entries SET app_id = 'app_gone'")
        }),
      'damaged_database',
    ],
    [
      'one whose settings another secret has sealed',
      () => changed('sealed.db', (db) => db.run('UPDATE providers SET config = zeroblob(60)')),
      'damaged_database',
    ],
    [
      'one whose audit log was changed',
      () => changed('audit.db', (db) => db.run("UPDATE audit_entries SET actor = 'nobody' WHERE seq = 1")),
      'damaged_database',
    ],
    [
      'one with a trigger',
      () =>
        changed('trigger.db', (db) =>
          db.run('CREATE TRIGGER keep BEFORE UPDATE ON api_keys BEGIN SELECT RAISE(IGNORE); END'),
        ),
      'damaged_database',
    ],
    ['the database itself', () => join(data, 'watchword.db'), 'invalid'],
    ['no file', () => join(folder.path, 'none.db'), 'not_found'],
  ] as Array<[string, () => string, string]>)('when given %s', async (_, file, code) => {
    const { exitCode, stdout, stderr } = await run(program, 'restore', file(), '--yes', '--json')
    expect({ exitCode, stdout, code: codeOf(stderr) }).toEqual({ exitCode: 1, stdout: '', code })
    expect(balance()).toBe(15)
    expect(readdirSync(data).filter((name) => /restoring|replaced/.test(name))).toEqual([])
  })

  const written = (name: string, text: string) => {
    const file = join(folder.path, name)
    writeFileSync(file, text)
    return file
  }

  const damaged = () => {
    const file = changed('damaged.db', () => {})
    const bytes = readFileSync(file)
    bytes.fill(0xff, 8_192, bytes.length - 8_192)
    writeFileSync(file, bytes)
    return file
  }

  test('while a server runs on it', async () => {
    const server = await Server.start(program)
    const { exitCode, stderr } = await run(program, 'restore', backup, '--yes', '--json')
    expect({ exitCode, code: codeOf(stderr) }).toEqual({ exitCode: 1, code: 'already_served' })
    await server.stop()
    expect(balance()).toBe(15)
  })

  test('while another process has it open', async () => {
    const database = new Database(join(data, 'watchword.db'))
    database.query('SELECT count(*) FROM apps').get()
    const { exitCode, stderr } = await run(program, 'restore', backup, '--yes', '--json')
    database.close()
    expect({ exitCode, code: codeOf(stderr) }).toEqual({ exitCode: 1, code: 'database' })
    expect(balance()).toBe(15)
  })

  test('without --yes, where there is nobody to ask', async () => {
    expect(await run(program, 'restore', backup)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(balance()).toBe(15)
  })
})

test('puts the backup in place, keeps what was there, and says so in the audit log', async () => {
  const { kept } = await runJson(program, 'restore', backup, '--yes')
  expect(balance()).toBe(7)
  expect((await runJson(program, 'audit', 'list')).entries[0]).toMatchObject({ action: 'database.restore' })
  expect((await runJson(program, 'audit', 'verify')).isIntact).toBe(true)
  const server = await Server.start(program)
  expect((await server.call('GET', '/readyz')).status).toBe(200)
  await server.stop()
  // What was there is a whole database, which can be put back.
  await runJson(program, 'restore', join(folder.path, kept), '--yes')
  expect(balance()).toBe(15)
})

test('holds a backup against the SHA-256 that `backup` told, by which any changed bit is found', async () => {
  expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(readFileSync(backup)).digest('hex'))
  const bytes = readFileSync(backup)
  const at = bytes.lastIndexOf('shop')
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  const flipped = join(folder.path, 'flipped.db')
  writeFileSync(flipped, bytes)
  const other = newFolder()
  const there = join(other.path, 'watchword-data')
  mkdirSync(there)
  copyFileSync(join(data, 'watchword.secret'), join(there, 'watchword.secret'))
  const held = ['--sha256', sha256, '--json']
  for (const command of [
    ['restore', flipped],
    ['restore', '--check', flipped],
  ]) {
    const { exitCode, stderr } = await run(programIn(other.path), ...command, ...held)
    expect([exitCode, JSON.parse(stderr).error]).toMatchObject([1, { code: 'damaged_database' }])
    expect(stderr).toContain(sha256)
  }
  expect(readdirSync(there)).not.toContain('watchword.db')
  expect(await runJson(programIn(other.path), 'restore', '--check', backup, ...held)).toMatchObject({ sha256 })
  expect(await runJson(programIn(other.path), 'restore', backup, '--sha256', sha256.toUpperCase())).toMatchObject({
    sha256,
  })
  const { exitCode } = await run(programIn(other.path), 'restore', backup, '--sha256', 'abc', '--yes')
  expect(exitCode).toBe(2)
  other.remove()
})

test('takes a backup whose audit log was changed only when told to', async () => {
  const other = newFolder()
  const there = join(other.path, 'watchword-data')
  mkdirSync(there)
  copyFileSync(join(data, 'watchword.secret'), join(there, 'watchword.secret'))
  const file = changed('despite.db', (db) => db.run("UPDATE audit_entries SET actor = 'nobody' WHERE seq = 1"))
  const { stderr } = await run(programIn(other.path), 'restore', file)
  expect(stderr).toContain('Entry 1 is not as it was written. To take it all the same: --despite-audit')
  await runJson(programIn(other.path), 'restore', file, '--despite-audit')
  expect((await runJson(programIn(other.path), 'app', 'list')).apps).toMatchObject([{ balance: 7 }])
  other.remove()
})

test('commits that were only in the log of the database that is replaced are kept with it', async () => {
  const killed = await Server.start(program)
  await addCredit(1)
  await killed.stop('SIGKILL')
  const { kept } = await runJson(program, 'restore', backup, '--yes')
  expect(balance()).toBe(7)
  await runJson(program, 'restore', join(folder.path, kept), '--yes')
  expect(balance()).toBe(16)
})

test('takes the place of a database that is too damaged to open', async () => {
  const other = newFolder()
  const there = join(other.path, 'watchword-data')
  mkdirSync(there)
  copyFileSync(join(data, 'watchword.secret'), join(there, 'watchword.secret'))
  writeFileSync(join(there, 'watchword.db'), 'not a database at all\n'.repeat(500))
  await runJson(programIn(other.path), 'restore', backup, '--yes')
  expect((await runJson(programIn(other.path), 'app', 'list')).apps).toMatchObject([{ balance: 7 }])
  expect(readdirSync(there).filter((name) => name.startsWith('watchword-replaced-'))).toHaveLength(1)
  other.remove()
})

test('makes a data folder on a new machine, by the secret of the old one', async () => {
  const other = newFolder()
  const { exitCode, stderr } = await run(programIn(other.path), 'restore', backup, '--json')
  expect({ exitCode, code: codeOf(stderr) }).toEqual({ exitCode: 1, code: 'config' })
  copyFileSync(join(data, 'watchword.secret'), join(other.path, 'watchword-data', 'watchword.secret'))
  await runJson(programIn(other.path), 'restore', backup)
  expect((await runJson(programIn(other.path), 'app', 'list')).apps).toMatchObject([{ balance: 7 }])
  other.remove()
})

describe('a phone that was erased since', () => {
  const NUMBER = '+821012345678'
  const other = newFolder()
  const there = join(other.path, 'watchword-data')
  const watchword = programIn(other.path)
  const old = join(other.path, 'old.db')
  const number = join(other.path, 'number.txt')
  const carrier = new StubCarrier()
  const exported = async () => JSON.parse((await run(watchword, 'privacy', 'export', '--phone-file', number)).stdout)

  beforeAll(async () => {
    writeFileSync(number, NUMBER)
    const { appId } = await runJson(watchword, 'app', 'create', 'shop')
    const { key } = await runJson(watchword, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
    await runJson(watchword, 'credit', 'add', '--app', appId, '--amount', '9')
    await runJson(watchword, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
    const server = await Server.start(watchword)
    const order = { phoneNumber: NUMBER, purpose: 'login', idempotencyKey: 'one', metadata: { plan: 'pro' } }
    expect((await server.call('POST', '/v1/issue', key, order)).status).toBe(200)
    await server.stop()
    const { name } = await runJson(watchword, 'backup')
    copyFileSync(join(there, 'backups', name), old)
    expect(await runJson(watchword, 'privacy', 'erase', '--phone-file', number, '--yes')).toMatchObject({ issues: 1 })
  })
  afterAll(async () => {
    await carrier.stop()
    other.remove()
  })

  const isErased = async () => {
    const [issue] = (await exported()).issues
    return issue === undefined || (issue.erasedAt !== undefined && issue.metadata === undefined)
  }

  test('is erased in the backup before that is put in place', async () => {
    expect(await isErased()).toBe(true)
    expect(await runJson(watchword, 'restore', old, '--yes')).toMatchObject({ erasedAgain: 1 })
    expect(await isErased()).toBe(true)
    expect((await runJson(watchword, 'audit', 'verify')).isIntact).toBe(true)
    expect(readFileSync(join(there, 'watchword.erased'), 'utf8')).toMatch(/^\d+ [0-9a-f]{64} \*\n$/)
  })

  test('is known by a server that finds the backup put there by hand', async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(there, `watchword.db${suffix}`), { force: true })
    copyFileSync(old, join(there, 'watchword.db'))
    expect(await isErased()).toBe(false)
    const server = await Server.start(watchword)
    await server.stop()
    expect(server.stderr).toContain('phones that were erased are in the database again')
    expect((await runJson(watchword, 'privacy', 'erased')).erased).toHaveLength(1)
    const list = join(there, 'watchword.erased')
    expect(await runJson(watchword, 'privacy', 'again', list)).toMatchObject({ phones: 0, issues: 1 })
    expect(await isErased()).toBe(true)
  })

  test('is told by its number on stdin, and never on the line itself', async () => {
    const { exitCode, stderr } = await run(watchword, 'privacy', 'erase', NUMBER, '--yes', '--json')
    expect({ exitCode, code: codeOf(stderr) }).toEqual({ exitCode: 2, code: 'usage' })
    const child = Bun.spawn([...watchword.command, 'privacy', 'export'], {
      cwd: watchword.cwd,
      env: {},
      stdio: [new Blob([`${NUMBER}\n`]), 'pipe', 'ignore'],
    })
    expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ phoneNumber: NUMBER })
  })
})

test.each([
  ['a file without an end', ['--phone-file', '/dev/zero'], ''],
  ['stdin with more than a number', [], '0'.repeat(1_000_000)],
])('privacy reads no number from %s, and ends', async (_, options, stdin) => {
  const child = Bun.spawn([...program.command, 'privacy', 'export', ...options, '--json'], {
    ...{ cwd: program.cwd, env: {}, timeout: HANGS_AFTER_MS, killSignal: 'SIGKILL' },
    stdio: [new Blob([stdin]), 'pipe', 'pipe'],
  })
  const stderr = await new Response(child.stderr).text()
  expect({ exitCode: await child.exited, code: codeOf(stderr) }).toEqual({ exitCode: 1, code: 'invalid' })
})

test('what a restore that was killed has left behind is applied to no other copy', async () => {
  for (const suffix of ['-journal', '-wal', '-shm'])
    writeFileSync(join(data, `watchword-restoring.db${suffix}`), 'of another copy')
  await runJson(program, 'restore', backup, '--yes')
  expect(readdirSync(data).filter((name) => name.includes('restoring'))).toEqual([])
})

test('killed at any point it leaves the one or the other', async () => {
  const before = balance()
  const names = () => readdirSync(data).toSorted().join()
  let isReplaced = false
  // At each step that shows in the folder.
  for (let step = 0; !isReplaced; step++) {
    const child = Bun.spawn([...program.command, 'restore', backup, '--yes'], {
      cwd: program.cwd,
      env: {},
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    let seen = names()
    for (let steps = 0; steps < step && child.exitCode === null; steps++) {
      await until(() => child.exitCode !== null || names() !== seen, 'the next step')
      seen = names()
    }
    child.kill('SIGKILL')
    await child.exited
    const { apps } = await runJson(program, 'app', 'list')
    expect([before, 7]).toContain(apps[0].balance)
    isReplaced = apps[0].balance === 7
  }
})
