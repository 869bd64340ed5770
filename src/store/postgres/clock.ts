/** Makes what is stored fit a clock that was set back: the database's own, or that of the one that took over from it. */
import { and, eq, max, sql } from 'drizzle-orm'
import { LEASE_MS } from '../../domain/job'
import type { Tx } from '../../ports/store'
import { clockSteps, issues, jobs } from './schema'
import { addition, bind, changes, db, plain, statement } from './statement'
import type { Asked, Unit } from './unit'

/** Two servers see one step at their next units, each by its own clock that never steps. */
const SAME_STEP_WITHIN_MS = 1_500
const SAME_STEP_DIFFERS_MS = 2_000

const by = sql`${sql.placeholder('byMs')}::bigint`
const now = sql`${sql.placeholder('now')}::bigint`

const STATEMENTS = {
  /** One after the other, so that the second sees what the first has noted. */
  lock: plain(
    `SELECT pg_advisory_xact_lock(hashtextextended('clock', 0))`,
    () => [],
    () => true,
  ),
  sameStep: statement(() =>
    db
      .select({ noticedAt: clockSteps.noticedAt })
      .from(clockSteps)
      .where(
        sql`abs(${clockSteps.noticedAt} - ${now}) < ${sql.raw(String(SAME_STEP_WITHIN_MS))}
          AND abs(${clockSteps.setBackMs} - ${by}) < ${sql.raw(String(SAME_STEP_DIFFERS_MS))}
          AND ${clockSteps.noticedBy} <> ${bind(clockSteps.noticedBy, 'noticedBy')}`,
      )
      .prepare(''),
  ),
  insert: addition(clockSteps),
  expireEarlier: statement(() =>
    db
      .update(issues)
      .set({
        promisedExpiresAt: sql`coalesce(${issues.promisedExpiresAt}, ${issues.expiresAt})`,
        expiresAt: sql`${issues.expiresAt} - ${by}`,
      })
      .where(sql`${issues.verificationStatus} = 'issued' AND ${issues.expiresAt} > ${now}`)
      .prepare(''),
  ),
  shortenLeases: statement(() =>
    db
      .update(jobs)
      .set(changes(jobs, ['runAt']))
      .where(
        and(
          eq(jobs.kind, bind(jobs.kind, 'kind')),
          sql`${jobs.leased} AND ${jobs.runAt} > ${bind(jobs.runAt, 'runAt')}`,
        ),
      )
      .prepare(''),
  ),
  bringForward: statement(() =>
    db
      .update(jobs)
      .set({ runAt: sql`greatest(${jobs.runAt} - ${by}, ${now})` })
      .where(sql`NOT ${jobs.leased} AND ${jobs.runAt} > ${now}`)
      .prepare(''),
  ),
  furthest: statement(() =>
    db
      .select({ ms: max(clockSteps.setBackMs) })
      .from(clockSteps)
      .prepare(''),
  ),
}

export function clockTx(unit: Unit): Tx['clock'] {
  return {
    async setBack(byMs, noticedBy) {
      await unit.all(STATEMENTS.lock)
      const values = { now: unit.now, byMs, noticedBy }
      if (await unit.get(STATEMENTS.sameStep, values)) return
      unit.run(STATEMENTS.insert, { noticedAt: unit.now, setBackMs: byMs, noticedBy })
      unit.run(STATEMENTS.expireEarlier, values)
      for (const [kind, leaseMs] of Object.entries(LEASE_MS))
        unit.run(STATEMENTS.shortenLeases, { kind, runAt: unit.now + leaseMs })
      unit.run(STATEMENTS.bringForward, values)
    },
  }
}

/** By how much the clock was ever set back, in milliseconds: an id may be later than its row by so much. */
export const furthestSetBack = async (asked: Asked): Promise<number> => (await asked.get(STATEMENTS.furthest))?.ms ?? 0
