/** Work whose middle is outside of any transaction; `jobs/perform.ts` runs it. */
import type { Job } from '../domain/operations/job'
import type { CarrierSlot } from './node'
import type { Tx } from './store'

/**
 * `prepare` (in a unit) → `act` (outside) → `record` (in a unit). Both units run under the fence: only who still holds the
 * job under its attempt gets that far. `act` happens once for each `prepare` that has been stored.
 */
export interface JobHandler<Subject, Call, Answer> {
  /** Locks, and answers, what comes before a job in the order of locks. `call`: what was prepared of it before. */
  lock(tx: Tx, job: Job, call?: Call): Promise<Subject>
  /** Writes down what is about to happen, so that a crash is seen; undefined where it has ended or moved the job instead. */
  prepare(tx: Tx, job: Job, subject: Subject): Promise<Call | undefined>
  /** Never throws for what the outside did. */
  act(call: Call): Promise<Answer>
  /** What is stored of the answer also where the job is somebody else's by now. */
  recordLate?(tx: Tx, call: Call, answer: Answer): Promise<void> | undefined
  /** Stores what came of it, and ends or moves the job, unless `endsJob`. */
  record(tx: Tx, job: Job, subject: Subject, call: Call, answer: Answer): Promise<void>
  /** The job ends whatever comes of it: that is then done where it would only be locked. */
  readonly endsJob?: boolean
  /** Whether that may be stored together with what others record: where many lock one row they would only wait for each other. */
  readonly mayShare?: boolean
}

/** Work on a message that is begun by whoever makes it, and waits in no queue. */
export interface Dispatch {
  /** Undefined where no place at the carrier becomes free soon, or others are queued for one. */
  reserve(carrier: string): CarrierReservation | undefined | Promise<CarrierReservation | undefined>
}

/** A place at a carrier for a message that is about to be stored. Who stops waits for it, so it ends in one way or the other. */
export interface CarrierReservation {
  readonly slot: CarrierSlot
  /** Goes on with a job that was added as held, once that and what `prepare` would have written are stored. */
  start<Subject, Call, Answer>(job: Job, work: JobHandler<Subject, Call, Answer>, call: Call): void
  release(): void
}
