/** The schedule of automatic backups. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/value'

/** Delay after a failed backup. */
const AGAIN_AFTER_MS = HOUR_MS

/** Milliseconds after midnight UTC of a time such as `03:00`; undefined where it is no time. */
export function timeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS
}

/** The last scheduled time before now. */
const lastAt = (times: readonly number[], now: number) =>
  Math.max(...times.map((time) => now - ((((now - time) % DAY_MS) + DAY_MS) % DAY_MS)))

/** The next scheduled time, Unix milliseconds; undefined without a schedule. */
export const nextBackupAt = (times: readonly number[], now: number): number | undefined =>
  times.length === 0 ? undefined : Math.min(...times.map((time) => lastAt([time], now) + DAY_MS))

/** The newest backup that is not from a clock that was ahead. */
export const newestOf = <B extends { at: number }>(newestFirst: readonly B[], now: number): B | undefined =>
  newestFirst.find(({ at }) => at <= now + AHEAD_MS)

/** How often backups are made by somebody else, such as a timer: the time between the two newest, a day at least. Undefined for one alone. */
export function rhythmOf([newest, before]: ReadonlyArray<{ at: number }>): number | undefined {
  return newest && before && Math.max(DAY_MS, newest.at - before.at)
}

/** Clocks of a disk and of a server may differ by as much. */
const AHEAD_MS = MINUTE_MS

interface LastBackups {
  /** When the newest backup was made, Unix milliseconds. */
  newestAt: number | undefined
  /** When a backup last failed, Unix milliseconds. */
  failedAt: number | undefined
}

/** Whether a backup is due, also where the server was down at its time or the newest backup was lost. */
export function isBackupDue(
  times: readonly number[],
  { newestAt = 0, failedAt = 0 }: LastBackups,
  now: number,
): boolean {
  if (times.length === 0 || newestAt >= lastAt(times, now)) return false
  // `abs`, so that a clock step back does not delay it.
  return Math.abs(now - failedAt) >= AGAIN_AFTER_MS
}
