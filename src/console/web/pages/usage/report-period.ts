/** The period of the usage page in whole days, and the time before it. */
import { dayOf } from '../../../../domain/shared/time-zone'
import { DAY_MS } from '../../../../domain/shared/value'
import type { UsageSearch } from '../search-params'

export interface ReportPeriod {
  /** First and last day. */
  from: string
  to: string
}

const addDays = (day: string, days: number) => dayOf(Date.parse(day) + days * DAY_MS)
const monthOf = (day: string) => `${day.slice(0, 8)}01`
const daysBetween = ({ from, to }: ReportPeriod) => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)

/** Most bars that can be read in one chart. */
const MOST_DAYS = 62
export const chartStep = (period: ReportPeriod) => (daysBetween(period) < MOST_DAYS ? 'day' : 'month')

/** All days of a period, or all of its months. */
export function stepsOf(period: ReportPeriod): string[] {
  const days = Array.from({ length: daysBetween(period) + 1 }, (_, n) => addDays(period.from, n))
  return chartStep(period) === 'day' ? days : [...new Set(days.map((day) => day.slice(0, 7)))]
}

export function reportPeriod({ range = 'month', from, to }: UsageSearch, today: string): ReportPeriod {
  switch (range) {
    case '7d':
      return { from: addDays(today, -6), to: today }
    case '30d':
      return { from: addDays(today, -29), to: today }
    case 'month':
      return { from: monthOf(today), to: today }
    case 'last-month':
      return wholeMonthBefore(today)
    case 'custom': {
      const first = from ?? monthOf(today)
      return { from: first, to: to === undefined || to < first ? first : to }
    }
  }
}

function wholeMonthBefore(day: string): ReportPeriod {
  const last = addDays(monthOf(day), -1)
  return { from: monthOf(last), to: last }
}

/** Months are compared with the same days of the month before, other periods with as many days before. */
export function periodBefore({ range = 'month' }: UsageSearch, period: ReportPeriod): ReportPeriod {
  const days = daysBetween(period)
  if (range === 'last-month') return wholeMonthBefore(period.from)
  if (range !== 'month') return { from: addDays(period.from, -days - 1), to: addDays(period.from, -1) }
  const { from, to } = wholeMonthBefore(period.from)
  const [first = to] = [addDays(from, days), to].sort()
  return { from, to: first }
}
