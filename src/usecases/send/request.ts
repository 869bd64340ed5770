/**
 * What is asked for a phone, whoever asks, the keyed hashes by which stored rows are found, and what an idempotency key stands for
 * already. Specification: `POST /issue`, rules 2 to 5; decisions: "Idempotency".
 */
import type { RequestFacts } from '../../abuse/rules/assess'
import type { App } from '../../domain/access/app'
import type { Caller } from '../../domain/access/caller'
import type { PlannedLeg } from '../../domain/delivery/plan'
import { prefixOf, type Recipient } from '../../domain/phone/phone'
import type { Addressed, Origin } from '../../domain/shared/addressed'
import type { Channel, Leg, Owner } from '../../domain/shared/value'
import {
  assertReplayable,
  hasExpired,
  type IdempotencyRecord,
  keyForgotten,
} from '../../domain/verification/idempotency'
import type { Stored } from '../../domain/verification/verification'
import type { Clock } from '../../ports/clock'
import type { Node } from '../../ports/node'
import type { Tx } from '../../ports/store'
import type { Random, Vault } from '../../ports/vault'
import type { ModeRules } from '../shared/mode'

/** A message that a caller asks for. */
export interface SendRequest {
  caller: Caller
  rules: ModeRules
  recipient: Recipient
  /** Under what its idempotency key is remembered, and what it is compared by. */
  keyHash: Uint8Array
  fingerprint: Uint8Array
  /** How long the idempotency key is remembered. */
  idempotencyDays: number
  /** For what; of a relay its name. */
  purpose: string
  channel: Channel
  templateId: string
  smsFallback: boolean
  metadata: Readonly<Record<string, string>>
  /** How long it is worth sending. */
  expiresInSec: number
  /** The legs, instead of the app's plan. */
  legs?: readonly PlannedLeg[] | undefined
  /** The leg of the last message about the same, which the next one begins after. */
  lastLeg?: ((phoneHash: Uint8Array) => Promise<Leg | undefined>) | undefined
  /** Address of the end user. */
  address?: string | undefined
  /** Token of a challenge. */
  challenge?: string | undefined
  origin?: Origin | undefined
}

export const ownerOf = ({ caller: { appId, mode } }: Pick<SendRequest, 'caller'>): Owner => ({ appId, mode })

/** Each kind of caller has idempotency keys of its own: a leaked browser key cannot reach a backend's issue. */
export const keyHashOf = (vault: Pick<Vault, 'claimHash'>, { kind }: Caller, idempotencyKey: string): Uint8Array =>
  vault.claimHash(`${kind} ${idempotencyKey}`)

/** The same with what is needed of one that was not answered before. */
export interface CheckedRequest extends SendRequest {
  phoneHash: Uint8Array
  /** Where it goes and who asks, for the rules against abuse; the hashes are stored with the message. */
  facts: RequestFacts
  prefixHash: Uint8Array
  networkHash: Uint8Array | undefined
}

/** `rulesFor`: the rules of a phone for which others hold. */
export function checkedRequest(
  { vault }: { vault: Vault },
  request: SendRequest,
  app: App | undefined,
  rulesFor?: (app: App, phoneHash: Uint8Array) => ModeRules | undefined,
): CheckedRequest {
  const { caller, recipient, address } = request
  const phoneHash = vault.phoneHash(recipient.identity)
  const rules = (app && rulesFor?.(app, phoneHash)) ?? request.rules
  const digits = prefixOf(recipient.to)
  const prefix = vault.prefixHash(digits)
  const network = address === undefined ? undefined : vault.networkHash(address)
  return {
    ...request,
    rules,
    phoneHash,
    facts: {
      kind: caller.kind,
      home: rules.home(caller.region),
      country: recipient.country,
      address,
      digits,
      withoutTexts: recipient.withoutTexts,
      phone: phoneHash.toHex(),
      prefix: prefix.toHex(),
      network: network?.toHex(),
    },
    smsFallback: rules.fallsBack(recipient, request.smsFallback),
    prefixHash: prefix,
    networkHash: network,
  }
}

export function newAddressed(
  { random }: { random: Random },
  checked: CheckedRequest,
  { issueId, now }: { issueId: string; now: number },
): Addressed {
  const { caller, recipient, rules, purpose, templateId, channel, metadata } = checked
  return {
    ...{ appId: caller.appId, mode: caller.mode, issueId, messageId: random.uuid(now) },
    ...{ purpose, templateId, channel, keyKind: caller.kind, phoneHash: checked.phoneHash, country: recipient.country },
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    ...{ createdAt: now, expiresAt: now + rules.lifetimeMs(recipient, checked.expiresInSec), updatedAt: now },
    ...{ prefixHash: checked.prefixHash, networkHash: checked.networkHash, origin: checked.origin },
  }
}

/** The record of the same request, where this server answered it lately. */
export function findRecentRecord(
  { node, clock }: { clock: Pick<Clock, 'now'>; node: Pick<Node, 'replays'> },
  request: SendRequest,
): IdempotencyRecord | undefined {
  const record = node.replays.find(ownerOf(request), request.keyHash)
  return record && !hasExpired(record, request.idempotencyDays, clock.now()) && isSameRequest(record, request)
    ? record
    : undefined
}

const isSameRequest = (record: IdempotencyRecord, { fingerprint }: SendRequest) =>
  Buffer.compare(record.fingerprint, fingerprint) === 0

export const recordOf = (request: SendRequest, { issueId, createdAt }: Stored): IdempotencyRecord => ({
  ...ownerOf(request),
  ...{ keyHash: request.keyHash, fingerprint: request.fingerprint, issueId, createdAt },
})

/** Finds the row that this idempotency key already stands for, if any (rules 3, 4 and 5). */
export async function replay(tx: Tx, request: SendRequest, record: IdempotencyRecord): Promise<Stored | undefined> {
  const owner = ownerOf(request)
  const isKnown = !hasExpired(record, request.idempotencyDays, tx.now)
  const stored = isKnown ? await tx.issues.lock(owner, record.issueId) : undefined
  if (isKnown && (stored ? stored.erasedAt !== undefined : await tx.erasures.isRemoved(record.issueId)))
    throw keyForgotten()
  if (!stored) {
    await tx.idempotency.drop(owner, record.keyHash)
    return undefined
  }
  assertReplayable(stored, isSameRequest(record, request))
  return stored
}
