/** What an idempotency key stands for. Specification: `POST /issue`, rules 2 to 5. */
import { conflict } from '../shared/error'
import { type Channel, DAY_MS, type MessageType, type Owner } from '../shared/value'
import type { Issue } from './issue'

/** A first use of an idempotency key. */
export interface IdempotencyRecord extends Owner {
  readonly keyHash: Uint8Array
  readonly fingerprint: Uint8Array
  readonly issueId: string
  readonly createdAt: number
}

/** How long a key is remembered where the operator has not set another time. */
export const IDEMPOTENCY_DAYS = 7

/** The key is new again. */
export const hasExpired = (
  { createdAt }: Pick<IdempotencyRecord, 'createdAt'>,
  idempotencyDays: number,
  now: number,
): boolean => createdAt + idempotencyDays * DAY_MS <= now

/** The key stands for an issue that was erased: another one would be a second message for one order. */
export const keyForgotten = () =>
  conflict('idempotencyKey', 'idempotency_key_forgotten', 'The issue of this idempotency key was erased')

/** Throws `conflict` where the key's issue is not what is asked for now, or no more. */
export function assertReplayable({ verificationStatus }: Issue, isSameRequest: boolean): void {
  if (!isSameRequest)
    throw conflict('idempotencyKey', 'idempotency_key_reused', 'This idempotency key was used for a different request')
  if (verificationStatus === 'replaced') {
    const message = 'The issue of this idempotency key was replaced by a newer one'
    throw conflict('idempotencyKey', 'idempotency_key_replaced', message)
  }
}

/** A request with every default resolved: spelling out a default is the same request. */
export interface ResolvedRequest {
  /** Canonical identity of the phone. */
  phone: string
  purpose: string
  channel: Channel
  templateId: string
  templateVariables: Readonly<Record<string, string>>
  from: string | undefined
  /** Omitted is a value of its own: the type is only known once the text is rendered. */
  messageType: MessageType | undefined
  smsFallback: boolean
  cost: number | undefined
  metadata: Readonly<Record<string, string>>
  expiresInSec: number
  maxAttempts: number
}

/** One text for one request, whatever the order of keys in its maps. */
export function fingerprintText(request: ResolvedRequest): string {
  const { phone, purpose, channel, templateId, templateVariables, from, messageType, smsFallback, cost, metadata } =
    request
  return JSON.stringify([
    phone,
    purpose,
    channel,
    templateId,
    inOrder(templateVariables),
    from ?? null,
    messageType ?? null,
    // Says something on AlimTalk only, and only when switched off.
    channel === 'alimtalk' && !smsFallback,
    cost ?? null,
    inOrder(metadata),
    request.expiresInSec,
    request.maxAttempts,
  ])
}

const inOrder = (map: Readonly<Record<string, string>>) => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
