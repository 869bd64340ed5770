/** Numbers, money and times as the chosen language writes them. */
import { timeZone, useTimeZone } from '../time-zone'
import { type Language, language, useLanguage } from './words'

const formats = (language: Language, timeZone: string) => {
  const number = new Intl.NumberFormat(language)
  const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  const change = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  const bytes = ['byte', 'kilobyte', 'megabyte', 'gigabyte'].map(
    (unit) => new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }),
  )
  const wait = (['second', 'minute', 'hour', 'day'] as const).map(
    (unit) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }),
  )
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone })
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone })
  const hour = new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  })
  const utc = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  return {
    number: (value: number) => number.format(value),
    /** 12K, 1.2만 */
    short: (value: number) => short.format(value),
    /** Formats a share from 0 to 1. */
    percent: (share: number) => percent.format(share),
    /** A decimal number as an amount: “KRW 1,234.5”. */
    money: (amount: string, currency: string) =>
      new Intl.NumberFormat(language, {
        ...{ style: 'currency', currency, currencyDisplay: 'code', maximumFractionDigits: 2 },
      }).format(Number(amount)),
    /** “+12%”, of a difference from -1 on. */
    change: (share: number) => change.format(share),
    bytes(count: number) {
      const power = Math.min(bytes.length - 1, Math.floor(Math.log(Math.max(count, 1)) / Math.log(1_000)))
      return bytes[power]?.format(count / 1_000 ** power) ?? ''
    },
    /** Number and unit stay together. */
    milliseconds: (ms: number) => `${number.format(ms)}\u00a0ms`,
    /** Waiting time, rounded up: “30 seconds”, “2분”. */
    wait(ms: number) {
      const seconds = Math.max(1, Math.ceil(ms / 1_000))
      const power = seconds < 60 ? 0 : seconds < 3_600 ? 1 : 2
      return wait[power]?.format(Math.ceil(seconds / 60 ** power)) ?? ''
    },
    /** Time that is left, rounded down: “12 days”, below one day in hours. */
    days: (count: number) => wait[count < 1 ? 2 : 3]?.format(Math.floor(count < 1 ? count * 24 : count)) ?? '',
    /** Unix milliseconds in the chosen time zone. */
    time: (at: number) => time.format(at),
    day: (at: number) => day.format(at),
    /** “14:00”. */
    hour: (at: number) => hour.format(at),
    utc: (at: number) => utc.format(at),
    /** “3 minutes ago”. */
    relative(at: number, now: number) {
      const seconds = (at - now) / 1_000
      const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const)
      return relative.format(Math.round(seconds / length), unit)
    },
  }
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

export type Formats = ReturnType<typeof formats>

const made = new Map<string, Formats>()

function formatsOf(language: Language, timeZone: string): Formats {
  const key = `${language} ${timeZone}`
  const known = made.get(key) ?? formats(language, timeZone)
  made.set(key, known)
  return known
}

export const useFormats = (): Formats => formatsOf(useLanguage(), useTimeZone())

/** For use outside components. */
export const formatsNow = (): Formats => formatsOf(language(), timeZone())
