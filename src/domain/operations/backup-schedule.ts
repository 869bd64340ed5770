/** When the server has a backup made by itself. */
import { DAY_MS, HOUR_MS } from '../shared/value'

const MINUTE_MS = 60_000

/** After one that failed. */
const AGAIN_AFTER_MS = HOUR_MS

/** Milliseconds behind midnight UTC, of a time such as `03:00`; undefined where it is none. */
export function timeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS
}

/** Of the times of day, the last that has come. */
const lastAt = (times: readonly number[], now: number) =>
  Math.max(...times.map((time) => now - ((((now - time) % DAY_MS) + DAY_MS) % DAY_MS)))

/** Of the times of day, the next. Undefined where there are none. */
export const nextBackupAt = (times: readonly number[], now: number): number | undefined =>
  times.length === 0 ? undefined : Math.min(...times.map((time) => lastAt([time], now) + DAY_MS))

interface LastBackups {
  /** When the newest was made. */
  newestAt: number | undefined
  /** When one was tried for last, and was not made. */
  failedAt: number | undefined
}

/** Also where the server did not run at the time, or the newest was lost. */
export function isBackupDue(
  times: readonly number[],
  { newestAt = 0, failedAt = 0 }: LastBackups,
  now: number,
): boolean {
  if (times.length === 0 || newestAt >= lastAt(times, now)) return false
  // A clock that was set back keeps nobody waiting.
  return Math.abs(now - failedAt) >= AGAIN_AFTER_MS
}
