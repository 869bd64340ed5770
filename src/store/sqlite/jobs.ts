/** Jobs and their leases. */
import type { Database } from 'bun:sqlite'
import { and, eq, lte, sql } from 'drizzle-orm'
import { FRONT, JOB_KINDS, type JobKind, LEASE_MS, type QueueState } from '../../domain/operations/job'
import type { Reader, Tx } from '../../ports/store'
import { nextTurn } from './connection/read-group'
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

/** Jobs counted in one step. Each message that may still be reported on has one, so there may be millions. */
const JOBS_PER_STEP = 2_000

const JOB_READER = {
  /** Jobs of a queue in the order of their time, behind the one that was counted last. */
  following: plain<
    [number, number],
    [string, string, number, number]
  >(`SELECT run_at, job_id FROM jobs WHERE kind = ? AND queue = ? AND (run_at, job_id) > (?, ?)
     ORDER BY run_at, job_id LIMIT ${JOBS_PER_STEP}`),
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
  const { following, firstFrom, allHeads, firstDue, held, waiting } = on(connection, JOB_READER)

  function headsOf(kind: JobKind): Array<{ queue: string; runAt: number }> {
    const first = firstFrom.get({ kind, from: '' })
    const second = first && firstFrom.get({ kind, from: `${first.queue}\0` })
    // One statement for all takes a quarter of the time for a thousand queues, and twice as long for one, which most kinds have.
    if (second) return allHeads.all({ kind })
    return first ? [first] : []
  }

  async function countQueue(kind: JobKind, queue: string, now: number): Promise<QueueState> {
    const state = { kind, waiting: 0, due: 0, oldestDueMs: 0 }
    for (let last: [number, number] | undefined = [0, 0]; last !== undefined; ) {
      const rows = following.values(kind, queue, ...last) as Array<[number, number]>
      if (state.waiting === 0) state.oldestDueMs = Math.max(0, now - (rows[0]?.[0] ?? now))
      state.waiting += rows.length
      state.due += rows.filter(([runAt]) => runAt <= now).length
      last = rows[JOBS_PER_STEP - 1]
      await nextTurn()
    }
    return state
  }

  async function countQueues(kind: JobKind, now: number): Promise<Array<QueueState & { queue: string }>> {
    const counted: Array<QueueState & { queue: string }> = []
    for (const { queue } of headsOf(kind)) counted.push({ queue, ...(await countQueue(kind, queue, now)) })
    return counted
  }

  return {
    jobs: {
      async held(kind, subjectId) {
        return held.get({ kind, subjectId })
      },
      async heads(kind) {
        return headsOf(kind)
      },
      async hasDue(kind, queue, now) {
        return firstDue.get({ kind, queue, now }) !== null
      },
      async backlog(limit) {
        return waiting.get({ limit })?.waiting ?? 0
      },
      async queues(now) {
        const states: QueueState[] = []
        for (const kind of JOB_KINDS) {
          const queues = await countQueues(kind, now)
          const oldestDueMs = Math.max(...queues.map((one) => one.oldestDueMs))
          const sum = (of: 'waiting' | 'due') => queues.reduce((total, one) => total + one[of], 0)
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
    },
  }
}
