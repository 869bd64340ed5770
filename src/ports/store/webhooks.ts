/** Webhook endpoints, events, deliveries and their attempts. */

import type { Owner } from '../../domain/shared/value'
import type { StoredEvent } from '../../domain/webhooks/event'
import type { Endpoint, HookAttempt, HookDelivery, HookReport } from '../../domain/webhooks/webhook'

export interface EndpointTx {
  /** Endpoints of one app and mode. */
  ofOwner(owner: Owner): Promise<readonly Endpoint[]>
  lock(endpointId: string): Promise<Endpoint | undefined>
  /** Locks the endpoints of an app in both modes. */
  lockOfApp(appId: string): Promise<Endpoint[]>
  add(endpoint: Endpoint): Promise<void>
  /** Stores the changeable fields of a locked endpoint. */
  save(endpoint: Endpoint): Promise<void>
  /** Stores only whether it is disabled and since when it fails. */
  saveState(endpoint: Endpoint): Promise<void>
  /** Removes at most `limit` deliveries of the endpoint, and then the endpoint; true once it is gone. */
  remove(endpointId: string, limit?: number): Promise<boolean>
}

export interface HookTx {
  /** Stores the body sealed. */
  addEvent(event: StoredEvent): Promise<void>
  event(eventId: string): Promise<StoredEvent | undefined>
  add(delivery: HookDelivery): Promise<void>
  find(deliveryId: string): Promise<HookDelivery | undefined>
  /** Locks a delivery and its endpoint. */
  lock(deliveryId: string): Promise<{ delivery: HookDelivery; endpoint: Endpoint } | undefined>
  save(delivery: HookDelivery): Promise<void>
  /**
   * The id of the first delivery to the same endpoint about the same issue that was never tried; `after`: the first one
   * after that delivery.
   */
  firstUntried(delivery: HookDelivery, after?: HookDelivery): Promise<string | undefined>
  /** Failed deliveries of an endpoint since a time; they are not locked. */
  failed(
    endpointId: string,
    since: number,
    page?: { after?: string | undefined; limit?: number },
  ): Promise<HookDelivery[]>
  /** The rows are not locked. */
  ofEvent(eventId: string): Promise<HookDelivery[]>
  addAttempt(attempt: HookAttempt): Promise<void>
}

export interface TroubledEndpoint
  extends Pick<Endpoint, 'endpointId' | 'appId' | 'url' | 'disabledAt' | 'disabledReason' | 'certificateUntil'> {}

export interface EndpointReader {
  ofApp(appId: string): Promise<Endpoint[]>
  find(endpointId: string): Promise<Endpoint | undefined>
  /** Endpoints that are disabled, or whose certificate is refused or expires before a time. */
  troubled(expiresBefore: number): Promise<TroubledEndpoint[]>
}

export interface HookFilter {
  endpointId: string
  status?: HookDelivery['status'] | undefined
  /** Only deliveries older than this one. */
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
