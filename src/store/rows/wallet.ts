/** Wallets and their ledgers. */
import type { LedgerEntry, Wallet } from '../../domain/wallet/wallet'
import type { Row } from '../tables'

export const walletOf = (row: Row<Wallet>): Wallet => ({ ...row, alertBelow: row.alertBelow ?? undefined })

export const walletRow = (wallet: Wallet): Row<Wallet> => ({ ...wallet, alertBelow: wallet.alertBelow ?? null })

/** The wallet of an app that never had credit. */
export const emptyWallet = (appId: string, now: number): Wallet => ({
  ...{ appId, balance: 0, reserved: 0, overdraftLimit: 0, entries: 0, updatedAt: now },
})

export const entryOf = (row: Row<LedgerEntry>): LedgerEntry => ({
  ...row,
  issueId: row.issueId ?? undefined,
  reference: row.reference ?? undefined,
})

export const entryRow = (entry: LedgerEntry): Row<LedgerEntry> => ({
  ...entry,
  issueId: entry.issueId ?? null,
  reference: entry.reference ?? null,
})
