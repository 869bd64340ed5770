/** Days and hours in a time zone, by its IANA name such as `Asia/Seoul`. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './value'

const clocks = new Map<string, Intl.DateTimeFormat>()
/** Names are read in any case, so that there are more of them than time zones. */
const CLOCKS_AT_MOST = 100

/** Throws a RangeError for a name that is no time zone. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (clocks.size >= CLOCKS_AT_MOST) clocks.clear()
  clocks.set(timeZone, clock)
  return clock
}

export function isTimeZone(name: string): boolean {
  try {
    clockOf(name)
    return true
  } catch {
    return false
  }
}

/** How far a time zone is ahead of UTC at a time. */
export function offsetMs(at: number, timeZone: string): number {
  const parts: Record<string, number> = {}
  for (const { type, value } of clockOf(timeZone).formatToParts(at)) parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / SECOND_MS) * SECOND_MS
}

/** The time at which clocks of the zone show what clocks of UTC show at `wall`. */
export function timeOfWall(wall: number, timeZone: string): number {
  const guess = wall - offsetMs(wall, timeZone)
  return wall - offsetMs(guess, timeZone)
}

/** The beginning of a day (`2026-01-31`), or of one of its hours, in a time zone. */
export const timeOfDay = (day: string, timeZone: string, plusDays = 0, hour = 0): number =>
  timeOfWall(Date.parse(day) + plusDays * DAY_MS + hour * HOUR_MS, timeZone)

/** The day of a time in a time zone, as `2026-01-31`. */
export const dayAt = (at: number, timeZone: string): string => isoAt(at, timeZone).slice(0, 10)

/** ISO 8601 with the offset of the time zone, such as `2026-01-31T09:00:00.000+09:00`. */
export function isoAt(at: number, timeZone: string): string {
  const offset = offsetMs(at, timeZone)
  const minutes = Math.abs(offset) / MINUTE_MS
  return `${new Date(at + offset).toISOString().slice(0, -1)}${offset < 0 ? '-' : '+'}${clockText(minutes)}`
}

/** A minute of the day as clocks show it, such as `22:00`. */
const clockText = (minute: number): string =>
  [minute / 60, minute % 60].map((number) => String(Math.floor(number)).padStart(2, '0')).join(':')

/** Whether a text is a day of the calendar, such as `2026-01-31`. */
export const isDay = (text: string): boolean => /^20\d\d-\d\d-\d\d$/.test(text) && dayOf(Date.parse(text)) === text

/** The day of a time of UTC, or of what clocks show; empty where there is none. */
export const dayOf = (utc: number): string => (Number.isNaN(utc) ? '' : new Date(utc).toISOString().slice(0, 10))

/** Larger than any offset. */
const FARTHEST_MS = 15 * HOUR_MS

/** The first quarter of an hour of a day, also where its clocks skip midnight. */
export function firstOfDay(day: string, timeZone: string): number {
  const midnight = Date.parse(day)
  const isReached = (at: number) => at + offsetMs(at, timeZone) >= midnight
  return firstQuarter(midnight - FARTHEST_MS, midnight + FARTHEST_MS, isReached)
}

/** A period in which the clocks of a zone are `offsetMs` ahead of UTC. */
export interface OffsetPeriod {
  from: number
  to: number
  offsetMs: number
}

/** The periods between changes of the clocks. */
export function offsetPeriods(from: number, to: number, timeZone: string): OffsetPeriod[] {
  const periods: OffsetPeriod[] = []
  let period = { from, to, offsetMs: offsetMs(from, timeZone) }
  for (let at = from; at < to; at += DAY_MS) {
    const next = Math.min(at + DAY_MS, to)
    const offset = offsetMs(next, timeZone)
    if (offset === period.offsetMs) continue
    const changedAt = firstQuarter(at, next, (quarter) => offsetMs(quarter, timeZone) === offset)
    periods.push({ ...period, to: changedAt })
    period = { from: changedAt, to, offsetMs: offset }
  }
  return [...periods, period].filter((one) => one.from < one.to)
}

/** Clocks are set at whole quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS

/** The first quarter of an hour from which on `isReached` is true. */
function firstQuarter(from: number, to: number, isReached: (at: number) => boolean): number {
  let [below, above] = [0, Math.ceil((to - from) / QUARTER_MS)]
  while (below < above) {
    const middle = Math.floor((below + above) / 2)
    if (isReached(from + middle * QUARTER_MS)) above = middle
    else below = middle + 1
  }
  return from + below * QUARTER_MS
}
