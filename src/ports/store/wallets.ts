/** Wallets, their ledger, and usage. */

import type { UsageRow, UsageSlice, UsageSum } from '../../domain/operations/usage'
import type { Owner } from '../../domain/shared/value'
import type { EntryType, LedgerEntry, Wallet } from '../../domain/wallet/wallet'

export interface WalletTx {
  /** Locks a wallet; an empty one where there is none yet. */
  lock(appId: string): Promise<Wallet>
  save(wallet: Wallet): Promise<void>
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
  /** Of all apps, removed ones included. */
  all(): Promise<Wallet[]>
  /** Newest first. */
  ledger(appId: string, filter: LedgerFilter): Promise<LedgerEntry[]>
  /** Entries tied to one issue, oldest first. */
  ledgerOfIssue(appId: string, issueId: string): Promise<LedgerEntry[]>
}

export type OwnedUsageRow = Owner & UsageRow

export interface UsageTx {
  /** Stores counted rows, in the place of those of the same interval. */
  keep(rows: readonly OwnedUsageRow[]): Promise<void>
  /** Everything before this time is stored. The mark never goes back, since several servers may roll up at once. */
  markRolled(until: number): Promise<void>
}

export interface UsageReader {
  /**
   * Usage of the intervals that begin at or after `from` and before `to`. Past hours may be ten minutes stale, or
   * a sixth of their age; the running one a few seconds.
   */
  rows(owner: Owner, from: number, to: number, now: number): Promise<UsageRow[]>
  /** The same, added up by the database. A sum may come in several parts. */
  sums(owner: Owner, slice: UsageSlice, now: number): Promise<UsageSum[]>
  /** Rows before this time are stored, Unix milliseconds; undefined before the first roll-up. */
  rolledUntil(): Promise<number | undefined>
  /** Start of the hour of the first issue at `from` or later. */
  firstHour(owner: Owner, from: number): Promise<number | undefined>
  /** Counts the issues of one hour, in steps. */
  countHour(owner: Owner, hour: number): Promise<UsageRow[]>
}
