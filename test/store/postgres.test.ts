/** The store on a real PostgreSQL. */
import { setDefaultTimeout } from 'bun:test'
import type { Store } from '../../src/ports/store'
import { openStore } from '../../src/store/postgres/open'
import { Schema } from '../support/schema-place'
import { HANGS_AFTER_MS } from '../support/until'
import { reportSuite } from './report-suite'
import { type StillClock, VAULT } from './sample'
import { storeSuite } from './suite'

setDefaultTimeout(HANGS_AFTER_MS)

const opened = async (clock: StillClock) => {
  const schema = await Schema.find()
  const stores: Store[] = []
  const opening = async () => {
    const { url } = schema.database
    const store = await openStore({ url, size: 3, clock, vault: VAULT, time: () => clock.now() })
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
      schema.leave()
    },
  }
}

storeSuite('PostgreSQL', opened)
reportSuite('PostgreSQL', opened)
