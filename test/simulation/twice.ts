/** What a database may ask for, and the port's contract promises to bear: every transaction runs twice, the first time for nothing. */
import type { Store } from '../../src/ports/store'

class Again extends Error {}

export const eachUnitTwice = (store: Store): Store => ({
  ...store,
  async transaction(work) {
    try {
      await store.transaction(async (tx) => {
        await work(tx)
        throw new Again()
      })
    } catch (error) {
      if (!(error instanceof Again)) throw error
    }
    return store.transaction(work)
  },
})
