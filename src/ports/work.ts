/** Handlers of jobs, whose middle part runs outside any transaction; `jobs/runner.ts` runs them. */
import type { Job } from '../domain/operations/job'
import type { CarrierSlot } from './node'
import type { Tx } from './store'

/**
 * `prepare` (transaction) → `act` (outside) → `record` (transaction). Both transactions are fenced: they run only while
 * the job is held under its attempt number. `act` runs once for each stored `prepare`.
 */
export interface JobHandler<Subject, Call, Answer> {
  /** Locks and reads what precedes a job in the order of locks. `call`: the call that was prepared before. */
  lock(tx: Tx, job: Job, call?: Call): Promise<Subject>
  /** Stores what is about to happen, so that a crash is noticed. Undefined where it ended or moved the job instead. */
  prepare(tx: Tx, job: Job, subject: Subject): Promise<Call | undefined>
  /** Never throws for a failure of the carrier, the receiver or the network. */
  act(call: Call): Promise<Answer>
  /** Stores the part of the answer that is kept even where the job was lost to another worker. */
  recordAlways?(tx: Tx, call: Call, answer: Answer): Promise<void> | undefined
  /** Stores the result, and ends or moves the job unless `endsJob`. */
  record(tx: Tx, job: Job, subject: Subject, call: Call, answer: Answer): Promise<void>
  /** The job ends whatever the result: ending it then replaces locking it, which saves a statement. */
  readonly endsJob?: boolean
  /**
   * Whether recording may share a transaction with other jobs. Not where many lock the same row: they would only wait
   * for each other.
   */
  readonly mayShare?: boolean
}

/** Sends a message right after it is issued, without a queue. */
export interface Dispatch {
  /** Undefined where the carrier has no room soon, or other messages are queued for it. */
  reserve(carrier: string): CarrierReservation | undefined | Promise<CarrierReservation | undefined>
}

/**
 * A slot at a carrier for a message that is about to be stored. A server that stops waits for it, so it is always
 * started or released.
 */
export interface CarrierReservation {
  readonly slot: CarrierSlot
  /** Starts a job that was added as held, once the job and the row that `prepare` would write are stored. */
  start<Subject, Call, Answer>(job: Job, work: JobHandler<Subject, Call, Answer>, call: Call): void
  release(): void
}
