/** The carrier of a message's next attempt. Decisions: "Delivery (live)". */

import type { Attempt } from '../../domain/delivery/attempt'
import { canFallBack, isWorthSending } from '../../domain/delivery/delivery'
import { nextCarrier, retryDelayMs } from '../../domain/delivery/route'
import type { Message } from '../../domain/message/message'
import type { Job } from '../../domain/operations/job'
import { hasMessage } from '../../domain/verification/verification'
import type { CarrierEndpoint, Router } from '../../ports/carrier'
import type { Clock } from '../../ports/clock'
import type { CarrierSlot } from '../../ports/node'
import type { Store } from '../../ports/store'
import type { Random } from '../../ports/vault'

export interface CarrierChoice {
  route: readonly CarrierEndpoint[]
  /** Earlier attempts of this leg. */
  triedBefore: readonly Attempt[]
  /** Undefined where no carrier is left to ask. */
  endpoint: CarrierEndpoint | undefined
}

export function chooseCarrier(
  message: Message,
  attempts: readonly Attempt[],
  { slot, router, now }: { slot: CarrierSlot; router: Router; now: number },
): CarrierChoice {
  const route = router({ ...message, channel: message.leg })
  const triedBefore = attempts.filter(({ leg }) => leg === message.leg)
  const name = nextCarrier(carriersToAsk(message, { route, triedBefore, now, slot }), triedBefore)
  return { route, triedBefore, endpoint: route.find(({ carrier }) => carrier.name === name) }
}

/** Looks outside of a transaction for the carrier, and takes a slot there. The transaction that follows looks again. */
export async function moveToCarrier(
  { store, clock }: { store: Store; clock: Pick<Clock, 'now'> },
  job: Job,
  slot: CarrierSlot,
  router: Router,
): Promise<void> {
  const { read } = store
  const message = await read.issues.stored(job, job.subjectId)
  if (!message || !hasMessage(message) || !message.sendPending || !isWorthSending(message, clock.now())) return
  const attempts = await read.attempts.ofIssue(job, job.subjectId)
  const { endpoint } = chooseCarrier(message, attempts, { slot, router, now: clock.now() })
  if (!endpoint) return
  const { name } = endpoint.carrier
  // Messages that wait in the carrier's queue come first.
  if (await read.jobs.hasDue(job.kind, name, clock.now())) return
  slot.moveTo(name, endpoint.limiter, clock.now())
}

/** The wait before the leg's next attempt; undefined where the leg is exhausted. */
export function nextTryMs(
  { random }: { random: Pick<Random, 'below'> },
  message: Message,
  { route, tried, now }: { route: readonly CarrierEndpoint[]; tried: readonly Attempt[]; now: number },
): number | undefined {
  const jitter = random.below(1_000) / 1_000
  return retryDelayMs(message, {
    route: carriersToAsk(message, { route, triedBefore: tried, now }),
    tried,
    jitter,
    now,
  })
}

interface CarrierQuestion {
  route: readonly CarrierEndpoint[]
  triedBefore: readonly Attempt[]
  now: number
  slot?: CarrierSlot
}

/** The healthy carriers; where none of them is left to ask, the unhealthy ones too, unless another leg can take over. */
function carriersToAsk(message: Message, { route, triedBefore, now, slot }: CarrierQuestion): string[] {
  // A message that has a slot is let in, also as the probe of an unhealthy carrier.
  const healthy = namesOf(route.filter((endpoint) => hasSlotAt(slot, endpoint) || endpoint.limiter.admits(now)))
  return nextCarrier(healthy, triedBefore) === undefined && !canFallBack(message) ? namesOf(route) : healthy
}

export const hasSlotAt = (slot: CarrierSlot | undefined, { carrier }: CarrierEndpoint) => slot?.carrier === carrier.name
const namesOf = (route: readonly CarrierEndpoint[]) => route.map(({ carrier }) => carrier.name)
