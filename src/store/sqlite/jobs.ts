/** What is to be done, and who does it. */
import type { Database } from 'bun:sqlite'
import { and, eq, lte, sql } from 'drizzle-orm'
import { FRONT, LEASE_MS } from '../../domain/job'
import type { QueueState, Reader } from '../../ports'
import { drizzle } from './drizzle'
import type { TxPart } from './opened'
import { jobs } from './schema'
import { bind, changes, onFirstUse, parameters } from './statement'

const heldJob = and(eq(jobs.jobId, bind(jobs.jobId, 'jobId')), eq(jobs.attempt, bind(jobs.attempt, 'attempt')))

type JobTx = TxPart<
  | 'addJob'
  | 'claimJobs'
  | 'holdsJob'
  | 'finishJob'
  | 'rescheduleJob'
  | 'backlog'
  | 'hasDueJobs'
  | 'hastenJob'
  | 'emptyCarrierQueues'
  | 'releaseLeases'
>

export function createJobTx(connection: Database): JobTx {
  const db = drizzle(connection)
  const run = {
    /** A job of the kind that exists already is moved, and whoever ran it has lost it. */
    upsertJob: onFirstUse(() =>
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
    findDueJobs: onFirstUse(() =>
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
    claimJob: onFirstUse(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt']), attempt: sql`${jobs.attempt} + 1`, leased: true })
        .where(eq(jobs.jobId, bind(jobs.jobId, 'jobId')))
        .prepare(),
    ),
    findHeldJob: onFirstUse(() => db.select({ jobId: jobs.jobId }).from(jobs).where(heldJob).prepare()),
    deleteJob: onFirstUse(() => db.delete(jobs).where(heldJob).returning({ jobId: jobs.jobId }).prepare()),
    moveJob: onFirstUse(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt', 'queue']), leased: false })
        .where(heldJob)
        .prepare(),
    ),
    /** Not a job that runs: it sees for itself, and its fence must hold. */
    hastenJob: onFirstUse(() =>
      db
        .update(jobs)
        .set({
          ...changes(jobs, ['runAt']),
          queue: sql`CASE ${jobs.kind} WHEN 'deliver' THEN ${FRONT} ELSE ${jobs.queue} END`,
        })
        .where(
          and(
            eq(jobs.subjectId, bind(jobs.subjectId, 'subjectId')),
            eq(jobs.kind, bind(jobs.kind, 'kind')),
            sql`${jobs.leased} = 0`,
          ),
        )
        .prepare(),
    ),
    emptyCarrierQueues: onFirstUse(() =>
      db.update(jobs).set({ queue: FRONT }).where(sql`${jobs.kind} = 'deliver' AND ${jobs.queue} <> ''`).prepare(),
    ),
    backlog: onFirstUse(() =>
      db
        .select({ waiting: sql<number>`count(*)` })
        .from(sql`(SELECT 1 FROM jobs WHERE kind = 'deliver' LIMIT ${sql.placeholder('limit')})`)
        .prepare(),
    ),
    releaseLeases: onFirstUse(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt']), leased: false })
        .where(sql`${jobs.leased} = 1`)
        .prepare(),
    ),
  }

  return {
    async addJob({ kind, owner: { appId, mode }, subjectId, runAt, queue = FRONT }) {
      run.upsertJob.run({ kind, appId, mode, subjectId, runAt, queue })
    },
    async claimJobs(kind, queue, limit) {
      return run.findDueJobs.all({ kind, queue, now: this.now, limit }).map(({ leased: _, ...job }) => {
        run.claimJob.run({ jobId: job.jobId, runAt: this.now + LEASE_MS[job.kind] })
        return { ...job, attempt: job.attempt + 1 }
      })
    },
    async holdsJob({ jobId, attempt }) {
      return run.findHeldJob.get({ jobId, attempt }) !== undefined
    },
    async finishJob({ jobId, attempt }) {
      return run.deleteJob.get({ jobId, attempt }) !== undefined
    },
    async rescheduleJob({ jobId, attempt }, runAt, queue = FRONT) {
      run.moveJob.run({ jobId, attempt, runAt, queue })
    },
    async backlog(limit) {
      return run.backlog.get({ limit })?.waiting ?? 0
    },
    async hasDueJobs(kind, queue) {
      return run.findDueJobs.all({ kind, queue, now: this.now, limit: 1 }).length > 0
    },
    async hastenJob(kind, subjectId) {
      run.hastenJob.run({ kind, subjectId, runAt: this.now })
    },
    async emptyCarrierQueues() {
      run.emptyCarrierQueues.run()
    },
    async releaseLeases() {
      run.releaseLeases.run({ runAt: this.now })
    },
  }
}

export function createJobReader(connection: Database): Pick<Reader, 'queue' | 'carrierQueues'> {
  const queueByKind = connection.query<QueueState, { now: number }>(
    `SELECT kind, count(*) AS waiting, count(*) FILTER (WHERE run_at <= $now) AS due,
       max(0, $now - min(run_at)) AS oldestDueMs FROM jobs GROUP BY kind ORDER BY kind`,
  )
  const queueByCarrier = connection.query<QueueState & { carrier: string }, { now: number }>(
    `SELECT queue AS carrier, kind, count(*) AS waiting, count(*) FILTER (WHERE run_at <= $now) AS due,
       max(0, $now - min(run_at)) AS oldestDueMs FROM jobs WHERE kind = 'deliver' AND queue <> '' GROUP BY queue ORDER BY queue`,
  )

  return {
    async queue(now) {
      return queueByKind.all({ now })
    },
    async carrierQueues(now) {
      return queueByCarrier.all({ now })
    },
  }
}
