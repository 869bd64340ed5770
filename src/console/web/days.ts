/** Days in the URL (`2026-01-31`), and their times in the reader's time zone. */

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

/** Local midnight at the beginning of a day. */
function startOf(day: string, plusDays = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + plusDays).getTime()
}

/** `to` is exclusive: the midnight after the last day. */
export const timesOf = ({ from, to }: DayRange): { from?: number; to?: number } => ({
  ...(from !== undefined && { from: startOf(from) }),
  ...(to !== undefined && { to: startOf(to, 1) }),
})

const two = (number: number) => String(number).padStart(2, '0')

/** Local date some days from now. */
export function dayFromNow(days: number): string {
  const date = new Date()
  date.setDate(date.getDate() + days)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
