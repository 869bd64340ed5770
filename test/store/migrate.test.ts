import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { copyFileSync, existsSync, renameSync, statSync } from 'node:fs'
import { getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { LEGS } from '../../contract/constants'
import { newAttempt } from '../../src/domain/delivery/attempt'
import { SQLITE } from '../../src/store/dialect'
import { WrongSecretError } from '../../src/store/failure'
import { ChangedMigrationError } from '../../src/store/migrations'
import { MIGRATIONS, migrate, migrating, NewerFileError } from '../../src/store/sqlite/connection/migrate'
import * as ours from '../../src/store/tables'
import { createVault } from '../../src/system/vault'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { openAt, openWithConnection, query, Scratch } from './open'
import { furnish, issueNumber, NOW, OWNER, VAULT } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

/** Without what only PostgreSQL has. */
const { settingsVersion: _, nodes: __, ...here } = SQLITE.tables
const tables = Object.values(here) as unknown as SQLiteTable[]

/** The columns of each primary key, in order. */
const keys = new Map(
  (Object.values(ours) as unknown[])
    .filter((value): value is ours.Table => value instanceof Object && 'key' in value)
    .map(({ name, key, fields }) => [
      name,
      key.map((property) => ours.nameOf(property, fields[property] as ours.ColumnField)),
    ]),
)

const tablesIn = (db: Database) =>
  (
    db.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all() as Array<{
      name: string
    }>
  ).map(({ name }) => name)

function migrated(): Database {
  const db = new Database(':memory:', { strict: true })
  migrate(db)
  return db
}

interface ColumnInfo {
  name: string
  type: string
  notnull: number
  pk: number
}
const columnsOf = (db: Database, table: string) => db.query(`PRAGMA table_info(${table})`).all() as ColumnInfo[]
const byName = <T extends { name: string }>(columns: T[]) => columns.toSorted((a, b) => (a.name < b.name ? -1 : 1))

describe('the schema of the code and that of the migrations', () => {
  test('have the same tables', () => {
    expect(tablesIn(migrated()).toSorted()).toEqual(tables.map((table) => getTableName(table)).toSorted())
  })

  test.each(tables.map((table) => [getTableName(table), table] as const))(
    'have the same columns in %s',
    (name, table) => {
      const db = migrated()
      const ofCode = getTableConfig(table).columns.map((column) => {
        const place = keys.get(name)?.indexOf(column.name) ?? -1
        return { name: column.name, type: column.getSQLType().toUpperCase(), place, isRequired: column.notNull }
      })
      // A primary key is never NULL, but SQLite does not say so of a rowid.
      const ofDatabase = columnsOf(db, name).map(({ name, type, notnull, pk }) => ({
        ...{ name, type, place: pk - 1, isRequired: notnull === 1 || pk > 0 },
      }))
      expect(byName(ofCode)).toEqual(byName(ofDatabase))
    },
  )

  test('every table is strict: a value of the wrong type is not stored', () => {
    const db = migrated()
    const list = db.query('PRAGMA table_list').all() as Array<{ name: string; schema: string; strict: number }>
    const ours = list.filter(({ name, schema }) => schema === 'main' && !name.startsWith('sqlite_'))
    expect(ours).toHaveLength(tables.length)
    expect(ours.filter(({ strict }) => strict !== 1)).toEqual([])
  })
})

describe('migrating', () => {
  test('a fresh database gets everything, and its version', () => {
    const db = new Database(':memory:', { strict: true })
    expect(tablesIn(db)).toEqual([])
    migrate(db)
    expect(tablesIn(db)).toHaveLength(tables.length)
    expect(db.query('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length })
  })

  test('again applies nothing', () => {
    const db = migrated()
    const before = db.query('SELECT * FROM sqlite_schema').all()
    const run = spyOn(db, 'run')
    migrate(db)
    expect(run).not.toHaveBeenCalled()
    expect(db.query('SELECT * FROM sqlite_schema').all()).toEqual(before)
  })

  test('that fails on the way leaves the database as it was', () => {
    const db = new Database(':memory:', { strict: true })
    db.run('CREATE TABLE jobs (in_the_way INTEGER)')
    expect(() => migrate(db)).toThrow()
    expect(tablesIn(db)).toEqual(['jobs'])
    expect(db.query('PRAGMA user_version').get()).toEqual({ user_version: 0 })
    expect(db.inTransaction).toBe(false)
    db.run('DROP TABLE jobs')
    migrate(db)
    expect(tablesIn(db)).toHaveLength(tables.length)
  })

  test('refuses a database that had another form of a migration, says which, and what to do, and leaves it alone', () => {
    const db = migrated()
    const checksums = () =>
      db.query<{ value: Uint8Array }, []>("SELECT value FROM facts WHERE name = 'migrations'").get()
    const lines = Buffer.from(checksums()?.value ?? [])
      .toString()
      .split('\n')
    expect(lines).toHaveLength(MIGRATIONS.length)
    const changed = Buffer.from(lines.with(0, '0'.repeat(64)).join('\n'))
    db.query("UPDATE facts SET value = ? WHERE name = 'migrations'").run(changed)
    expect(() => migrate(db)).toThrow(ChangedMigrationError)
    expect(() => migrate(db)).toThrow(/^Migration 1 of the database is not the one .* Run the build that opened/)
    expect(Buffer.from(checksums()?.value ?? [])).toEqual(changed)
    expect(db.inTransaction).toBe(false)
  })

  test('notes what a database of before checksums has had', () => {
    const db = migrated()
    db.run("DELETE FROM facts WHERE name = 'migrations'")
    migrate(db)
    expect(db.query("SELECT 1 AS n FROM facts WHERE name = 'migrations'").get()).toEqual({ n: 1 })
  })

  test('tells each step before it is made', () => {
    const db = new Database(':memory:', { strict: true })
    const steps = [...migrating(db)]
    expect(steps.map(({ migration }) => migration)).toEqual(MIGRATIONS.map((_, n) => n + 1))
    expect(steps.every(({ of }) => of === MIGRATIONS.length)).toBe(true)
    expect([...migrating(db)]).toEqual([])
  })

  test('refuses a database of a later release, and leaves it alone', () => {
    const db = migrated()
    db.run('PRAGMA user_version = 99')
    const before = db.query('SELECT * FROM sqlite_schema').all()
    expect(() => migrate(db)).toThrow(NewerFileError)
    expect(db.query('SELECT * FROM sqlite_schema').all()).toEqual(before)
    expect(db.query('PRAGMA user_version').get()).toEqual({ user_version: 99 })
  })
})

describe('the checks of a table', () => {
  test('let every channel of the contract in, and no other', () => {
    const db = migrated()
    db.run('PRAGMA foreign_keys = ON')
    const add = (channel: string) => db.run("INSERT INTO routes VALUES (?, 'KR', '', '[\"main\"]')", [channel])
    for (const channel of LEGS) add(channel)
    expect(() => add('pigeon')).toThrow('FOREIGN KEY')
    expect(db.query('SELECT channel FROM channels').values().flat().toSorted()).toEqual(LEGS.toSorted())
  })

  test.each([
    ['issues', 'verification_status', ['issued', 'expired', 'replaced', 'max_attempts']],
    ['issues', 'delivery_status', ['queued', 'sent', 'delivered', 'failed']],
    ['issues', 'billing_status', ['reserved', 'debit_pending', 'debited', 'release_pending', 'released']],
    ['jobs', 'kind', ['deliver', 'await-report', 'next-leg', 'webhook', 'notice']],
    ['attempts', 'outcome', ['accepted', 'ambiguous']],
    ['ledger_entries', 'entry_type', ['credit']],
  ])('let nothing into %s.%s but what is named', async (table, column, named) => {
    using scratch = new Scratch()
    const store = openAt(scratch.file)
    await furnish(store)
    const issue = issueNumber(1)
    await store.transaction(async (tx) => {
      await tx.issues.add({ ...issue, sendPending: false })
      await tx.attempts.add({
        ...newAttempt(issue, { number: 1, carrier: 'main', text: undefined }, NOW),
        outcome: 'accepted',
        answeredAt: NOW,
      })
      await tx.jobs.add({ kind: 'deliver', owner: OWNER, subjectId: issue.issueId, runAt: NOW })
    })
    await store.close()
    using db = new Database(scratch.file)
    db.run(`INSERT INTO ledger_entries VALUES ('${OWNER.appId}', 1, 99, 'credit', 1, 1, NULL, NULL)`)
    const set = (value: string) => db.query(`UPDATE ${table} SET ${column} = ?`).run(value).changes
    for (const value of named) expect(set(value)).toBeGreaterThan(0)
    expect(() => set('other')).toThrow(column)
  })
})

describe('opening', () => {
  test('again keeps what was stored', async () => {
    using scratch = new Scratch()
    const first = openAt(scratch.file)
    await furnish(first)
    await first.transaction((tx) => tx.issues.add(issueNumber(1)))
    await first.close()
    const before = query(scratch.file, 'SELECT * FROM sqlite_schema')
    const second = openAt(scratch.file)
    expect(await second.read.issues.find(OWNER, issueNumber(1).issueId)).toEqual(issueNumber(1))
    expect(await second.read.apps.all()).toHaveLength(1)
    await second.close()
    expect(query(scratch.file, 'SELECT * FROM sqlite_schema')).toEqual(before)
  })

  test('a database of a later release is refused', async () => {
    using scratch = new Scratch()
    await openAt(scratch.file).close()
    const outside = new Database(scratch.file)
    outside.run('PRAGMA user_version = 99')
    outside.close()
    expect(() => openAt(scratch.file)).toThrow(NewerFileError)
    expect(() => openAt(scratch.file)).toThrow('99')
  })

  test('with another master secret is refused, and with the right one still works', async () => {
    using scratch = new Scratch()
    await openAt(scratch.file).close()
    const vault = createVault(Buffer.from('another master secret of these tests'))
    expect(() => openAt(scratch.file, { vault })).toThrow(WrongSecretError)
    const store = openAt(scratch.file, { vault: VAULT })
    await store.assertWritable()
    await store.close()
  })

  test('two processes at once is fine', async () => {
    using scratch = new Scratch()
    const stores = [openAt(scratch.file), openAt(scratch.file)]
    for (const store of stores) await store.assertWritable()
    for (const store of stores) await store.close()
  })

  test('makes every commit durable and holds references and waiting in force', async () => {
    using scratch = new Scratch()
    const { store, writing } = openWithConnection(scratch.file)
    const pragma = (name: string) => Object.values(writing.query(`PRAGMA ${name}`).get() as object)[0]
    expect(writing.filename).toBe(scratch.file)
    expect(pragma('journal_mode')).toBe('wal')
    expect(pragma('synchronous')).toBe(2)
    expect(pragma('foreign_keys')).toBe(1)
    expect(pragma('busy_timeout')).toBe(5_000)
    expect(query(scratch.file, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    await store.close()
  })

  test('a database whose file has been deleted or replaced is not writable, and says so', async () => {
    using scratch = new Scratch()
    const store = openAt(scratch.file)
    await store.assertWritable()
    renameSync(scratch.file, `${scratch.file}-away`)
    expect((await errorOf(store.assertWritable())).message).toContain('is gone: restore it')
    copyFileSync(`${scratch.file}-away`, scratch.file)
    expect((await errorOf(store.assertWritable())).message).toContain('is gone: restore it')
    await store.close()
  })

  test('closing leaves one file with everything in it', async () => {
    using scratch = new Scratch()
    const store = openAt(scratch.file)
    await store.transaction((tx) => tx.issues.add(issueNumber(1)))
    await store.close()
    const wal = `${scratch.file}-wal`
    expect(existsSync(wal) ? statSync(wal).size : 0).toBe(0)
    expect(query(scratch.file, 'SELECT 1 FROM issues')).toHaveLength(1)
  })
})
