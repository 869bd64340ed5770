/** What a statement reads on a PostgreSQL of the size at which it could hurt, as its own plans say. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import '../../src/console/rpc'
import { tmpdir } from 'node:os'
import { Postgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'
import { START, World } from '../support/world'
import { drive } from './drive'
import { DAYS, fillingEvents, LARGEST, POSTGRES } from './fill'
import { EXPLAINING, LargePostgres } from './large-postgres'

setDefaultTimeout(HANGS_AFTER_MS * 3)

const MOST_ROWS = 5_000

/** They read more, in the database's process and not on the loop. Each has its reason. */
const MAY_READ: ReadonlyArray<[statement: RegExp, most: number]> = [
  // Metrics tell what waits. It is asked as often as Prometheus asks, from an index.
  [/FROM "?jobs"?\s+GROUP BY/i, 250_000],
  // Readings for people, exports and roll-ups go on in steps of so many entries.
  [/FROM "?(ledger_entries|attempts|issues|traffic_\w+)"?/i, 21_000],
]
/** What the test asks for itself. */
const OF_THE_TEST = /^\s*(INSERT|SELECT min\(at\))/i
const mostFor = (text: string) => MAY_READ.find(([statement]) => statement.test(text))?.[1] ?? MOST_ROWS

let server: Postgres
let place: LargePostgres
let world: World

beforeAll(async () => {
  server = await Postgres.start({ on: tmpdir(), settings: EXPLAINING })
  place = new LargePostgres(server)
  await place.fill()
  world = await World.start({ place, env: { WATCHWORD_LIVE_RETENTION_DAYS: String(DAYS - 1) } })
})
afterAll(async () => {
  await world?.stop()
  await server?.stop()
})

test('nothing that is asked of an installation of three million issues reads more than it answers', async () => {
  const failed = await drive(world, async (endpointId) => {
    for (const insert of fillingEvents(POSTGRES, { appId: LARGEST, endpointId }, START)) await place.write(insert)
    // As autovacuum does within a minute.
    await place.write('ANALYZE webhook_events, webhook_deliveries, webhook_attempts, jobs')
  })
  expect(failed).toEqual([])
  const asked = place.plans().filter(({ text }) => !OF_THE_TEST.test(text))
  const excessive = asked.filter(({ text, read, answered }) => read > mostFor(text) + 3 * answered)
  expect(excessive).toEqual([])
})
