import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import initial from '../../migrations/sqlite/0001_initial.sql' with { type: 'text' }
import { newAttempt } from '../../src/domain/attempt'
import { FRONT } from '../../src/domain/job'
import { FORMER_APP, protectionOf } from '../../src/domain/protection'
import { WrongSecretError } from '../../src/store/secret'
import { migrate, NewerDatabaseError } from '../../src/store/sqlite/migrate'
import * as schema from '../../src/store/sqlite/schema'
import { createVault } from '../../src/system/vault'
import { HANGS_AFTER_MS } from '../support/until'
import { openAt, openWithConnection, query, Scratch } from './open'
import { furnish, issueNumber, NOW, OWNER, uuidAt, VAULT } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

const tables = Object.values(schema).flatMap((value): SQLiteTable[] => (is(value, SQLiteTable) ? [value] : []))

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
      const { columns, primaryKeys } = getTableConfig(table)
      const composite = new Set(primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name)))
      const ofCode = columns.map((column) => {
        const isKey = column.primary || composite.has(column.name)
        return { name: column.name, type: column.getSQLType().toUpperCase(), isKey, isRequired: column.notNull }
      })
      // A primary key is required either way; the code says so, SQLite only where it is not the row's number.
      const ofDatabase = columnsOf(db, name).map(({ name, type, notnull, pk }) => ({
        name,
        type,
        isKey: pk > 0,
        isRequired: notnull === 1 || pk > 0,
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
    expect(db.query('PRAGMA user_version').get()).toEqual({ user_version: 21 })
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

  test('refuses a database of a later release, and leaves it alone', () => {
    const db = migrated()
    db.run('PRAGMA user_version = 99')
    const before = db.query('SELECT * FROM sqlite_schema').all()
    expect(() => migrate(db)).toThrow(NewerDatabaseError)
    expect(db.query('SELECT * FROM sqlite_schema').all()).toEqual(before)
    expect(db.query('PRAGMA user_version').get()).toEqual({ user_version: 99 })
  })
})

describe('checks without lists', () => {
  const ENTRIES = 1_000

  /** Of the first schema, with entries in its ledger, and so large beside them. */
  function before(megabytes: number): Database {
    const db = new Database(':memory:', { strict: true })
    db.run(initial)
    db.run('PRAGMA user_version = 1')
    db.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
       INSERT INTO ledger_entries SELECT 'app', i, i, 'credit', 1, i, NULL, NULL FROM n`,
    )
    db.run(`INSERT INTO facts VALUES ('ballast', zeroblob(${megabytes} * 1048576))`)
    return db
  }
  const ledgerOf = (db: Database) =>
    (db.query("SELECT sql FROM sqlite_schema WHERE name = 'ledger_entries'").get() as { sql: string }).sql

  test('are made where a database is small; a large one stays as it is, which says the same', () => {
    const [small, large] = [before(63), before(64)]
    const was = ledgerOf(large)
    for (const db of [small, large]) migrate(db)
    expect(ledgerOf(large)).toBe(was)
    expect(ledgerOf(small)).not.toContain("IN ('credit', 'debit'")
    for (const db of [small, large]) {
      expect(db.query('PRAGMA user_version').get()).toEqual({ user_version: 21 })
      expect(() => db.run("UPDATE ledger_entries SET entry_type = 'gift' WHERE seq = 1")).toThrow('entry_type')
    }
    expect(small.query('SELECT count(*) AS n, sum(amount_delta) AS sum FROM ledger_entries').get()).toEqual({
      n: ENTRIES,
      sum: ENTRIES,
    })
  })

  test.each([
    ['issues', 'verification_status', ['issued', 'expired', 'replaced', 'max_attempts']],
    ['issues', 'delivery_status', ['queued', 'sent', 'delivered', 'failed']],
    ['issues', 'billing_status', ['reserved', 'debit_pending', 'debited', 'release_pending', 'released']],
    ['jobs', 'kind', ['deliver', 'await-report', 'settle', 'webhook']],
    ['attempts', 'outcome', ['accepted', 'ambiguous']],
    ['ledger_entries', 'entry_type', ['credit']],
  ])('let nothing into %s.%s but what is named', async (table, column, named) => {
    using scratch = new Scratch()
    const store = openAt(scratch.file)
    await furnish(store)
    const issue = issueNumber(1)
    await store.transaction(async (tx) => {
      await tx.issues.add({ ...issue, sendPending: false })
      await tx.attempts.add({ ...newAttempt(issue, 1, 'main', NOW), outcome: 'accepted', answeredAt: NOW })
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

describe('a database of the first release', () => {
  interface OldJob {
    jobId: number
    kind: 'deliver' | 'await-report' | 'settle'
    subject: number
    runAt: number
    attempt: number
  }
  const JOBS: OldJob[] = [
    { jobId: 3, kind: 'deliver', subject: 1, runAt: NOW, attempt: 4 },
    { jobId: 5, kind: 'settle', subject: 1, runAt: NOW + 60_000, attempt: 0 },
    { jobId: 8, kind: 'await-report', subject: 2, runAt: NOW - 60_000, attempt: 1 },
  ]
  const bytesOf = (n: number) => Buffer.from(uuidAt(NOW, n).replaceAll('-', ''), 'hex')

  /** With some jobs, and others before and after them that were done. */
  function asFirstReleased(file: string, jobs: readonly OldJob[], lastJobId: number): Database {
    const db = new Database(file, { create: true, strict: true })
    db.run(initial)
    db.run('PRAGMA user_version = 1')
    const insert = db.query(
      'INSERT INTO jobs (job_id, kind, app_id, mode, issue_id, run_at, attempt) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    for (const { jobId, kind, subject, runAt, attempt } of jobs)
      insert.run(jobId, kind, OWNER.appId, OWNER.mode, bytesOf(subject), runAt, attempt)
    if (lastJobId > 0) insert.run(lastJobId, 'settle', OWNER.appId, OWNER.mode, bytesOf(99), NOW, 0)
    db.run('DELETE FROM jobs WHERE job_id = ?', [lastJobId])
    db.run(
      `INSERT INTO providers (name, type, channels, config, created_at) VALUES ('main', 'http', '["sms"]', X'00ff', ${NOW})`,
    )
    db.run('INSERT INTO organizations VALUES (?, ?, ?)', ['org_one', 'Default', NOW])
    db.run('INSERT INTO apps VALUES (?, ?, ?, ?)', [OWNER.appId, 'org_one', 'demo', NOW])
    return db
  }

  const jobsIn = (db: Database) => db.query('SELECT * FROM jobs ORDER BY job_id').all()
  const addJob = (db: Database) => {
    db.query("INSERT INTO jobs (kind, app_id, mode, subject_id, run_at) VALUES ('webhook', 'a', 'live', ?, 1)").run(
      bytesOf(77),
    )
    return (db.query('SELECT max(job_id) AS jobId FROM jobs').get() as { jobId: number }).jobId
  }

  test('keeps its jobs, its providers and everything else', () => {
    const db = asFirstReleased(':memory:', JOBS, 20)
    migrate(db)
    expect(jobsIn(db)).toEqual(
      JOBS.map(({ jobId, kind, subject, runAt, attempt }) => ({
        job_id: jobId,
        kind,
        app_id: OWNER.appId,
        mode: OWNER.mode,
        subject_id: new Uint8Array(bytesOf(subject)),
        run_at: runAt,
        attempt,
        queue: FRONT,
        leased: 0,
      })),
    )
    expect(db.query('SELECT * FROM providers').all()).toEqual([
      {
        name: 'main',
        type: 'http',
        channels: '["sms"]',
        config: new Uint8Array([0x00, 0xff]),
        created_at: NOW,
        concurrency: null,
        changed_at: 0,
        timeout_ms: null,
      },
    ])
    expect(db.query('SELECT app_id FROM apps').all()).toEqual([{ app_id: OWNER.appId }])
  })

  test('sends codes of browser keys on to every country where one was verified, and watches the others', () => {
    const db = asFirstReleased(':memory:', [], 0)
    const columns = (db.query('PRAGMA table_info(issues)').all() as ColumnInfo[]).filter(({ notnull }) => notnull === 1)
    const add = (n: number, values: Record<string, unknown>) => {
      const filled = columns.map(
        ({ name, type }) =>
          values[name] ??
          (name.endsWith('_hash') ? Buffer.alloc(32, n) : type === 'BLOB' ? bytesOf(n) : type === 'TEXT' ? 'x' : 0),
      )
      const names = [...columns.map(({ name }) => name), 'country', 'verified_at']
      db.query(`INSERT INTO issues (${names}) VALUES (${names.map(() => '?')})`).run(
        ...([...filled, values.country ?? null, values.verification_status === 'verified' ? NOW : null] as never[]),
      )
    }
    const ours = { app_id: OWNER.appId, mode: 'live', channel: 'sms', leg: 'sms', max_attempts: 5, expires_at: NOW + 1 }
    const state = {
      delivery_status: 'sent',
      billing_status: 'released',
      created_at: NOW,
      verification_status: 'verified',
    }
    add(1, { ...ours, ...state, country: 'JP' })
    add(2, { ...ours, ...state, country: 'DE' })
    add(3, { ...ours, ...state, country: 'JP' })
    add(4, { ...ours, ...state, country: 'US', verification_status: 'expired' })
    add(5, { ...ours, ...state, country: 'FR', mode: 'test' })
    add(6, { ...ours, ...state, country: 'GB', app_id: 'app_other' })
    add(7, { ...ours, ...state })
    migrate(db)
    const { protection } = db.query('SELECT protection FROM apps').get() as { protection: string }
    expect(protectionOf({ protection: JSON.parse(protection) })).toEqual({ ...FORMER_APP, open: ['DE', 'JP'] })
  })

  test('has templates in one language, and apps that have decided nothing about texts', () => {
    const db = asFirstReleased(':memory:', [], 0)
    db.query('INSERT INTO templates VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)').run(
      ...[OWNER.appId, 'welcome', 'Welcome', '["sms"]', '#{code}', '{}', 'W1', NOW],
    )
    migrate(db)
    expect(db.query('SELECT body, locale, bodies FROM templates').all()).toEqual([
      { body: '#{code}', locale: null, bodies: null },
    ])
    expect(db.query('SELECT texts FROM apps').all()).toEqual([{ texts: null }])
  })

  test.each<[string, readonly OldJob[], number, number]>([
    ['with jobs', JOBS, 20, 21],
    ['whose last job is still there', JOBS, 0, 9],
    ['whose jobs are all done', [], 20, 21],
    ['that never had a job', [], 0, 1],
  ])('%s gives no number of a job twice', (_, jobs, lastJobId, next) => {
    const db = asFirstReleased(':memory:', jobs, lastJobId)
    migrate(db)
    expect(addJob(db)).toBe(next)
    db.run('DELETE FROM jobs')
    expect(addJob(db)).toBe(next + 1)
  })

  test('has the schema of a new one', () => {
    const tidy = (db: Database) =>
      (db.query('SELECT type, name, tbl_name, sql FROM sqlite_schema').all() as Array<{ name: string; sql: string }>)
        .map((row) => ({ ...row, sql: row.sql?.replaceAll('"', '') }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const old = asFirstReleased(':memory:', JOBS, 20)
    migrate(old)
    expect(tidy(old)).toEqual(tidy(migrated()))
    expect(old.query('PRAGMA foreign_key_check').all()).toEqual([])
    expect(old.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  })

  test('goes on with its jobs when it is opened', async () => {
    using scratch = new Scratch()
    asFirstReleased(scratch.file, JOBS, 20).close()
    const store = openAt(scratch.file)
    const claimed = await store.transaction((tx) => tx.jobs.claim('deliver', FRONT, 10))
    expect(claimed).toMatchObject([{ ...OWNER, jobId: 3, subjectId: uuidAt(NOW, 1), runAt: NOW, attempt: 5 }])
    expect(await store.read.jobs.heads('settle')).toEqual([{ queue: FRONT, runAt: NOW + 60_000 }])
    await store.close()
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
    expect(() => openAt(scratch.file)).toThrow(NewerDatabaseError)
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
