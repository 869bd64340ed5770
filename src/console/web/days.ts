/** Days as an address holds them (`2026-01-31`), and the times they stand for where the reader is. */

export interface DayRange {
  from?: string
  /** The last day, whole. */
  to?: string
}

const isDay = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

export const dayRange = ({ from, to }: Record<string, unknown>): DayRange => ({
  from: isDay(from) ? from : undefined,
  to: isDay(to) ? to : undefined,
})

/** Midnight at the beginning of a day, here. */
function startOf(day: string, plusDays = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + plusDays).getTime()
}

/** `to` is the first moment behind the last day. */
export const timesOf = ({ from, to }: DayRange): { from?: number; to?: number } => ({
  ...(from !== undefined && { from: startOf(from) }),
  ...(to !== undefined && { to: startOf(to, 1) }),
})

const two = (number: number) => String(number).padStart(2, '0')

/** The day here, some days from now. */
export function dayFromNow(days: number): string {
  const date = new Date()
  date.setDate(date.getDate() + days)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
