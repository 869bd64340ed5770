import { invalid, missing } from '../../domain/error'
import type { Issue } from '../../domain/issue'
import { isUuid } from '../../domain/value'
import { clawback, type LedgerEntry, refund, topUp, type Wallet } from '../../domain/wallet'
import { noteChange } from '../audit'
import { type AdminDependencies, existingApp } from './shared'

interface Posting {
  wallet: Wallet
  entry: LedgerEntry
}

/** `reference` makes a top-up once only: the same one again answers with what it did the first time. */
export function addCredit(
  deps: AdminDependencies,
  { appId, amount, reference }: { appId: string; amount: number; reference?: string },
): Promise<Posting> {
  return postOnce(deps, appId, reference, (wallet, now) =>
    topUp(wallet, { amount, ...(reference && { reference }) }, now),
  )
}

/** Takes credit back from a wallet, once for each `reference`. */
export function clawBackCredit(
  deps: AdminDependencies,
  { appId, amount, reference }: { appId: string; amount: number; reference: string },
): Promise<Posting> {
  return postOnce(deps, appId, reference, (wallet, now) => clawback(wallet, { amount, reference }, now))
}

/** Gives back what a debited issue cost; an issue is refunded once, however often it is asked for. */
export async function refundIssue(
  deps: AdminDependencies,
  { appId, issueId }: { appId: string; issueId: string },
): Promise<Posting> {
  const issue = isUuid(issueId) ? await deps.store.read.issues.find({ appId, mode: 'live' }, issueId) : undefined
  if (!issue) throw missing('issue', issueId)
  if (issue.billingStatus !== 'debited')
    throw invalid('issue', 'not_refundable', `is ${issue.billingStatus}; only a debited one can be refunded`)
  const order = refundOf(issue)
  return postOnce(deps, appId, order.reference, (wallet, now) => refund(wallet, order, now))
}

/** Its reference is what lets an issue be refunded once only. */
export const refundOf = ({ issueId, debitedAmount }: Issue) => ({
  issueId,
  amount: debitedAmount,
  reference: `refund:${issueId}`,
})

/**
 * One ledger entry and the wallet it leaves. A reference that has made its entry of that kind already makes no other:
 * the same amount answers with the first entry, another amount is refused.
 */
async function postOnce(
  deps: AdminDependencies,
  appId: string,
  reference: string | undefined,
  posting: (wallet: Wallet, now: number) => Posting,
): Promise<Posting> {
  await existingApp(deps, appId)
  if (reference !== undefined && !/^[\x21-\x7e]{1,128}$/.test(reference)) {
    const problem = 'must be 1 to 128 visible ASCII characters without spaces'
    throw invalid('reference', 'not_visible_ascii', problem, { max: 128 })
  }
  return deps.store.transaction(async (tx) => {
    const wallet = await tx.wallets.lock(appId)
    const posted = posting(wallet, tx.now)
    const { entryType, amountDelta } = posted.entry
    const before = reference === undefined ? undefined : await tx.wallets.findEntry(appId, entryType, reference)
    if (before && before.amountDelta !== amountDelta) {
      const problem = `stands for a ${entryType} of ${Math.abs(before.amountDelta)} already`
      throw invalid('reference', 'reference_taken', problem)
    }
    if (before) return { wallet, entry: before }
    await tx.wallets.save(posted.wallet)
    await tx.wallets.addEntry(posted.entry)
    const { issueId } = posted.entry
    await noteChange(deps, tx, `credit.${entryType}`, appId, {
      amountDelta,
      ...(issueId && { issueId }),
      ...(reference && { reference }),
    })
    return posted
  })
}

export async function setOverdraft(
  deps: AdminDependencies,
  { appId, limit }: { appId: string; limit: number },
): Promise<Wallet> {
  await existingApp(deps, appId)
  if (!Number.isSafeInteger(limit) || limit < 0 || limit > 1_000_000_000)
    throw invalid('overdraft', 'too_small', 'must be a whole number from 0', { min: 0 })
  return deps.store.transaction(async (tx) => {
    const wallet = { ...(await tx.wallets.lock(appId)), overdraftLimit: limit }
    await tx.wallets.save(wallet)
    await noteChange(deps, tx, 'credit.overdraft', appId, { limit })
    return wallet
  })
}

/** From when on operators are warned; undefined: never. */
export async function setCreditAlert(
  deps: AdminDependencies,
  { appId, below }: { appId: string; below: number | undefined },
): Promise<Wallet> {
  await existingApp(deps, appId)
  if (below !== undefined && (!Number.isSafeInteger(below) || below < 0 || below > 1_000_000_000))
    throw invalid('below', 'too_small', 'must be a whole number from 0', { min: 0 })
  return deps.store.transaction(async (tx) => {
    const wallet = { ...(await tx.wallets.lock(appId)), alertBelow: below }
    await tx.wallets.save(wallet)
    await noteChange(deps, tx, 'credit.alert', appId, { below: below ?? null })
    return wallet
  })
}
