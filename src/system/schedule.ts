import type { Cron } from 'croner'
import type { Schedule } from '../ports/clock'

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
