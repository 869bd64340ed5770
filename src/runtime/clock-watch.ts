/**
 * What happens when somebody sets the clock back. What was to end at a moment of the old clock would last for as long as
 * it was set back: codes would live on, a lease of a process that died would hold its message for hours, and new issues
 * would be listed behind old ones.
 */
import { DAY_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Random } from '../ports/random'
import type { Store } from '../ports/store'

/** Less is the usual correction of a clock, and nobody waits long for it. */
const MIN_STEP_MS = 1_000

/** By how much the clock leads the one that never steps, and when by that one. */
interface ClockLead {
  readonly leadMs: number
  readonly at: number
}

/**
 * The store, as one that looks before each transaction whether the clock has been set back since the last one (the other
 * clock never steps), and then first of all makes what is stored fit the new time.
 */
export function followClock(store: Store, clock: Clock, random: Random): Store {
  const thisProcess = Buffer.from(random.bytes(8)).toString('hex')
  let known = look()
  let correcting: Promise<void> | undefined

  /** In this order: a process that stands still in between finds a step that a second look does not find. */
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
    transaction(unit, manner) {
      if (!correcting) follow()
      return correcting ? correcting.then(() => store.transaction(unit, manner)) : store.transaction(unit, manner)
    },
  }
}

/** Ids in the order in which they are made, by which lists are sorted, also where the clock goes back meanwhile. */
export function orderedIds(random: Random): Random {
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
