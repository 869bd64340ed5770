/** Jobs and their leases. */
import type { Database } from 'bun:sqlite'
import { and, eq, lte, sql } from 'drizzle-orm'
import { FRONT, LEASE_MS, type QueueState } from '../../domain/operations/job'
import type { Reader, Tx } from '../../ports/store'
import { bind, changes, db, on, parameters, plain, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { jobs } from './schema'

const heldJob = and(eq(jobs.jobId, bind(jobs.jobId, 'jobId')), eq(jobs.attempt, bind(jobs.attempt, 'attempt')))
const jobOfSubject = and(eq(jobs.subjectId, bind(jobs.subjectId, 'subjectId')), eq(jobs.kind, bind(jobs.kind, 'kind')))

const JOB_TX = {
  /** An existing job of the kind is rescheduled, and its current lease is lost. */
  upsertJob: statement(() =>
    db
      .insert(jobs)
      .values({
        ...parameters(jobs, ['kind', 'appId', 'mode', 'subjectId', 'runAt', 'queue']),
        attempt: 0,
        leased: false,
      })
      .onConflictDoUpdate({
        target: [jobs.subjectId, jobs.kind],
        set: {
          runAt: sql`excluded.run_at`,
          queue: sql`excluded.queue`,
          attempt: sql`${jobs.attempt} + 1`,
          leased: sql`0`,
        },
      })
      .prepare(),
  ),
  insertHeldJob: statement(() =>
    db
      .insert(jobs)
      .values({
        ...parameters(jobs, ['kind', 'appId', 'mode', 'subjectId', 'runAt', 'queue']),
        attempt: 1,
        leased: true,
      })
      .prepare(),
  ),
  findDueJobs: statement(() =>
    db
      .select()
      .from(jobs)
      .where(
        and(
          eq(jobs.kind, bind(jobs.kind, 'kind')),
          eq(jobs.queue, bind(jobs.queue, 'queue')),
          lte(jobs.runAt, bind(jobs.runAt, 'now')),
        ),
      )
      .orderBy(jobs.runAt)
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  claimJob: statement(() =>
    db
      .update(jobs)
      .set({ ...changes(jobs, ['runAt']), attempt: sql`${jobs.attempt} + 1`, leased: true })
      .where(eq(jobs.jobId, bind(jobs.jobId, 'jobId')))
      .prepare(),
  ),
  findHeldJob: statement(() => db.select({ jobId: jobs.jobId }).from(jobs).where(heldJob).prepare()),
  deleteJob: statement(() => db.delete(jobs).where(heldJob).prepare()),
  removeJob: statement(() => db.delete(jobs).where(jobOfSubject).prepare()),
  moveJob: statement(() =>
    db
      .update(jobs)
      .set({ ...changes(jobs, ['runAt', 'queue']), attempt: sql`${jobs.attempt} + 1`, leased: false })
      .where(heldJob)
      .prepare(),
  ),
  /** Leaves a running job alone: it will see the change itself, and its fence must hold. */
  hastenJob: statement(() =>
    db
      .update(jobs)
      .set({
        ...changes(jobs, ['runAt']),
        queue: sql`CASE ${jobs.kind} WHEN 'deliver' THEN ${FRONT} ELSE ${jobs.queue} END`,
      })
      .where(and(jobOfSubject, sql`${jobs.leased} = 0`))
      .prepare(),
  ),
  emptyCarrierQueues: statement(() =>
    db.update(jobs).set({ queue: FRONT }).where(sql`${jobs.kind} = 'deliver' AND ${jobs.queue} <> ''`).prepare(),
  ),
  releaseLeases: statement(() =>
    db
      .update(jobs)
      .set({ ...changes(jobs, ['runAt']), leased: false })
      .where(sql`${jobs.leased} = 1`)
      .prepare(),
  ),
}

export function createJobTx(connection: Database, current: TransactionState): Pick<Tx, 'jobs'> {
  const run = on(connection, JOB_TX)

  return {
    jobs: {
      async add({ kind, owner: { appId, mode }, subjectId, runAt, queue = FRONT }) {
        run.upsertJob.run({ kind, appId, mode, subjectId, runAt, queue })
      },
      addHeld({ kind, owner: { appId, mode }, subjectId, queue }) {
        const runAt = current.now + LEASE_MS[kind]
        const { lastInsertRowid } = run.insertHeldJob.run({ kind, appId, mode, subjectId, queue, runAt })
        const jobId = Number(lastInsertRowid)
        return Promise.resolve({ kind, appId, mode, subjectId, queue, jobId, runAt: current.now, attempt: 1 })
      },
      async claim(kind, queue, limit) {
        return run.findDueJobs.all({ kind, queue, now: current.now, limit }).map(({ leased: _, ...job }) => {
          run.claimJob.run({ jobId: job.jobId, runAt: current.now + LEASE_MS[job.kind] })
          return { ...job, attempt: job.attempt + 1 }
        })
      },
      async lock({ jobId, attempt }) {
        return run.findHeldJob.get({ jobId, attempt }) !== undefined
      },
      async finish({ jobId, attempt }) {
        return run.deleteJob.run({ jobId, attempt }).changes > 0
      },
      async reschedule({ jobId, attempt }, runAt, queue = FRONT) {
        return run.moveJob.run({ jobId, attempt, runAt, queue }).changes > 0
      },
      async remove(kind, subjectId) {
        run.removeJob.run({ kind, subjectId })
      },
      async hasten(kind, subjectId) {
        run.hastenJob.run({ kind, subjectId, runAt: current.now })
      },
      async emptyCarrierQueues() {
        run.emptyCarrierQueues.run()
      },
      async releaseLeases() {
        run.releaseLeases.run({ runAt: current.now })
      },
    },
  }
}

const JOB_READER = {
  queueByKind: plain<
    QueueState,
    { now: number }
  >(`SELECT kind, count(*) AS waiting, count(*) FILTER (WHERE run_at <= $now) AS due,
       max(0, $now - min(run_at)) AS oldestDueMs FROM jobs GROUP BY kind ORDER BY kind`),
  queueByCarrier: plain<
    QueueState & { carrier: string },
    { now: number }
  >(`SELECT queue AS carrier, kind, count(*) AS waiting, count(*) FILTER (WHERE run_at <= $now) AS due,
       max(0, $now - min(run_at)) AS oldestDueMs FROM jobs WHERE kind = 'deliver' AND queue <> '' GROUP BY queue ORDER BY queue`),
  firstFrom: plain<{ queue: string; runAt: number }, { kind: string; from: string }>(
    'SELECT queue, run_at AS runAt FROM jobs WHERE kind = $kind AND queue >= $from ORDER BY queue, run_at LIMIT 1',
  ),
  /** A loose index scan: it skips from queue to queue, however many jobs each holds. */
  allHeads: plain<{ queue: string; runAt: number }, { kind: string }>(
    `WITH RECURSIVE queues AS (
       SELECT min(queue) AS queue FROM jobs WHERE kind = $kind
       UNION ALL
       SELECT (SELECT min(queue) FROM jobs WHERE kind = $kind AND queue > queues.queue) FROM queues WHERE queue IS NOT NULL
     ) SELECT queue, (SELECT min(run_at) FROM jobs WHERE kind = $kind AND queue = queues.queue) AS runAt
       FROM queues WHERE queue IS NOT NULL`,
  ),
  firstDue: plain<unknown, { kind: string; queue: string; now: number }>(
    'SELECT 1 FROM jobs WHERE kind = $kind AND queue = $queue AND run_at <= $now LIMIT 1',
  ),
  held: statement(() =>
    db
      .select()
      .from(jobs)
      .where(and(jobOfSubject, sql`${jobs.attempt} = 1 AND ${jobs.leased} = 1`))
      .prepare(),
  ),
  waiting: plain<{ waiting: number }, { limit: number }>(
    "SELECT count(*) AS waiting FROM (SELECT 1 FROM jobs WHERE kind = 'deliver' LIMIT $limit)",
  ),
}

export function createJobReader(connection: Database): Pick<Reader, 'jobs'> {
  const { queueByKind, queueByCarrier, firstFrom, allHeads, firstDue, held, waiting } = on(connection, JOB_READER)

  return {
    jobs: {
      async held(kind, subjectId) {
        return held.get({ kind, subjectId })
      },
      async heads(kind) {
        const first = firstFrom.get({ kind, from: '' })
        const second = first && firstFrom.get({ kind, from: `${first.queue}\0` })
        // One statement for all takes a quarter of the time for a thousand queues, and twice as long for one, which most kinds have.
        if (second) return allHeads.all({ kind })
        return first ? [first] : []
      },
      async hasDue(kind, queue, now) {
        return firstDue.get({ kind, queue, now }) !== null
      },
      async backlog(limit) {
        return waiting.get({ limit })?.waiting ?? 0
      },
      async queues(now) {
        return queueByKind.all({ now })
      },
      async carrierQueues(now) {
        return queueByCarrier.all({ now })
      },
    },
  }
}
