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

/** The database's time `stamped`, read between two moments of the monotonic clock. */
export interface ClockSighting {
  stamped: number
  sentAt: number
  answeredAt: number
}

/**
 * The database's clock, which all servers go by: this process adds a lead to its own clock. It is behind by a round trip at most;
 * what is stored is stamped by the database itself.
 *
 * An offset that fits a sighting stays, since a late answer says nothing about the clock. So a clock that seems to have been set
 * back has been set back.
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

/** Cron patterns in UTC, by croner. Two runs of one job never overlap. */
export const systemSchedule: Schedule = (pattern, run) => {
  let job: Cron | undefined
  // Loading croner would delay the start, and nothing is due at once.
  const starting = setTimeout(() => {
    const { Cron } = require('croner') as typeof import('croner')
    job = new Cron(pattern, { utcOffset: 0, protect: true, catch: true }, run)
  }, START_AFTER_MS)
  return () => {
    clearTimeout(starting)
    job?.stop()
  }
}
