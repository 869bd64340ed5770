/**
 * Issue: make a 6-digit code, reserve credit, record the issue and queue its delivery, in one transaction.
 * Specification: `POST /issue`, rules 1 to 11; decisions: "Idempotency", "Credit".
 */
import type { RuleHit } from '../abuse/rules/assess'
import { admitNext } from '../abuse/rules/failure-budget'
import { findResend, resendAt } from '../abuse/rules/protection'
import type { ApiKey } from '../domain/access/api-key'
import { markReplaced, phoneOf } from '../domain/codes/issue'
import { compose, type Issued, type IssueRequest, issued } from '../domain/codes/issue-request'
import { textsOf } from '../domain/message/texts'
import { Refusal } from '../domain/shared/error'
import { priceOf } from '../domain/wallet/wallet'
import type { Node } from '../ports/node'
import type { Span } from '../ports/telemetry'
import type { PendingRequest } from '../ports/traffic'
import type { Vault } from '../ports/vault'
import type { Dispatch } from '../ports/work'
import { assertProven, type ChallengeDependencies } from './abuse/challenge'
import { type DeliverDependencies, type ReservedDelivery, type StartedDelivery, startDelivery } from './deliver-code'
import { decisionOf, findLimit, type IssueOutcome, outweighed, weigh } from './issue/outcome'
import { assertServed, firstCarrier, queueDelivery } from './issue/queue'
import { findRecentRecord, recordOf, replay, replayFromDisk } from './issue/replay'
import { type CheckedRequest, checkedRequest, createIssue, resolveIssue } from './issue/request'
import { seekAdmission } from './shared/capacity'
import { saveIssue } from './shared/save-issue'

export interface IssueDependencies extends DeliverDependencies, ChallengeDependencies {
  vault: Vault
  node: Pick<Node, 'backlog' | 'claims' | 'directory' | 'limits' | 'traffic' | 'wakeUps' | 'logSampler'>
  dispatch: Dispatch
  idempotencyDays: number
}

/** Throws `invalid`, `conflict`, `unavailable`, `limited`, `forbidden` or `no_credit`; then nothing has changed and the key stays unused. */
export async function issueCode(deps: IssueDependencies, key: ApiKey, request: IssueRequest): Promise<Issued> {
  const startedAt = deps.clock.elapsed()
  const resolved = resolveIssue(deps, key, request)
  const outcome: IssueOutcome = { made: undefined, finding: undefined, answer: undefined, refusal: undefined }
  try {
    const record = findRecentRecord(deps, resolved)
    outcome.answer =
      (record && (await replayFromDisk(deps, key, resolved, record))) ??
      (await issueNew(deps, key, request, checkedRequest(deps, key, resolved, request.address), outcome))
    return outcome.answer
  } catch (thrown) {
    if (thrown instanceof Refusal) outcome.refusal = thrown
    throw thrown
  } finally {
    deps.telemetry.issueDecided(decisionOf(resolved, request, outcome, deps.clock.elapsed() - startedAt))
  }
}

/** Counts the request for the rules against abuse while it is under way, and asks for a proof of a human where a rule refuses it. */
async function issueNew(
  deps: IssueDependencies,
  key: ApiKey,
  request: IssueRequest,
  checked: CheckedRequest,
  outcome: IssueOutcome,
): Promise<Issued> {
  const mayProve = (await deps.node.directory.challenge(key.appId)) !== undefined
  const pending = await checked.rules.watched(deps.node.traffic).enter(key.appId, { ...checked.facts, mayProve })
  const admission = { request, checked, pending, isProven: false }
  let limited: RuleHit | undefined
  try {
    let answer: Issued
    try {
      answer = await admit(deps, key, admission, outcome)
    } catch (refusal) {
      const { challenge, address } = request
      await assertProven(deps, { appId: key.appId, kind: key.kind, challenge, address }, refusal)
      answer = await admit(deps, key, { ...admission, isProven: true }, outcome)
    }
    if (outcome.made) deps.node.claims.note(recordOf(checked, outcome.made))
    return answer
  } catch (refusal) {
    limited = findLimit(refusal, checked.rules.prices[checked.request.channel])
    throw refusal
  } finally {
    const { made, finding } = outcome
    pending.leave(made)
    if (finding && (made || finding.isRefused)) pending.note(finding)
    else if (limited) pending.note(limited)
  }
}

interface AdmissionRequest {
  request: IssueRequest
  checked: CheckedRequest
  pending: PendingRequest
  /** The caller has proven to be human. */
  isProven: boolean
}

/** Reserves capacity, and issues in one transaction; what was reserved is given back where no issue comes of it. */
async function admit(
  deps: IssueDependencies,
  key: ApiKey,
  { request, checked, pending, isProven }: AdmissionRequest,
  outcome: IssueOutcome,
): Promise<Issued> {
  const { store, node } = deps
  const { owner, rules, recipient } = checked
  const { channel, purpose, templateId } = checked.request
  const template = (await node.directory.templates(key.appId)).find((known) => known.templateId === templateId)
  const app = await node.directory.app(key.appId)
  const protection = rules.protection(app)
  const router = await rules.router()
  const route = router({ channel, appId: key.appId, country: recipient.country })

  const capacity = await seekAdmission(node, rules.issueLimits(key, checked.phoneHash))
  let reserved: ReservedDelivery | undefined
  let started: StartedDelivery | undefined
  let span: Span | undefined
  try {
    // A request that a rule will refuse must not hold a slot that another one waits for.
    const isHopeless = !isProven && pending.isRefused(protection, rules.prices[channel])
    const way = isHopeless ? undefined : firstCarrier(route, deps.clock.now())
    // With a slot reserved, the message is sent as soon as its issue is stored.
    const reservedSlot = way && (await deps.dispatch.passageBy(way.carrier.name))
    reserved = reservedSlot && { way, reservedSlot, route, router }
    span = deps.telemetry.begin('transaction', request.origin?.trace)
    return await store.transaction(
      async (tx) => {
        started = outcome.made = outcome.finding = undefined
        // Rules 2 to 5: find the idempotency record. Whoever holds the phone's lock has stored its own.
        const [{ live: previous, failures: known }, record, refusal] = await Promise.all([
          tx.issues.lockPhone(owner, { kind: key.kind, phoneHash: checked.phoneHash }, purpose),
          tx.idempotency.find(owner, checked.keyHash),
          capacity.confirm(tx),
        ])
        const replayed = record && (await replay(deps, tx, checked, record))
        if (replayed) return issued(replayed, resendAt(protection, key.kind, replayed))

        // Render the message: its type decides the price.
        const issueId = deps.random.uuid(tx.now)
        const code = rules.newCode(recipient)
        const wording = { texts: textsOf(app), locale: request.locale, webOtp: request.webOtp }
        const rendered = compose(checked.request, recipient, { template, wording, code, key })
        const price = priceOf(rules.prices, channel, rendered.messageType)

        // Admit: limits, and the rules against abuse from the narrowest to the widest.
        rules.assertAdmits(recipient, tx.now)
        assertServed(channel, route)
        if (refusal) throw refusal
        const finding = pending.assess(protection, price)
        weigh(outcome, isProven && finding ? outweighed(finding) : finding, price)
        weigh(outcome, findResend(protection, key.kind, previous, tx.now), price)
        // Most phones have no wrong codes, and then there is no row to lock.
        const failures =
          known && (await tx.failures.lock({ appId: key.appId, kind: key.kind, phoneHash: checked.phoneHash }))
        const admitted = admitNext(failures, checked.request.maxAttempts, protection, tx.now, isProven)
        weigh(outcome, admitted.found, price)

        const { maxAttempts } = admitted
        const { origin } = request
        const issue = createIssue(deps, checked, { issueId, code, maxAttempts, price, origin, now: tx.now })
        outcome.made = issue
        // Rule 8: replace the previous issue of the same phone and purpose.
        if (previous) await saveIssue(deps, tx, previous, markReplaced(previous, tx.now))
        await tx.idempotency.add(recordOf(checked, issue))
        await tx.issues.add(issue)
        if (admitted.failures) await tx.failures.save(phoneOf(issue), admitted.failures)
        if (reserved) started = await startDelivery(deps, tx, issue, rendered, reserved)
        else await queueDelivery(deps, tx, issue, rendered, route)
        // Rule 9: reserve the credit, or refuse.
        if (issue.billingStatus === 'reserved') await tx.wallets.reserve(issue.appId, price)
        return issued(issue, resendAt(protection, key.kind, issue))
      },
      { mayShare: true },
    )
  } catch (refusal) {
    outcome.made = undefined
    // A commit whose answer was lost may be stored all the same.
    if (started && refusal instanceof Refusal && refusal.kind === 'unavailable') void started.resume()
    else started = undefined
    throw refusal
  } finally {
    span?.end()
    if (outcome.made) capacity.keep()
    else {
      if (!started) reserved?.reservedSlot.giveUp()
      await capacity.giveBack()
    }
  }
}
