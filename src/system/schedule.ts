import { Cron } from 'croner'
import type { Schedule } from '../ports'

/** croner: cron patterns in UTC, never two runs of one job at a time. */
export const systemSchedule: Schedule = (pattern, run) => {
  const job = new Cron(pattern, { timezone: 'UTC', protect: true, catch: true }, run)
  return () => job.stop()
}
