/**
 * A PgBouncer in front of the database, as it is wrong: autobase-tech/autobase#89 (`query_wait_timeout`: too small a pool), pgbouncer/pgbouncer#210
 * (prepared statements where transactions are pooled). Right: pgbouncer.org/features. Debian's package `pgbouncer` brings the program.
 */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { examinePostgres } from '../../src/cli/doctor/postgres'
import { readConfig } from '../../src/config'
import { openStore } from '../../src/store/postgres/open'
import { systemClock } from '../../src/system/clock'
import { createVault } from '../../src/system/vault'
import { PgBouncer } from '../support/pgbouncer'
import { Postgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

let database: Postgres
let pooler: PgBouncer
afterEach(async () => {
  await pooler.stop()
  await database.stop()
})

/** What the doctor says of a database behind a pooler. A server has twelve connections. */
async function examined(options: Parameters<typeof PgBouncer.start>[1]) {
  database = await Postgres.start()
  const secret = 'a secret of this test, 32 characters'
  const vault = createVault(Buffer.from(secret))
  await (await openStore({ url: database.url(), size: 8, clock: systemClock, vault })).close()
  pooler = await PgBouncer.start(database.port, options)
  const url = database.url().replace(`:${database.port}`, `:${pooler.port}`)
  const config = readConfig({ WATCHWORD_DATABASE_URL: url, WATCHWORD_SECRET: secret, WATCHWORD_DATABASE_POOL: '8' })
  const found = config.database ? await examinePostgres(config, config.database) : []
  return found.map(({ check, state, message }) => `${check} ${state}: ${message}`)
}

test('a pooler with room for another server is fine', async () => {
  expect(await examined({ size: 26 })).toContainEqual(
    'pooler ok: The pooler in front of the database gives 12 of the 12 connections that another server takes.',
  )
})

test('a pooler without room for another server is a problem', async () => {
  expect(await examined({ size: 10 })).toContainEqual(
    expect.stringMatching(/^pooler problem: .* gives \d+ of the 12 connections/),
  )
})

test('a pooler that gives each transaction another connection is named as that', async () => {
  expect(await examined({ mode: 'transaction' })).toEqual([
    expect.stringMatching(/^database problem: .* gives each transaction another connection: set pool_mode = session$/),
  ])
})
