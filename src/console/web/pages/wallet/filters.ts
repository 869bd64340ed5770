/** What the ledger is narrowed to, as the address has it. */
import { type DayRange, dayRange } from '../../days'

export const ENTRY_TYPES = ['credit', 'debit', 'refund', 'clawback'] as const

export interface LedgerFilters extends DayRange {
  type?: (typeof ENTRY_TYPES)[number]
}

/** Names every filter, since what is not named is left as the address has it. */
export function ledgerFilters(asked: Record<string, unknown>): LedgerFilters {
  const type = ENTRY_TYPES.find((known) => known === asked.type)
  return { type, ...dayRange(asked) }
}
