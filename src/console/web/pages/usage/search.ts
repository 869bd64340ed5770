/** What the usage page looks at; it stands in the address. */

export const RANGES = ['24h', '7d', '30d', 'custom'] as const
export type UsageRange = (typeof RANGES)[number]

export const GROUPS = ['channel', 'provider', 'country', 'purpose'] as const
export type UsageGroup = (typeof GROUPS)[number]

export interface UsageSearch {
  range?: UsageRange
  /** Of a custom range: days as the browser's own field writes them, both included. */
  from?: string
  to?: string
  by?: 'hour' | 'day'
  group?: UsageGroup
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

const oneOf = <T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((one) => one === value)

const day = (value: unknown) =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

export function usageSearch(search: Record<string, unknown>): UsageSearch {
  const range = oneOf(RANGES, search.range)
  const from = day(search.from)
  const to = day(search.to)
  const by = oneOf(['hour', 'day'] as const, search.by)
  const group = oneOf(GROUPS, search.group)
  return {
    ...(range && { range }),
    ...(from && { from }),
    ...(to && { to }),
    ...(by && { by }),
    ...(group && { group }),
  }
}
