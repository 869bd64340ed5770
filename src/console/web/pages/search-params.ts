/** Search parameters of the pages that have them. The router loads this file first, so it imports no component. */
import { type DayRange, dayRange } from '../days'

const oneOf = <T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((one) => one === value)

export const VERIFICATIONS = ['issued', 'verified', 'expired', 'max_attempts', 'replaced'] as const
export const DELIVERIES = ['queued', 'sent', 'delivered', 'failed'] as const

export interface IssueFilters extends DayRange {
  search?: string
  status?: (typeof VERIFICATIONS)[number]
  delivery?: (typeof DELIVERIES)[number]
}

/** Returns every filter by name: the router keeps the old value of a parameter that is missing here. */
export function issueFilters(asked: Record<string, unknown>): IssueFilters {
  // The router parses a purpose of digits as a number.
  const search = typeof asked.search === 'number' ? String(asked.search) : asked.search
  const status = oneOf(VERIFICATIONS, asked.status)
  const delivery = oneOf(DELIVERIES, asked.delivery)
  return {
    search: typeof search === 'string' && search !== '' ? search.slice(0, 200) : undefined,
    status,
    delivery,
    ...dayRange(asked),
  }
}

export const ENTRY_TYPES = ['credit', 'debit', 'refund', 'clawback'] as const

export interface LedgerFilters extends DayRange {
  type?: (typeof ENTRY_TYPES)[number]
}

/** Returns every filter by name, for the same reason. */
export function ledgerFilters(asked: Record<string, unknown>): LedgerFilters {
  return { type: oneOf(ENTRY_TYPES, asked.type), ...dayRange(asked) }
}

export const PROTECTION_RANGES = ['24h', '7d', '30d'] as const
export const PROTECTION_GROUPS = ['country', 'prefix', 'network', 'rule'] as const
export type ProtectionGroup = (typeof PROTECTION_GROUPS)[number]

export interface ProtectionSearch {
  range?: (typeof PROTECTION_RANGES)[number]
  group?: ProtectionGroup
}

export function protectionSearch(search: Record<string, unknown>): ProtectionSearch {
  const range = oneOf(PROTECTION_RANGES, search.range)
  const group = oneOf(PROTECTION_GROUPS, search.group)
  return { ...(range && { range }), ...(group && { group }) }
}

export const USAGE_RANGES = ['7d', '30d', 'month', 'last-month', 'custom'] as const

export interface UsageSearch extends DayRange {
  /** Missing: this month. */
  range?: (typeof USAGE_RANGES)[number]
  /** What the table adds up by, separated by commas. */
  groups?: string
  /** A column, with a minus sign for the largest first. */
  sort?: string
}

export function usageSearch(search: Record<string, unknown>): UsageSearch {
  const range = oneOf(USAGE_RANGES, search.range)
  const { from, to } = dayRange(search)
  const text = (value: unknown) => (typeof value === 'string' && value.length <= 200 ? value : undefined)
  const [groups, sort] = [text(search.groups), text(search.sort)]
  return {
    ...(range && { range }),
    ...(from && { from }),
    ...(to && { to }),
    ...(groups !== undefined && { groups }),
    ...(sort && { sort }),
  }
}
