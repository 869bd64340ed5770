/** What is to be done, and who does it. */
import type { Job, JobKind, QueueState } from '../../domain/operations/job'
import type { Owner } from '../../domain/shared/value'

export interface JobTx {
  /** One job of a kind for a subject: one that exists is moved, and whoever ran it has lost it. */
  add(job: { kind: JobKind; owner: Owner; subjectId: string; runAt: number; queue?: string }): Promise<void>
  /**
   * A new job that whoever adds it holds already, as if it had been claimed from the queue. Throws at once where it is known at
   * once that it cannot be added; else that fails the commit, too.
   */
  addHeld(job: { kind: JobKind; owner: Owner; subjectId: string; queue: string }): Promise<Job>
  /** Takes due jobs of a kind from a queue: raises `attempt`, and keeps them from others until the lease ends. */
  claim(kind: JobKind, queue: string, limit: number): Promise<Job[]>
  /** Locks it; true when it is still held under this attempt. */
  lock(job: Job): Promise<boolean>
  /** False when it is no longer held under this attempt; then nothing has changed. */
  finish(job: Job): Promise<boolean>
  /**
   * Gives it back: to the front, where no queue is named. Raises `attempt`, so that whoever held it has lost it before somebody
   * claims it. False when it is no longer held; then nothing has changed.
   */
  reschedule(job: Job, runAt: number, queue?: string): Promise<boolean>
  /** Removes the job of a kind for a subject, where there is one; a process that runs it has lost it. */
  remove(kind: JobKind, subjectId: string): Promise<void>
  /** Makes a job due at once, unless it runs already; a message leaves its carrier's queue. */
  hasten(kind: JobKind, subjectId: string): Promise<void>
  /** Moves every message that waits for room at a carrier to the front. */
  emptyCarrierQueues(): Promise<void>
  /** Makes due what a process that is gone was running. Only where no other process runs jobs. */
  releaseLeases(): Promise<void>
}

export interface JobReader {
  /** A job that was added as held and is so still, for who has lost the answer that told its number. */
  held(kind: JobKind, subjectId: string): Promise<Job | undefined>
  /** The queues of a kind that are not empty, and when the first job of each is due, Unix milliseconds. */
  heads(kind: JobKind): Promise<Array<{ queue: string; runAt: number }>>
  /** Whether a job of the queue could run now. */
  hasDue(kind: JobKind, queue: string, now: number): Promise<boolean>
  /** How many messages wait to be sent; counts no further than `limit`. */
  backlog(limit: number): Promise<number>
  /** By kind. */
  queues(now: number): Promise<QueueState[]>
  /** What waits for room at a carrier. */
  carrierQueues(now: number): Promise<Array<QueueState & { carrier: string }>>
}

export interface ClockTx {
  /**
   * The clock was set back by so much: codes that can still be verified expire that much earlier, reports are awaited until
   * that much earlier, jobs that wait are due that much earlier, though not before now, and no lease has more left than its
   * length; a job that runs keeps it. Noted with a name of the process, so that on SQLite another one that sees the same step
   * changes nothing, however late: what was noticed since it looked last, `unseenForMs` ago, is the same. A PostgreSQL's clock is
   * followed by its store.
   */
  setBack(byMs: number, noticedBy: string, unseenForMs: number): Promise<void>
}
