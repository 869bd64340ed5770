/** Whole days of a time zone, by its IANA name. */
import { invalid } from './error'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './value'

/** A day of the calendar, such as `2026-01-31`. */
export const isDay = (text: string): boolean => /^20\d\d-\d\d-\d\d$/.test(text) && dayOf(utcOf(text)) === text

/** 00:00 UTC of a day; NaN where it is none. */
const utcOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** The day that begins at 00:00 UTC or contains the time; empty where there is none. */
export const dayOf = (utc: number) => (Number.isNaN(utc) ? '' : new Date(utc).toISOString().slice(0, 10))

/** Clocks are set by whole quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS
/** Larger than any offset. */
const FARTHEST_MS = 15 * HOUR_MS
const LONGEST_NAME = 64

/** A period in which the clocks of a zone are `offsetMs` before UTC. */
export interface OffsetPeriod {
  from: number
  to: number
  offsetMs: number
}

export class TimeZone {
  readonly #format: Intl.DateTimeFormat

  /** Throws `invalid`. */
  constructor(name: string) {
    try {
      if (name.length > LONGEST_NAME) throw new RangeError()
      this.#format = new Intl.DateTimeFormat('en-US', {
        ...{ timeZone: name, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
        ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
      })
    } catch {
      throw invalid('timeZone', 'invalid_time_zone', 'must be the IANA name of a time zone, such as Asia/Seoul')
    }
  }

  offsetAt(at: number): number {
    const parts = Object.fromEntries(this.#format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day, hour, minute, second } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000
  }

  /** The first quarter of an hour that belongs to a day or to one behind it. */
  startOf(day: string): number {
    const midnight = utcOf(day)
    return this.#firstQuarter(
      midnight - FARTHEST_MS,
      midnight + FARTHEST_MS,
      (at) => at + this.offsetAt(at) >= midnight,
    )
  }

  /** The periods between changes of the clocks. */
  periods(from: number, to: number): OffsetPeriod[] {
    const periods: OffsetPeriod[] = []
    let period = { from, to, offsetMs: this.offsetAt(from) }
    for (let at = from; at < to; at += DAY_MS) {
      const next = Math.min(at + DAY_MS, to)
      const offsetMs = this.offsetAt(next)
      if (offsetMs === period.offsetMs) continue
      const changedAt = this.#firstQuarter(at, next, (quarter) => this.offsetAt(quarter) === offsetMs)
      periods.push({ ...period, to: changedAt })
      period = { from: changedAt, to, offsetMs }
    }
    return [...periods, period].filter((one) => one.from < one.to)
  }

  /** Where `isReached` is true from some quarter on, this quarter. */
  #firstQuarter(from: number, to: number, isReached: (at: number) => boolean): number {
    let [below, above] = [0, Math.ceil((to - from) / QUARTER_MS)]
    while (below < above) {
      const middle = Math.floor((below + above) / 2)
      if (isReached(from + middle * QUARTER_MS)) above = middle
      else below = middle + 1
    }
    return from + below * QUARTER_MS
  }
}
