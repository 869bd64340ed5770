/**
 * The database's clock, which all servers go by: what this one adds to its own to read it. It is behind by a round trip at
 * most; what is stored is stamped by the database itself.
 */
import type { Clock } from '../ports/clock'

/** What one unit has seen: the database said `stamped` between two moments of a clock that never steps. */
export interface ClockSighting {
  stamped: number
  sentAt: number
  answeredAt: number
}

/**
 * What fits a sighting stays: one whose answer came late, for whatever reason, is no news of the clock. So a clock that seems
 * to have been set back has been.
 */
export function databaseClock(own: Clock): { clock: Clock; see(sighting: ClockSighting): void } {
  let lead = own.now() - own.elapsed()
  let isSeen = false
  return {
    clock: { ...own, now: () => Math.round(own.elapsed() + lead) },
    see({ stamped, sentAt, answeredAt }) {
      const least = stamped - answeredAt
      const most = stamped - sentAt
      if (!isSeen || lead < least || lead > most) lead = least
      isSeen = true
    },
  }
}
