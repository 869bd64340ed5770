/** The job queue: jobs, claims and leases; and steps of the clock, which move the times of jobs. */
import type { Job, JobKind, QueueState } from '../../domain/operations/job'
import type { Owner } from '../../domain/shared/value'

export interface JobTx {
  /** Adds a job, one of a kind for a subject. A job that exists is moved, and a worker that runs it has lost it. */
  add(job: { kind: JobKind; owner: Owner; subjectId: string; runAt: number; queue?: string }): Promise<void>
  /** Claims due jobs of a kind from a queue: raises `attempt` and leases them. */
  claim(kind: JobKind, queue: string, limit: number): Promise<Job[]>
  /** Locks the job; true while it is still held under this attempt. */
  lock(job: Job): Promise<boolean>
  /** Ends the job. False where it is no longer held under this attempt; then nothing has changed. */
  finish(job: Job): Promise<boolean>
  /**
   * Releases the job until `runAt`, to the front queue where none is named. Raises `attempt`, so that a late worker has
   * lost it. False where it is no longer held; then nothing has changed.
   */
  reschedule(job: Job, runAt: number, queue?: string): Promise<boolean>
  /** Removes the job of a kind for a subject; a worker that runs it has lost it. */
  remove(kind: JobKind, subjectId: string): Promise<void>
  /** Makes a job due at once, unless it runs already. A message leaves its carrier's queue. */
  hasten(kind: JobKind, subjectId: string): Promise<void>
  /** Moves every message that waits for room at a carrier to the front queue. */
  emptyCarrierQueues(): Promise<void>
  /** Makes due the jobs of a process that is gone. Only where no other process runs jobs. */
  releaseLeases(): Promise<void>
}

export interface JobReader {
  /** The queues of a kind that are not empty, and when the first job of each is due, Unix milliseconds. */
  heads(kind: JobKind): Promise<Array<{ queue: string; runAt: number }>>
  /** Whether a job of the queue could run now. */
  hasDue(kind: JobKind, queue: string, now: number): Promise<boolean>
  /** Number of messages that wait to be sent; counts up to `limit`. */
  backlog(limit: number): Promise<number>
  /** By kind. */
  queues(now: number): Promise<QueueState[]>
  /** Messages that wait for room at a carrier. */
  carrierQueues(now: number): Promise<Array<QueueState & { carrier: string }>>
}
