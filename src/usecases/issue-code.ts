/**
 * Issue: make a 6-digit code, reserve credit, record the issue and queue its delivery, in one transaction.
 * Specification: `POST /issue`, rules 1 to 11; decisions: "Idempotency", "Credit".
 */
import type { Directory } from '../directory'
import { conflict, invalid, unavailable } from '../domain/error'
import { attemptsRemaining, type Issue, makeWay } from '../domain/issue'
import type { ApiKey } from '../domain/key'
import type { Limiter, Permit } from '../domain/limit'
import type { Recipient } from '../domain/phone'
import { DEFAULT_TEMPLATE_ID, messageTypeFor, render, type Template } from '../domain/template'
import { type Channel, DAY_MS, type MessageType, type Owner } from '../domain/value'
import { reserve } from '../domain/wallet'
import { type ModeRules, type Modes, rulesOf } from '../mode'
import type { Letter, Provider, Random, Store, Tx, Vault } from '../ports'
import { saveIssue } from './save-issue'

/** A validated request; texts are trimmed. `cost` is not billed, but part of the fingerprint. */
export interface IssueRequest {
  phoneNumber: string
  purpose: string
  idempotencyKey: string
  channel?: Channel | undefined
  templateId?: string | undefined
  templateVariables?: Record<string, string> | undefined
  from?: string | undefined
  messageType?: MessageType | undefined
  smsFallback?: boolean | undefined
  cost?: number | undefined
  metadata?: Record<string, string> | undefined
  expiresInSec: number
  maxAttempts: number
}

export interface Issued {
  issueId: string
  expiresAt: number
  attemptsRemaining: number
  queuedAt: number
}

export interface IssueDependencies {
  store: Store
  vault: Vault
  random: Random
  directory: Directory
  modes: Modes
  limiter: Limiter
  idempotencyDays: number
  /** There is a message to deliver. */
  wakeDelivery: () => void
}

/** The request with every default resolved: spelling out a default is the same request. */
interface Order {
  owner: Owner
  key: ApiKey
  rules: ModeRules
  recipient: Recipient
  phoneHash: Uint8Array
  channel: Channel
  templateId: string
  smsFallback: boolean
  request: IssueRequest
}

/** Throws `invalid`, `conflict`, `unavailable`, `limited` or `no_credit`; then nothing has changed and the key stays unused. */
export async function issueCode(deps: IssueDependencies, key: ApiKey, request: IssueRequest): Promise<Issued> {
  const { store, vault, directory } = deps
  const order = resolve(deps, key, request)
  const template = await directory.template(key.appId, order.templateId)
  const route = await order.rules.route(order.channel)
  const keyHash = vault.claimHash(request.idempotencyKey)
  const fingerprint = vault.fingerprint(canonical(order))

  let permit: Permit | undefined
  try {
    return await store.transaction(async (tx) => {
      const replayed = await replay(deps, tx, order.owner, keyHash, fingerprint)
      if (replayed) return issued(replayed)

      const issueId = deps.random.uuid(tx.now)
      const code = order.rules.newCode(order.recipient)
      const letter = compose(order, template, code)
      order.rules.assertAdmits(order.recipient, tx.now)
      assertServed(order.channel, route)
      permit = deps.limiter.take(order.rules.issueLimits(key, order.phoneHash), tx.now)

      const issue = newIssue(deps, order, letter, { issueId, code, now: tx.now })
      await reserveCredit(tx, issue)
      await replacePrevious(tx, issue)
      await tx.addIssue(issue)
      await tx.addClaim({ ...order.owner, keyHash, fingerprint, issueId, createdAt: tx.now })
      await tx.addOutbox(issue, letter)
      await tx.addJob({ kind: 'deliver', issue, runAt: tx.now })
      tx.afterCommit(deps.wakeDelivery)
      return issued(issue)
    })
  } catch (refusal) {
    permit?.giveBack()
    throw refusal
  }
}

function resolve({ vault, modes }: IssueDependencies, key: ApiKey, request: IssueRequest): Order {
  const rules = rulesOf(modes, key)
  const recipient = rules.recipient(request.phoneNumber)
  return {
    owner: { appId: key.appId, mode: key.mode },
    key,
    rules,
    recipient,
    phoneHash: vault.phoneHash(recipient.identity),
    channel: request.channel ?? rules.defaultChannel(recipient),
    templateId: request.templateId ?? DEFAULT_TEMPLATE_ID,
    smsFallback: request.smsFallback ?? true,
    request,
  }
}

/** What makes two requests the same. `smsFallback` counts only where it is switched off on AlimTalk. */
function canonical({ recipient, channel, templateId, smsFallback, request }: Order): string {
  const sorted = (map: Record<string, string> | undefined) =>
    Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([
    recipient.identity,
    request.purpose,
    channel,
    templateId,
    sorted(request.templateVariables),
    request.from || null,
    request.messageType ?? null,
    channel === 'alimtalk' && !smsFallback,
    request.cost ?? null,
    sorted(request.metadata),
    request.expiresInSec,
    request.maxAttempts,
  ])
}

/** The issue this idempotency key already stands for, if any (rules 3, 4 and 5). */
async function replay(
  { idempotencyDays }: IssueDependencies,
  tx: Tx,
  owner: Owner,
  keyHash: Uint8Array,
  fingerprint: Uint8Array,
): Promise<Issue | undefined> {
  const claim = await tx.findClaim(owner, keyHash)
  if (!claim) return undefined
  const issue = await tx.lockIssue(owner, claim.issueId)
  if (!issue || claim.createdAt + idempotencyDays * DAY_MS <= tx.now) {
    await tx.dropClaim(owner, keyHash)
    return undefined
  }
  if (!Buffer.from(fingerprint).equals(claim.fingerprint)) {
    throw conflict('This idempotency key was used for a different request')
  }
  if (issue.verificationStatus === 'replaced')
    throw conflict('The issue of this idempotency key was replaced by a newer one')
  return issue
}

function compose(order: Order, template: Template | undefined, code: string): Letter {
  const { request, channel, recipient } = order
  if (!template) throw invalid(`templateId: no such template: ${order.templateId}`)
  if (!template.channelSupport.includes(channel))
    throw invalid(`templateId: ${order.templateId} does not support ${channel}`)
  const variables = request.templateVariables ?? {}
  const text = render(template, variables, code)
  return {
    to: recipient.to,
    text,
    code,
    from: request.from || undefined,
    messageType: messageTypeFor(text, request.messageType),
    templateCode: template.providerTemplateCode,
    variables,
    scenario: recipient.scenario,
  }
}

function assertServed(channel: Channel, route: readonly Provider[]): void {
  if (route.length === 0) throw unavailable(`No provider is configured for the channel ${channel}`, 60_000)
}

function newIssue(
  { vault, random }: IssueDependencies,
  order: Order,
  letter: Letter,
  { issueId, code, now }: { issueId: string; code: string; now: number },
): Issue {
  const { owner, request, rules, recipient, channel } = order
  const price = rules.prices[channel === 'alimtalk' ? 'alimtalk' : letter.messageType === 'LMS' ? 'lms' : 'sms']
  return {
    ...owner,
    issueId,
    messageId: random.uuid(now),
    purpose: request.purpose,
    templateId: order.templateId,
    channel,
    smsFallback: rules.fallsBack(recipient, order.smsFallback),
    phoneHash: order.phoneHash,
    codeHash: vault.codeHash(issueId, code),
    country: recipient.country,
    metadata: request.metadata,
    createdAt: now,
    expiresAt: now + rules.lifetimeMs(recipient, request.expiresInSec),
    maxAttempts: request.maxAttempts,
    verificationStatus: 'issued',
    attemptsUsed: 0,
    verifiedAt: undefined,
    deliveryStatus: 'queued',
    leg: channel,
    sendPending: true,
    providerOutcomeAmbiguous: false,
    providerOutcomeCode: undefined,
    // What costs nothing has nothing to settle.
    billingStatus: price > 0 ? 'reserved' : 'released',
    price,
    debitedAmount: 0,
    updatedAt: now,
  }
}

/** Rule 9: what the wallet cannot promise is not issued. */
async function reserveCredit(tx: Tx, { billingStatus, appId, price }: Issue): Promise<void> {
  if (billingStatus === 'reserved') await tx.saveWallet(reserve(await tx.lockWallet(appId), price))
}

/** Rule 8: the previous code for the same phone and purpose can no longer be verified. */
async function replacePrevious(tx: Tx, issue: Issue): Promise<void> {
  const previous = await tx.lockLiveIssue(issue, issue.phoneHash, issue.purpose)
  if (previous) await saveIssue(tx, makeWay(previous, tx.now))
}

/** The first response and every replay of it, also after verification or expiry. */
const issued = (issue: Issue): Issued => ({
  issueId: issue.issueId,
  expiresAt: issue.expiresAt,
  attemptsRemaining: attemptsRemaining({ ...issue, attemptsUsed: 0 }),
  queuedAt: issue.createdAt,
})
