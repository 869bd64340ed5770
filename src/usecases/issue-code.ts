/**
 * Issue: make a 6-digit code, reserve credit, record the issue and start its delivery, in one transaction.
 * Specification: `POST /issue`, rules 1 to 11; decisions: "Idempotency", "Credit".
 */
import { admitNext } from '../abuse/rules/failure-budget'
import { findResend, resendAt } from '../abuse/rules/protection'
import type { ApiKey } from '../domain/access/api-key'
import { isActive, markReplaced, phoneOf } from '../domain/codes/issue'
import { compose, type Issued, issued } from '../domain/codes/issue-request'
import { changesWithoutMessage } from '../domain/codes/review-number'
import { legsAfter, planFor } from '../domain/delivery/plan'
import { textsOf } from '../domain/message/rendered-message'
import { priceOf } from '../domain/wallet/wallet'
import type { Node } from '../ports/node'
import type { Tx } from '../ports/store'
import type { PendingRequest } from '../ports/traffic'
import type { Vault } from '../ports/vault'
import type { Dispatch } from '../ports/work'
import { assertProven, type ChallengeDependencies } from './abuse/challenge'
import type { DeliverDependencies } from './deliver-code'
import { findRecentRecord, recordOf, replay, replayFromDisk } from './issue/replay'
import {
  type AskedIssue,
  type CheckedRequest,
  checkedRequest,
  createIssue,
  keptOf,
  newCodeOf,
  type ResolvedIssue,
  resolveIssue,
} from './issue/request'
import {
  decisionOf,
  type IssueResult,
  outweighed,
  type RefusedRequest,
  refuseOrWatch,
  reportedHit,
  resultOf,
} from './issue/result'
import { assertServed, legsThatReach, planDelivery, reserveDelivery } from './issue/start-delivery'
import { reserveCapacity } from './shared/capacity'
import { emitEvents } from './shared/emit-events'
import { saveIssue } from './shared/save-issue'

export interface IssueDependencies extends DeliverDependencies, ChallengeDependencies {
  vault: Vault
  node: Pick<Node, 'backlog' | 'replays' | 'directory' | 'limits' | 'traffic' | 'wakeUps' | 'logSampler' | 'reports'>
  dispatch: Dispatch
  idempotencyDays: number
}

/** Throws `invalid`, `conflict`, `unavailable`, `limited`, `forbidden` or `no_credit`; then nothing has changed and the key stays unused. */
export async function issueCode(deps: IssueDependencies, key: ApiKey, request: AskedIssue): Promise<Issued> {
  const startedAt = deps.clock.elapsed()
  const resolved = resolveIssue(deps, key, request)
  const result = await resultOf(
    async () => (await replayRecent(deps, key, resolved)) ?? (await issueNew(deps, key, request, resolved)),
  )
  deps.telemetry.issueDecided(decisionOf(resolved, request, result, deps.clock.elapsed() - startedAt))
  if ('thrown' in result) throw result.thrown
  return result.answer
}

/** Answers a request that this server has answered lately, without a transaction. */
async function replayRecent(
  deps: IssueDependencies,
  key: ApiKey,
  resolved: ResolvedIssue,
): Promise<IssueResult | undefined> {
  const record = findRecentRecord(deps, resolved)
  const answer = record && (await replayFromDisk(deps, key, resolved, record))
  return answer && { kind: 'replayed', answer }
}

/** Counts the request for the rules against abuse while it is in flight. Where a rule refuses it, a proof of a human admits it. */
async function issueNew(
  deps: IssueDependencies,
  key: ApiKey,
  request: AskedIssue,
  resolved: ResolvedIssue,
): Promise<IssueResult> {
  const { challenge, address } = request
  const app = await deps.node.directory.app(key.appId)
  const checked = checkedRequest(deps, key, resolved, { app, address, now: deps.clock.now() })
  const pending = await checked.rules.watched(deps.node.traffic).acquire(key.appId, checked.facts)
  const admitted = await resultOf(() => admit(deps, key, { request, checked, pending, isProven: false }))
  const result = admitted.kind === 'refused' ? await admitProven(admitted) : admitted
  const issue = result.kind === 'issued' ? result.issue : undefined
  if (issue) deps.node.replays.note(recordOf(checked, issue))
  pending.release(issue)
  const hit = reportedHit(result, checked.rules.prices[checked.request.channel])
  if (hit) pending.recordHit(hit)
  return result

  async function admitProven({ thrown, hit }: RefusedRequest): Promise<IssueResult> {
    const proven = await resultOf(async () => {
      await assertProven(deps, { appId: key.appId, kind: key.kind, challenge, address }, thrown)
      return admit(deps, key, { request, checked, pending, isProven: true })
    })
    return proven.kind === 'refused' ? { ...proven, hit: proven.hit ?? hit } : proven
  }
}

interface AdmissionRequest {
  request: AskedIssue
  checked: CheckedRequest
  pending: PendingRequest
  /** The caller has proven to be human. */
  isProven: boolean
}

/** Reserves capacity and a slot at the carrier, and issues in one transaction. Both are released where no issue comes of it. */
async function admit(
  deps: IssueDependencies,
  key: ApiKey,
  { request, checked, pending, isProven }: AdmissionRequest,
): Promise<IssueResult> {
  const { store, node } = deps
  const { owner, rules, recipient } = checked
  const { channel, purpose, templateId } = checked.request
  const template = (await node.directory.templates(key.appId)).find((known) => known.templateId === templateId)
  // Read again: its owner may have decided otherwise while a proof was checked.
  const app = await node.directory.app(key.appId)
  const protection = rules.protection(app)
  const router = await rules.router()
  const { country } = recipient
  const planned = rules.legs(app, { channel, country, smsFallback: checked.smsFallback, legs: request.legs })
  const reaching = planned && (await legsThatReach(deps, planned, checked.phoneHash))
  const resend = request.legs || key.kind === 'relay' ? 'first' : planFor(app?.plans, { channel, country })?.resend
  const last =
    reaching && reaching.length > 1 && resend !== 'first'
      ? await store.read.issues.newest(owner, checked.phoneHash, purpose)
      : undefined
  const legs = reaching && last && isActive(last, deps.clock.now()) ? legsAfter(reaching, last.leg) : reaching
  const plan = planDelivery(router, legs ?? [{ channel }], { appId: key.appId, country })

  await using scope = new AsyncDisposableStack()
  const capacity = scope.use(await reserveCapacity(node, rules.issueLimits(key, checked.phoneHash)))
  // A request that a rule will refuse must not hold a slot that another one waits for.
  const isHopeless = !isProven && pending.isRefused(protection, rules.prices[channel])
  const delivery = scope.use(await reserveDelivery(deps, plan, isHopeless))
  scope.adopt(deps.telemetry.begin('transaction', request.origin?.trace), (span) => span.end())
  const issueInTransaction = async (tx: Tx): Promise<IssueResult> => {
    delivery.reset()
    // Rules 2 to 5: find the idempotency record. Whoever holds the phone's lock has stored its own.
    const [{ live: previous, failures: known }, record, refusal] = await Promise.all([
      tx.issues.lockPhone(owner, { kind: key.kind, phoneHash: checked.phoneHash }, purpose),
      tx.idempotency.find(owner, checked.keyHash),
      capacity.confirm(tx),
    ])
    const replayed = record && (await replay(deps, tx, checked, record))
    if (replayed) return { kind: 'replayed', answer: issued(replayed, resendAt(protection, key.kind, replayed)) }

    // Render the message: its type decides the price.
    const issueId = deps.random.uuid(tx.now)
    const kept = keptOf(deps, checked, previous, tx.now)
    const code = newCodeOf(deps, checked, { issueId, kept })
    const wording = { texts: textsOf(app), locale: request.locale, webOtp: request.webOtp }
    const maySms = channel === 'sms' || (legs?.some((leg) => leg.channel === 'sms') ?? checked.smsFallback)
    const message = { text: request.relayed?.text, template, wording, code, key, maySms }
    const rendered = compose(checked.request, recipient, message)
    const price = priceOf(rules.prices, channel, rendered.messageType)

    // Admit: limits, and the rules against abuse from the narrowest to the widest.
    rules.assertAdmits(recipient, tx.now)
    if (!checked.isReview) assertServed(plan)
    if (refusal) throw refusal
    const match = pending.assess(protection, price)
    const trafficHit = refuseOrWatch(isProven ? outweighed(match) : match, price)
    const resendHit = refuseOrWatch(findResend(protection, key.kind, previous, tx.now), price)
    // Most phones have no wrong codes, and then there is no row to lock.
    const failures =
      known && (await tx.failures.lock({ appId: key.appId, kind: key.kind, phoneHash: checked.phoneHash }))
    const admitted = admitNext(failures, checked.request.maxAttempts, protection, tx.now, isProven)
    const failureHit = refuseOrWatch(admitted.found, price)

    const { maxAttempts } = admitted
    const { origin } = request
    const issue = createIssue(deps, checked, { issueId, kept, code, maxAttempts, price, origin, legs, now: tx.now })
    // Rule 8: replace the previous issue of the same phone and purpose.
    if (previous) await saveIssue(deps, tx, previous, markReplaced(previous, tx.now))
    await tx.idempotency.add(recordOf(checked, issue))
    await tx.issues.add(issue)
    if (admitted.failures) await tx.failures.save(phoneOf(issue), admitted.failures)
    if (issue.sendPending) await delivery.start(tx, issue, rendered)
    if (checked.isReview)
      for (const [before, after] of changesWithoutMessage(issue))
        await emitEvents(deps, tx, before, after, recipient.to)
    // Rule 9: reserve the credit, or refuse.
    if (issue.billingStatus === 'reserved') await tx.wallets.reserve(issue.appId, price)
    tx.afterCommit(() => capacity.keep())
    return {
      kind: 'issued',
      answer: issued(issue, resendAt(protection, key.kind, issue)),
      issue,
      hit: trafficHit ?? resendHit ?? failureHit,
    }
  }
  try {
    return await store.transaction(issueInTransaction, { mayShare: true })
  } catch (error) {
    delivery.resumeAfter(error)
    throw error
  }
}
