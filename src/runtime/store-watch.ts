/** Watches the store: how long transactions wait, and whether they are stored. */
import { DAY_MS, SECOND_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { StoreLoad } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import type { Random } from '../ports/vault'

/** Transactions that run beside each other have begun at different times. */
const BESIDE_MS = 30 * SECOND_MS

/**
 * Ids that sort in the order in which they are made, even if the clock is set back meanwhile. Those made beside each other are each of
 * their own time: lists are ordered by ids, and promise to be ordered by times.
 */
export function orderedIds(random: Random): Random {
  let latest = 0
  return {
    ...random,
    uuid(now) {
      if (now < latest && now >= latest - BESIDE_MS) return random.uuid(now)
      // If the clock was wrong by more than a day, ids start from its new time.
      latest = latest > now + DAY_MS ? now : Math.max(latest, now)
      return random.uuid(latest)
    },
  }
}

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
      transaction(work) {
        const ticket = {}
        waiting.set(ticket, clock.elapsed())
        let refusal: unknown
        const begun = (tx: Tx) => {
          waiting.delete(ticket)
          refusal = undefined
          return work(tx).catch((error: unknown) => {
            refusal = error
            throw error
          })
        }
        return store.transaction(begun).catch((error: unknown) => {
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
