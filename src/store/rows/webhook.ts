/** Webhook endpoints, events, and deliveries with their attempts. */

import type { Owner } from '../../domain/shared/value'
import type { StoredEvent } from '../../domain/webhooks/event'
import type { Endpoint, HookAttempt, HookDelivery, HookReport } from '../../domain/webhooks/webhook'
import type { Vault } from '../../ports/vault'

export interface EndpointRow extends Omit<Endpoint, 'headers' | 'secrets'> {
  /** Both are encrypted, because they may hold credentials. */
  headers: Uint8Array
  secrets: Uint8Array
}

export const headersSeal = (endpointId: string) => `hook-headers:${endpointId}`
export const secretsSeal = (endpointId: string) => `hook-secrets:${endpointId}`

export const endpointOf = (vault: Vault, row: EndpointRow): Endpoint => ({
  ...row,
  headers: JSON.parse(vault.open(headersSeal(row.endpointId), row.headers)),
  secrets: JSON.parse(vault.open(secretsSeal(row.endpointId), row.secrets)),
})

export const endpointRow = (vault: Vault, endpoint: Endpoint): EndpointRow => ({
  ...endpoint,
  headers: vault.seal(headersSeal(endpoint.endpointId), JSON.stringify(endpoint.headers)),
  secrets: vault.seal(secretsSeal(endpoint.endpointId), JSON.stringify(endpoint.secrets)),
})

export const TROUBLED = ['endpointId', 'appId', 'url', 'disabledAt', 'disabledReason', 'certificateUntil'] as const

export const byAge = (a: EndpointRow, b: EndpointRow) =>
  a.createdAt - b.createdAt || (a.endpointId < b.endpointId ? -1 : 1)

export const ENDPOINT_STATE = ['disabledAt', 'disabledReason', 'failingSince', 'certificateUntil'] as const
export const ENDPOINT_CHANGING = [
  ...(['url', 'events', 'filters', 'headers', 'template', 'secrets'] as const),
  ...ENDPOINT_STATE,
] as const

type DeliveryRow = Omit<HookDelivery, keyof Owner>

export const deliveryOf = (row: DeliveryRow, { appId, mode }: Owner): HookDelivery => ({
  ...{ appId, mode },
  ...row,
})

interface EventRow extends Omit<StoredEvent, 'body'> {
  /** Encrypted. */
  body: Uint8Array
}

export const eventSeal = (eventId: string) => `hook-event:${eventId}`

export const eventOf = (vault: Vault, row: EventRow): StoredEvent => ({
  ...row,
  body: vault.open(eventSeal(row.eventId), row.body),
})

export const eventRow = (vault: Vault, event: StoredEvent): EventRow => ({
  ...event,
  body: vault.seal(eventSeal(event.eventId), event.body),
})

interface AttemptRow extends Omit<HookAttempt, 'answer'> {
  /** Encrypted. */
  answer: Uint8Array | undefined
}

export const answerSeal = ({ deliveryId, number }: Pick<HookAttempt, 'deliveryId' | 'number'>) =>
  `hook-answer:${deliveryId}:${number}`

export const hookAttemptOf = (vault: Vault, row: AttemptRow): HookAttempt => ({
  ...row,
  answer: row.answer ? vault.open(answerSeal(row), row.answer) : undefined,
})

export const hookAttemptRow = (vault: Vault, attempt: HookAttempt): AttemptRow => ({
  ...attempt,
  answer: attempt.answer === undefined ? undefined : vault.seal(answerSeal(attempt), attempt.answer),
})

/** A delivery with the columns that lists show. */
export interface ReportRow
  extends Owner,
    Pick<HookReport, 'type' | 'lastStatus' | 'lastError' | 'lastAttemptAt' | 'nextAttemptAt'> {
  delivery: DeliveryRow
}

export const reportOf = ({ delivery, appId, mode, ...row }: ReportRow): HookReport => ({
  ...deliveryOf(delivery, { appId, mode }),
  ...row,
})
