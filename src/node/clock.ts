/**
 * What happens when somebody sets the clock back. What was to end at a moment of the old clock would last for as long as
 * it was set back: codes would live on, a lease of a process that died would hold its message for hours, and new issues
 * would be listed behind old ones.
 */
import { DAY_MS } from '../domain/value'
import type { Clock } from '../ports/clock'
import type { Random } from '../ports/random'
import type { Store } from '../ports/store'

/** Less is the usual correction of a clock, and nobody waits long for it. */
const NOTICED_MS = 1_000

/**
 * The store, as one that looks before each transaction whether the clock has been set back since the last one (the other
 * clock never steps), and then first of all makes what is stored fit the new time.
 */
export function followClock(store: Store, clock: Clock, random: Random): Store {
  const thisProcess = Buffer.from(random.bytes(8)).toString('hex')
  /** When it was looked at last, by the clock that never steps, and by how much the other one led then. */
  let knownAt = clock.elapsed()
  let known = clock.now() - knownAt
  let mending: Promise<void> | undefined

  async function mend(found: number, foundAt: number): Promise<void> {
    const unseenForMs = foundAt - knownAt
    try {
      await store.transaction((tx) => tx.clock.setBack(Math.round(known - found), thisProcess, unseenForMs))
      known = found
      knownAt = foundAt
    } finally {
      mending = undefined
    }
  }

  return {
    ...store,
    transaction(unit, manner) {
      const foundAt = clock.elapsed()
      const found = clock.now() - foundAt
      if (known - found >= NOTICED_MS) mending ??= mend(found, foundAt)
      else if (!mending) {
        known = found
        knownAt = foundAt
      }
      return mending ? mending.then(() => store.transaction(unit, manner)) : store.transaction(unit, manner)
    },
  }
}

/** Ids in the order in which they are made, by which lists are sorted, also where the clock goes back meanwhile. */
export function inOrder(random: Random): Random {
  let latest = 0
  return {
    ...random,
    uuid(now) {
      // A clock that was wrong by more than a day is not followed.
      latest = latest > now + DAY_MS ? now : Math.max(latest, now)
      return random.uuid(latest)
    },
  }
}
