/** Which use case does which kind of job, and how many may run at a time. */
import type { Job, JobKind } from '../domain/operations/job'
import { SECOND_MS } from '../domain/shared/value'
import type { Node, Slot } from '../ports/node'
import { type DeliverDependencies, deliverCode } from '../usecases/deliver-code'
import { type QueryDependencies, reportQuery } from '../usecases/record-report'
import { type SendWebhookDependencies, type WebhookAnswer, webhookCall } from '../usecases/send-webhook'
import { startNextLeg } from '../usecases/start-next-leg'
import type { CarrierSlots } from './carrier-slots'
import { perform } from './perform'
import { fixed, inQueuesOf } from './semaphore'

/** Room for one job, and what is done there. `free` is called at the latest when it has run. */
export interface Opening extends Slot {
  run(job: Job): Promise<unknown>
}

/** Room for one more job of a queue, or undefined while there is none. */
export type JobRoom = (queue: string) => Opening | undefined

interface KindDependencies extends DeliverDependencies, QueryDependencies, SendWebhookDependencies {
  node: Pick<Node, 'wakeUps' | 'logSampler'>
  slots: CarrierSlots
}

export function jobKinds(deps: KindDependencies): Record<JobKind, JobRoom> {
  const query = reportQuery(deps)
  const nextLeg = startNextLeg(deps)
  const nextLegs = fixed(NEXT_LEGS_AT_ONCE)
  return {
    deliver: kind(deps.slots.take, async (job, slot) => perform(deps, await deliverCode(deps, job, slot), job)),
    'await-report': kind(
      inQueuesOf(() => REPORTS_PER_CARRIER, REPORTS_AT_ONCE),
      (job) => perform(deps, query, job),
    ),
    'next-leg': kind(
      () => nextLegs.enter(),
      (job) => perform(deps, nextLeg, job),
    ),
    webhook: atTheEndpoint(deps),
  }
}

function kind<P extends Slot>(
  enter: (queue: string) => P | undefined,
  run: (job: Job, place: P) => Promise<unknown>,
): JobRoom {
  return (queue) => {
    const place = enter(queue)
    return place && { run: (job) => run(job, place), release: () => place.release() }
  }
}

/** Of carriers that are asked what became of a message. */
const REPORTS_PER_CARRIER = 64
const REPORTS_AT_ONCE = 512
const NEXT_LEGS_AT_ONCE = 64

/** So that one slow receiver delays nobody else; one that takes what it gets, and quickly, gets more and more. */
const WEBHOOKS_PER_ENDPOINT = 8
const WEBHOOKS_PER_QUICK_ENDPOINT = 96
/** Together, what memory and sockets bear. */
const WEBHOOKS_AT_ONCE = 256
/** Of these, for all whose last request took long: many that hang leave room for those that answer. */
const SLOW_AT_ONCE = 128
const SLOW_MS = SECOND_MS

function atTheEndpoint(deps: KindDependencies): JobRoom {
  const call = webhookCall(deps)
  const forSlow = fixed(SLOW_AT_ONCE)
  const slow = new Set<string>()
  const quick = new Map<string, number>()
  const share = (endpoint: string) => quick.get(endpoint) ?? WEBHOOKS_PER_ENDPOINT

  function learn(endpoint: string, { tookMs, isDelivered }: WebhookAnswer): void {
    const isSlow = tookMs >= SLOW_MS
    if (isSlow) slow.add(endpoint)
    else slow.delete(endpoint)
    if (isDelivered && !isSlow) quick.set(endpoint, Math.min(share(endpoint) + 1, WEBHOOKS_PER_QUICK_ENDPOINT))
    else quick.delete(endpoint)
  }

  return kind(
    inQueuesOf(share, WEBHOOKS_AT_ONCE, (endpoint) => (slow.has(endpoint) ? [forSlow] : [])),
    async (job) => {
      const answer = await perform(deps, call, job)
      if (answer) learn(job.queue, answer)
    },
  )
}
