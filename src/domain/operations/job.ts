/**
 * Work that is due at a time. Rows are the truth, timers only hints.
 * A claim moves `runAt` past the lease and raises `attempt`; whoever records an outcome must still hold that attempt.
 */
import { MINUTE_MS, type Owner } from '../shared/value'

/**
 * deliver: send the current leg of an issue · await-report: ask for a report, or give up on it · next-leg: start the next leg of
 * an issue whose message was not delivered in time · webhook: send one event to one endpoint.
 */
export type JobKind = 'deliver' | 'await-report' | 'next-leg' | 'webhook'

/**
 * The queue jobs start in. A message whose carrier has no room waits in the queue of that carrier's name; webhooks have
 * a queue for each endpoint.
 */
export const FRONT = ''

export interface Job extends Owner {
  readonly jobId: number
  readonly kind: JobKind
  readonly queue: string
  /** What it is about: an issue, or a webhook delivery. */
  readonly subjectId: string
  /** When it was due. */
  readonly runAt: number
  /** The fence: raised by each claim, and when the job is given back or queued anew. Also where its holder's lease is renewed. */
  attempt: number
}

/** Of a carrier; below the lease, so that a call that is still out is never taken for one that was lost. */
export const MAX_TIMEOUT_MS = 20_000

/** How long a claimed job may run before another runner takes it over; must exceed every carrier timeout. */
export const LEASE_MS: Readonly<Record<JobKind, number>> = {
  deliver: 30_000,
  'await-report': 30_000,
  'next-leg': 30_000,
  webhook: 30_000,
}

/** A dispatcher that has not looked for work for so long hangs. */
export const DISPATCHER_SILENT_MS = 10_000

/** As many events that wait for their receivers are told of as too many, and one that has waited for so long beyond its time. */
export const WEBHOOK_BACKLOG = 10_000
export const WEBHOOK_LATE_MS = 5 * MINUTE_MS

/** Work that is not done yet: of a kind, or of a kind in one carrier's queue. */
export interface QueueState {
  kind: JobKind
  waiting: number
  /** Of these, how many could run now. */
  due: number
  oldestDueMs: number
}
