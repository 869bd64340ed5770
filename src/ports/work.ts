/** Work whose middle is outside of any transaction; `jobs/perform.ts` runs it. */
import type { Job } from '../domain/job'
import type { Tx } from './store'

/**
 * `prepare` (in a unit) → `act` (outside) → `record` (in a unit). Both units run under the fence: only who still holds the
 * job under its attempt gets that far. `act` happens once for each `prepare` that has been stored.
 */
export interface Work<Subject, Call, Answer> {
  /** Locks, and answers, what comes before a job in the order of locks. */
  lock(tx: Tx, job: Job): Promise<Subject>
  /** Writes down what is about to happen, so that a crash is seen; undefined where it has ended or moved the job instead. */
  prepare(tx: Tx, job: Job, subject: Subject): Promise<Call | undefined>
  /** Never throws for what the outside did. */
  act(call: Call): Promise<Answer>
  /** What is stored of the answer also where the job is somebody else's by now. */
  note?(tx: Tx, call: Call, answer: Answer): Promise<void>
  /** Stores what came of it, and ends or moves the job. */
  record(tx: Tx, job: Job, subject: Subject, call: Call, answer: Answer): Promise<void>
}
