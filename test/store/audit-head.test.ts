/** The head of the audit log is kept apart from its entries, so that removing the newest entries is detected. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readHead, writeHead } from '../../src/domain/operations/audit'
import type { Store } from '../../src/ports/store'
import { headFileIn } from '../../src/system/data-dir-files'
import { writeAudit } from '../../src/usecases/shared/write-audit'
import { acceptAudit, checkAuditEnd, lostEnds, verifyAudit } from '../../src/usecases/verify-audit'
import { openAt, Scratch } from './open'
import { VAULT } from './sample'

let scratch: Scratch
let store: Store
let logged: string[]
const headFile = () => headFileIn(scratch.dir)
const file = () => join(scratch.dir, 'watchword.audit')

beforeEach(() => {
  scratch = new Scratch()
  store = openAt(scratch.file, { headFile: headFile() })
  logged = []
})
afterEach(async () => {
  await store.close()
  scratch[Symbol.dispose]()
})

const actor = { name: 'op_1' }
const note = (target = 'x') => store.transaction((tx) => writeAudit({ vault: VAULT, actor }, tx, 'app.create', target))
const notes = async (count: number) => {
  for (let n = 0; n < count; n++) await note(`app_${n}`)
}
const verify = (hash?: string) => verifyAudit({ read: store.read, vault: VAULT, hash })

/** Changes the database directly, without the service. */
function sabotage(...statements: string[]): void {
  const db = new Database(scratch.file)
  for (const sql of statements) db.run(sql)
  db.close()
}

const write = (level: string) => (fields: object, message: string) =>
  void logged.push(`${level} ${message} ${JSON.stringify(fields)}`)
const start = () =>
  checkAuditEnd({
    store,
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  })

const CUT_OFF = 'DELETE FROM audit_entries WHERE seq > 3'
const NO_ROW = "DELETE FROM facts WHERE name = 'audit_head'"

describe('the end of the audit log', () => {
  test('is found where it was left, and nothing is said', async () => {
    await notes(5)
    await start()
    expect(await lostEnds(store.read)).toEqual([])
    expect(await verify()).toMatchObject({ isIntact: true, entries: 5, lost: [] })
    expect(logged).toEqual([])
  })

  test('that lies before the newest entry is told from both places, and at start as an error', async () => {
    await notes(5)
    sabotage(CUT_OFF)
    const lost = [
      { where: 'database', problem: 'cut_off', seq: 5 },
      { where: 'file', problem: 'cut_off', seq: 5 },
    ]
    expect(await lostEnds(store.read)).toEqual(lost as never)
    expect(await verify()).toMatchObject({ isIntact: false, entries: 3, lost })
    await start()
    expect(logged).toHaveLength(2)
    expect(logged.every((line) => line.startsWith('error '))).toBe(true)
  })

  test.each([
    ['all entries', 'DELETE FROM audit_entries'],
    ['the newest entry', 'DELETE FROM audit_entries WHERE seq = 5'],
    ['the newest entries and the row that tells of them', `${CUT_OFF}; ${NO_ROW}`],
    ['everything that is in the database', `DELETE FROM audit_entries; ${NO_ROW}`],
  ])('tells that %s were removed', async (_, sql) => {
    await notes(5)
    sabotage(...sql.split('; '))
    expect((await lostEnds(store.read)).map(({ problem }) => problem)).toContain('cut_off')
    expect((await verify()).isIntact).toBe(false)
  })

  test('is told by the database where the file was removed, too', async () => {
    await notes(5)
    sabotage(CUT_OFF)
    rmSync(file())
    expect(await lostEnds(store.read)).toEqual([
      { where: 'database', problem: 'cut_off', seq: 5 },
      { where: 'file', problem: 'gone' },
    ])
  })

  test('stays told of while new entries take the place of those that were removed, and grow beyond', async () => {
    await notes(5)
    sabotage(CUT_OFF, NO_ROW)
    for (let n = 0; n < 10; n++) {
      await note(`later_${n}`)
      expect(await lostEnds(store.read)).toContainEqual({ where: 'file', problem: 'cut_off', seq: 5 })
    }
    await start()
    expect(await lostEnds(store.read)).toContainEqual({ where: 'file', problem: 'cut_off', seq: 5 })
  })

  test('cannot be written anew without the key', async () => {
    await notes(5)
    const [, , third] = await store.read.audit.from(1, 5)
    const forged = `3 ${Buffer.from(third?.hash ?? []).toString('hex')}`
    for (const line of [
      forged,
      `${forged} ${'0'.repeat(64)}`,
      '',
      'nonsense',
      readFileSync(file(), 'utf8').replace('5', '3'),
    ]) {
      writeFileSync(file(), line)
      expect(await lostEnds(store.read)).toEqual([{ where: 'file', problem: 'unreadable' }])
      await note()
      expect(readFileSync(file(), 'utf8')).toBe(line)
    }
    expect((await verify()).isIntact).toBe(false)
  })

  test('is written down anew where it is missing, which is said', async () => {
    await notes(2)
    rmSync(file())
    await start()
    expect(logged).toEqual([expect.stringMatching(/^warn .*"where":"file"/)])
    expect(await lostEnds(store.read)).toEqual([])
  })

  test('of a log from before it was written down is where it is now', async () => {
    await notes(2)
    rmSync(file())
    sabotage(NO_ROW)
    await start()
    expect(logged).toEqual([])
    expect(existsSync(file())).toBe(true)
    sabotage('DELETE FROM audit_entries')
    expect(await lostEnds(store.read)).toHaveLength(2)
  })

  test('is accepted by who knows why, which is in the log', async () => {
    await notes(5)
    sabotage(CUT_OFF)
    await acceptAudit({ store, vault: VAULT, actor })
    expect(await verify()).toMatchObject({ isIntact: true, entries: 4 })
    const [entry] = await store.read.audit.page({ limit: 1 })
    expect(entry).toMatchObject({ action: 'audit.accept', detail: { lost: [{ seq: 5 }, { seq: 5 }] } })
  })

  test('moves on in both processes that write', async () => {
    const beside = openAt(scratch.file, { headFile: headFile() })
    for (let n = 0; n < 3; n++) {
      await note()
      await beside.transaction((tx) => writeAudit({ vault: VAULT, actor }, tx, 'app.create', 'y'))
    }
    await beside.close()
    expect(await lostEnds(store.read)).toEqual([])
    expect(readFileSync(file(), 'utf8')).toStartWith('6 ')
  })

  test('is not moved by what was rolled back', async () => {
    await note()
    const failing = store.transaction(async (tx) => {
      await writeAudit({ vault: VAULT, actor }, tx, 'app.create', 'x')
      throw new Error('refused')
    })
    expect(await failing.catch((error: Error) => error.message)).toBe('refused')
    expect(readFileSync(file(), 'utf8')).toStartWith('1 ')
    expect(await lostEnds(store.read)).toEqual([])
  })

  test('is told by a hash that was kept elsewhere, when nothing here tells of it', async () => {
    await notes(5)
    const { head } = await verify()
    expect(await verify(head)).toMatchObject({ isIntact: true, holdsHash: true })
    sabotage(CUT_OFF, NO_ROW)
    rmSync(file())
    expect(await verify()).toMatchObject({ isIntact: true })
    expect(await verify(head)).toMatchObject({ isIntact: false, holdsHash: false })
  })

  test('is in a file that nobody else reads', async () => {
    await note()
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  test('that cannot be written to a file keeps no entry from being written', async () => {
    await store.close()
    store = openAt(scratch.file, {
      headFile: {
        ...headFile(),
        write() {
          throw new Error('the disk is full')
        },
      },
    })
    await notes(3)
    expect((await verify()).entries).toBe(3)
  })
})

test('a head is read as it was written, by who has the key only', () => {
  const head = { seq: 812, hash: VAULT.auditHash('an entry') }
  const line = writeHead(head, VAULT.auditHash)
  expect(readHead(`${line}\n`, VAULT.auditHash)).toEqual({ seq: 812, hash: Buffer.from(head.hash) })
  expect(readHead(line, VAULT.phoneHash)).toBeUndefined()
  expect(readHead(line.replace('812', '811'), VAULT.auditHash)).toBeUndefined()
})
