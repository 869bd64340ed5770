/** How far the clock was set back, and what is adjusted when it is. */
import { isNotNull, sql } from 'drizzle-orm'
import { LEASE_MS } from '../domain/operations/job'
import { inDialect } from './dialect'
import type { Querying, Session } from './session'
import { statement } from './statement'

const STATEMENTS = inDialect(({ db, tables: { attempts, clockSteps, issues, jobs }, ...its }) => {
  const { match, changes, insert, number, bind, either, plain } = its
  const by = number('byMs')
  const now = number('now')
  return {
    insert: insert(clockSteps),
    expireEarlier: statement(() =>
      db
        .update(issues)
        .set({
          promisedExpiresAt: sql`coalesce(${issues.promisedExpiresAt}, ${issues.expiresAt})`,
          expiresAt: sql`${issues.expiresAt} - ${by}`,
        })
        .where(sql`${issues.verificationStatus} = 'issued' AND ${issues.expiresAt} > ${now}
          AND NOT (${issues.createdAt} >= ${number('mayBeNewFrom')} AND ${issues.createdAt} <= ${now})`),
    ),
    shortenLeases: statement(() =>
      db
        .update(jobs)
        .set(changes(jobs, ['runAt']))
        .where(sql`${match(jobs, 'kind')} AND ${jobs.leased} AND ${jobs.runAt} > ${bind(jobs.runAt, 'runAt')}`),
    ),
    bringForward: statement(() =>
      db
        .update(jobs)
        .set({
          runAt: either({
            sqlite: sql`max(${jobs.runAt} - ${by}, ${now})`,
            postgres: sql`greatest(${jobs.runAt} - ${by}, ${now})`,
          }),
        })
        .where(sql`NOT ${jobs.leased} AND ${jobs.runAt} > ${now}`),
    ),
    giveUpEarlier: statement(() =>
      db
        .update(attempts)
        .set({ awaitedAt: sql`${attempts.awaitedAt} - ${by}` })
        .where(isNotNull(attempts.awaitedAt)),
    ),
    /** A call that was begun by the old time would count as running for as long as the step. */
    beginNow: statement(() =>
      db.update(issues).set({ begunAt: now }).where(sql`${issues.begunAt} IS NOT NULL AND ${issues.begunAt} > ${now}`),
    ),
    since: plain(
      () => sql`SELECT coalesce(sum(set_back_ms), 0) FROM clock_steps WHERE noticed_at >= ${number('since')}`,
      ([ms]) => Number(ms),
    ),
    furthest: plain(
      () => sql`SELECT coalesce(sum(set_back_ms), 0) FROM clock_steps`,
      ([ms]) => Number(ms),
    ),
  }
})

export interface SetBack {
  now: number
  byMs: number
  /** From here on until now codes may have been issued by the new time already: they keep their time. */
  mayBeNewFrom: number
}

/**
 * Adjusts stored times once the clock was set back. Codes that can still be verified expire that much earlier, and the
 * wait for reports ends that much earlier. Waiting jobs are due that much earlier, but not before now. No lease has more
 * time left than its length, and a running job keeps its lease.
 */
export function setBack(tx: Session, { now, byMs, mayBeNewFrom }: SetBack): void {
  const its = STATEMENTS(tx)
  tx.run(its.insert, { noticedAt: now, setBackMs: byMs })
  tx.run(its.expireEarlier, { byMs, now, mayBeNewFrom })
  for (const [kind, leaseMs] of Object.entries(LEASE_MS)) tx.run(its.shortenLeases, { kind, runAt: now + leaseMs })
  tx.run(its.bringForward, { byMs, now })
  tx.run(its.giveUpEarlier, { byMs })
  tx.run(its.beginNow, { now })
}

/** How far the clock was set back since a time, in all; milliseconds. */
export const clockSetBackMs = async (asked: Querying, since: number): Promise<number> =>
  (await asked.get(STATEMENTS(asked).since, { since })) ?? 0

/** How far it was set back in all. An id may be later than its row by as much. */
export const furthest = (asked: Pick<Querying, 'dialect'>) => STATEMENTS(asked).furthest
export const furthestSetBack = async (asked: Querying): Promise<number> => (await asked.get(furthest(asked))) ?? 0
