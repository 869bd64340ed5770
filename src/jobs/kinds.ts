/** Which use case does which kind of job, and how many may run at a time. */
import { type Gate, type Place, Places } from '../domain/gate'
import { FRONT, type Job, type JobKind } from '../domain/job'
import { SECOND_MS } from '../domain/value'
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
    deliver: { run: (job, place) => deliverCode(deps, job, place), enter: atTheCarrier(deps, fixed(LOOKING)) },
    'await-report': {
      run: (job) => awaitReport(deps, job),
      enter: inQueuesOf(() => REPORTS_PER_CARRIER, REPORTS_AT_ONCE),
    },
    settle: { run: (job) => settleCredit(deps, job), enter: anywhere(fixed(64)) },
    webhook: atTheEndpoint(deps),
  }
}

/** So that one slow receiver delays nobody else; one that takes what it gets, and quickly, gets more and more. */
const WEBHOOKS_PER_ENDPOINT = 8
const WEBHOOKS_PER_QUICK_ENDPOINT = 96
/** Together, what memory and sockets bear. */
const WEBHOOKS_AT_ONCE = 256
/** Of these, for all whose last request took long: many that hang leave room for those that answer. */
const SLOW_AT_ONCE = 128
const SLOW_MS = SECOND_MS

function atTheEndpoint(deps: SendWebhookDependencies): Kind {
  const forSlow = fixed(SLOW_AT_ONCE)
  const slow = new Set<string>()
  const quick = new Map<string, number>()
  const share = (endpoint: string) => quick.get(endpoint) ?? WEBHOOKS_PER_ENDPOINT
  return {
    async run(job) {
      const asked = await sendWebhook(deps, job)
      if (!asked) return
      const isSlow = asked.tookMs >= SLOW_MS
      if (isSlow) slow.add(job.queue)
      else slow.delete(job.queue)
      if (asked.isDelivered && !isSlow)
        quick.set(job.queue, Math.min(share(job.queue) + 1, WEBHOOKS_PER_QUICK_ENDPOINT))
      else quick.delete(job.queue)
    },
    enter: inQueuesOf(share, WEBHOOKS_AT_ONCE, (endpoint) => (slow.has(endpoint) ? [forSlow] : [])),
  }
}

/** The same for carriers that are asked what became of a message. */
const REPORTS_PER_CARRIER = 64
const REPORTS_AT_ONCE = 512

/** Room in each queue, within the room of all together and what `alsoIn` names. */
function inQueuesOf(
  each: (queue: string) => number,
  together: number,
  alsoIn: (queue: string) => readonly Places[] = () => [],
): Kind['enter'] {
  const all = fixed(together)
  const byQueue = new Map<string, Places>()
  return (queue) => {
    const own = byQueue.get(queue) ?? new Places(() => each(queue))
    const place = enterEach([own, ...alsoIn(queue), all])
    if (!place) return undefined
    byQueue.set(queue, own)
    return {
      free() {
        place.free()
        if (own.isEmpty) byQueue.delete(queue)
      },
    }
  }
}

/** One place of each, or none of any. */
function enterEach(rooms: readonly Places[]): Place | undefined {
  const taken: Place[] = []
  const free = () => {
    for (const place of taken) place.free()
  }
  for (const room of rooms) {
    const place = room.enter()
    if (!place) {
      free()
      return undefined
    }
    taken.push(place)
  }
  return { free }
}

const fixed = (places: number) => new Places(() => places)

const anywhere = (places: Places) => () => places.enter()

/** A message in a carrier's queue is claimed with a place at that carrier in hand. */
const atTheCarrier =
  ({ gateOf, clock }: KindDependencies, looking: Places) =>
  (queue: string) => {
    const gate = queue === FRONT ? undefined : gateOf(queue)
    return gate ? gate.enter(clock.now()) : looking.enter()
  }
