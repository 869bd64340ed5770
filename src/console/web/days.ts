/** Days in the URL (`2026-01-31`), and their times in the chosen time zone. */
import { dayAt, timeOfDay } from '../../domain/shared/time-zone'
import { timeZone } from './time-zone'

export interface DayRange {
  from?: string
  /** Last day, included. */
  to?: string
}

const isDay = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

export const dayRange = ({ from, to }: Record<string, unknown>): DayRange => ({
  from: isDay(from) ? from : undefined,
  to: isDay(to) ? to : undefined,
})

/** `to` is exclusive: the midnight after the last day. */
export const timesOf = ({ from, to }: DayRange): { from?: number; to?: number } => ({
  ...(from !== undefined && { from: timeOfDay(from, timeZone()) }),
  ...(to !== undefined && { to: timeOfDay(to, timeZone(), 1) }),
})

/** The day some days from now. */
export function dayFromNow(days: number): string {
  const today = dayAt(Date.now(), timeZone())
  return dayAt(timeOfDay(today, timeZone(), days), timeZone())
}
