/**
 * Prepaid credit. Specification: "Wallet balance", "Ledger entry", "Billing status"; decisions: "Credit".
 *
 *   admission ── reserve ──▶ reserved ──▶ debit_pending ──▶ debited    one `debit` entry
 *                               └───────▶ release_pending ─▶ released  no entry
 */
import { invalid, Refusal } from '../shared/error'
import { CHANNELS, type Channel, type MessageType } from '../shared/value'

export interface Wallet {
  appId: string
  /** Sum of all ledger entries, credits. */
  balance: number
  /** Reserved for issues whose processing has not finished, credits. */
  reserved: number
  /** How far below zero reservations may take the available credit. */
  overdraftLimit: number
  /** Operators are warned while the available credit is below this; undefined: never. */
  alertBelow?: number | undefined
  /** Number of ledger entries. */
  entries: number
  updatedAt: number
}

export type EntryType = 'credit' | 'debit' | 'refund' | 'clawback'

export interface LedgerEntry {
  appId: string
  /** Position in the app's ledger, from 1. */
  seq: number
  entryType: EntryType
  amountDelta: number
  balanceAfter: number
  issueId: string | undefined
  /** Reference of an operator's entry, which makes it idempotent. */
  reference: string | undefined
  createdAt: number
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/**
 * Id of an entry: a UUID (RFC 9562, version 8) of its time, position and app. Later entries of an app have greater ids.
 */
export function ledgerId({ appId, seq, createdAt }: Pick<LedgerEntry, 'appId' | 'seq' | 'createdAt'>): string {
  const at = hex(createdAt, 12)
  const position = hex(seq, 10)
  const node = position.slice(6) + hex(Bun.hash.crc32(appId), 8)
  return `${at.slice(0, 8)}-${at.slice(8)}-8${position.slice(0, 3)}-8${position.slice(3, 6)}-${node}`
}

export type BillingStatus = 'reserved' | 'debit_pending' | 'debited' | 'release_pending' | 'released'

/** How a reservation ends. */
export type Settlement = 'debit' | 'release'

/** Price classes: each channel, and a long SMS. */
export const PRICED = [...CHANNELS, 'lms'] as const

/** Credits for one message by price class; an AlimTalk's SMS fallback is included. */
export type PriceList = Readonly<Record<(typeof PRICED)[number], number>>

export const priceOf = (prices: PriceList, channel: Channel, messageType: MessageType): number =>
  prices[channel === 'sms' && messageType === 'LMS' ? 'lms' : channel]

/** Reserves `price` credits for an issue. Throws `no_credit`. */
export function reserve(wallet: Wallet, price: number): Wallet {
  const available = wallet.balance - wallet.reserved
  if (available - price < -wallet.overdraftLimit) throw tooLittleCredit(wallet)
  return { ...wallet, reserved: wallet.reserved + price }
}

/** Ends a reservation of `price` credits without a charge. */
export const release = (wallet: Wallet, price: number): Wallet => ({ ...wallet, reserved: wallet.reserved - price })

/** Ends the reservation of an issue and charges it. */
export const debit = (wallet: Wallet, { issueId, price }: { issueId: string; price: number }, now: number) =>
  post(release(wallet, price), { entryType: 'debit', amountDelta: -price, issueId }, now)

/** Whether not even a message of one credit can be reserved. */
export const isOutOfCredit = ({ balance, reserved, overdraftLimit }: Wallet): boolean =>
  balance - reserved + overdraftLimit < 1

const tooLittleCredit = ({ overdraftLimit }: Pick<Wallet, 'overdraftLimit'>) =>
  new Refusal('no_credit', 'The wallet has too little credit for this message', {
    code: overdraftLimit === 0 ? 'INSUFFICIENT_CREDIT' : 'OVERDRAFT_LIMIT_EXCEEDED',
  })

/** Adds one ledger entry. Times of the ledger never decrease, also after a clock step. */
export function post(
  wallet: Wallet,
  entry: { entryType: EntryType; amountDelta: number; issueId?: string; reference?: string },
  now: number,
): { wallet: Wallet; entry: LedgerEntry } {
  const at = Math.max(now, wallet.updatedAt)
  const next = { ...wallet, balance: wallet.balance + entry.amountDelta, entries: wallet.entries + 1, updatedAt: at }
  return {
    wallet: next,
    entry: {
      appId: wallet.appId,
      seq: next.entries,
      entryType: entry.entryType,
      amountDelta: entry.amountDelta,
      balanceAfter: next.balance,
      issueId: entry.issueId,
      reference: entry.reference,
      createdAt: at,
    },
  }
}

const MAX_AMOUNT = 1_000_000_000

function assertAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > MAX_AMOUNT) {
    const problem = `must be a whole number of credits from 1 to ${MAX_AMOUNT}`
    throw invalid('amount', 'out_of_range', problem, { min: 1, max: MAX_AMOUNT })
  }
}

/** Adds credit. Throws `invalid` for an amount out of range. */
export function topUp(wallet: Wallet, { amount, reference }: { amount: number; reference?: string }, now: number) {
  assertAmount(amount)
  return post(wallet, { entryType: 'credit', amountDelta: amount, ...(reference && { reference }) }, now)
}

/** Takes credit back, for example after an unpaid top-up. The balance may become negative. Throws `invalid`. */
export function clawback(wallet: Wallet, { amount, reference }: { amount: number; reference: string }, now: number) {
  assertAmount(amount)
  return post(wallet, { entryType: 'clawback', amountDelta: -amount, reference }, now)
}

/** Refunds the credits of an issue. */
export const refund = (
  wallet: Wallet,
  { issueId, amount, reference }: { issueId: string; amount: number; reference: string },
  now: number,
) => post(wallet, { entryType: 'refund', amountDelta: amount, issueId, reference }, now)
