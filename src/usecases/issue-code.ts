/**
 * Issue: make a 6-digit code, reserve credit, record the issue and queue its delivery, in one transaction.
 * Specification: `POST /issue`, rules 1 to 11; decisions: "Idempotency", "Credit".
 */

import { type Finding, refusalOf, type Wish } from '../domain/admission'
import { assertReplayable, forgotten, isOver } from '../domain/claim'
import { Refusal, unavailable } from '../domain/error'
import { admitNext } from '../domain/failure-budget'
import { fingerprintText, type ResolvedRequest } from '../domain/fingerprint'
import { type Issue, makeWay, phoneOf } from '../domain/issue'
import type { ApiKey, KeyKind } from '../domain/key'
import type { Letter } from '../domain/letter'
import { compose, type Issued, type IssueRequest, issued, newIssue, resolveRequest } from '../domain/order'
import type { Origin } from '../domain/origin'
import type { Recipient } from '../domain/phone'
import { findResend, resendAt } from '../domain/protection'
import { type Found, isProvable } from '../domain/rule'
import { textsOf } from '../domain/texts'
import { prefixOf } from '../domain/traffic'
import type { Channel, Owner } from '../domain/value'
import { priceOf } from '../domain/wallet'
import type { Router, Way } from '../ports/carrier'
import type { Node } from '../ports/node'
import type { Tx } from '../ports/store'
import type { IssueDecided } from '../ports/telemetry'
import type { Entrant } from '../ports/traffic'
import type { Vault } from '../ports/vault'
import type { Dispatch } from '../ports/work'
import { type Begun, type DeliverDependencies, depart } from './deliver-code'
import { seekAdmission } from './shared/admission'
import { type ChallengeDependencies, withChallenge } from './shared/challenge'
import { type ModeRules, rulesOf } from './shared/mode'
import { networkHash, prefixHash } from './shared/place'
import { saveIssue } from './shared/save-issue'

export interface IssueDependencies extends DeliverDependencies, ChallengeDependencies {
  vault: Vault
  node: Pick<Node, 'backlog' | 'directory' | 'limits' | 'traffic' | 'wakeUps' | 'sparing'>
  dispatch: Dispatch
  idempotencyDays: number
}

/** Who asks for what, with every default resolved. */
interface Order {
  owner: Owner
  rules: ModeRules
  recipient: Recipient
  phoneHash: Uint8Array
  request: ResolvedRequest
  keyKind: KeyKind
  /** Where it goes and who asks, for the rules against abuse; the hashes are stored with the issue. */
  wish: Wish
  prefixHash: Uint8Array
  networkHash: Uint8Array | undefined
}

/** Throws `invalid`, `conflict`, `unavailable`, `limited`, `forbidden` or `no_credit`; then nothing has changed and the key stays unused. */
export async function issueCode(deps: IssueDependencies, key: ApiKey, request: IssueRequest): Promise<Issued> {
  const startedAt = deps.clock.elapsed()
  const order = resolve(deps, key, request)
  const entrant = await order.rules.watched(deps.node.traffic).enter(key.appId, order.wish)
  const outcome: Outcome = { made: undefined, finding: undefined, answer: undefined, refusal: undefined }
  const applicant = { appId: key.appId, challenge: request.challenge, address: request.address }
  try {
    outcome.answer = await withChallenge(deps, applicant, (isProven) =>
      admit(deps, key, { request, order, entrant, isProven }, outcome),
    )
    return outcome.answer
  } catch (thrown) {
    if (thrown instanceof Refusal) outcome.refusal = thrown
    throw thrown
  } finally {
    const { made, finding } = outcome
    entrant.leave(made)
    if (finding && (made || finding.isRefused)) entrant.note(finding)
    deps.telemetry.issueDecided({ ...decisionOf(order, request, outcome), ms: deps.clock.elapsed() - startedAt })
  }
}

/** What has come of it, whichever way it ended. */
interface Outcome {
  /** The issue that this request has made. */
  made: Issue | undefined
  /** What a rule found against it. */
  finding: Finding | undefined
  answer: Issued | undefined
  refusal: Refusal | undefined
}

/** What is told of it. */
function decisionOf(
  { owner: { appId, mode }, keyKind, recipient: { country }, request: { channel } }: Order,
  { origin }: IssueRequest,
  { made, finding, answer, refusal }: Outcome,
): Omit<IssueDecided, 'ms'> {
  const outcome = answer ? (made ? 'issued' : 'replayed') : 'refused'
  const issueId = answer?.issueId
  return { origin, appId, mode, keyKind, channel, country, issueId, outcome, refusal, rule: finding?.rule }
}

interface Asked {
  request: IssueRequest
  order: Order
  entrant: Entrant
  /** Who asks has proven to be human. */
  isProven: boolean
}

async function admit(
  deps: IssueDependencies,
  key: ApiKey,
  { request, order, entrant, isProven }: Asked,
  outcome: Outcome,
): Promise<Issued> {
  const { store, vault, node } = deps
  const template = await node.directory.template(key.appId, order.request.templateId)
  const app = await node.directory.app(key.appId)
  const protection = order.rules.protection(app)
  const resendable = (issue: Issue) => resendAt(protection, key.kind, issue)
  const router = await order.rules.router()
  const { channel } = order.request
  const route = router({ channel, appId: key.appId, country: order.recipient.country })
  const claimant = claimantOf(deps, key, request)
  const fingerprint = vault.fingerprint(fingerprintText(order.request))

  const admission = await seekAdmission(node, order.rules.issueLimits(key, order.phoneHash))
  // What will be refused waits for no place at a carrier, where those would wait behind it that will not.
  const isHopeless = !isProven && entrant.assess(protection, order.rules.prices[channel])?.isRefused
  const departure = isHopeless ? undefined : await seekDeparture(deps, route, router)
  let begun: Begun | undefined
  const span = deps.telemetry.begin('transaction', request.origin?.trace)
  try {
    return await store.transaction(
      async (tx) => {
        begun = outcome.made = outcome.finding = undefined
        // Who holds the phone has stored the claim of an issue that counts here.
        const [{ live: previous, failures: known }, replayed, refusal] = await Promise.all([
          tx.issues.lockPhone(order.owner, { kind: key.kind, phoneHash: order.phoneHash }, order.request.purpose),
          replay(deps, tx, order.owner, claimant, fingerprint),
          admission.confirm(tx),
        ])
        if (replayed) return issued(replayed, resendable)

        const issueId = deps.random.uuid(tx.now)
        const code = order.rules.newCode(order.recipient)
        const wording = { texts: textsOf(app), locale: request.locale, webOtp: request.webOtp }
        const letter = compose(order.request, order.recipient, { template, wording, code, key })
        const price = priceOf(order.rules.prices, channel, letter.messageType)
        order.rules.assertAdmits(order.recipient, tx.now)
        assertServed(channel, route)
        if (refusal) throw refusal
        const finding = entrant.assess(protection, price)
        weigh(outcome, isProven && finding ? outweighed(finding) : finding, price)
        weigh(outcome, findResend(protection, key.kind, previous, tx.now), price)
        // What is known of a phone was not locked; of most nothing is.
        const failures =
          known && (await tx.failures.lock({ appId: key.appId, kind: key.kind, phoneHash: order.phoneHash }))
        const admitted = admitNext(failures, order.request.maxAttempts, protection, tx.now)
        weigh(outcome, admitted.found, price)

        const { maxAttempts } = admitted
        const { origin } = request
        const issue = make(deps, order, { issueId, code, maxAttempts, price, origin, now: tx.now })
        outcome.made = issue
        await replacePrevious(deps, tx, previous)
        await tx.claims.add({ ...order.owner, keyHash: claimant.hash, fingerprint, issueId, createdAt: tx.now })
        await tx.issues.add(issue)
        if (admitted.failures) await tx.failures.save(phoneOf(issue), admitted.failures)
        if (departure) begun = await depart(deps, tx, issue, letter, departure)
        else await waitForPlace(deps, tx, issue, letter, route)
        await reserveCredit(tx, issue)
        return issued(issue, resendable)
      },
      { mayShare: true },
    )
  } catch (refusal) {
    outcome.made = undefined
    // A commit whose answer is lost for good may be stored all the same.
    if (begun && refusal instanceof Refusal && refusal.kind === 'unavailable') void begun.resume()
    else begun = undefined
    throw refusal
  } finally {
    span.end()
    if (outcome.made) admission.keep()
    else {
      if (!begun) departure?.passage.giveUp()
      await admission.giveBack()
    }
  }
}

/** The first rule that refuses is what it is refused for, else the first that would is noted. Throws `invalid`, `forbidden` or `limited`. */
function weigh(outcome: Outcome, found: Found | undefined, price: number): void {
  if (!found) return
  if (found.isRefused || !outcome.finding) outcome.finding = { ...found, price }
  if (found.isRefused) throw refusalOf(found)
}

/** By a proof: it would have been refused, which is noted, and is sent. */
const outweighed = (finding: Finding): Finding =>
  isProvable(finding.rule) ? { ...finding, isRefused: false } : finding

function resolve({ vault, modes }: IssueDependencies, key: ApiKey, request: IssueRequest): Order {
  const rules = rulesOf(modes, key)
  const recipient = rules.recipient(request.phoneNumber, key.region)
  const phoneHash = vault.phoneHash(recipient.identity)
  const digits = prefixOf(recipient.to)
  const prefix = prefixHash(vault, digits)
  const { address } = request
  const network = address === undefined ? undefined : networkHash(vault, address)
  return {
    owner: { appId: key.appId, mode: key.mode },
    rules,
    recipient,
    phoneHash,
    keyKind: key.kind,
    wish: {
      ...{ kind: key.kind, home: rules.home(key.region), country: recipient.country, address, digits },
      withoutTexts: recipient.withoutTexts,
      phone: hex(phoneHash),
      prefix: hex(prefix),
      network: network && hex(network),
    },
    prefixHash: prefix,
    networkHash: network,
    request: resolveRequest(request, recipient, rules.defaultChannel(recipient)),
  }
}

const hex = (hash: Uint8Array) => hash.toHex()

/** Under what an idempotency key is remembered. */
interface Claimant {
  hash: Uint8Array
  /** Of claims made by 0.1, which either kind of key finds. */
  formerHash: Uint8Array
}

/** Each kind of key has idempotency keys of its own: a leaked browser key cannot reach a backend's issue. */
const claimantOf = ({ vault }: IssueDependencies, { kind }: ApiKey, { idempotencyKey }: IssueRequest): Claimant => ({
  hash: vault.claimHash(`${kind} ${idempotencyKey}`),
  formerHash: vault.claimHash(idempotencyKey),
})

/** The issue this idempotency key already stands for, if any (rules 3, 4 and 5). */
async function replay(
  { idempotencyDays }: IssueDependencies,
  tx: Tx,
  owner: Owner,
  claimant: Claimant,
  fingerprint: Uint8Array,
): Promise<Issue | undefined> {
  const claim = await tx.claims.find(owner, claimant.hash, claimant.formerHash)
  if (!claim) return undefined
  const isKnown = !isOver(claim, idempotencyDays, tx.now)
  const issue = isKnown ? await tx.issues.lock(owner, claim.issueId) : undefined
  if (isKnown && (issue ? issue.erasedAt !== undefined : await tx.erasures.isRemoved(claim.issueId))) throw forgotten()
  if (!issue) {
    await tx.claims.drop(owner, claim.keyHash)
    return undefined
  }
  assertReplayable(issue, Buffer.from(fingerprint).equals(claim.fingerprint))
  return issue
}

function assertServed(channel: Channel, route: readonly Way[]): void {
  if (route.length === 0) throw unavailable(`No carrier is configured for the channel ${channel}`, 60_000)
}

/**
 * Who is asked first. None where that one has rested and is about to be tried: then delivery decides, since one message
 * tries it and the others must not wait behind that one.
 */
function firstOf(route: readonly Way[], now: number): Way | undefined {
  const way = route.find(({ gate }) => gate.admits(now))
  return way?.gate.health(now).isHealthy ? way : undefined
}

/** A place at the carrier, so that the message goes out as soon as its issue is stored. */
async function seekDeparture({ dispatch, clock }: IssueDependencies, route: readonly Way[], router: Router) {
  const way = firstOf(route, clock.now())
  const passage = way && (await dispatch.passageBy(way.carrier.name))
  return passage && { way, passage, route, router }
}

/** It waits where it will be sent from. */
async function waitForPlace(
  { node }: IssueDependencies,
  tx: Tx,
  issue: Issue,
  letter: Letter,
  route: readonly Way[],
): Promise<void> {
  const way = firstOf(route, tx.now)
  const queue = way && { queue: way.carrier.name }
  await tx.outbox.add(issue, letter)
  await tx.jobs.add({ kind: 'deliver', owner: issue, subjectId: issue.issueId, runAt: tx.now, ...queue })
  tx.afterCommit(() => node.wakeUps.wake('deliver'))
}

/** What makes an order an issue. */
interface Making {
  issueId: string
  code: string
  maxAttempts: number
  price: number
  origin: Origin | undefined
  now: number
}

function make({ vault, random }: IssueDependencies, order: Order, { code, now, ...made }: Making): Issue {
  const { owner, request, rules, recipient, phoneHash, keyKind, prefixHash, networkHash } = order
  return newIssue(request, {
    ...owner,
    ...made,
    messageId: random.uuid(now),
    smsFallback: rules.fallsBack(recipient, request.smsFallback),
    codeHash: vault.codeHash(made.issueId, code),
    country: recipient.country,
    createdAt: now,
    expiresAt: now + rules.lifetimeMs(recipient, request.expiresInSec),
    ...{ phoneHash, keyKind, prefixHash, networkHash },
  })
}

/** Rule 9: what the wallet cannot promise is not issued. */
async function reserveCredit(tx: Tx, { billingStatus, appId, price }: Issue): Promise<void> {
  if (billingStatus === 'reserved') await tx.wallets.reserve(appId, price)
}

/** Rule 8: the previous code for the same phone and purpose can no longer be verified. */
async function replacePrevious(deps: IssueDependencies, tx: Tx, previous: Issue | undefined): Promise<void> {
  if (previous) await saveIssue(deps, tx, previous, makeWay(previous, tx.now))
}
