/** Wallets, their ledger, and usage. */

import type { UsageRow, UsageSlice, UsageSum } from '../../domain/operations/usage'
import type { Owner } from '../../domain/shared/value'
import type { EntryType, LedgerEntry, Wallet } from '../../domain/wallet/wallet'

export interface WalletTx {
  /** Locks a wallet; an empty one where there is none yet. */
  lock(appId: string): Promise<Wallet>
  save(wallet: Wallet): Promise<void>
  /** Reserves credit for a message. Throws `no_credit`. */
  reserve(appId: string, amount: number): Promise<void>
  /** Ends a reservation without a charge. */
  release(appId: string, amount: number): Promise<void>
  /** Ends a reservation and charges it, with a ledger entry. */
  debit(appId: string, charge: { issueId: string; price: number }): Promise<void>
  addEntry(entry: LedgerEntry): Promise<void>
  /** The entry of that type that an operator made under that reference. */
  findEntry(appId: string, entryType: EntryType, reference: string): Promise<LedgerEntry | undefined>
}

export interface LedgerFilter {
  before?: { createdAt: number; seq: number }
  entryType?: EntryType
  createdFrom?: number
  createdTo?: number
  limit: number
}

export interface WalletReader {
  find(appId: string): Promise<Wallet | undefined>
  /** Newest first. */
  ledger(appId: string, filter: LedgerFilter): Promise<LedgerEntry[]>
  /** Entries tied to one issue, oldest first. */
  ledgerOfIssue(appId: string, issueId: string): Promise<LedgerEntry[]>
}

export interface UsageTx {
  /** The first hour that is not rolled up yet; `Infinity` while there are no issues. */
  rolledUntil(): Promise<number>
  /** Counts the issues of one hour and stores the result. Hours without issues that follow count as done, to `until`. */
  rollUp(hour: number, until: number): Promise<void>
}

export interface UsageReader {
  /**
   * Usage of the intervals that begin at or after `from` and before `to`. Past hours may be ten minutes stale, or
   * a sixth of their age; the running one a few seconds.
   */
  rows(owner: Owner, from: number, to: number, now: number): Promise<UsageRow[]>
  /** The same, added up by the database. A sum may come in several parts. */
  sums(owner: Owner, slice: UsageSlice, now: number): Promise<UsageSum[]>
}
