/** Jobs, and the leases of the servers that run them. */
import { and, eq, lte, sql } from 'drizzle-orm'
import { FRONT, JOB_KINDS, type Job, type JobKind, LEASE_MS, type QueueState } from '../domain/operations/job'
import type { JobReader, JobTx } from '../ports/store/jobs'
import { inDialect } from './dialect'
import type { Querying, Session } from './session'
import { statement } from './statement'

/** Jobs counted in one step. Each message that may still be reported on has one, so there may be millions. */
const JOBS_PER_STEP = 2_000

const STATEMENTS = inDialect(({ db, tables: { jobs }, ...its }) => {
  const { match, changes, parameters, excluded, bind, number, word, plain, either, locked } = its
  const heldJob = match(jobs, 'jobId', 'attempt')
  const jobOfSubject = match(jobs, 'subjectId', 'kind')
  const raised = sql`${jobs.attempt} + 1`
  const limit = sql.placeholder('limit')
  return {
    /** An existing job of the kind is rescheduled, and its current lease is lost. */
    upsert: statement(() =>
      db
        .insert(jobs)
        .values({
          ...parameters(jobs, ['kind', 'appId', 'mode', 'subjectId', 'runAt', 'queue']),
          ...{ attempt: 0, leased: false },
        } as never)
        .onConflictDoUpdate({
          target: [jobs.subjectId, jobs.kind],
          set: { ...excluded(jobs, ['runAt', 'queue']), attempt: raised, leased: false, leasedBy: null },
        }),
    ),
    /** Skips jobs that another server is claiming. */
    due: statement(() =>
      locked(
        db
          .select()
          .from(jobs)
          .where(and(match(jobs, 'kind', 'queue'), lte(jobs.runAt, bind(jobs.runAt, 'now'))))
          .orderBy(jobs.runAt)
          .limit(sql.placeholder('limit')),
        { skipLocked: true },
      ),
    ),
    claim: statement(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt']), attempt: raised, leased: true, leasedBy: sql`${sql.placeholder('node')}` })
        .where(match(jobs, 'jobId')),
    ),
    lock: statement(() => locked(db.select({ jobId: jobs.jobId }).from(jobs).where(heldJob))),
    lockOfSubject: statement(() => locked(db.select({ jobId: jobs.jobId }).from(jobs).where(jobOfSubject))),
    finish: statement(() => db.delete(jobs).where(heldJob)),
    move: statement(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt', 'queue']), attempt: raised, leased: false, leasedBy: null })
        .where(heldJob),
    ),
    remove: statement(() => db.delete(jobs).where(jobOfSubject)),
    /**
     * Leaves a running job alone: it will see the change itself, and its fence must hold. Waits for a job that is just
     * being put off, because that decision may rest on what this transaction changes.
     */
    hasten: statement(() =>
      db
        .update(jobs)
        .set({
          ...changes(jobs, ['runAt']),
          queue: sql`CASE ${jobs.kind} WHEN 'deliver' THEN '' ELSE ${jobs.queue} END`,
        })
        .where(and(jobOfSubject, sql`NOT ${jobs.leased}`)),
    ),
    emptyCarrierQueues: statement(() =>
      db.update(jobs).set({ queue: FRONT }).where(sql`${jobs.kind} = 'deliver' AND ${jobs.queue} <> ''`),
    ),
    releaseLeases: statement(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt']), leased: false, leasedBy: null })
        .where(and(sql`${jobs.leased}`, eq(jobs.leasedBy, bind(jobs.leasedBy, 'node')))),
    ),
    /** A loose index scan: it skips from queue to queue, however many jobs each holds. */
    heads: plain(
      () =>
        either({
          sqlite: sql`WITH RECURSIVE queues AS (
              SELECT min(queue) AS queue FROM jobs WHERE kind = ${word('kind')}
              UNION ALL
              SELECT (SELECT min(queue) FROM jobs WHERE kind = ${word('kind')} AND queue > queues.queue) FROM queues
                WHERE queue IS NOT NULL
            ) SELECT queue, (SELECT min(run_at) FROM jobs WHERE kind = ${word('kind')} AND queue = queues.queue)
              FROM queues WHERE queue IS NOT NULL`,
          postgres: sql`WITH RECURSIVE head AS (
              (SELECT queue, run_at FROM jobs WHERE kind = ${word('kind')} ORDER BY queue, run_at LIMIT 1)
              UNION ALL
              SELECT next.queue, next.run_at FROM head, LATERAL (SELECT queue, run_at FROM jobs
                WHERE kind = ${word('kind')} AND queue > head.queue ORDER BY queue, run_at LIMIT 1) AS next
            ) SELECT queue, run_at FROM head`,
        }),
      ([queue, runAt]) => ({ queue: String(queue), runAt: Number(runAt) }),
    ),
    hasDue: plain(
      () => sql`SELECT 1 FROM jobs WHERE kind = ${word('kind')} AND queue = ${word('queue')}
        AND run_at <= ${number('now')} LIMIT 1`,
      () => true,
    ),
    backlog: plain(
      () => sql`SELECT (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE kind = 'deliver' LIMIT ${limit}) AS waiting)
        + (SELECT count(*) FROM (SELECT 1 FROM issues WHERE begun_at IS NOT NULL LIMIT ${limit}) AS begun)`,
      ([waiting]) => Number(waiting),
    ),
    /** Jobs of a queue in the order of their time, behind the one that was counted last. */
    following: plain(
      () => sql`SELECT run_at, job_id FROM jobs WHERE kind = ${word('kind')} AND queue = ${word('queue')}
        AND (run_at, job_id) > (${number('runAt')}, ${number('jobId')})
        ORDER BY run_at, job_id LIMIT ${sql.raw(String(JOBS_PER_STEP))}`,
      ([runAt, jobId]) => ({ runAt: Number(runAt), jobId: Number(jobId) }),
    ),
  }
})

interface Position {
  runAt: number
  jobId: number
}

/** `node` is the server that claims the jobs; SQLite has one. */
export function jobTx(tx: Session, node = ''): JobTx {
  const its = STATEMENTS(tx)
  return {
    async add({ kind, owner: { appId, mode }, subjectId, runAt, queue = FRONT }) {
      tx.run(its.upsert, { kind, appId, mode, subjectId, runAt, queue })
    },
    async claim(kind, queue, limit) {
      await tx.opened()
      const due = await tx.all(its.due, { kind, queue, now: tx.now, limit })
      return due.map(({ leased: _, leasedBy: __, ...job }): Job => {
        tx.run(its.claim, { jobId: job.jobId, runAt: tx.now + LEASE_MS[kind], node })
        return { ...job, attempt: job.attempt + 1 }
      })
    },
    lock: async ({ jobId, attempt }) => (await tx.get(its.lock, { jobId, attempt })) !== undefined,
    finish: async ({ jobId, attempt }) => (await tx.change(its.finish, { jobId, attempt })) > 0,
    reschedule: async ({ jobId, attempt }, runAt, queue = FRONT) =>
      (await tx.change(its.move, { jobId, attempt, runAt, queue })) > 0,
    remove: async (kind, subjectId) => tx.run(its.remove, { kind, subjectId }),
    async hasten(kind, subjectId) {
      await tx.opened()
      // One that is just being put off is waited for.
      if (tx.dialect.hasRowLocks) await tx.get(its.lockOfSubject, { kind, subjectId })
      tx.run(its.hasten, { kind, subjectId, runAt: tx.now })
    },
    emptyCarrierQueues: async () => tx.run(its.emptyCarrierQueues),
    async releaseLeases() {
      await tx.opened()
      tx.run(its.releaseLeases, { runAt: tx.now, node })
    },
  }
}

export function jobReader(reads: Querying): JobReader {
  const its = STATEMENTS(reads)

  async function countQueue(kind: JobKind, queue: string, now: number): Promise<QueueState> {
    const state = { kind, waiting: 0, due: 0, oldestDueMs: 0 }
    for (let last: Position | undefined = { runAt: 0, jobId: 0 }; last !== undefined; ) {
      const rows: Position[] = await reads.all(its.following, { kind, queue, ...last })
      if (state.waiting === 0) state.oldestDueMs = Math.max(0, now - (rows[0]?.runAt ?? now))
      state.waiting += rows.length
      state.due += rows.filter(({ runAt }) => runAt <= now).length
      last = rows[JOBS_PER_STEP - 1]
    }
    return state
  }

  async function countQueues(kind: JobKind, now: number): Promise<Array<QueueState & { queue: string }>> {
    const counted: Array<QueueState & { queue: string }> = []
    for (const { queue } of await reads.all(its.heads, { kind }))
      counted.push({ queue, ...(await countQueue(kind, queue, now)) })
    return counted
  }

  return {
    heads: async (kind) => reads.all(its.heads, { kind }),
    hasDue: async (kind, queue, now) => (await reads.get(its.hasDue, { kind, queue, now })) ?? false,
    backlog: async (limit) => (await reads.get(its.backlog, { limit })) ?? 0,
    async queues(now) {
      const states: QueueState[] = []
      for (const kind of JOB_KINDS) {
        const queues = await countQueues(kind, now)
        const sum = (of: 'waiting' | 'due') => queues.reduce((total, one) => total + one[of], 0)
        const oldestDueMs = Math.max(...queues.map((one) => one.oldestDueMs))
        if (queues.length > 0) states.push({ kind, waiting: sum('waiting'), due: sum('due'), oldestDueMs })
      }
      return states
    },
    async carrierQueues(now) {
      const queues = await countQueues('deliver', now)
      return queues
        .filter(({ queue }) => queue !== FRONT)
        .map(({ queue: carrier, ...state }) => ({ carrier, ...state }))
    },
  }
}
