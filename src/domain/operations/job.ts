/**
 * Jobs: work that is due at a time. Rows are the truth, timers only hints. A claim moves `runAt` past the lease and
 * raises `attempt`; an outcome is recorded only under that attempt.
 */
import { MINUTE_MS, type Owner } from '../shared/value'

/**
 * deliver: send the current leg of an issue · await-report: ask for a report, or give up on it · next-leg: start the
 * next leg of an issue whose message was not delivered in time · webhook: send one event to one endpoint · notice: tell
 * the operator of one notice on one way.
 */
export const JOB_KINDS = ['await-report', 'deliver', 'next-leg', 'notice', 'webhook'] as const
export type JobKind = (typeof JOB_KINDS)[number]

/**
 * The queue jobs start in. A message whose carrier has no room waits in the queue of that carrier's name; webhooks have
 * a queue for each endpoint, notices one for each way.
 */
export const FRONT = ''

export interface Job extends Owner {
  readonly jobId: number
  readonly kind: JobKind
  readonly queue: string
  /** Id of the issue, webhook delivery or message of a notice. */
  readonly subjectId: string
  /** When it was due, Unix milliseconds. */
  readonly runAt: number
  /** Fencing number, raised by each claim, release, requeue and renewal of the lease. */
  attempt: number
}

/** Longest timeout of a carrier. It is below the lease, so that a running call is never taken for a lost one. */
export const MAX_TIMEOUT_MS = 20_000

/**
 * How long a claimed job may run before another runner takes it over; must exceed every carrier timeout. The start of a leg calls
 * nobody, and a code may live for 30 s only.
 */
export const LEASE_MS: Readonly<Record<JobKind, number>> = {
  deliver: 30_000,
  'await-report': 30_000,
  'next-leg': 3_000,
  webhook: 30_000,
  notice: 30_000,
}

/** A dispatcher that has not polled for so long counts as hanging. */
export const DISPATCHER_SILENT_MS = 10_000

/** Thresholds of warnings: webhooks that wait, and how late the oldest one is. */
export const WEBHOOK_BACKLOG = 10_000
export const WEBHOOK_LATE_MS = 5 * MINUTE_MS

/** Waiting jobs of a kind, or of one carrier's queue. */
export interface QueueState {
  kind: JobKind
  waiting: number
  /** How many of them are due now. */
  due: number
  oldestDueMs: number
}
