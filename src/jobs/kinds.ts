/** Maps each kind of job to its use case, with the number of jobs that may run at a time. */
import type { Job, JobKind } from '../domain/operations/job'
import { SECOND_MS } from '../domain/shared/value'
import type { Node, Slot } from '../ports/node'
import { type DeliverDependencies, deliverCode } from '../usecases/deliver-code'
import { type ReportDependencies, reportQuery } from '../usecases/record-report'
import { noticeCall, type SendNoticeDependencies } from '../usecases/send-notice'
import { type SendWebhookDependencies, type WebhookAnswer, webhookCall } from '../usecases/send-webhook'
import { startNextLeg } from '../usecases/start-next-leg'
import type { CarrierSlots } from './dispatch'
import { fixedSemaphore, slotsPerQueue } from './dispatch'
import { type AcquireJobSlot, perform } from './runner'

interface KindDependencies
  extends DeliverDependencies,
    ReportDependencies,
    SendWebhookDependencies,
    Omit<SendNoticeDependencies, 'clock'> {
  node: Pick<Node, 'wakeUps' | 'logSampler' | 'reports'>
  slots: CarrierSlots
}

export function jobKinds(deps: KindDependencies): Record<JobKind, AcquireJobSlot> {
  const query = reportQuery(deps)
  const nextLeg = startNextLeg(deps)
  const notice = noticeCall(deps)
  const nextLegs = fixedSemaphore(NEXT_LEGS_AT_ONCE)
  return {
    deliver: kind(deps.slots.acquire, async (job, slot) => perform(deps, await deliverCode(deps, job, slot), job)),
    'await-report': kind(
      slotsPerQueue(() => REPORTS_PER_CARRIER, REPORTS_AT_ONCE),
      (job) => perform(deps, query, job),
    ),
    'next-leg': kind(
      () => nextLegs.acquire(),
      (job) => perform(deps, nextLeg, job),
    ),
    webhook: webhookKind(deps),
    notice: kind(
      slotsPerQueue(() => 1, NOTICES_AT_ONCE),
      (job) => perform(deps, notice, job),
    ),
  }
}

function kind<P extends Slot>(
  acquire: (queue: string) => P | undefined,
  run: (job: Job, slot: P) => Promise<unknown>,
): AcquireJobSlot {
  return (queue) => {
    const slot = acquire(queue)
    return slot && { run: (job) => run(job, slot), release: () => slot.release() }
  }
}

/** Jobs that ask a carrier what became of a message. */
const REPORTS_PER_CARRIER = 64
const REPORTS_AT_ONCE = 512
const NEXT_LEGS_AT_ONCE = 64
const NOTICES_AT_ONCE = 8

/** Few at first, so that one slow receiver delays nobody else. A receiver that answers quickly gets one more each time. */
const WEBHOOKS_PER_ENDPOINT = 8
const WEBHOOKS_PER_QUICK_ENDPOINT = 96
/** Bounds memory and sockets. */
const WEBHOOKS_AT_ONCE = 256
/** For all receivers whose last request was slow, so that receivers that hang leave slots for the others. */
const SLOW_AT_ONCE = 128
const SLOW_MS = SECOND_MS

function webhookKind(deps: KindDependencies): AcquireJobSlot {
  const call = webhookCall(deps)
  const slowSlots = fixedSemaphore(SLOW_AT_ONCE)
  const slow = new Set<string>()
  const quick = new Map<string, number>()
  const maxAt = (endpoint: string) => quick.get(endpoint) ?? WEBHOOKS_PER_ENDPOINT

  function noteSpeed(endpoint: string, { tookMs, isDelivered }: WebhookAnswer): void {
    const isSlow = tookMs >= SLOW_MS
    if (isSlow) slow.add(endpoint)
    else slow.delete(endpoint)
    if (isDelivered && !isSlow) quick.set(endpoint, Math.min(maxAt(endpoint) + 1, WEBHOOKS_PER_QUICK_ENDPOINT))
    else quick.delete(endpoint)
  }

  return kind(
    slotsPerQueue(maxAt, WEBHOOKS_AT_ONCE, (endpoint) => (slow.has(endpoint) ? [slowSlots] : [])),
    async (job) => {
      const answer = await perform(deps, call, job)
      if (answer) noteSpeed(job.queue, answer)
    },
  )
}
