/** Measures the load of the store: how long transactions wait to begin, and how many could not be stored. */
import type { Clock } from '../ports/clock'
import type { StoreLoad } from '../ports/node'
import type { Store, Tx } from '../ports/store'

/** Wraps the store; `load` has the measurements. */
export function watchStore(store: Store, clock: Pick<Clock, 'elapsed'>): { store: Store; load: StoreLoad } {
  /** When each transaction began to wait, oldest first. */
  const waiting = new Map<object, number>()
  let failures = 0

  const load: StoreLoad = {
    waitingMs() {
      for (const oldest of waiting.values()) return clock.elapsed() - oldest
      return 0
    },
    writeFailures: () => failures,
  }

  return {
    load,
    store: {
      ...store,
      transaction(unit, manner) {
        const ticket = {}
        waiting.set(ticket, clock.elapsed())
        let refusal: unknown
        const begun = (tx: Tx) => {
          waiting.delete(ticket)
          refusal = undefined
          return unit(tx).catch((error: unknown) => {
            refusal = error
            throw error
          })
        }
        return store.transaction(begun, manner).catch((error: unknown) => {
          waiting.delete(ticket)
          // A refusal by the transaction itself is no failed write.
          if (error !== refusal) failures++
          throw error
        })
      },
      assertWritable: () =>
        store.assertWritable().catch((error: unknown) => {
          failures++
          throw error
        }),
    },
  }
}
