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
    'await-report': { run: (job) => awaitReport(deps, job), enter: anywhere(new Places(64)) },
    settle: { run: (job) => settleCredit(deps, job), enter: anywhere(new Places(64)) },
    webhook: { run: (job) => sendWebhook(deps, job), enter: atTheEndpoint() },
  }
}

/** So that one slow receiver delays nobody else; together, what memory and sockets bear. */
const WEBHOOKS_PER_ENDPOINT = 8
const WEBHOOKS_AT_ONCE = 256

function atTheEndpoint(): Kind['enter'] {
  const all = new Places(WEBHOOKS_AT_ONCE)
  const byEndpoint = new Map<string, Places>()
  return (endpoint) => {
    const own = byEndpoint.get(endpoint) ?? new Places(WEBHOOKS_PER_ENDPOINT)
    const ofEndpoint = own.enter()
    const ofAll = ofEndpoint && all.enter()
    if (!ofEndpoint || !ofAll) {
      ofEndpoint?.free()
      return undefined
    }
    byEndpoint.set(endpoint, own)
    return {
      free() {
        ofAll.free()
        ofEndpoint.free()
        if (own.isEmpty) byEndpoint.delete(endpoint)
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
