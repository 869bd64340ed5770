/** Jobs, and the leases of the servers that run them. */
import { and, eq, sql } from 'drizzle-orm'
import { FRONT, type Job, type JobKind, LEASE_MS, type QueueState } from '../../domain/operations/job'
import type { Mode } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { JobReader } from '../../ports/store/jobs'
import { bind, changes, db, parameters, plain, repeated, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { jobs } from './schema'

const heldJob = and(eq(jobs.jobId, bind(jobs.jobId, 'jobId')), eq(jobs.attempt, bind(jobs.attempt, 'attempt')))
const jobOfSubject = and(eq(jobs.subjectId, bind(jobs.subjectId, 'subjectId')), eq(jobs.kind, bind(jobs.kind, 'kind')))

const STATEMENTS = {
  /** An existing job of the kind is rescheduled, and its current lease is lost. */
  upsert: statement(
    (on, rows) =>
      on
        .insert(jobs)
        .values(
          repeated(rows, () => ({
            ...parameters(jobs, ['kind', 'appId', 'mode', 'subjectId', 'runAt', 'queue']),
            ...{ attempt: 0, leased: false },
          })),
        )
        .onConflictDoUpdate({
          target: [jobs.subjectId, jobs.kind],
          set: {
            ...{ runAt: sql`excluded.run_at`, queue: sql`excluded.queue`, attempt: sql`${jobs.attempt} + 1` },
            ...{ leased: sql`false`, leasedBy: sql`NULL` },
          },
        })
        .prepare(''),
    { isAddition: true },
  ),
  insertHeld: statement((on, rows) =>
    on
      .insert(jobs)
      .values(
        repeated(rows, () => ({
          ...parameters(jobs, ['kind', 'appId', 'mode', 'subjectId', 'runAt', 'queue', 'leasedBy']),
          ...{ attempt: 1, leased: true },
        })),
      )
      .returning({ jobId: jobs.jobId, subjectId: jobs.subjectId })
      .prepare(''),
  ),
  /**
   * Skips jobs that another server is claiming. MATERIALIZED makes the query run once; some plans would repeat it for
   * every row and claim all jobs.
   */
  claim: plain<Job>(
    `WITH due AS MATERIALIZED (
       SELECT job_id, run_at AS due_at FROM jobs WHERE kind = $1 AND queue = $2 AND run_at <= $4
       ORDER BY run_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     UPDATE jobs SET run_at = $4::bigint + $5::bigint, attempt = attempt + 1, leased = true, leased_by = $6
     FROM due WHERE jobs.job_id = due.job_id
     RETURNING jobs.job_id, kind, queue, app_id, mode, subject_id, due_at, attempt`,
    ({ kind, queue, limit, now, leaseMs, node }) => [kind, queue, limit, now, leaseMs, node],
    ([jobId, kind, queue, appId, mode, subjectId, dueAt, attempt]) => ({
      ...{ jobId: Number(jobId), kind: kind as JobKind, queue: String(queue), attempt: Number(attempt) },
      ...{ appId: String(appId), mode: mode as Mode, subjectId: String(subjectId), runAt: Number(dueAt) },
    }),
  ),
  lock: statement((on) => on.select({ jobId: jobs.jobId }).from(jobs).where(heldJob).for('no key update').prepare(''), {
    sharedBy: ({ jobId }) => `job ${jobId}`,
  }),
  finish: statement(() => db.delete(jobs).where(heldJob).returning({ jobId: jobs.jobId }).prepare('')),
  move: statement(() =>
    db
      .update(jobs)
      .set({ ...changes(jobs, ['runAt', 'queue']), attempt: sql`${jobs.attempt} + 1`, leased: false, leasedBy: null })
      .where(heldJob)
      .returning({ jobId: jobs.jobId })
      .prepare(''),
  ),
  remove: statement(() => db.delete(jobs).where(jobOfSubject).prepare('')),
  /**
   * Leaves a running job alone: it will see the change itself, and its fence must hold. Waits for a job that is just
   * being put off, because that decision may rest on what this transaction changes.
   */
  hasten: plain(
    `WITH wanted AS MATERIALIZED (
       SELECT job_id, leased FROM jobs WHERE kind = $1 AND subject_id = $2 FOR NO KEY UPDATE)
     UPDATE jobs SET run_at = $3, queue = CASE kind WHEN 'deliver' THEN '' ELSE queue END
     FROM wanted WHERE jobs.job_id = wanted.job_id AND NOT wanted.leased`,
    ({ kind, subjectId, runAt }) => [kind, subjectId, runAt],
  ),
  emptyCarrierQueues: statement(() =>
    db.update(jobs).set({ queue: FRONT }).where(sql`${jobs.kind} = 'deliver' AND ${jobs.queue} <> ''`).prepare(''),
  ),
  releaseLeases: statement(() =>
    db
      .update(jobs)
      .set({ ...changes(jobs, ['runAt']), leased: false, leasedBy: null })
      .where(and(sql`${jobs.leased}`, eq(jobs.leasedBy, bind(jobs.leasedBy, 'node'))))
      .prepare(''),
  ),
}

const held = ({ jobId, attempt }: Job) => `job ${jobId} ${attempt}`

/** `node` is the server that claims the jobs. */
export function jobTx(transaction: Transaction, node: string): Tx['jobs'] {
  /** A job that this transaction has locked is known to be held, without asking again. */
  const isHeld = async (job: Job) =>
    transaction.knows(held(job)) && (await transaction.once(held(job), async () => false))
  /** Remembered, so that a batch locks many jobs with one statement. */
  const lock = (job: Job) =>
    transaction.once(held(job), async () => (await transaction.get(STATEMENTS.lock, { ...job })) !== undefined)
  return {
    async add({ kind, owner: { appId, mode }, subjectId, runAt, queue = FRONT }) {
      transaction.run(STATEMENTS.upsert, { kind, appId, mode, subjectId, runAt, queue })
    },
    async addHeld({ kind, owner: { appId, mode }, subjectId, queue }) {
      const job = { kind, appId, mode, subjectId, queue }
      const row = { ...job, runAt: transaction.now + LEASE_MS[kind], leasedBy: node }
      const added = await transaction.add(STATEMENTS.insertHeld, row)
      if (added.subjectId !== subjectId) throw new Error('Somebody else was given the number of this job')
      return { ...job, jobId: added.jobId, runAt: transaction.now, attempt: 1 }
    },
    async claim(kind, queue, limit) {
      await transaction.opened()
      const values = { kind, queue, limit, now: transaction.now, leaseMs: LEASE_MS[kind], node }
      const claimed = await transaction.change(STATEMENTS.claim, values)
      return claimed.sort((a, b) => a.runAt - b.runAt)
    },
    lock,
    async finish(job) {
      if (!(await lock(job))) return false
      transaction.run(STATEMENTS.finish, { ...job })
      transaction.note(held(job), false)
      return true
    },
    async reschedule(job, runAt, queue = FRONT) {
      const values = { ...job, runAt, queue }
      if (!(await isHeld(job))) return (await transaction.change(STATEMENTS.move, values)).length > 0
      transaction.run(STATEMENTS.move, values)
      transaction.note(held(job), false)
      return true
    },
    async remove(kind, subjectId) {
      transaction.run(STATEMENTS.remove, { kind, subjectId })
    },
    async hasten(kind, subjectId) {
      await transaction.opened()
      transaction.run(STATEMENTS.hasten, { kind, subjectId, runAt: transaction.now })
    },
    async emptyCarrierQueues() {
      transaction.run(STATEMENTS.emptyCarrierQueues)
    },
    async releaseLeases() {
      await transaction.opened()
      transaction.run(STATEMENTS.releaseLeases, { runAt: transaction.now, node })
    },
  }
}

const stateOf = ([kind, waiting, due, oldestDueMs]: readonly unknown[]): QueueState => ({
  ...{ kind: kind as JobKind, waiting: Number(waiting), due: Number(due), oldestDueMs: Number(oldestDueMs) },
})

const STATE = `count(*), count(*) FILTER (WHERE run_at <= $1), greatest(0, $1::bigint - min(run_at))`

const READS = {
  held: statement(() =>
    db
      .select()
      .from(jobs)
      .where(and(jobOfSubject, sql`${jobs.attempt} = 1 AND ${jobs.leased}`))
      .prepare(''),
  ),
  /** A loose index scan: it skips from queue to queue, however many jobs each holds. */
  heads: plain(
    `WITH RECURSIVE head AS (
       (SELECT queue, run_at FROM jobs WHERE kind = $1 ORDER BY queue, run_at LIMIT 1)
       UNION ALL
       SELECT next.queue, next.run_at FROM head, LATERAL
         (SELECT queue, run_at FROM jobs WHERE kind = $1 AND queue > head.queue ORDER BY queue, run_at LIMIT 1) AS next
     ) SELECT queue, run_at FROM head`,
    ({ kind }) => [kind],
    ([queue, runAt]) => ({ queue: String(queue), runAt: Number(runAt) }),
  ),
  hasDue: plain(
    'SELECT 1 FROM jobs WHERE kind = $1 AND queue = $2 AND run_at <= $3 LIMIT 1',
    ({ kind, queue, now }) => [kind, queue, now],
    () => true,
  ),
  backlog: plain(
    `SELECT count(*) FROM (SELECT 1 FROM jobs WHERE kind = 'deliver' LIMIT $1) AS waiting`,
    ({ limit }) => [limit],
    ([waiting]) => Number(waiting),
  ),
  queues: plain(`SELECT kind, ${STATE} FROM jobs GROUP BY kind ORDER BY kind`, ({ now }) => [now], stateOf),
  carrierQueues: plain(
    `SELECT kind, ${STATE}, queue FROM jobs WHERE kind = 'deliver' AND queue <> '' GROUP BY kind, queue ORDER BY queue`,
    ({ now }) => [now],
    (row) => ({ carrier: String(row[4]), ...stateOf(row) }),
  ),
}

export const jobReader = (pool: Querying): JobReader => ({
  held: (kind, subjectId) => pool.get(READS.held, { kind, subjectId }),
  heads: (kind) => pool.all(READS.heads, { kind }),
  hasDue: async (kind, queue, now) => (await pool.get(READS.hasDue, { kind, queue, now })) ?? false,
  backlog: async (limit) => (await pool.get(READS.backlog, { limit })) ?? 0,
  queues: (now) => pool.all(READS.queues, { now }),
  carrierQueues: (now) => pool.all(READS.carrierQueues, { now }),
})
