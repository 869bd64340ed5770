/** Databases of every earlier release, opened by this tree: nothing is lost, and all of it goes on working. */
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { migrate as migratePostgres, MIGRATIONS as OF_POSTGRES } from '../../src/store/postgres/connection/migrate'
import { migrate as migrateSQLite, MIGRATIONS as OF_SQLITE } from '../../src/store/sqlite/connection/migrate'
import { errorOf } from '../support/error-of'
import { tellEvidence } from '../support/evidence'
import { HANGS_AFTER_MS } from '../support/until'
import { drill } from './drill'
import { RECORDED, RecordedFile, RecordedSchema } from './fixture'
import type { Recorded } from './furnish'

setDefaultTimeout(HANGS_AFTER_MS)

/** Where rows of tables went that are no more. */
const MOVED: Readonly<Record<string, string>> = {
  claims: 'issues WHERE key_hash IS NOT NULL',
  report_tokens: 'admin_tokens',
  awaited_reports: 'attempts WHERE awaited_at IS NOT NULL',
}

const STORES = {
  sqlite: {
    migrations: OF_SQLITE as string[],
    find: async (version: string) => {
      const place = await RecordedFile.find(version)
      const write = (sql: string) => place.change((db) => db.run(sql))
      return { place, write, migrate: () => place.change((db) => migrateSQLite(db)) }
    },
  },
  postgres: {
    migrations: OF_POSTGRES as string[],
    find: async (version: string) => {
      const place = await RecordedSchema.find(version)
      const write = (sql: string) => place.write(sql)
      return { place, write, migrate: () => migratePostgres(place.sql) }
    },
  },
}

/** As the next release brings it: columns in every table that codes go through, a table, and rows that change. */
const PLANTED = `
  ALTER TABLE apps ADD COLUMN of_next text;
  ALTER TABLE issues ADD COLUMN of_next text;
  ALTER TABLE ledger_entries ADD COLUMN of_next text;
  ALTER TABLE audit_entries ADD COLUMN of_next text;
  UPDATE apps SET of_next = name;`

/** Mistakes of a migration that runs to its end. */
const BROKEN: ReadonlyArray<[mistake: string, sql: string, found: string]> = [
  ['makes credit', 'UPDATE wallets SET balance = balance + 1;', 'the ledger adds up'],
  ['forgets a message that waits', 'DELETE FROM outbox;', 'a message that waited is sent, once'],
  [
    'changes codes',
    `UPDATE issues SET verification_status = 'expired' WHERE verification_status = 'issued';`,
    'a stored code verifies',
  ],
  ['changes the audit log', `UPDATE audit_entries SET actor = 'nobody' WHERE seq = 2;`, 'the audit log is whole'],
  ['loses endpoints', `UPDATE webhook_endpoints SET events = '[]';`, 'webhooks are sent and signed'],
  ['loses what operators see', 'DELETE FROM relays;', 'operators see everything'],
]

describe.each(Object.entries(STORES))('on %s', (_, { migrations, find }) => {
  const released = migrations.length
  afterEach(() => void migrations.splice(released))

  const upgraded = async (recorded: Recorded, ...more: string[]) => {
    const { place, migrate } = await find(recorded.version)
    migrations.push(...more)
    await migrate()
    return place
  }

  test.each(RECORDED.map((recorded) => [recorded.version, recorded] as const))(
    'a database of %s has every row, and works',
    async (_version, recorded) => {
      const place = await upgraded(recorded)
      for (const [table, count] of Object.entries(recorded.rows)) {
        const [row] = await place.rows<{ n: number }>(`SELECT count(*) AS n FROM ${MOVED[table] ?? table}`)
        expect({ table, rows: row?.n }).toEqual({ table, rows: count })
      }
      await drill(place, recorded)
      tellEvidence('upgrades', 1)
    },
  )

  const newest = RECORDED.at(-1) as Recorded

  test('also after a migration that the next release might bring', async () => {
    await drill(await upgraded(newest, PLANTED), newest)
    tellEvidence('upgrades', 1)
  })

  test.each(BROKEN)('a migration that %s is found', async (_mistake, sql, found) => {
    const place = await upgraded(newest, PLANTED + sql)
    expect((await errorOf(drill(place, newest))).message).toContain(found)
  })

  test('a relayed code becomes a message alone, and a code of a review number a verification alone', async () => {
    const { place, write, migrate } = await find(newest.version)
    const ofOne = (place: number) =>
      `message_id = (SELECT message_id FROM issues ORDER BY message_id LIMIT 1 OFFSET ${place})`
    const over = "verification_status = 'expired', verified_at = NULL, billing_status = 'released', debited_amount = 0"
    await write(`UPDATE issues SET ${over}, key_kind = 'relay', purpose = ' auth',
      metadata = '{"source":"plain","code":"c2VhbGVk"}' WHERE ${ofOne(0)}`)
    await write(
      `UPDATE issues SET ${over}, key_kind = 'relay', purpose = ' auth', metadata = '{"code":"c2VhbGVk"}' WHERE ${ofOne(1)}`,
    )
    await write(`UPDATE issues SET ${over}, price = 0, outcome_code = 'REVIEW_NUMBER' WHERE ${ofOne(2)}`)
    await migrate()
    const relayed = { purpose: 'auth', sealed_code: 'c2VhbGVk', verification_status: null, code_hash: null }
    const sent = 'SELECT purpose, metadata, sealed_code, verification_status, code_hash FROM issues WHERE'
    expect(await place.rows(`${sent} ${ofOne(0)}`)).toEqual([{ ...relayed, metadata: '{"source":"plain"}' }])
    expect(await place.rows(`${sent} ${ofOne(1)}`)).toEqual([{ ...relayed, metadata: null }])
    expect(
      await place.rows(
        `SELECT verification_status, delivery_status, leg, price, outcome_code FROM issues WHERE ${ofOne(2)}`,
      ),
    ).toEqual([{ verification_status: 'expired', delivery_status: null, leg: null, price: null, outcome_code: null }])
  })

  test('a migration that fails leaves the database to its release', async () => {
    const { place, migrate } = await find(newest.version)
    migrations.push(`${PLANTED} SELECT of_nothing FROM apps;`)
    expect((await errorOf((async () => migrate())())).message).toContain('of_nothing')
    migrations.splice(released)
    await drill(place, newest)
  })
})

describe('on PostgreSQL, whose servers may be many', () => {
  const [newest] = RECORDED.slice(-1)
  const open = async () => {
    const { place, migrate } = await STORES.postgres.find(newest?.version ?? '')
    const note = (leaving: boolean, ageMs: number) =>
      place.write(`INSERT INTO nodes (node_id, name, version, started_at, seen_at, leaving, lag_ms)
        VALUES ('before', 'host:1', '0.2.0', 0, clock_ms() - ${ageMs}, ${leaving}, 0)`)
    const claims = async () => (await place.rows<{ n: number }>('SELECT count(*)::integer AS n FROM claims'))[0]?.n
    return { place, migrate, note, claims }
  }

  test('a database whose server of before still runs is left to it', async () => {
    const { migrate, note, claims } = await open()
    await note(false, 1_000)
    expect((await errorOf(migrate())).message).toContain('servers of the release before still run')
    expect(await claims()).toBeGreaterThan(0)
  })

  test.each([
    ['left', true, 1_000],
    ['was killed half a minute ago', false, 30_001],
  ] as const)('one whose server of before %s is migrated', async (_, leaving, ageMs) => {
    const { place, migrate, note } = await open()
    await note(leaving, ageMs)
    await migrate()
    expect(await place.rows('SELECT version FROM schema_version')).toEqual([{ version: OF_POSTGRES.length }])
  })

  test('one whose migration was cut off at its end is as before, and migrated by the next start', async () => {
    const { place, migrate, claims } = await open()
    const cut = `${PLANTED} SELECT pg_terminate_backend(pg_backend_pid());`
    const { sql } = place
    await errorOf(migratePostgres(sql, [...OF_POSTGRES, cut]))
    expect(await claims()).toBeGreaterThan(0)
    await migrate()
    await drill(place, newest as Recorded)
  })
})
