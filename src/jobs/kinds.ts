/** Which use case does which kind of job, and how many may run at a time. */
import { type Gate, type Place, Places } from '../domain/gate'
import { FRONT, type Job, type JobKind } from '../domain/job'
import { type DeliverDependencies, deliverCode } from '../usecases/deliver-code'
import { awaitReport, type ReportDependencies } from '../usecases/record-report'
import { type SendWebhookDependencies, sendWebhook } from '../usecases/send-webhook'
import { settleCredit } from '../usecases/settle-credit'

export interface Kind {
  /** `place` is freed at the latest when this ends. */
  run: (job: Job, place: Place) => Promise<void>
  /** Room for one more job of a queue, or undefined while there is none. */
  enter: (queue: string) => Place | undefined
}

interface KindDependencies extends DeliverDependencies, ReportDependencies, SendWebhookDependencies {
  /** The way in to a carrier, by its name. */
  gateOf: (carrier: string) => Gate | undefined
}

/** Messages that look for their carrier; one that is being sent counts there instead. */
const LOOKING = 256

export function jobKinds(deps: KindDependencies): Record<JobKind, Kind> {
  return {
    deliver: { run: (job, place) => deliverCode(deps, job, place), enter: atTheCarrier(deps, new Places(LOOKING)) },
    'await-report': { run: (job) => awaitReport(deps, job), enter: inQueuesOf(REPORTS_PER_CARRIER, REPORTS_AT_ONCE) },
    settle: { run: (job) => settleCredit(deps, job), enter: anywhere(new Places(64)) },
    webhook: { run: (job) => sendWebhook(deps, job), enter: inQueuesOf(WEBHOOKS_PER_ENDPOINT, WEBHOOKS_AT_ONCE) },
  }
}

/** So that one slow receiver delays nobody else; together, what memory and sockets bear. */
const WEBHOOKS_PER_ENDPOINT = 8
const WEBHOOKS_AT_ONCE = 256

/** The same for carriers that are asked what became of a message. */
const REPORTS_PER_CARRIER = 64
const REPORTS_AT_ONCE = 512

function inQueuesOf(each: number, together: number): Kind['enter'] {
  const all = new Places(together)
  const byQueue = new Map<string, Places>()
  return (queue) => {
    const own = byQueue.get(queue) ?? new Places(each)
    const ofQueue = own.enter()
    const ofAll = ofQueue && all.enter()
    if (!ofQueue || !ofAll) {
      ofQueue?.free()
      return undefined
    }
    byQueue.set(queue, own)
    return {
      free() {
        ofAll.free()
        ofQueue.free()
        if (own.isEmpty) byQueue.delete(queue)
      },
    }
  }
}

const anywhere = (places: Places) => () => places.enter()

/** A message in a carrier's queue is claimed with a place at that carrier in hand. */
const atTheCarrier =
  ({ gateOf, clock }: KindDependencies, looking: Places) =>
  (queue: string) => {
    const gate = queue === FRONT ? undefined : gateOf(queue)
    return gate ? gate.enter(clock.now()) : looking.enter()
  }
