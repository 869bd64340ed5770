/** Watches how the store keeps up: how long units wait for their turn, and whether what they did was stored. */
import type { Clock } from '../ports/clock'
import type { Load } from '../ports/node'
import type { Store } from '../ports/store'

/** The store, and what is seen of it. */
export function watched(store: Store, clock: Pick<Clock, 'elapsed'>): { store: Store; load: Load } {
  /** Since when, oldest first. */
  const waiting = new Map<symbol, number>()
  let failures = 0

  const load: Load = {
    waitingMs() {
      const now = clock.elapsed()
      const [oldest = now] = waiting.values()
      return now - oldest
    },
    writeFailures: () => failures,
  }

  async function watch<T>(attempt: (begun: () => void) => Promise<T>): Promise<T> {
    const unit = Symbol()
    waiting.set(unit, clock.elapsed())
    try {
      return await attempt(() => void waiting.delete(unit))
    } finally {
      waiting.delete(unit)
    }
  }

  return {
    load,
    store: {
      ...store,
      transaction: (unit) =>
        watch(async (begun) => {
          let refusal: unknown
          try {
            return await store.transaction(async (tx) => {
              begun()
              refusal = undefined
              try {
                return await unit(tx)
              } catch (error) {
                refusal = error
                throw error
              }
            })
          } catch (error) {
            // What the unit itself has refused was not for the disk.
            if (error !== refusal) failures++
            throw error
          }
        }),
      assertWritable: () =>
        store.assertWritable().catch((error: unknown) => {
          failures++
          throw error
        }),
    },
  }
}
