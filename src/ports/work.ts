/** Handlers of jobs, whose middle part runs outside any transaction; `jobs/runner.ts` runs them. */
import type { Job } from '../domain/operations/job'
import type { CarrierSlot } from './node'
import type { Tx } from './store'

/**
 * `prepare` (transaction) → `act` (outside) → `record` (transaction). Both transactions are fenced: they run only while
 * the job is held under its attempt number. `act` runs once for each stored `prepare`.
 */
export interface JobHandler<Subject, Call, Answer> {
  /** Locks and reads what precedes a job in the order of locks. */
  lock(tx: Tx, job: Job): Promise<Subject>
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
}

/** Sends a message right after it is issued, without a queue. */
export interface Dispatch {
  /** Undefined where the carrier has no room soon, or other messages are queued for it. */
  reserve(carrier: string): CarrierReservation | undefined | Promise<CarrierReservation | undefined>
  /** Whether the call that was begun with an issue is still made here. */
  isRunning(issueId: string): boolean
}

/** A call that was begun with its issue. */
export interface BegunWork<Answer> {
  /** Never throws for a failure of the carrier or the network. */
  act(): Promise<Answer>
  record(tx: Tx, answer: Answer): Promise<void>
}

/**
 * A slot at a carrier for a message that is about to be stored. A server that stops waits for it, so it is always
 * started or released.
 */
export interface CarrierReservation {
  readonly slot: CarrierSlot
  /** Makes the call of an issue, once it is stored that it was begun. */
  start<Answer>(issueId: string, call: BegunWork<Answer>): void
  release(): void
}
