/**
 * Delivery of a new issue. Where its carrier has a free slot, the first attempt is stored together with the issue and the message
 * goes out at the commit. Otherwise a job waits in the carrier's queue.
 */

import { begunAttempt } from '../../domain/delivery/attempt'
import { canFallBack } from '../../domain/delivery/delivery'
import { type PlannedLeg, reachingLegs } from '../../domain/delivery/plan'
import type { Message } from '../../domain/message/message'
import { maskedText, messageOf, type RenderedMessage } from '../../domain/message/rendered-message'
import { LEASE_MS } from '../../domain/operations/job'
import { Refusal, unavailable } from '../../domain/shared/error'
import { hasMessage } from '../../domain/verification/verification'
import type { CarrierEndpoint, Router } from '../../ports/carrier'
import type { Tx } from '../../ports/store'
import type { CarrierReservation, Dispatch } from '../../ports/work'
import type { CarrierCall } from '../deliver/call-carrier'
import { type DeliverDependencies, DeliverMessage } from '../deliver-code'

interface StartDependencies extends DeliverDependencies {
  dispatch: Dispatch
}

export interface PlannedDelivery {
  router: Router
  legs: readonly PlannedLeg[]
  /** The carriers of the first leg. */
  route: readonly CarrierEndpoint[]
  /** Whether any leg has a carrier. */
  isServed: boolean
}

export function planDelivery(
  router: Router,
  legs: readonly PlannedLeg[],
  whom: { appId: string; country: string | undefined },
): PlannedDelivery {
  const [route = [], ...following] = legs.map(({ channel }) => router({ ...whom, channel }))
  return { router, legs, route, isServed: [route, ...following].some((carriers) => carriers.length > 0) }
}

/** The legs of a plan, without those whose channel the phone is known not to be on. */
export async function legsThatReach(
  { store, clock }: Pick<StartDependencies, 'store' | 'clock'>,
  legs: readonly PlannedLeg[],
  phoneHash: Uint8Array,
): Promise<readonly PlannedLeg[]> {
  if (legs.length < 2) return legs
  return reachingLegs(legs, await store.read.phones.absentFrom(phoneHash, clock.now()))
}

/** Throws `unavailable`. */
export function assertServed({ legs, isServed }: PlannedDelivery): void {
  if (isServed) return
  const channels = legs.map(({ channel }) => channel).join(', ')
  throw unavailable(`No carrier that is not paused is configured for the channel ${channels}`, 60_000)
}

/** Reserves a slot at the first carrier, where one is free or becomes free soon. `isHopeless`: the request needs none. */
export async function reserveDelivery(
  deps: StartDependencies,
  plan: PlannedDelivery,
  isHopeless: boolean,
): Promise<ReservedDelivery> {
  const endpoint = isHopeless ? undefined : firstCarrier(plan.route, deps.clock.now())
  const passage = endpoint && (await deps.dispatch.reserve(endpoint.carrier.name))
  return new ReservedDelivery(deps, plan, passage && { endpoint, passage })
}

/**
 * The carrier that is asked first. None where that one is unhealthy and about to be probed: then the job decides, since one
 * message probes it and the others must not wait behind that one.
 */
function firstCarrier(route: readonly CarrierEndpoint[], now: number): CarrierEndpoint | undefined {
  const first = route.find(({ limiter }) => limiter.admits(now))
  return first?.limiter.health(now).isHealthy ? first : undefined
}

/** Disposed of, it releases its slot, unless a message has taken it. */
export class ReservedDelivery implements Disposable {
  /** The call that `start` has prepared in the running transaction. */
  #prepared: CarrierCall | undefined
  #isTaken = false

  constructor(
    private readonly deps: StartDependencies,
    private readonly plan: PlannedDelivery,
    private readonly reserved: { endpoint: CarrierEndpoint; passage: CarrierReservation } | undefined,
  ) {}

  /** The transaction begins, perhaps again. */
  reset(): void {
    this.#prepared = undefined
  }

  /** Stores the delivery in the transaction that stores its message, and answers the message as it is then. */
  async start(tx: Tx, message: Message, rendered: RenderedMessage): Promise<Message> {
    const { route } = this.plan
    if (!this.reserved) {
      await queueDelivery(this.deps, tx, message, rendered, route)
      return message
    }
    const { endpoint, passage } = this.reserved
    // A crash from here on leaves the call ambiguous, so the message is stored only where another leg may follow.
    const isKept = canFallBack(message)
    if (isKept) await tx.outbox.add(message, rendered)
    const text = maskedText(message, rendered)
    const begun = { ...message, begunCall: { carrier: endpoint.carrier.name, calledAt: tx.now, text } }
    const attempt = begunAttempt(begun, begun.begunCall)
    const outbound = messageOf(message, rendered)
    const call = { endpoint, slot: passage.slot, attempt, outbound, message, rendered, isKept, triedBefore: [], route }
    this.#prepared = call
    tx.afterCommit(() => this.#send(call, passage))
    return begun
  }

  /** If the outcome of the commit is unknown, sends the message once the issue is found stored. */
  resumeAfter(error: unknown): void {
    const call = this.#prepared
    if (!call || !this.reserved || !(error instanceof Refusal && error.kind === 'unavailable')) return
    void this.#sendIfBegun(call, this.reserved.passage)
  }

  [Symbol.dispose](): void {
    if (!this.#isTaken) this.reserved?.passage.release()
  }

  #send(call: CarrierCall, passage: CarrierReservation): void {
    this.#isTaken = true
    const work = new DeliverMessage(this.deps, passage.slot, this.plan.router)
    passage.start(call.message.issueId, {
      act: () => work.act(call),
      record: (tx, answer) => work.recordBegun(tx, call, answer),
    })
  }

  async #sendIfBegun(call: CarrierCall, passage: CarrierReservation): Promise<void> {
    this.#isTaken = true
    if (await isBegun(this.deps, call.message)) this.#send(call, passage)
    else passage.release()
  }
}

const ASK_AGAIN_MS = 1_000

/** Whether an issue whose commit was not answered is stored, and its call still to be made. */
async function isBegun({ store, clock }: DeliverDependencies, message: Message): Promise<boolean> {
  const until = clock.elapsed() + LEASE_MS.deliver
  while (clock.elapsed() < until) {
    try {
      const stored = await store.read.issues.stored(message, message.issueId)
      return stored !== undefined && hasMessage(stored) && stored.begunCall !== undefined
    } catch {
      await new Promise<void>((again) => void clock.after(ASK_AGAIN_MS, again))
    }
  }
  return false
}

/** Adds a delivery job that waits in the queue of its carrier. */
async function queueDelivery(
  { node }: Pick<StartDependencies, 'node'>,
  tx: Tx,
  message: Message,
  rendered: RenderedMessage,
  route: readonly CarrierEndpoint[],
): Promise<void> {
  const first = firstCarrier(route, tx.now)
  const queue = first && { queue: first.carrier.name }
  await tx.outbox.add(message, rendered)
  await tx.jobs.add({ kind: 'deliver', owner: message, subjectId: message.issueId, runAt: tx.now, ...queue })
  tx.afterCommit(() => node.wakeUps.wake('deliver'))
}
