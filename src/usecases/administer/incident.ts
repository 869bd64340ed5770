/**
 * Refunds by the incident: a stall, a crash or a carrier's bad hour leaves messages that were charged and may never have
 * arrived. They are found by when they were issued, what became of them and who was asked last, page by page along the
 * primary key; and refunded as one issue is, each once, in small transactions, so that a serving process hardly waits.
 * Killed and begun anew, it goes on with what is left.
 */

import type { CallerKind } from '../../domain/access/caller'
import { type DeliveryProblem, hasProblem } from '../../domain/delivery/delivery'
import type { Message } from '../../domain/message/message'
import { invalid } from '../../domain/shared/error'
import type { Clock } from '../../ports/clock'
import type { Store, Tx } from '../../ports/store'
import { writeAudit } from '../shared/write-audit'
import { postRefund } from './credit'
import { type AdminDependencies, existingApp } from './shared'

export interface DeliveryIncident {
  /** Undefined: all of them. */
  appId?: string | undefined
  problem: DeliveryProblem
  /** When the messages were issued, Unix milliseconds: from then on, and before then. */
  from: number
  to: number
  /** The one that was asked last. */
  carrier?: string | undefined
  /** Where the messages went, and the kind of key that asked for them. */
  country?: string | undefined
  kind?: CallerKind | undefined
}

interface Charged {
  appId: string
  issueId: string
  credits: number
}

export interface Damage {
  /** Charged and not refunded. */
  charged: readonly Charged[]
  refundedBefore: number
  /** Not charged yet: their carrier may still report, at most for a day. */
  undecided: number
}

const AT_A_LOOK = 1_000
const AT_ONCE = 50
const PAUSE_MS = 20

/** Changes nothing. Throws `invalid` and `not_found`. */
export async function assessIncident(
  { store, clock }: { store: Store; clock: Pick<Clock, 'now'> },
  incident: DeliveryIncident,
): Promise<Damage> {
  if (incident.from >= incident.to) throw invalid('to', 'date_range_reversed', 'must be later than from')
  const { appId } = incident
  const apps = appId === undefined ? await store.read.apps.all() : [await existingApp({ store }, appId)]
  const charged: Charged[] = []
  let refundedBefore = 0
  let undecided = 0
  for (const { appId } of apps) {
    for await (const issue of sufferers(store, appId, incident, clock.now())) {
      if (issue.billingStatus === 'reserved' || issue.billingStatus === 'debit_pending') undecided++
      else if (issue.debitedAmount === 0) continue
      else if (await isRefunded(store, issue)) refundedBefore++
      else charged.push({ appId, issueId: issue.issueId, credits: issue.debitedAmount })
    }
  }
  return { charged, refundedBefore, undecided }
}

const isOfPlace = ({ country, kind }: DeliveryIncident, issue: Message) =>
  (country === undefined || issue.country === country) && (kind === undefined || issue.keyKind === kind)

async function* sufferers(store: Store, appId: string, incident: DeliveryIncident, now: number) {
  const { problem, from, to, carrier } = incident
  const owner = { appId, mode: 'live' as const }
  for (let before: string | undefined; ; ) {
    const bounds = { createdFrom: from, createdTo: to, limit: AT_A_LOOK, ...(before !== undefined && { before }) }
    const page = await store.read.issues.page(owner, bounds, now)
    for (const issue of page) {
      if (!hasProblem(issue, problem) || !isOfPlace(incident, issue)) continue
      if (
        carrier !== undefined &&
        (await store.read.attempts.ofIssue(owner, issue.issueId)).at(-1)?.carrier !== carrier
      )
        continue
      yield issue
    }
    before = page[AT_A_LOOK - 1]?.issueId
    if (before === undefined) return
  }
}

const isRefunded = async (store: Store, { appId, issueId }: { appId: string; issueId: string }) =>
  (await store.read.wallets.ledgerOfIssue(appId, issueId)).some(({ entryType }) => entryType === 'refund')

/**
 * Refunds what `assessIncident` found. The audit log has one entry of it, written with the first credit that moves, so
 * that nothing is given back unseen. What has changed since, a message that did arrive or was refunded otherwise, is passed
 * over, and then that is noted, too.
 */
export async function refundIncident(
  deps: AdminDependencies & { clock: Pick<Clock, 'after'> },
  incident: DeliveryIncident,
  { charged, refundedBefore }: Damage,
): Promise<{ issues: number; credits: number }> {
  const refunded = { issues: 0, credits: 0 }
  for (let at = 0; at < charged.length; at += AT_ONCE) {
    const some = charged.slice(at, at + AT_ONCE)
    const given = await deps.store.transaction(async (tx) => {
      const given = await refundSome(tx, some, incident.problem)
      if (at === 0) await note(deps, tx, incident, { ...totalOf(charged), refundedBefore, apps: appsOf(charged) })
      return totalOf(given)
    })
    refunded.issues += given.issues
    refunded.credits += given.credits
    await new Promise<void>((goOn) => void deps.clock.after(PAUSE_MS, goOn))
  }
  const passedOver = charged.length - refunded.issues
  if (passedOver > 0) await deps.store.transaction((tx) => note(deps, tx, incident, { passedOver, ...refunded }))
  return refunded
}

export const totalOf = (charged: readonly Charged[]) => ({
  issues: charged.length,
  credits: charged.reduce((sum, { credits }) => sum + credits, 0),
})

const appsOf = (charged: readonly Charged[]) => [...new Set(charged.map(({ appId }) => appId))]

/** Which issues they are is in the ledger, whose entries name them. */
const note = (
  deps: AdminDependencies,
  tx: Tx,
  { appId, problem, from, to, carrier, country, kind }: DeliveryIncident,
  what: object,
) =>
  writeAudit(deps, tx, 'credit.refund_incident', appId ?? 'all apps', {
    outcome: problem,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(carrier && { carrier }),
    ...(country && { country }),
    ...(kind && { kind }),
    ...what,
  })

/** Answers those that were as they had been found. All issues are locked before the first wallet is. */
async function refundSome(tx: Tx, some: readonly Charged[], problem: DeliveryProblem): Promise<Charged[]> {
  const issues = new Map<Charged, Message>()
  for (const one of some) {
    const issue = await tx.issues.lockMessage({ appId: one.appId, mode: 'live' }, one.issueId)
    if (issue && hasProblem(issue, problem)) issues.set(one, issue)
  }
  const given: Charged[] = []
  for (const [one, issue] of issues) if ((await postRefund(tx, issue)).isNew) given.push(one)
  return given
}
