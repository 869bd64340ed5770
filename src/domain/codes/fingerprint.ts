/** What makes two requests with one idempotency key the same. Specification: `POST /issue` rules 3 and 4; decisions: "Idempotency". */
import type { Channel, MessageType } from '../shared/value'

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
