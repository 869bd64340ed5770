/** A migration beside servers that are at work: it neither fails for what they hold nor keeps them waiting. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { FORMER_APP, protectionOf } from '../../src/domain/protection'
import { MIGRATIONS, migrate } from '../../src/store/postgres/migrate'
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

/** How many wait for a table of ours. */
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
  // That one still holds the table.
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

test('an app of before sends codes of browser keys on to every country where one was verified', async () => {
  const before = await (await sharedPostgres()).database()
  const old = new SQL(before.url, { max: 1 })
  try {
    await migrate(old, MIGRATIONS.slice(0, 3))
    await old`INSERT INTO organizations VALUES ('org_one', 'Default', 1)`
    await old`INSERT INTO apps (app_id, organization_id, name, created_at) VALUES ('app_one', 'org_one', 'demo', 1)`
    const add = async (n: number, country: string | null, mode: string, status: string) => {
      const hash = Buffer.alloc(32, n)
      const id = `019ca91c-4e00-7000-8000-00000000000${n}`
      await old`INSERT INTO issues (app_id, mode, issue_id, message_id, purpose, template_id, channel, sms_fallback, phone_hash,
          code_hash, country, created_at, expires_at, max_attempts, verification_status, attempts_used, verified_at,
          delivery_status, leg, send_pending, outcome_ambiguous, billing_status, price, debited_amount, updated_at)
        VALUES ('app_one', ${mode}, ${id}, ${id}, 'p', 't', 'sms', true, ${hash}, ${hash}, ${country}, 1, 2, 5, ${status}, 0,
          ${status === 'verified' ? 1 : null}, 'sent', 'sms', false, false, 'released', 1, 0, 1)`
    }
    await add(1, 'JP', 'live', 'verified')
    await add(2, 'DE', 'live', 'verified')
    await add(3, 'US', 'live', 'expired')
    await add(4, 'FR', 'test', 'verified')
    await add(5, null, 'live', 'verified')
    await migrate(old)
    const [{ protection }] = await old`SELECT protection FROM apps`
    expect(protectionOf({ protection: JSON.parse(protection) })).toEqual({ ...FORMER_APP, open: ['DE', 'JP'] })
  } finally {
    await old.close()
    await before.drop()
  }
})

test('a template of before is in one language, and an app of before has decided nothing about texts; the release before goes on beside', async () => {
  const before = await (await sharedPostgres()).database()
  const old = new SQL(before.url, { max: 1 })
  try {
    await migrate(old, MIGRATIONS.slice(0, 5))
    await old`INSERT INTO organizations VALUES ('org_one', 'Default', 1)`
    await old`INSERT INTO apps (app_id, organization_id, name, created_at) VALUES ('app_one', 'org_one', 'demo', 1)`
    const add = (version: number) =>
      old`INSERT INTO templates (app_id, template_id, version, name, channel_support, body, variables, provider_template_code, created_at)
        VALUES ('app_one', 'welcome', ${version}, 'Welcome', '["sms"]', '#{code}', '{}', 'W1', 1)`
    await add(1)
    await migrate(old)
    await add(2)
    expect([...(await old`SELECT body, locale, bodies FROM templates ORDER BY version`)]).toEqual([
      { body: '#{code}', locale: null, bodies: null },
      { body: '#{code}', locale: null, bodies: null },
    ])
    expect([...(await old`SELECT texts FROM apps`)]).toEqual([{ texts: null }])
  } finally {
    await old.close()
    await before.drop()
  }
})
