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

const STORES = {
  sqlite: {
    migrations: OF_SQLITE as string[],
    find: async (version: string) => {
      const place = await RecordedFile.find(version)
      return { place, migrate: () => place.change((db) => migrateSQLite(db)) }
    },
  },
  postgres: {
    migrations: OF_POSTGRES as string[],
    find: async (version: string) => {
      const place = await RecordedSchema.find(version)
      return { place, migrate: () => migratePostgres(place.sql) }
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
        const [row] = await place.rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
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

  test('a migration that fails leaves the database to its release', async () => {
    const { place, migrate } = await find(newest.version)
    migrations.push(`${PLANTED} SELECT of_nothing FROM apps;`)
    expect((await errorOf((async () => migrate())())).message).toContain('of_nothing')
    migrations.splice(released)
    await drill(place, newest)
  })
})
