/** Credit: what an app has, and every change of it. */
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
