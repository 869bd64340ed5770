/** Credit: what an app has, and every change of it. */

import type { UsageRow } from '../../domain/operations/usage'
import type { Owner } from '../../domain/shared/value'
import type { EntryType, LedgerEntry, Wallet } from '../../domain/wallet/wallet'

export interface WalletTx {
  /** One that is empty, where there is none yet. */
  lock(appId: string): Promise<Wallet>
  save(wallet: Wallet): Promise<void>
  /** Keeps credit for a message. Throws `no_credit`. */
  reserve(appId: string, amount: number): Promise<void>
  /** Ends a reservation without a charge. */
  release(appId: string, amount: number): Promise<void>
  /** Ends a reservation and charges it, with its entry. */
  debit(appId: string, charge: { issueId: string; price: number }): Promise<void>
  addEntry(entry: LedgerEntry): Promise<void>
  /** The entry of that kind an operator made under that reference. */
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
  /** The first hour that is not counted and kept yet; undefined while there are no issues. */
  rolledUntil(): Promise<number | undefined>
  /** Counts the issues of one hour and keeps the result. */
  rollUp(hour: number): Promise<void>
}

export interface UsageReader {
  /**
   * Of the hours that begin at or after `from` and before `to`. Those that are over may be ten minutes old, the running
   * one a few seconds where counting it takes long.
   */
  rows(owner: Owner, from: number, to: number, now: number): Promise<UsageRow[]>
}
