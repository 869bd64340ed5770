/** The ledger in the shape of the contract. */
import { CURRENCY } from '../domain/shared/value'
import { type LedgerEntry, ledgerId } from '../domain/wallet/wallet'
import type { Page } from '../usecases/read-history'
import { iso } from './present'

export const ledgerView = ({ items, nextCursor }: Page<LedgerEntry>) => ({
  items: items.map((entry) => ({
    ledgerId: ledgerId(entry),
    appId: entry.appId,
    entryType: entry.entryType,
    amountDelta: entry.amountDelta,
    balanceAfter: entry.balanceAfter,
    currency: CURRENCY as 'CREDIT',
    issueId: entry.issueId,
    createdAt: iso(entry.createdAt),
  })),
  nextCursor,
})
