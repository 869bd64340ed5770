/** Watches the store: whether the clock was set back, how long transactions wait, and whether they are stored. */
import { DAY_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { StoreLoad } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import type { Random } from '../ports/vault'

/** Smaller steps are usual corrections of a clock, and delay nothing for long. */
const MIN_STEP_MS = 1_000

/** How far the wall clock is ahead of the monotonic clock, and when, by the monotonic clock. */
interface ClockLead {
  readonly leadMs: number
  readonly at: number
}

/**
 * Corrects stored times when the clock is set back. Otherwise everything that ends at a stored time would last longer.
 * Codes would stay valid, and the lease of a dead process would hold its message for hours. New issues would be listed
 * behind old ones.
 *
 * Wraps the store: before each transaction the wall clock is compared with the monotonic clock. If the wall clock was set back,
 * stored times are corrected first.
 */
export function followClock(store: Store, clock: Clock, random: Random): Store {
  const thisProcess = Buffer.from(random.bytes(8)).toString('hex')
  let known = look()
  let correcting: Promise<void> | undefined

  /** The order matters: if the process pauses between the two reads, a second look does not confirm the step. */
  function look(): ClockLead {
    const now = clock.now()
    const at = clock.elapsed()
    return { leadMs: now - at, at }
  }
  const isSetBack = ({ leadMs }: ClockLead) => known.leadMs - leadMs >= MIN_STEP_MS

  async function correct(seen: ClockLead): Promise<void> {
    const byMs = Math.round(known.leadMs - seen.leadMs)
    const unseenForMs = seen.at - known.at
    try {
      await store.transaction((tx) => tx.clock.setBack(byMs, thisProcess, unseenForMs))
      known = seen
    } finally {
      correcting = undefined
    }
  }

  function follow(): void {
    let seen = look()
    if (isSetBack(seen)) seen = look()
    if (isSetBack(seen)) correcting = correct(seen)
    else known = seen
  }

  return {
    ...store,
    transaction(work, manner) {
      if (!correcting) follow()
      return correcting ? correcting.then(() => store.transaction(work, manner)) : store.transaction(work, manner)
    },
  }
}

/** Ids that sort in the order in which they are made, even if the clock is set back meanwhile. */
export function orderedIds(random: Random): Random {
  let latest = 0
  return {
    ...random,
    uuid(now) {
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
      transaction(work, manner) {
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
