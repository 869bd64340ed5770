/** Administration of webhooks. The command line and the console call these. Decisions: "Webhooks". */
import type { HookEventType } from '../../../contract/constants'
import { sampleHookEvent } from '../../../contract/event'
import { invalid, missing, Refusal } from '../../domain/shared/error'
import { HOUR_MS, type Mode } from '../../domain/shared/value'
import { newSecret } from '../../domain/webhooks/signature'
import { isSameOrigin } from '../../domain/webhooks/target-address'
import {
  assertEndpoint,
  disable,
  type Endpoint,
  enable,
  type HookDelivery,
  type HookFilters,
  MAX_ENDPOINTS,
  rotateSecret,
} from '../../domain/webhooks/webhook'
import type { Node } from '../../ports/node'
import type { Store, Tx } from '../../ports/store'
import { queueEvent, type TellDependencies } from '../shared/emit-events'
import { newId } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, assertOverlap, lockApp, type MakingDependencies } from './shared'

export interface WantedEndpoint {
  url: string
  events: readonly string[]
  filters?: HookFilters | undefined
  headers?: Readonly<Record<string, string>> | undefined
  template?: string | undefined
}

const SECRET_BYTES = 32

/** Answers the secret, once. Throws `invalid` or `not_found`. */
export async function addEndpoint(
  deps: MakingDependencies,
  { appId, mode, ...wanted }: WantedEndpoint & { appId: string; mode: Mode },
): Promise<{ endpoint: Endpoint; secret: string }> {
  const { store, random } = deps
  const secret = newSecret(random.bytes(SECRET_BYTES))
  const endpoint = await store.transaction(async (tx) => {
    await lockApp(tx, appId)
    if ((await tx.endpoints.lockOfApp(appId)).length >= MAX_ENDPOINTS) {
      const max = MAX_ENDPOINTS
      throw invalid('app', 'too_many_webhooks', `has ${max} webhooks already; remove one first`, { max })
    }
    const made = settingsOf(wanted, {
      appId,
      mode,
      endpointId: newId(random, 'whe'),
      url: '',
      events: [],
      filters: {},
      headers: {},
      template: undefined,
      secrets: [{ secret }],
      disabledAt: undefined,
      disabledReason: undefined,
      failingSince: undefined,
      createdAt: tx.now,
    })
    await tx.endpoints.add(made)
    await writeAudit(deps, tx, 'webhook.add', made.endpointId, {
      appId,
      mode,
      url: withoutQuery(made.url),
      events: made.events,
    })
    return made
  })
  return { endpoint, secret }
}

/** Changes what is given, and leaves the rest. `enabled: true` forgets why it was disabled. */
export function updateEndpoint(
  deps: AdminDependencies,
  endpointId: string,
  { enabled, ...wanted }: Partial<WantedEndpoint> & { enabled?: boolean | undefined },
): Promise<Endpoint> {
  return changeEndpoint(deps, endpointId, 'webhook.update', (endpoint, now) => {
    const changed = settingsOf(wanted, endpoint)
    if (enabled === undefined) return changed
    return enabled ? enable(changed) : disable(changed, 'Disabled by an operator', now)
  })
}

function settingsOf(wanted: Partial<WantedEndpoint>, endpoint: Endpoint): Endpoint {
  const { url, events, filters, headers, template } = wanted
  const isMoved = url !== undefined && endpoint.url !== '' && !isSameOrigin(url, endpoint.url)
  // Their values may be credentials, which would go to somebody else.
  if (isMoved && headers === undefined && Object.keys(endpoint.headers).length > 0)
    throw invalid('headers', 'required', 'are required again, because the address changes')
  const changed: Endpoint = {
    ...endpoint,
    ...(url !== undefined && { url }),
    // Checked below, all at once.
    ...(events !== undefined && { events: [...new Set(events)] as HookEventType[] }),
    ...(filters !== undefined && { filters }),
    ...(headers !== undefined && { headers }),
    // An empty one is none.
    ...(template !== undefined && { template: template || undefined }),
  }
  assertEndpoint(changed)
  return changed
}

/** A month of events may hang on an endpoint: so much of it is changed at a time that nobody else waits for long. */
const BATCH = 200

/** Tells it nothing more at once, and then forgets what it was told. */
export async function removeEndpoint(deps: AdminDependencies, endpointId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, endpointId)
    await tx.endpoints.saveState(disable(endpoint, 'Being removed', tx.now))
    await writeAudit(deps, tx, 'webhook.remove', endpointId)
  })
  await forgetEndpoint(deps, endpointId)
}

/** Removes the deliveries of an endpoint, and then the endpoint itself. */
export async function forgetEndpoint({ store }: { store: Store }, endpointId: string): Promise<void> {
  while (!(await store.transaction((tx) => tx.endpoints.remove(endpointId, BATCH))));
}

/** Some receivers take a token there. */
const withoutQuery = (url: string) => url.replace(/\?.*$/, '')

/** Answers the new secret, once; the one before stays valid beside it for `overlapHours`. */
export async function rotateEndpoint(
  deps: MakingDependencies,
  endpointId: string,
  overlapHours: number,
): Promise<{ endpoint: Endpoint; secret: string; previousValidUntil: number }> {
  assertOverlap(overlapHours)
  const secret = newSecret(deps.random.bytes(SECRET_BYTES))
  const endpoint = await changeEndpoint(deps, endpointId, 'webhook.rotate', (before, now) =>
    rotateSecret(before, secret, now + overlapHours * HOUR_MS),
  )
  return { endpoint, secret, previousValidUntil: endpoint.secrets[1]?.validUntil ?? 0 }
}

function changeEndpoint(
  deps: AdminDependencies,
  endpointId: string,
  action: string,
  change: (endpoint: Endpoint, now: number) => Endpoint,
): Promise<Endpoint> {
  return deps.store.transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, endpointId)
    const changed = change(endpoint, tx.now)
    await tx.endpoints.save(changed)
    const { url, events, disabledAt } = changed
    await writeAudit(deps, tx, action, endpointId, {
      url: withoutQuery(url),
      events,
      enabled: disabledAt === undefined,
    })
    return changed
  })
}

/** Queues a made-up event of a type, whatever the endpoint is subscribed to. Answers the event's id. */
export function testEndpoint(
  deps: AdminDependencies & TellDependencies,
  endpointId: string,
  type: HookEventType,
): Promise<string> {
  return deps.store.transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, endpointId)
    assertEnabled(endpoint)
    const eventId = deps.random.uuid(tx.now)
    const body = JSON.stringify({ ...sampleHookEvent(type), id: eventId, created: Math.floor(tx.now / 1_000) })
    const { appId, mode } = endpoint
    await queueEvent(
      deps,
      tx,
      { appId, mode, eventId, type, ...{ issueId: undefined, origin: undefined }, body, createdAt: tx.now },
      [endpoint],
    )
    return eventId
  })
}

/** Sends one event again, or all that failed since a time, with the whole schedule before them. Answers how many. */
export async function replayEvents(
  deps: AdminDependencies & { node: Pick<Node, 'wakeUps'> },
  endpointId: string,
  which: { eventId: string } | { since: number },
): Promise<number> {
  const replaySome = (after?: string) =>
    deps.store.transaction(async (tx) => {
      const found =
        'eventId' in which
          ? (await tx.hooks.ofEvent(which.eventId)).filter((told) => told.endpointId === endpointId)
          : await tx.hooks.failed(endpointId, which.since, { after, limit: BATCH })
      await replay(tx, endpointId, found)
      if ('eventId' in which && found.length === 0) throw notTold(endpointId, which.eventId)
      if (after === undefined) await writeAudit(deps, tx, 'webhook.replay', endpointId, { ...which })
      tx.afterCommit(() => deps.node.wakeUps.wake('webhook'))
      return found
    })
  let replayed = 0
  for (let after: string | undefined; ; ) {
    const batch = await replaySome(after)
    replayed += batch.length
    after = batch.at(-1)?.deliveryId
    if ('eventId' in which || batch.length < BATCH) return replayed
  }
}

/** Jobs are locked before the endpoint and what it was told, as by who performs them. */
async function replay(tx: Tx, endpointId: string, found: readonly HookDelivery[]): Promise<void> {
  // One that waits for its next try only need not wait; it may be on its way just now.
  for (const { deliveryId } of found) await tx.jobs.hasten('webhook', deliveryId)
  assertEnabled(await lockEndpoint(tx, endpointId))
  for (const { deliveryId } of found) {
    const { delivery } = (await tx.hooks.lock(deliveryId)) ?? {}
    if (!delivery || delivery.status === 'pending') continue
    await tx.hooks.save({ ...delivery, status: 'pending', tries: 0 })
    await tx.jobs.add({ kind: 'webhook', owner: delivery, subjectId: deliveryId, runAt: tx.now, queue: endpointId })
  }
}

/** Throws `not_found`. */
async function lockEndpoint(tx: Tx, endpointId: string): Promise<Endpoint> {
  const endpoint = await tx.endpoints.lock(endpointId)
  if (!endpoint) throw missing('webhook', endpointId)
  return endpoint
}

function assertEnabled({ endpointId, disabledAt }: Endpoint): void {
  if (disabledAt !== undefined)
    throw invalid('webhook', 'webhook_disabled', `${endpointId} is disabled; enable it first`)
}

const notTold = (endpointId: string, eventId: string) =>
  new Refusal('not_found', `${endpointId} was not told of such an event: ${eventId}`, {
    reason: 'no_such',
    about: { what: 'event' },
  })
