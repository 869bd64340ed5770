/** A migration beside running servers: it neither fails because of their locks nor keeps them waiting. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { getTableName } from 'drizzle-orm'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import { CHANNELS } from '../../contract/constants'
import { POSTGRES } from '../../src/store/dialect'
import { MIGRATIONS, migrate } from '../../src/store/postgres/connection/migrate'
import { errorOf } from '../support/error-of'
import { type Database, sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const NEXT = [...MIGRATIONS, 'ALTER TABLE facts ADD COLUMN of_next text; ALTER TABLE apps ADD COLUMN of_next text']

let database: Database
let sql: SQL
beforeEach(async () => {
  database = await (await sharedPostgres()).database()
  sql = new SQL(database.url, { max: 4 })
  await migrate(sql)
})
afterEach(async () => {
  await sql.close()
  await database.drop()
})

/** Without what only SQLite has. */
const { channels: _, ...here } = POSTGRES.tables
const tables = Object.values(here) as PgTable[]

test.each(tables.map((table) => [getTableName(table), table] as const))(
  'the migrations make the columns of %s that the code has',
  async (name, table) => {
    const ofDatabase = await sql`
      SELECT column_name AS name, data_type AS type, is_nullable = 'NO' AS "isRequired" FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = ${name} ORDER BY column_name`
    const ofCode = getTableConfig(table).columns.map((column) => ({
      ...{ name: column.name, type: column.getSQLType(), isRequired: column.notNull },
    }))
    expect(ofDatabase.map((column: unknown) => column)).toEqual(ofCode.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
  },
)

test('the domain of channels has every channel of the contract, and no other', async () => {
  for (const channel of CHANNELS) expect((await sql`SELECT ${channel}::channel AS channel`)[0].channel).toBe(channel)
  expect((await errorOf(sql`SELECT 'pigeon'::channel`.execute())).message).toContain('channel_check')
})

/** How many connections wait for a lock of a table. */
const waiting = async () =>
  (await sql`SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation IS NOT NULL`)[0].count as number
const versionOf = async () => (await sql`SELECT version FROM schema_version`)[0].version

test('what somebody holds is waited for, and others do not wait behind it', async () => {
  const hasLocked = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const holding = sql.begin(async (tx) => {
    await tx`LOCK TABLE facts IN ACCESS SHARE MODE`
    hasLocked.resolve()
    await letGo.promise
  })
  await hasLocked.promise
  const migrating = migrate(sql, NEXT)
  await until(async () => (await waiting()) === 1, 'the migration to wait')
  let isAnswered = false
  const other = sql`SELECT 1 FROM facts`.then(() => {
    isAnswered = true
  })
  await until(async () => isAnswered || (await waiting()) === 2, 'the other one to wait behind it')
  // The other transaction still holds the table.
  await other
  letGo.resolve()
  await holding
  await migrating
  expect(await versionOf()).toBe(NEXT.length)
})

test('who waits for each other is told apart, and the migration comes again', async () => {
  let migrating: Promise<void> | undefined
  const holding = sql.begin(async (tx) => {
    await tx`LOCK TABLE apps IN ACCESS SHARE MODE`
    migrating = migrate(sql, NEXT)
    await until(async () => (await waiting()) > 0, 'the migration to wait')
    await tx`SELECT 1 FROM facts`
  })
  await holding.catch(() => {})
  await migrating
  expect(await versionOf()).toBe(NEXT.length)
})

test('a database that had another form of a migration is refused, and one of before checksums gets them', async () => {
  const stored = async () =>
    (await sql`SELECT convert_from(value, 'UTF8') AS checksums FROM facts WHERE name = 'migrations'`)[0]?.checksums
  const before = await stored()
  expect(before.split('\n')).toHaveLength(MIGRATIONS.length)
  const told: number[] = []
  expect(
    (await errorOf(migrate(sql, [`${MIGRATIONS[0]} `, ...NEXT.slice(1)], ({ migration }) => told.push(migration))))
      .message,
  ).toContain('Migration 1 of the database is not the one')
  expect([await stored(), told]).toEqual([before, []])
  await sql`DELETE FROM facts WHERE name = 'migrations'`
  await migrate(sql)
  expect(await stored()).toBe(before)
  await migrate(sql, NEXT, ({ migration, of }) => told.push(migration, of))
  expect(told).toEqual([NEXT.length, NEXT.length])
  // The previous release goes on beside the migration.
  await migrate(sql)
  expect((await stored()).split('\n')).toHaveLength(NEXT.length)
})
