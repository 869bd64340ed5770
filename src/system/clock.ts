/** The clock of this process, the clock of a shared database, and cron schedules. */
import type { Cron } from 'croner'
import type { Clock, Schedule } from '../ports/clock'

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/** What one transaction has seen: the database said `stamped` between two moments of a clock that never steps. */
export interface ClockSighting {
  stamped: number
  sentAt: number
  answeredAt: number
}

/**
 * The database's clock, which all servers go by: this process adds a lead to its own clock. It is behind by a round trip at most;
 * what is stored is stamped by the database itself.
 *
 * What fits a sighting stays: one whose answer came late, for whatever reason, is no news of the clock. So a clock that seems
 * to have been set back has been.
 */
export function databaseClock(own: Clock): { clock: Clock; see(sighting: ClockSighting): void } {
  let offset = own.now() - own.elapsed()
  let isSeen = false
  return {
    clock: { ...own, now: () => Math.round(own.elapsed() + offset) },
    see({ stamped, sentAt, answeredAt }) {
      const least = stamped - answeredAt
      const most = stamped - sentAt
      if (!isSeen || offset < least || offset > most) offset = least
      isSeen = true
    },
  }
}

const START_AFTER_MS = 1_000

/** croner: cron patterns in UTC, never two runs of one job at a time. */
export const systemSchedule: Schedule = (pattern, run) => {
  let job: Cron | undefined
  // Nothing is due at once, and working out time zones would hold up the start.
  const starting = setTimeout(() => {
    const { Cron } = require('croner') as typeof import('croner')
    job = new Cron(pattern, { utcOffset: 0, protect: true, catch: true }, run)
  }, START_AFTER_MS)
  return () => {
    clearTimeout(starting)
    job?.stop()
  }
}
