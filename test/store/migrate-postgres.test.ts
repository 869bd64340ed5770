/** A migration beside servers that are at work: it neither fails for what they hold nor keeps them waiting. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { MIGRATIONS, migrate } from '../../src/store/postgres/migrate'
import { type Database, sharedPostgres } from '../support/postgres'

const NEXT = [...MIGRATIONS, 'ALTER TABLE facts ADD COLUMN of_next text; ALTER TABLE apps ADD COLUMN of_next text']
const HELD_MS = 3_000

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

const versionOf = async () => (await sql`SELECT version FROM schema_version`)[0].version

test('what somebody holds is waited for, and others do not wait behind it', async () => {
  const holding = sql.begin(async (tx) => {
    await tx`LOCK TABLE facts IN ACCESS SHARE MODE`
    await Bun.sleep(HELD_MS)
  })
  const migrating = migrate(sql, NEXT)
  let slowest = 0
  for (let isOver = false; !isOver; ) {
    const begunAt = performance.now()
    await sql`SELECT 1 FROM facts`
    slowest = Math.max(slowest, performance.now() - begunAt)
    isOver = await Promise.race([holding.then(() => true), Bun.sleep(50).then(() => false)])
  }
  await migrating
  expect(await versionOf()).toBe(NEXT.length)
  expect(slowest).toBeLessThan(HELD_MS - 1_000)
}, 120_000)

test('who waits for each other is told apart, and the migration comes again', async () => {
  let migrating: Promise<void> | undefined
  const holding = sql.begin(async (tx) => {
    await tx`LOCK TABLE apps IN ACCESS SHARE MODE`
    migrating = migrate(sql, NEXT)
    await Bun.sleep(300)
    await tx`SELECT 1 FROM facts`
  })
  await holding.catch(() => {})
  await migrating
  expect(await versionOf()).toBe(NEXT.length)
}, 120_000)
