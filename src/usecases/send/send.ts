/**
 * Send: admit a message for a phone, reserve its credit, store it and start its delivery, in one transaction. What it carries, such as
 * a code, is stored with it. Decisions: "Idempotency", "Credit".
 */
import type { Protection } from '../../abuse/rules/protection'
import type { App } from '../../domain/access/app'
import { legsAfter, planFor } from '../../domain/delivery/plan'
import { type Message, newMessage } from '../../domain/message/message'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import type { Template } from '../../domain/message/template'
import type { Addressed } from '../../domain/shared/addressed'
import { hasMessage, type Stored } from '../../domain/verification/verification'
import { priceOf, reserve } from '../../domain/wallet/wallet'
import type { Node } from '../../ports/node'
import type { Tx } from '../../ports/store'
import type { KnownPhone } from '../../ports/store/issues'
import type { PendingRequest } from '../../ports/traffic'
import type { Vault } from '../../ports/vault'
import type { Dispatch } from '../../ports/work'
import { assertProven, type ChallengeDependencies } from '../abuse/challenge'
import type { DeliverDependencies } from '../deliver-code'
import { reserveCapacity } from '../shared/capacity'
import type { ModeRules } from '../shared/mode'
import {
  type CheckedRequest,
  checkedRequest,
  findRecentRecord,
  newAddressed,
  ownerOf,
  recordOf,
  replay,
  type SendRequest,
} from './request'
import {
  decisionOf,
  outweighed,
  type RefusedRequest,
  refuseOrWatch,
  reportedHit,
  resultOf,
  type SendResult,
} from './result'
import { assertServed, legsThatReach, planDelivery, reserveDelivery } from './start-delivery'

export interface SendDependencies extends DeliverDependencies, ChallengeDependencies {
  vault: Vault
  node: Pick<Node, 'backlog' | 'replays' | 'directory' | 'limits' | 'traffic' | 'wakeUps' | 'logSampler' | 'reports'>
  dispatch: Dispatch
}

/** The facts that a message is drafted from. */
export interface Given {
  issueId: string
  phone: KnownPhone
  checked: CheckedRequest
  app: App | undefined
  template: Template | undefined
  /** Whether it may go out as an SMS, whose length has limits. */
  maySms: boolean
}

interface Decided {
  addressed: Addressed
  message: Message
  protection: Protection
  /** The caller has proven to be human. */
  isProven: boolean
}

interface Draft<S extends Stored> {
  rendered: RenderedMessage
  /** Makes the row to store. It may refuse, and change other rows of the phone. */
  make(decided: Decided): Promise<{ stored: S; hit: ReturnType<typeof refuseOrWatch> }>
}

/** The content of a message: a code of ours, or none. */
export interface Carried<S extends Stored, A extends { issueId: string }> {
  /** The rules of a phone for which others hold. */
  rulesFor?(app: App, phoneHash: Uint8Array): ModeRules | undefined
  draft(tx: Tx, given: Given): Draft<S>
  isIt(stored: Stored): stored is S
  answer(stored: S, protection: Protection): A
  /** The answer from what is on disk. Undefined where a transaction has to decide. */
  answerFromDisk(issueId: string): Promise<A | undefined>
}

/** Throws `invalid`, `conflict`, `unavailable`, `limited`, `forbidden` or `no_credit`; then nothing has changed and the key stays unused. */
export async function send<S extends Stored, A extends { issueId: string }>(
  deps: SendDependencies,
  request: SendRequest,
  carried: Carried<S, A>,
): Promise<A> {
  const startedAt = deps.clock.elapsed()
  const result = await resultOf(async () => (await replayRecent()) ?? (await sendNew(deps, request, carried)))
  deps.telemetry.issueDecided(decisionOf(request, result, deps.clock.elapsed() - startedAt))
  if ('thrown' in result) throw result.thrown
  return result.answer

  /** Answers a request that this server has answered lately, without a transaction. */
  async function replayRecent(): Promise<SendResult<A> | undefined> {
    const record = findRecentRecord(deps, request)
    const answer = record && (await carried.answerFromDisk(record.issueId))
    return answer && { kind: 'replayed', answer }
  }
}

/** Counts the request for the rules against abuse while it is in flight. Where a rule refuses it, a proof of a human admits it. */
async function sendNew<S extends Stored, A extends { issueId: string }>(
  deps: SendDependencies,
  request: SendRequest,
  carried: Carried<S, A>,
): Promise<SendResult<A>> {
  const { caller, challenge, address } = request
  const app = await deps.node.directory.app(caller.appId)
  const checked = checkedRequest(deps, request, app, carried.rulesFor)
  const pending = await checked.rules.watched(deps.node.traffic).acquire(caller.appId, checked.facts)
  const admitted = await resultOf(() => admit(deps, carried, { checked, pending, isProven: false }))
  const result = admitted.kind === 'refused' ? await admitProven(admitted) : admitted
  const stored = result.kind === 'issued' ? result.stored : undefined
  if (stored) deps.node.replays.note(recordOf(checked, stored))
  pending.release(stored && hasMessage(stored) ? stored : undefined)
  const hit = reportedHit(result, checked.rules.prices[checked.channel])
  if (hit) pending.recordHit(hit)
  return result

  async function admitProven({ thrown, hit }: RefusedRequest): Promise<SendResult<A>> {
    const proven = await resultOf(async () => {
      await assertProven(deps, { appId: caller.appId, kind: caller.kind, challenge, address }, thrown)
      return admit(deps, carried, { checked, pending, isProven: true })
    })
    return proven.kind === 'refused' ? { ...proven, hit: proven.hit ?? hit } : proven
  }
}

interface AdmissionRequest {
  checked: CheckedRequest
  pending: PendingRequest
  isProven: boolean
}

/** Reserves capacity and a slot at the carrier, and stores in one transaction. Both are released where nothing comes of it. */
async function admit<S extends Stored, A extends { issueId: string }>(
  deps: SendDependencies,
  carried: Carried<S, A>,
  { checked, pending, isProven }: AdmissionRequest,
): Promise<SendResult<A>> {
  const { store, node } = deps
  const { caller, rules, recipient, channel, phoneHash, purpose } = checked
  const owner = ownerOf(checked)
  const { country } = recipient
  const template = (await node.directory.templates(caller.appId)).find(
    ({ templateId }) => templateId === checked.templateId,
  )
  // Read again: its owner may have decided otherwise while a proof was checked.
  const app = await node.directory.app(caller.appId)
  const protection = rules.protection(app)
  const router = await rules.router()
  const planned = rules.legs(app, { channel, country, smsFallback: checked.smsFallback, legs: checked.legs })
  const reaching = planned && (await legsThatReach(deps, planned, phoneHash))
  const goesOn = reaching && reaching.length > 1 && planFor(app?.plans, { channel, country })?.resend !== 'first'
  const last = goesOn ? await checked.lastLeg?.(phoneHash) : undefined
  const legs = reaching && last ? legsAfter(reaching, last) : reaching
  const plan = planDelivery(router, legs ?? [{ channel }], { appId: caller.appId, country })

  await using scope = new AsyncDisposableStack()
  const capacity = scope.use(await reserveCapacity(node, rules.issueLimits(caller, phoneHash)))
  // A request that a rule will refuse must not hold a slot that another one waits for.
  const isHopeless = !isProven && pending.isRefused(protection, rules.prices[channel])
  const delivery = scope.use(await reserveDelivery(deps, plan, isHopeless))
  scope.adopt(deps.telemetry.begin('transaction', checked.origin?.trace), (span) => span.end())
  const storeInTransaction = async (tx: Tx): Promise<SendResult<A>> => {
    delivery.reset()
    // Rules 2 to 5: find the idempotency record. Whoever holds the phone's lock has stored its own.
    const [phone, record, refusal] = await Promise.all([
      tx.issues.lockPhone(owner, { kind: caller.kind, phoneHash }, purpose),
      tx.idempotency.find(owner, checked.keyHash),
      capacity.confirm(tx),
    ])
    const replayed = record && (await replay(tx, checked, record))
    if (replayed && carried.isIt(replayed)) return { kind: 'replayed', answer: carried.answer(replayed, protection) }

    // Render the message: its type decides the price.
    const issueId = deps.random.uuid(tx.now)
    const maySms = channel === 'sms' || (legs?.some((leg) => leg.channel === 'sms') ?? checked.smsFallback)
    const { rendered, make } = carried.draft(tx, { issueId, phone, checked, app, template, maySms })
    const price = priceOf(rules.prices, channel, rendered.messageType)

    // Admit: limits, and the rules against abuse from the narrowest to the widest.
    rules.assertAdmits(recipient, tx.now)
    if (!rules.isSilent) assertServed(plan)
    if (refusal) throw refusal
    const match = pending.assess(protection, price)
    const trafficHit = refuseOrWatch(isProven ? outweighed(match) : match, price)
    const addressed = newAddressed(deps, checked, { issueId, now: tx.now })
    const message = newMessage(addressed, { smsFallback: checked.smsFallback, legs, price })
    const { stored, hit } = await make({ addressed, message, protection, isProven })

    const isSent = hasMessage(stored)
    await tx.issues.add(isSent ? await delivery.start(tx, stored, rendered) : stored, checked)
    // Rule 9: reserve the credit, or refuse.
    if (isSent && stored.billingStatus === 'reserved')
      await tx.wallets.save(reserve(await tx.wallets.lock(caller.appId), price))
    tx.afterCommit(() => capacity.keep())
    return { kind: 'issued', answer: carried.answer(stored, protection), stored, hit: trafficHit ?? hit }
  }
  try {
    return await store.transaction(storeInTransaction)
  } catch (error) {
    delivery.resumeAfter(error)
    throw error
  }
}
