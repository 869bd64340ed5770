/**
 * Events, written in the transaction of the change that causes them: neither can exist without the other. An event is
 * stored once, and queued for each endpoint that wants it. Specification: "Events"; decisions: "Webhooks".
 */
import type { HookEventType } from '../../../contract/constants'
import { legOf, type Stored } from '../../domain/verification/verification'
import type { StoredEvent } from '../../domain/webhooks/event'
import { eventOf, eventsOf } from '../../domain/webhooks/event'
import { type Endpoint, isSubscribed } from '../../domain/webhooks/webhook'
import type { Node } from '../../ports/node'
import type { Tx } from '../../ports/store'
import type { Random } from '../../ports/vault'

export interface TellDependencies {
  random: Random
  node: Pick<Node, 'wakeUps'>
}

/** The endpoints of the owner, where they were asked for together with a lock: that saves a round trip. */
export interface KnownEndpoints {
  endpoints?: readonly Endpoint[] | undefined
}

/** Tells what a change means to whoever asked to be told. Reads number and text while they are there. */
export async function emitEvents(
  deps: TellDependencies,
  tx: Tx,
  before: Stored,
  after: Stored,
  { sentTo, endpoints: known }: KnownEndpoints & { sentTo?: string | undefined } = {},
): Promise<void> {
  // Nobody is told of who was erased.
  if (after.erasedAt !== undefined) return
  const types = eventsOf(before, after)
  if (types.length === 0) return
  const endpoints = known ?? (await tx.endpoints.ofOwner(after))
  for (const type of types) {
    const listening = endpoints.filter((endpoint) => isSubscribed(endpoint, subjectOf(type, after)))
    if (listening.length > 0) await tell(deps, tx, { type, stored: after, listening, sentTo })
  }
}

const subjectOf = (type: HookEventType, stored: Stored) => ({
  type,
  method: legOf(stored),
  purpose: stored.purpose,
  metadata: stored.metadata ?? {},
})

interface EmittedEvent {
  type: HookEventType
  stored: Stored
  listening: readonly Endpoint[]
  sentTo: string | undefined
}

async function tell(deps: TellDependencies, tx: Tx, { type, stored, listening, sentTo }: EmittedEvent): Promise<void> {
  const eventId = deps.random.uuid(tx.now)
  const to = type.endsWith('.sent') ? (sentTo ?? (await tx.outbox.find(stored.issueId))?.to) : undefined
  const carrier = type.endsWith('.delivered') ? await carrierOf(tx, stored) : undefined
  const body = JSON.stringify(eventOf(type, stored, { eventId, now: tx.now, to, carrier }))
  const { appId, mode, issueId, origin } = stored
  await queueEvent(deps, tx, { appId, mode, eventId, type, issueId, origin, body, createdAt: tx.now }, listening)
}

async function carrierOf(tx: Tx, stored: Stored): Promise<string | undefined> {
  const attempts = await tx.attempts.ofIssue(stored, stored.issueId)
  return attempts.findLast(({ leg, outcome }) => leg === legOf(stored) && outcome !== 'refused')?.carrier
}

/** Stores an event, and a webhook of it for each endpoint. */
export async function queueEvent(
  { random, node }: TellDependencies,
  tx: Tx,
  event: StoredEvent,
  endpoints: readonly Endpoint[],
): Promise<void> {
  const { appId, mode, eventId, issueId } = event
  await tx.hooks.addEvent(event)
  for (const { endpointId } of endpoints) {
    const deliveryId = random.uuid(tx.now)
    const state = { status: 'pending', attempts: 0, tries: 0 } as const
    await tx.hooks.add({ appId, mode, deliveryId, endpointId, eventId, issueId, ...state, createdAt: tx.now })
    await tx.jobs.add({ kind: 'webhook', owner: event, subjectId: deliveryId, runAt: tx.now, queue: endpointId })
  }
  tx.afterCommit(() => node.wakeUps.wake('webhook'))
}
