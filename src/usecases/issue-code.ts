/**
 * Issue: make a 6-digit code, reserve credit, record the issue and queue its delivery, in one transaction.
 * Specification: `POST /issue`, rules 1 to 11; decisions: "Idempotency", "Credit".
 */

import { type RequestFacts, type RuleHit, refusalOf } from '../abuse/rules/assess'
import { admitNext } from '../abuse/rules/failure-budget'
import { findResend, resendAt } from '../abuse/rules/protection'
import { isProvable, type RuleMatch } from '../abuse/rules/rule'
import { prefixOf } from '../abuse/rules/traffic-counter'
import type { ApiKey, KeyKind } from '../domain/access/api-key'
import { fingerprintText, type ResolvedRequest } from '../domain/codes/fingerprint'
import { assertReplayable, forgotten, type IdempotencyRecord, isOver } from '../domain/codes/idempotency'
import { type Issue, markReplaced, phoneOf } from '../domain/codes/issue'
import {
  compose,
  type Issued,
  type IssueRequest,
  issued,
  newIssue,
  resolveRequest,
} from '../domain/codes/issue-request'
import type { RenderedMessage } from '../domain/message/rendered-message'
import { textsOf } from '../domain/message/texts'
import type { Origin } from '../domain/operations/request-origin'
import type { Recipient } from '../domain/phone/phone'
import { Refusal, unavailable } from '../domain/shared/error'
import type { Channel, Owner } from '../domain/shared/value'
import { priceOf } from '../domain/wallet/wallet'
import type { CarrierEndpoint } from '../ports/carrier'
import type { Node } from '../ports/node'
import type { Tx } from '../ports/store'
import type { IssueDecided, Span } from '../ports/telemetry'
import type { Entrant } from '../ports/traffic'
import type { Vault } from '../ports/vault'
import type { Dispatch } from '../ports/work'
import { assertProven, type ChallengeDependencies } from './abuse/challenge'
import { type DeliverDependencies, type ReservedDelivery, type StartedDelivery, startDelivery } from './deliver-code'
import { seekAdmission } from './shared/capacity'
import { type ModeRules, rulesOf } from './shared/mode'
import { networkHash, prefixHash } from './shared/place'
import { saveIssue } from './shared/save-issue'

export interface IssueDependencies extends DeliverDependencies, ChallengeDependencies {
  vault: Vault
  node: Pick<Node, 'backlog' | 'claims' | 'directory' | 'limits' | 'traffic' | 'wakeUps' | 'logSampler'>
  dispatch: Dispatch
  idempotencyDays: number
}

/** Who asks for what, with every default resolved. */
interface ResolvedIssue {
  owner: Owner
  rules: ModeRules
  recipient: Recipient
  request: ResolvedRequest
  /** Under what its idempotency key is remembered, and what it is compared by. */
  keyHash: Uint8Array
  fingerprint: Uint8Array
  keyKind: KeyKind
}

/** The same with what is needed of one that was not answered before. */
interface CheckedRequest extends ResolvedIssue {
  phoneHash: Uint8Array
  /** Where it goes and who asks, for the rules against abuse; the hashes are stored with the issue. */
  facts: RequestFacts
  prefixHash: Uint8Array
  networkHash: Uint8Array | undefined
}

/** Throws `invalid`, `conflict`, `unavailable`, `limited`, `forbidden` or `no_credit`; then nothing has changed and the key stays unused. */
export async function issueCode(deps: IssueDependencies, key: ApiKey, request: IssueRequest): Promise<Issued> {
  const startedAt = deps.clock.elapsed()
  const wanted = resolve(deps, key, request)
  const outcome: IssueOutcome = { made: undefined, finding: undefined, answer: undefined, refusal: undefined }
  try {
    const claim = claimedBefore(deps, wanted)
    outcome.answer =
      (claim && (await repeat(deps, key, wanted, claim))) ??
      (await decide(deps, key, request, orderOf(deps, key, wanted, request.address), outcome))
    return outcome.answer
  } catch (thrown) {
    if (thrown instanceof Refusal) outcome.refusal = thrown
    throw thrown
  } finally {
    deps.telemetry.issueDecided(decisionOf(wanted, request, outcome, deps.clock.elapsed() - startedAt))
  }
}

/** Of the same order, where it was answered here lately. */
function claimedBefore(
  { node, clock, idempotencyDays }: IssueDependencies,
  wanted: ResolvedIssue,
): IdempotencyRecord | undefined {
  const claim = node.claims.find(wanted.owner, wanted.keyHash)
  return claim && !isOver(claim, idempotencyDays, clock.now()) && isSameOrder(claim, wanted) ? claim : undefined
}

/** Answers the same without a unit, since what is read is on disk. Undefined where something has become of its issue: a unit decides then. */
async function repeat(
  { node, store }: IssueDependencies,
  key: ApiKey,
  { owner, rules }: ResolvedIssue,
  { issueId }: IdempotencyRecord,
): Promise<Issued | undefined> {
  const issue = await store.read.issues.standing(owner, issueId)
  if (!issue || issue.verificationStatus === 'replaced') return undefined
  const protection = rules.protection(await node.directory.app(key.appId))
  return issued(issue, resendAt(protection, key.kind, issue))
}

const isSameOrder = (claim: IdempotencyRecord, { fingerprint }: ResolvedIssue) =>
  Buffer.compare(claim.fingerprint, fingerprint) === 0

async function decide(
  deps: IssueDependencies,
  key: ApiKey,
  request: IssueRequest,
  order: CheckedRequest,
  outcome: IssueOutcome,
): Promise<Issued> {
  const mayProve = (await deps.node.directory.challenge(key.appId)) !== undefined
  const entrant = await order.rules.watched(deps.node.traffic).enter(key.appId, { ...order.facts, mayProve })
  const asked = { request, order, entrant, isProven: false }
  let limited: RuleHit | undefined
  try {
    let answer: Issued
    try {
      answer = await admit(deps, key, asked, outcome)
    } catch (refusal) {
      const { challenge, address } = request
      await assertProven(deps, { appId: key.appId, kind: key.kind, challenge, address }, refusal)
      answer = await admit(deps, key, { ...asked, isProven: true }, outcome)
    }
    if (outcome.made) deps.node.claims.note(claimOf(order, outcome.made))
    return answer
  } catch (refusal) {
    limited = findLimit(refusal, order.rules.prices[order.request.channel])
    throw refusal
  } finally {
    const { made, finding } = outcome
    entrant.leave(made)
    if (finding && (made || finding.isRefused)) entrant.note(finding)
    else if (limited) entrant.note(limited)
  }
}

/** What the service itself refuses is counted for the owner beside what rules refuse. */
function findLimit(refusal: unknown, price: number): RuleHit | undefined {
  if (!(refusal instanceof Refusal)) return undefined
  const { retryAfterMs: waitMs } = refusal.detail
  if (refusal.kind === 'limited') return { rule: 'limit', waitMs, isRefused: true, price }
  return refusal.kind === 'no_credit' ? { rule: 'no_credit', waitMs, isRefused: true, price } : undefined
}

/** What has come of it, whichever way it ended. */
interface IssueOutcome {
  /** The issue that this request has made. */
  made: Issue | undefined
  /** What a rule found against it. */
  finding: RuleHit | undefined
  answer: Issued | undefined
  refusal: Refusal | undefined
}

/** What is told of it. */
function decisionOf(
  { owner: { appId, mode }, keyKind, recipient: { country }, request: { channel } }: ResolvedIssue,
  { origin }: IssueRequest,
  { made, finding, answer, refusal }: IssueOutcome,
  ms: number,
): IssueDecided {
  const outcome = answer ? (made ? 'issued' : 'replayed') : refusal ? 'refused' : 'failed'
  const issueId = answer?.issueId
  return { origin, appId, mode, keyKind, channel, country, issueId, outcome, refusal, rule: finding?.rule, ms }
}

interface ReceivedRequest {
  request: IssueRequest
  order: CheckedRequest
  entrant: Entrant
  /** Who asks has proven to be human. */
  isProven: boolean
}

async function admit(
  deps: IssueDependencies,
  key: ApiKey,
  { request, order, entrant, isProven }: ReceivedRequest,
  outcome: IssueOutcome,
): Promise<Issued> {
  const { store, node } = deps
  const templates = await node.directory.templates(key.appId)
  const template = templates.find(({ templateId }) => templateId === order.request.templateId)
  const app = await node.directory.app(key.appId)
  const protection = order.rules.protection(app)
  const router = await order.rules.router()
  const { channel } = order.request
  const route = router({ channel, appId: key.appId, country: order.recipient.country })

  const admission = await seekAdmission(node, order.rules.issueLimits(key, order.phoneHash))
  let reserved: ReservedDelivery | undefined
  let started: StartedDelivery | undefined
  let span: Span | undefined
  try {
    // What will be refused waits for no place at a carrier, where those would wait behind it that will not.
    const isHopeless = !isProven && entrant.isRefused(protection, order.rules.prices[channel])
    const way = isHopeless ? undefined : firstOf(route, deps.clock.now())
    // So that it goes out as soon as its issue is stored.
    const reservedSlot = way && (await deps.dispatch.passageBy(way.carrier.name))
    reserved = reservedSlot && { way, reservedSlot, route, router }
    span = deps.telemetry.begin('transaction', request.origin?.trace)
    return await store.transaction(
      async (tx) => {
        started = outcome.made = outcome.finding = undefined
        // Who holds the phone has stored the claim of an issue that counts here.
        const [{ live: previous, failures: known }, claim, refusal] = await Promise.all([
          tx.issues.lockPhone(order.owner, { kind: key.kind, phoneHash: order.phoneHash }, order.request.purpose),
          tx.claims.find(order.owner, order.keyHash),
          admission.confirm(tx),
        ])
        const replayed = claim && (await replay(deps, tx, order, claim))
        if (replayed) return issued(replayed, resendAt(protection, key.kind, replayed))

        const issueId = deps.random.uuid(tx.now)
        const code = order.rules.newCode(order.recipient)
        const wording = { texts: textsOf(app), locale: request.locale, webOtp: request.webOtp }
        const rendered = compose(order.request, order.recipient, { template, wording, code, key })
        const price = priceOf(order.rules.prices, channel, rendered.messageType)
        order.rules.assertAdmits(order.recipient, tx.now)
        assertServed(channel, route)
        if (refusal) throw refusal
        const finding = entrant.assess(protection, price)
        weigh(outcome, isProven && finding ? outweighed(finding) : finding, price)
        weigh(outcome, findResend(protection, key.kind, previous, tx.now), price)
        // What is known of a phone was not locked; of most nothing is.
        const failures =
          known && (await tx.failures.lock({ appId: key.appId, kind: key.kind, phoneHash: order.phoneHash }))
        const admitted = admitNext(failures, order.request.maxAttempts, protection, tx.now, isProven)
        weigh(outcome, admitted.found, price)

        const { maxAttempts } = admitted
        const { origin } = request
        const issue = make(deps, order, { issueId, code, maxAttempts, price, origin, now: tx.now })
        outcome.made = issue
        // Rule 8: the previous code for the same phone and purpose can no longer be verified.
        if (previous) await saveIssue(deps, tx, previous, markReplaced(previous, tx.now))
        await tx.claims.add(claimOf(order, issue))
        await tx.issues.add(issue)
        if (admitted.failures) await tx.failures.save(phoneOf(issue), admitted.failures)
        if (reserved) started = await startDelivery(deps, tx, issue, rendered, reserved)
        else await waitForPlace(deps, tx, issue, rendered, route)
        // Rule 9: what the wallet cannot promise is not issued.
        if (issue.billingStatus === 'reserved') await tx.wallets.reserve(issue.appId, price)
        return issued(issue, resendAt(protection, key.kind, issue))
      },
      { mayShare: true },
    )
  } catch (refusal) {
    outcome.made = undefined
    // A commit whose answer is lost for good may be stored all the same.
    if (started && refusal instanceof Refusal && refusal.kind === 'unavailable') void started.resume()
    else started = undefined
    throw refusal
  } finally {
    span?.end()
    if (outcome.made) admission.keep()
    else {
      if (!started) reserved?.reservedSlot.giveUp()
      await admission.giveBack()
    }
  }
}

/** The first rule that refuses is what it is refused for, else the first that would is noted. Throws `invalid`, `forbidden` or `limited`. */
function weigh(outcome: IssueOutcome, found: RuleMatch | undefined, price: number): void {
  if (!found) return
  if (found.isRefused || !outcome.finding) outcome.finding = { ...found, price }
  if (found.isRefused) throw refusalOf(found)
}

/** By a proof: it would have been refused, which is noted, and is sent. */
const outweighed = (finding: RuleHit): RuleHit =>
  isProvable(finding.rule) ? { ...finding, isRefused: false } : finding

function resolve({ vault, modes }: IssueDependencies, key: ApiKey, asked: IssueRequest): ResolvedIssue {
  const rules = rulesOf(modes, key)
  const recipient = rules.recipient(asked.phoneNumber, key.region)
  const request = resolveRequest(asked, recipient, rules.defaultChannel(recipient))
  return {
    owner: { appId: key.appId, mode: key.mode },
    rules,
    recipient,
    keyKind: key.kind,
    // Each kind of key has idempotency keys of its own: a leaked browser key cannot reach a backend's issue.
    keyHash: vault.claimHash(`${key.kind} ${asked.idempotencyKey}`),
    fingerprint: vault.fingerprint(fingerprintText(request)),
    request,
  }
}

function orderOf(
  { vault }: IssueDependencies,
  key: ApiKey,
  wanted: ResolvedIssue,
  address: string | undefined,
): CheckedRequest {
  const { recipient, rules } = wanted
  const phoneHash = vault.phoneHash(recipient.identity)
  const digits = prefixOf(recipient.to)
  const prefix = prefixHash(vault, digits)
  const network = address === undefined ? undefined : networkHash(vault, address)
  return {
    ...wanted,
    phoneHash,
    facts: {
      kind: key.kind,
      home: rules.home(key.region),
      country: recipient.country,
      address,
      digits,
      withoutTexts: recipient.withoutTexts,
      phone: hex(phoneHash),
      prefix: hex(prefix),
      network: network && hex(network),
    },
    prefixHash: prefix,
    networkHash: network,
  }
}

const hex = (hash: Uint8Array) => hash.toHex()

function claimOf(
  { owner: { appId, mode }, keyHash, fingerprint }: CheckedRequest,
  { issueId, createdAt }: Issue,
): IdempotencyRecord {
  return { appId, mode, keyHash, fingerprint, issueId, createdAt }
}

/** The issue this idempotency key already stands for, if it does (rules 3, 4 and 5). */
async function replay(
  { idempotencyDays }: IssueDependencies,
  tx: Tx,
  order: CheckedRequest,
  claim: IdempotencyRecord,
): Promise<Issue | undefined> {
  const { owner } = order
  const isKnown = !isOver(claim, idempotencyDays, tx.now)
  const issue = isKnown ? await tx.issues.lock(owner, claim.issueId) : undefined
  if (isKnown && (issue ? issue.erasedAt !== undefined : await tx.erasures.isRemoved(claim.issueId))) throw forgotten()
  if (!issue) {
    await tx.claims.drop(owner, claim.keyHash)
    return undefined
  }
  assertReplayable(issue, isSameOrder(claim, order))
  return issue
}

function assertServed(channel: Channel, route: readonly CarrierEndpoint[]): void {
  if (route.length === 0) throw unavailable(`No carrier is configured for the channel ${channel}`, 60_000)
}

/**
 * Who is asked first. None where that one has rested and is about to be tried: then delivery decides, since one message
 * tries it and the others must not wait behind that one.
 */
function firstOf(route: readonly CarrierEndpoint[], now: number): CarrierEndpoint | undefined {
  const way = route.find(({ limiter }) => limiter.admits(now))
  return way?.limiter.health(now).isHealthy ? way : undefined
}

/** It waits where it will be sent from. */
async function waitForPlace(
  { node }: IssueDependencies,
  tx: Tx,
  issue: Issue,
  rendered: RenderedMessage,
  route: readonly CarrierEndpoint[],
): Promise<void> {
  const way = firstOf(route, tx.now)
  const queue = way && { queue: way.carrier.name }
  await tx.outbox.add(issue, rendered)
  await tx.jobs.add({ kind: 'deliver', owner: issue, subjectId: issue.issueId, runAt: tx.now, ...queue })
  tx.afterCommit(() => node.wakeUps.wake('deliver'))
}

/** What makes an order an issue. */
interface IssueInput {
  issueId: string
  code: string
  maxAttempts: number
  price: number
  origin: Origin | undefined
  now: number
}

function make({ vault, random }: IssueDependencies, order: CheckedRequest, making: IssueInput): Issue {
  const { owner, request, rules, recipient } = order
  const { issueId, now } = making
  return newIssue(request, {
    appId: owner.appId,
    mode: owner.mode,
    issueId,
    messageId: random.uuid(now),
    smsFallback: rules.fallsBack(recipient, request.smsFallback),
    keyKind: order.keyKind,
    phoneHash: order.phoneHash,
    codeHash: vault.codeHash(issueId, making.code),
    country: recipient.country,
    createdAt: now,
    expiresAt: now + rules.lifetimeMs(recipient, request.expiresInSec),
    maxAttempts: making.maxAttempts,
    price: making.price,
    prefixHash: order.prefixHash,
    networkHash: order.networkHash,
    origin: making.origin,
  })
}
