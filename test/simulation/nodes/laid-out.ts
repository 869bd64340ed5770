/** A database for simulations, one after the other, on a server that does nothing by itself. */
import { openStore } from '../../../src/store/postgres/open'
import { systemClock } from '../../../src/system/clock'
import { createVault } from '../../../src/system/vault'
import { type Database, Postgres } from '../../support/postgres'
import { seededRandom } from '../../support/random'
import { SECRET } from '../../support/world'

/** Where rows lie decides between equals. */
const QUIET = { autovacuum: 'off' }

export interface LaidOut {
  database: Database
  close(): Promise<void>
}

export async function laidOut(): Promise<LaidOut> {
  const server = await Postgres.start({ settings: QUIET })
  const database = await server.database()
  // Keys that are the same in every run: by hashes of phones it is decided what is looked at first.
  const keys = seededRandom(1)
  const vault = createVault(Buffer.from(SECRET), (length) => keys.bytes(length))
  const store = await openStore({ url: database.url, size: 1, clock: systemClock, vault })
  await store.close()
  return { database, close: () => server.stop() }
}
