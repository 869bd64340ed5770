/** Adjusts stored times after the clock was set back. */
import type { Database } from 'bun:sqlite'
import { gte, sql, sum } from 'drizzle-orm'
import { LEASE_MS } from '../../domain/operations/job'
import { bind, changes, db, on, parameters, statement } from './connection/statement'
import { awaitedReports, clockSteps, issues, jobs } from './schema'

const by = sql.placeholder('byMs')

const SET_BACK = {
  insertStep: statement(() => db.insert(clockSteps).values(parameters(clockSteps)).prepare()),
  expireEarlier: statement(() =>
    db
      .update(issues)
      .set({
        promisedExpiresAt: sql`coalesce(${issues.promisedExpiresAt}, ${issues.expiresAt})`,
        expiresAt: sql`${issues.expiresAt} - ${by}`,
      })
      .where(
        sql`${issues.verificationStatus} = 'issued' AND ${issues.expiresAt} > ${bind(issues.expiresAt, 'now')}
          AND NOT (${issues.createdAt} >= ${bind(issues.createdAt, 'mayBeNewFrom')} AND ${issues.createdAt} <= ${bind(issues.createdAt, 'now')})`,
      )
      .prepare(),
  ),
  shortenLeases: statement(() =>
    db
      .update(jobs)
      .set(changes(jobs, ['runAt']))
      .where(
        sql`${jobs.kind} = ${bind(jobs.kind, 'kind')} AND ${jobs.leased} = 1 AND ${jobs.runAt} > ${bind(jobs.runAt, 'runAt')}`,
      )
      .prepare(),
  ),
  bringForward: statement(() =>
    db
      .update(jobs)
      .set({ runAt: sql`max(${jobs.runAt} - ${by}, ${bind(jobs.runAt, 'now')})` })
      .where(sql`${jobs.leased} = 0 AND ${jobs.runAt} > ${bind(jobs.runAt, 'now')}`)
      .prepare(),
  ),
  giveUpEarlier: statement(() =>
    db
      .update(awaitedReports)
      .set({ answeredAt: sql`${awaitedReports.answeredAt} - ${by}` })
      .prepare(),
  ),
}

/**
 * Adjusts stored times once the clock was set back. Codes that can still be verified expire that much earlier, and the
 * wait for reports ends that much earlier. Waiting jobs are due that much earlier, but not before now. No lease has more
 * time left than its length, and a running job keeps its lease. From `mayBeNewFrom` until now codes may have been issued by
 * the new time already, by a process that had not seen the old one: they keep their time.
 */
export function createSetBack(connection: Database): (now: number, byMs: number, mayBeNewFrom: number) => void {
  const run = on(connection, SET_BACK)

  return (now, byMs, mayBeNewFrom) => {
    run.insertStep.run({ noticedAt: now, setBackMs: byMs })
    run.expireEarlier.run({ byMs, now, mayBeNewFrom })
    for (const [kind, leaseMs] of Object.entries(LEASE_MS)) run.shortenLeases.run({ kind, runAt: now + leaseMs })
    run.bringForward.run({ byMs, now })
    run.giveUpEarlier.run({ byMs })
  }
}

const SINCE = statement(() =>
  db
    .select({ ms: sum(clockSteps.setBackMs).mapWith(Number) })
    .from(clockSteps)
    .where(gte(clockSteps.noticedAt, bind(clockSteps.noticedAt, 'since')))
    .prepare(),
)

export function createClockReader(connection: Database): { clockSetBackMs(since: number): Promise<number> } {
  const steps = SINCE.on(connection)
  return { clockSetBackMs: async (since) => steps.get({ since })?.ms ?? 0 }
}

const FURTHEST = statement(() =>
  db
    .select({ ms: sum(clockSteps.setBackMs).mapWith(Number) })
    .from(clockSteps)
    .prepare(),
)

/** How far the clock was set back in all, in milliseconds. An id may be later than its row by as much. */
export function furthestSetBack(connection: Database): () => number {
  const furthest = FURTHEST.on(connection)
  return () => furthest.get()?.ms ?? 0
}
