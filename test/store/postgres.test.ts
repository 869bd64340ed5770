/** The store on a real PostgreSQL. */
import type { Store } from '../../src/ports/store'
import { openStore } from '../../src/store/postgres/open'
import { sharedPostgres } from '../support/postgres'
import { type StillClock, VAULT } from './sample'
import { storeSuite } from './suite'

storeSuite('PostgreSQL', async (clock: StillClock) => {
  const server = await sharedPostgres()
  const database = await server.database()
  const stores: Store[] = []
  const opening = async () => {
    const store = await openStore({ url: database.url, size: 3, clock, vault: VAULT, time: () => clock.now() })
    let closing: Promise<void> | undefined
    const once = { ...store, close: () => (closing ??= store.close()) }
    stores.push(once)
    return once
  }
  const store = await opening()
  return {
    store,
    another: opening,
    newsMs: 1_500,
    close: async () => {
      for (const store of stores) await store.close()
      await database.drop()
    },
  }
})
