/** Which use case does which kind of job, and how many may run at a time. */
import { type Gate, type Place, Places } from '../domain/gate'
import { FRONT, type Job, type JobKind } from '../domain/job'
import { type DeliverDependencies, deliverCode } from '../usecases/deliver-code'
import { awaitReport, type ReportDependencies } from '../usecases/record-report'
import { settleCredit } from '../usecases/settle-credit'

export interface Kind {
  /** `place` is freed at the latest when this ends. */
  run: (job: Job, place: Place) => Promise<void>
  /** Room for one more job of a queue, or undefined while there is none. */
  enter: (queue: string) => Place | undefined
}

interface KindDependencies extends DeliverDependencies, ReportDependencies {
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
