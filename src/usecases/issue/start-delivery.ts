/**
 * Delivery of a new issue. Where its carrier has a free slot, the first attempt is stored together with the issue and the message
 * goes out at the commit. Otherwise a job waits in the carrier's queue.
 */
import type { Issue } from '../../domain/codes/issue'
import { canFallBack } from '../../domain/delivery/delivery'
import { type PlannedLeg, reachingLegs } from '../../domain/delivery/plan'
import { messageOf, type RenderedMessage } from '../../domain/message/rendered-message'
import { type Job, LEASE_MS } from '../../domain/operations/job'
import { Refusal, unavailable } from '../../domain/shared/error'
import type { CarrierEndpoint, Router } from '../../ports/carrier'
import type { Tx } from '../../ports/store'
import type { CarrierReservation, Dispatch } from '../../ports/work'
import type { CarrierCall } from '../deliver/call-carrier'
import { beginAttempt, type DeliverDependencies, DeliverMessage } from '../deliver-code'

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

  /** Stores the delivery in the transaction that stores its issue. */
  async start(tx: Tx, issue: Issue, rendered: RenderedMessage): Promise<void> {
    if (!this.reserved) return queueDelivery(this.deps, tx, issue, rendered, this.plan.route)
    const { endpoint, passage } = this.reserved
    const { name } = endpoint.carrier
    // A crash from here on leaves the attempt ambiguous, so the message is stored only where another leg may follow.
    const isKept = canFallBack(issue)
    if (isKept) await tx.outbox.add(issue, rendered)
    const held = tx.jobs.addHeld({ kind: 'deliver', owner: issue, subjectId: issue.issueId, queue: name })
    // A failure here also rejects the commit; avoid an unhandled rejection.
    held.catch(() => {})
    const attempt = await beginAttempt(tx, issue, rendered, { number: 1, carrier: name })
    const message = messageOf(issue, rendered)
    const { route } = this.plan
    const call = { endpoint, slot: passage.slot, attempt, message, issue, rendered, isKept, triedBefore: [], route }
    this.#prepared = call
    tx.afterCommit(() => this.#send(call, passage, held))
  }

  /** If the outcome of the commit is unknown, sends the message once the issue is found stored. */
  resumeAfter(error: unknown): void {
    const call = this.#prepared
    if (!call || !this.reserved || !(error instanceof Refusal && error.kind === 'unavailable')) return
    this.#send(call, this.reserved.passage, findHeldJob(this.deps, call.issue))
  }

  [Symbol.dispose](): void {
    if (!this.#isTaken) this.reserved?.passage.release()
  }

  #send(call: CarrierCall, passage: CarrierReservation, held: Promise<Job | undefined>): void {
    this.#isTaken = true
    const work = new DeliverMessage(this.deps, passage.slot, this.plan.router)
    void held
      .catch(() => findHeldJob(this.deps, call.issue))
      .then((job) => (job ? passage.start(job, work, call) : passage.release()))
  }
}

const ASK_AGAIN_MS = 1_000

/**
 * Looks up the job of an issue whose commit was not answered, until its lease has ended. A job whose issue has an answered attempt
 * is that of a later message. The end of a lease proves nothing, since a clock that is set back shortens it.
 */
async function findHeldJob({ store, clock }: DeliverDependencies, issue: Issue): Promise<Job | undefined> {
  const { read } = store
  const until = clock.elapsed() + LEASE_MS.deliver
  while (clock.elapsed() < until) {
    try {
      const job = await read.jobs.held('deliver', issue.issueId)
      const attempts = job ? await read.attempts.ofIssue(issue, issue.issueId) : []
      return attempts.every(({ outcome }) => outcome === undefined) ? job : undefined
    } catch {
      await new Promise<void>((again) => void clock.after(ASK_AGAIN_MS, again))
    }
  }
  return undefined
}

/** Adds a delivery job that waits in the queue of its carrier. */
async function queueDelivery(
  { node }: Pick<StartDependencies, 'node'>,
  tx: Tx,
  issue: Issue,
  rendered: RenderedMessage,
  route: readonly CarrierEndpoint[],
): Promise<void> {
  const first = firstCarrier(route, tx.now)
  const queue = first && { queue: first.carrier.name }
  await tx.outbox.add(issue, rendered)
  await tx.jobs.add({ kind: 'deliver', owner: issue, subjectId: issue.issueId, runAt: tx.now, ...queue })
  tx.afterCommit(() => node.wakeUps.wake('deliver'))
}
