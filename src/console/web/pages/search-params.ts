/** Search parameters of the pages that have them. The router loads this file first, so it imports no component. */
import { CHANNELS, type Channel, LEGS, type Leg } from '../../../../contract/constants'
import { type DayRange, dayRange } from '../days'

const oneOf = <T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((one) => one === value)

export const VERIFICATIONS = ['issued', 'verified', 'expired', 'max_attempts', 'replaced'] as const
export const DELIVERIES = ['queued', 'sent', 'delivered', 'failed'] as const
export const LAST_HOURS = { '1h': 1, '24h': 24 } as const

export interface IssueFilters extends DayRange {
  search?: string
  status?: (typeof VERIFICATIONS)[number] | 'unverified'
  delivery?: (typeof DELIVERIES)[number]
  channel?: Channel
  leg?: Leg
  country?: string
  carrier?: string
  /** The outcome code, such as that of a carrier. */
  code?: string
  /** An hour of each day. */
  hour?: number
  /** Instead of days: the time before now. */
  last?: keyof typeof LAST_HOURS
  order?: 'oldest'
}

/** The router parses a text of digits as a number. */
const textOf = (value: unknown, longest: number): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text.slice(0, longest) : undefined
}

/** Returns every filter by name: the router keeps the old value of a parameter that is missing here. */
export function issueFilters(asked: Record<string, unknown>): IssueFilters {
  const { country, hour } = asked
  return {
    search: textOf(asked.search, 200),
    status: oneOf([...VERIFICATIONS, 'unverified'], asked.status),
    delivery: oneOf(DELIVERIES, asked.delivery),
    channel: oneOf(CHANNELS, asked.channel),
    leg: oneOf(LEGS, asked.leg),
    country: typeof country === 'string' && /^[A-Z]{2}$/.test(country) ? country : undefined,
    carrier: textOf(asked.carrier, 128),
    code: textOf(asked.code, 128),
    hour: Number.isInteger(hour) && Number(hour) >= 0 && Number(hour) < 24 ? Number(hour) : undefined,
    last: oneOf(['1h', '24h'], asked.last),
    order: oneOf(['oldest'], asked.order),
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
  /** The groups of the table, separated by commas. */
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
