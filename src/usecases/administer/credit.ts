import type { Message } from '../../domain/message/message'
import { invalid, missing } from '../../domain/shared/error'
import { isUuid } from '../../domain/shared/value'
import { clawback, type LedgerEntry, refund, topUp, type Wallet } from '../../domain/wallet/wallet'
import type { Tx } from '../../ports/store'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, lockApp } from './shared'

interface Posting {
  wallet: Wallet
  entry: LedgerEntry
}

type WalletOrder = (wallet: Wallet, now: number) => Posting

/** `reference` makes a top-up once only: the same one again answers with what it did the first time. */
export function addCredit(
  deps: AdminDependencies,
  { appId, amount, reference }: { appId: string; amount: number; reference?: string },
): Promise<Posting> {
  return postTo(deps, appId, reference, (wallet, now) =>
    topUp(wallet, { amount, ...(reference && { reference }) }, now),
  )
}

/** Takes credit back from a wallet, once for each `reference`. */
export function clawBackCredit(
  deps: AdminDependencies,
  { appId, amount, reference }: { appId: string; amount: number; reference: string },
): Promise<Posting> {
  return postTo(deps, appId, reference, (wallet, now) => clawback(wallet, { amount, reference }, now))
}

async function postTo(
  deps: AdminDependencies,
  appId: string,
  reference: string | undefined,
  order: WalletOrder,
): Promise<Posting> {
  if (reference !== undefined && !/^[\x21-\x7e]{1,128}$/.test(reference)) {
    const problem = 'must be 1 to 128 visible ASCII characters without spaces'
    throw invalid('reference', 'not_visible_ascii', problem, { max: 128 })
  }
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    return noted(deps, tx, await postOnce(tx, appId, reference, order))
  })
}

/** Gives back what a debited issue cost; an issue is refunded once, however often it is asked for. */
export async function refundIssue(
  deps: AdminDependencies,
  { appId, issueId }: { appId: string; issueId: string },
): Promise<Posting> {
  if (!isUuid(issueId)) throw missing('issue', issueId)
  return deps.store.transaction(async (tx) => {
    const app = await tx.apps.lock(appId)
    const issue = await tx.issues.lockMessage({ appId, mode: 'live' }, issueId)
    if (!issue) throw missing('issue', issueId)
    if (!app) throw missing('app', appId)
    if (issue.billingStatus !== 'debited')
      throw invalid('issue', 'not_refundable', `is ${issue.billingStatus}; only a debited one can be refunded`)
    return noted(deps, tx, await postRefund(tx, issue))
  })
}

/** The issue must be locked. The reference of the entry is why it can be refunded only once. */
export function postRefund(tx: Tx, { appId, issueId, debitedAmount: amount }: Message): Promise<Posted> {
  const reference = `refund:${issueId}`
  return postOnce(tx, appId, reference, (wallet, now) => refund(wallet, { issueId, amount, reference }, now))
}

interface Posted extends Posting {
  /** False where the reference had made the entry before. */
  isNew: boolean
}

/**
 * One ledger entry and the wallet it leaves. A reference that has made its entry of that kind already makes no other:
 * the same amount answers with the first entry, another amount is refused.
 */
async function postOnce(tx: Tx, appId: string, reference: string | undefined, order: WalletOrder): Promise<Posted> {
  const wallet = await tx.wallets.lock(appId)
  const posted = order(wallet, tx.now)
  const { entryType, amountDelta } = posted.entry
  const before = reference === undefined ? undefined : await tx.wallets.findEntry(appId, entryType, reference)
  if (before && before.amountDelta !== amountDelta) {
    const problem = `stands for a ${entryType} of ${Math.abs(before.amountDelta)} already`
    throw invalid('reference', 'reference_taken', problem)
  }
  if (before) return { wallet, entry: before, isNew: false }
  await tx.wallets.save(posted.wallet)
  await tx.wallets.addEntry(posted.entry)
  return { ...posted, isNew: true }
}

async function noted(deps: AdminDependencies, tx: Tx, { isNew, ...posting }: Posted): Promise<Posting> {
  const { appId, entryType, amountDelta, issueId, reference } = posting.entry
  const detail = { amountDelta, ...(issueId && { issueId }), ...(reference && { reference }) }
  if (isNew) await writeAudit(deps, tx, `credit.${entryType}`, appId, detail)
  return posting
}

export async function setOverdraft(
  deps: AdminDependencies,
  { appId, limit }: { appId: string; limit: number },
): Promise<Wallet> {
  if (!Number.isSafeInteger(limit) || limit < 0 || limit > 1_000_000_000)
    throw invalid('overdraft', 'too_small', 'must be a whole number from 0', { min: 0 })
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    const wallet = { ...(await tx.wallets.lock(appId)), overdraftLimit: limit }
    await tx.wallets.save(wallet)
    await writeAudit(deps, tx, 'credit.overdraft', appId, { limit })
    return wallet
  })
}

/** From when on operators are warned; undefined: never. */
export async function setCreditAlert(
  deps: AdminDependencies,
  { appId, below }: { appId: string; below: number | undefined },
): Promise<Wallet> {
  if (below !== undefined && (!Number.isSafeInteger(below) || below < 0 || below > 1_000_000_000))
    throw invalid('below', 'too_small', 'must be a whole number from 0', { min: 0 })
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    const wallet = { ...(await tx.wallets.lock(appId)), alertBelow: below }
    await tx.wallets.save(wallet)
    await writeAudit(deps, tx, 'credit.alert', appId, { below: below ?? null })
    return wallet
  })
}
