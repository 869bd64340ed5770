/**
 * The request of a webhook delivery, rebuilt from its event and its endpoint as both are now: no request is stored. It is what
 * was sent, unless template, headers, address or secret of the endpoint have changed since.
 */
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import { bodyOf, headersOf } from './send-webhook'

export interface WebhookRequest {
  url: string
  /** Those of the endpoint's own have no value: it may be a credential. */
  headers: ReadonlyArray<{ name: string; value?: string }>
  body: string
  /** The time of the attempt, Unix milliseconds. Undefined: time and signatures are those of a request that is sent now. */
  sentAt: number | undefined
}

/** `attempt`: from 1; undefined: one that is sent now. Undefined where event or endpoint are deleted, or the endpoint's template cannot be filled in. */
export async function readWebhookRequest(
  { store, clock }: { store: Store; clock: Pick<Clock, 'now'> },
  deliveryId: string,
  attempt: number | undefined,
): Promise<WebhookRequest | undefined> {
  const known = await store.transaction(async (tx) => {
    const delivery = await tx.hooks.find(deliveryId)
    const event = delivery && (await tx.hooks.event(delivery.eventId))
    return event && { event, endpointId: delivery.endpointId }
  })
  const endpoint = known && (await store.read.endpoints.find(known.endpointId))
  if (!endpoint) return undefined
  const body = bodyOf(endpoint, known.event)
  if (body === undefined) return undefined
  const attempts = attempt === undefined ? [] : await store.lists.hooks.attempts(deliveryId)
  const sentAt = attempts.find(({ number }) => number === attempt)?.calledAt
  const ours = headersOf(endpoint, known.event, body, sentAt ?? clock.now())
  const headers = [
    ...Object.entries(ours).map(([name, value]) => ({ name, value })),
    ...Object.keys(endpoint.headers).map((name) => ({ name })),
  ]
  return { url: endpoint.url, headers, body, sentAt }
}
