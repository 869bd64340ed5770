/** Webhook endpoints, events, and deliveries with their attempts. */

import { originOf, originText } from '../../domain/codes/issue'
import type { Owner } from '../../domain/shared/value'
import type { StoredEvent } from '../../domain/webhooks/event'
import type { Endpoint, HookAttempt, HookDelivery, HookReport } from '../../domain/webhooks/webhook'
import type { TroubledEndpoint } from '../../ports/store/webhooks'
import type { Vault } from '../../ports/vault'
import type { Row } from '../tables'

export interface EndpointRow extends Omit<Row<Endpoint>, 'headers' | 'secrets'> {
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
  template: row.template ?? undefined,
  disabledAt: row.disabledAt ?? undefined,
  disabledReason: row.disabledReason ?? undefined,
  failingSince: row.failingSince ?? undefined,
  certificateUntil: row.certificateUntil ?? undefined,
})

export const endpointRow = (vault: Vault, endpoint: Endpoint): EndpointRow => ({
  ...endpoint,
  headers: vault.seal(headersSeal(endpoint.endpointId), JSON.stringify(endpoint.headers)),
  secrets: vault.seal(secretsSeal(endpoint.endpointId), JSON.stringify(endpoint.secrets)),
  template: endpoint.template ?? null,
  disabledAt: endpoint.disabledAt ?? null,
  disabledReason: endpoint.disabledReason ?? null,
  failingSince: endpoint.failingSince ?? null,
  certificateUntil: endpoint.certificateUntil ?? null,
})

export const TROUBLED = ['endpointId', 'appId', 'url', 'disabledAt', 'disabledReason', 'certificateUntil'] as const

export const troubledOf = (row: Row<TroubledEndpoint>): TroubledEndpoint => ({
  ...row,
  disabledAt: row.disabledAt ?? undefined,
  disabledReason: row.disabledReason ?? undefined,
  certificateUntil: row.certificateUntil ?? undefined,
})

export const byAge = (a: EndpointRow, b: EndpointRow) =>
  a.createdAt - b.createdAt || (a.endpointId < b.endpointId ? -1 : 1)

export const ENDPOINT_STATE = ['disabledAt', 'disabledReason', 'failingSince', 'certificateUntil'] as const
export const ENDPOINT_CHANGING = [
  ...(['url', 'events', 'filters', 'headers', 'template', 'secrets'] as const),
  ...ENDPOINT_STATE,
] as const

type DeliveryRow = Omit<Row<HookDelivery>, keyof Owner>

export const deliveryOf = (row: DeliveryRow, { appId, mode }: Owner): HookDelivery => ({
  ...{ appId, mode },
  ...row,
  issueId: row.issueId ?? undefined,
})

export const deliveryRow = ({ appId: _, mode: __, ...delivery }: HookDelivery): DeliveryRow => ({
  ...delivery,
  issueId: delivery.issueId ?? null,
})

interface EventRow extends Omit<Row<StoredEvent>, 'body' | 'origin'> {
  origin: string | null
  /** Encrypted. */
  body: Uint8Array
}

export const eventSeal = (eventId: string) => `hook-event:${eventId}`

export const eventOf = (vault: Vault, row: EventRow): StoredEvent => ({
  ...row,
  issueId: row.issueId ?? undefined,
  origin: row.origin === null ? undefined : originOf(row.origin),
  body: vault.open(eventSeal(row.eventId), row.body),
})

export const eventRow = (vault: Vault, event: StoredEvent): EventRow => ({
  ...event,
  issueId: event.issueId ?? null,
  origin: event.origin ? originText(event.origin) : null,
  body: vault.seal(eventSeal(event.eventId), event.body),
})

interface AttemptRow extends Omit<Row<HookAttempt>, 'answer'> {
  /** Encrypted. */
  answer: Uint8Array | null
}

export const answerSeal = ({ deliveryId, number }: Pick<HookAttempt, 'deliveryId' | 'number'>) =>
  `hook-answer:${deliveryId}:${number}`

export const hookAttemptOf = (vault: Vault, row: AttemptRow): HookAttempt => ({
  ...row,
  status: row.status ?? undefined,
  error: row.error ?? undefined,
  answer: row.answer ? vault.open(answerSeal(row), row.answer) : undefined,
})

export const hookAttemptRow = (vault: Vault, attempt: HookAttempt): AttemptRow => ({
  ...attempt,
  status: attempt.status ?? null,
  error: attempt.error ?? null,
  answer: attempt.answer === undefined ? null : vault.seal(answerSeal(attempt), attempt.answer),
})

/** A delivery with the columns that lists show. */
export interface ReportRow extends Owner {
  delivery: DeliveryRow
  type: HookReport['type']
  lastStatus: number | null
  lastError: string | null
  lastAttemptAt: number | null
  nextAttemptAt: number | null
}

export const reportOf = ({ delivery, appId, mode, ...row }: ReportRow): HookReport => ({
  ...deliveryOf(delivery, { appId, mode }),
  type: row.type,
  lastStatus: row.lastStatus ?? undefined,
  lastError: row.lastError ?? undefined,
  lastAttemptAt: row.lastAttemptAt ?? undefined,
  nextAttemptAt: row.nextAttemptAt ?? undefined,
})
