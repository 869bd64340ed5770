/** Endpoints, what they are told, and what came of it. */

import type { Owner } from '../../domain/shared/value'
import type { StoredEvent } from '../../domain/webhooks/event'
import type { Endpoint, HookAttempt, HookDelivery, HookReport } from '../../domain/webhooks/webhook'

export interface EndpointTx {
  /** Of one app and mode. */
  ofOwner(owner: Owner): Promise<readonly Endpoint[]>
  lock(endpointId: string): Promise<Endpoint | undefined>
  /** Of an app, in both modes. */
  lockOfApp(appId: string): Promise<Endpoint[]>
  add(endpoint: Endpoint): Promise<void>
  /** Stores what may change of an endpoint that is locked. */
  save(endpoint: Endpoint): Promise<void>
  /** Stores whether it is disabled and since when it fails, and nothing else. */
  saveState(endpoint: Endpoint): Promise<void>
  /** What it was told first, at most `limit` of it; true when that was all, and the endpoint is gone too. */
  remove(endpointId: string, limit?: number): Promise<boolean>
}

export interface HookTx {
  /** Stores the body sealed. */
  addEvent(event: StoredEvent): Promise<void>
  event(eventId: string): Promise<StoredEvent | undefined>
  add(delivery: HookDelivery): Promise<void>
  find(deliveryId: string): Promise<HookDelivery | undefined>
  /** What is to be told, and to whom; both are locked. */
  lock(deliveryId: string): Promise<{ delivery: HookDelivery; endpoint: Endpoint } | undefined>
  save(delivery: HookDelivery): Promise<void>
  /** Of what an endpoint was told of that issue and never tried: the id of the first, or of the first after `after`. */
  firstUntried(delivery: HookDelivery, after?: HookDelivery): Promise<string | undefined>
  /** What an endpoint was told and did not take, since a time; it is not locked. */
  failed(
    endpointId: string,
    since: number,
    page?: { after?: string | undefined; limit?: number },
  ): Promise<HookDelivery[]>
  /** It is not locked. */
  ofEvent(eventId: string): Promise<HookDelivery[]>
  addAttempt(attempt: HookAttempt): Promise<void>
}

export interface EndpointReader {
  ofApp(appId: string): Promise<Endpoint[]>
  find(endpointId: string): Promise<Endpoint | undefined>
}

export interface HookFilter {
  endpointId: string
  status?: HookDelivery['status'] | undefined
  /** Only older than this delivery. */
  before?: string | undefined
  limit: number
}

export interface HookReader {
  /** Newest first. */
  page(filter: HookFilter): Promise<HookReport[]>
  /** Oldest first. */
  attempts(deliveryId: string): Promise<HookAttempt[]>
  ofIssue(owner: Owner, issueId: string): Promise<HookReport[]>
}
