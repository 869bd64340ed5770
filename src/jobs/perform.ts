/**
 * The protocol of all work that reaches outside: prepare (transaction) → act → record (transaction). If another process claims the
 * job meanwhile, nothing is recorded (the fence). An answer that cannot be stored now is retried until the lease ends.
 */

import { type Job, LEASE_MS } from '../domain/operations/job'
import { Refusal } from '../domain/shared/error'
import type { Clock } from '../ports/clock'
import type { Store, Tx } from '../ports/store'
import type { JobHandler } from '../ports/work'

export interface PerformDependencies {
  store: Store
  clock: Pick<Clock, 'after'>
}

/** Returns the answer, or undefined where nothing was done outside. */
export async function perform<Subject, Call, Answer>(
  deps: PerformDependencies,
  work: JobHandler<Subject, Call, Answer>,
  job: Job,
): Promise<Answer | undefined> {
  const call = await deps.store.transaction((tx) => begin(tx, work, job))
  return call === undefined ? undefined : complete(deps, work, job, call)
}

/** The first half. Subject and job are locked in that order; both queries are sent together. */
export async function begin<Subject, Call>(
  tx: Tx,
  work: Pick<JobHandler<Subject, Call, unknown>, 'lock' | 'prepare'>,
  job: Job,
): Promise<Call | undefined> {
  const [subject, isHeld] = await Promise.all([work.lock(tx, job), tx.jobs.lock(job)])
  return isHeld ? work.prepare(tx, job, subject) : undefined
}

/** The second half, after the first is committed. */
export async function complete<Subject, Call, Answer>(
  deps: PerformDependencies,
  work: JobHandler<Subject, Call, Answer>,
  job: Job,
  call: Call,
): Promise<Answer> {
  const answer = await work.act(call)
  const record = async (tx: Tx) => {
    const [subject, isHeld] = await Promise.all([
      work.lock(tx, job, call),
      work.endsJob ? tx.jobs.finish(job) : tx.jobs.lock(job),
    ])
    const noted = work.recordLate?.(tx, call, answer)
    if (noted) await noted
    if (isHeld) await work.record(tx, job, subject, call, answer)
  }
  await retryRecord(deps, job, record, work)
  return answer
}

const RETRY_EVERY_MS = 1_000

/**
 * A store that cannot write now (a full disk, a long lock) may write soon. The answer is known only here: if it were lost, a refused
 * message would be charged, and one that is to be sent later would never be sent.
 */
async function retryRecord(
  { store, clock }: PerformDependencies,
  job: Job,
  unit: (tx: Tx) => Promise<void>,
  { mayShare }: { mayShare?: boolean | undefined },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await store.transaction(unit, { mayShare })
    } catch (error) {
      const mayPass = error instanceof Refusal && error.kind === 'unavailable'
      if (!mayPass || tries * RETRY_EVERY_MS >= LEASE_MS[job.kind]) throw error
      await new Promise<void>((again) => void clock.after(RETRY_EVERY_MS, again))
    }
  }
}
