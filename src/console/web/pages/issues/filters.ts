/** What the list of issues is narrowed to, as the address has it. */
import { type DayRange, dayRange } from '../../days'

export const VERIFICATIONS = ['issued', 'verified', 'expired', 'max_attempts', 'replaced'] as const
export const DELIVERIES = ['queued', 'sent', 'delivered', 'failed'] as const

export interface IssueFilters extends DayRange {
  search?: string
  status?: (typeof VERIFICATIONS)[number]
  delivery?: (typeof DELIVERIES)[number]
}

/** Names every filter, since what is not named is left as the address has it. */
export function issueFilters(asked: Record<string, unknown>): IssueFilters {
  // The address writes a purpose of digits as a number.
  const search = typeof asked.search === 'number' ? String(asked.search) : asked.search
  const status = VERIFICATIONS.find((known) => known === asked.status)
  const delivery = DELIVERIES.find((known) => known === asked.delivery)
  return {
    search: typeof search === 'string' && search !== '' ? search.slice(0, 200) : undefined,
    status,
    delivery,
    ...dayRange(asked),
  }
}
