/**
 * Adjusts stored times after the database's clock was set back, or after a failover to a server whose clock is behind.
 */
import { and, eq, sql, sum } from 'drizzle-orm'
import { LEASE_MS } from '../../domain/operations/job'
import { DAY_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import { type ClockWatch, FOLLOWED } from '../clock-watch'
import { CLOCK } from './connection/clock-lock'
import { addition, bind, changes, db, plain, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { awaitedReports, clockSteps, issues, jobs, nodes } from './schema'

const by = sql`${sql.placeholder('byMs')}::bigint`
const now = sql`${sql.placeholder('now')}::bigint`
/** From here on until now codes may have been issued by the new time already, by a server that had not seen the old one. */
const mayBeNewFrom = sql`${sql.placeholder('mayBeNewFrom')}::bigint`

const STATEMENTS = {
  /**
   * Adjustments run one at a time, so that the second sees the step that the first has noted. The lock also waits for
   * all transactions that began by the old time.
   */
  lock: plain(
    `SELECT pg_advisory_xact_lock(${CLOCK})`,
    () => [],
    () => true,
  ),
  look: plain(
    `SELECT clock_ms(), ${FOLLOWED}`,
    () => [],
    ([stamped, followedMs]) => ({ stamped: Number(stamped), followedMs: Number(followedMs) }),
  ),
  insert: addition(clockSteps),
  expireEarlier: statement(() =>
    db
      .update(issues)
      .set({
        promisedExpiresAt: sql`coalesce(${issues.promisedExpiresAt}, ${issues.expiresAt})`,
        expiresAt: sql`${issues.expiresAt} - ${by}`,
      })
      .where(
        sql`${issues.verificationStatus} = 'issued' AND ${issues.expiresAt} > ${now}
          AND NOT (${issues.createdAt} >= ${mayBeNewFrom} AND ${issues.createdAt} <= ${now})`,
      )
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
  giveUpEarlier: statement(() =>
    db
      .update(awaitedReports)
      .set({ answeredAt: sql`${awaitedReports.answeredAt} - ${by}` })
      .prepare(''),
  ),
  /**
   * Rate-limit counts with later times are moved to now, so that none is lost. Rows are locked in the order in which
   * they are counted, to avoid deadlocks.
   */
  countNoLonger: plain(
    `WITH later AS MATERIALIZED (
       SELECT subject, split_part(subject, '/', 2) AS "window" FROM counted WHERE ends_at > $1 ORDER BY subject FOR UPDATE)
     UPDATE counted SET
       times = CASE "window" WHEN 'utc-day' THEN times ELSE ARRAY(SELECT least(t, $1) FROM unnest(times) AS t ORDER BY t) END,
       ends_at = CASE "window" WHEN 'utc-day' THEN ($1 / ${DAY_MS} + 1) * ${DAY_MS} ELSE least(ends_at, $1 + "window"::bigint) END
     FROM later WHERE counted.subject = later.subject`,
    ({ now }) => [now],
  ),
  /** Otherwise a server that died would count as alive until the clock reaches its old time again. */
  fallSilent: statement(() =>
    db
      .update(nodes)
      .set({ seenAt: sql`${nodes.seenAt} - ${by}` })
      .where(sql`${nodes.seenAt} > ${now}`)
      .prepare(''),
  ),
  furthest: statement(() =>
    db
      .select({ ms: sum(clockSteps.setBackMs).mapWith(Number) })
      .from(clockSteps)
      .prepare(''),
  ),
}

/** Adjusts once for a step; does nothing if another server has done so in the meantime. */
export async function adjustToClock(
  transaction: Transaction,
  { watch, clock }: { watch: ClockWatch; clock: Pick<Clock, 'elapsed'> },
): Promise<void> {
  await transaction.all(STATEMENTS.lock)
  const sentAt = clock.elapsed()
  const seen = await transaction.get(STATEMENTS.look)
  const answeredAt = clock.elapsed()
  const byMs = seen ? watch.setBackMs({ ...seen, sentAt, answeredAt }) : 0
  if (!seen || byMs <= 0) return
  const now = seen.stamped
  setBack(transaction, { now, byMs, mayBeNewFrom: now - Math.ceil(answeredAt - watch.rightAt) })
}

function setBack(transaction: Transaction, values: { now: number; byMs: number; mayBeNewFrom: number }): void {
  const { now, byMs } = values
  transaction.run(STATEMENTS.insert, { noticedAt: now, setBackMs: byMs })
  transaction.run(STATEMENTS.expireEarlier, values)
  for (const [kind, leaseMs] of Object.entries(LEASE_MS))
    transaction.run(STATEMENTS.shortenLeases, { kind, runAt: now + leaseMs })
  transaction.run(STATEMENTS.bringForward, values)
  transaction.run(STATEMENTS.giveUpEarlier, values)
  transaction.run(STATEMENTS.countNoLonger, values)
  transaction.run(STATEMENTS.fallSilent, values)
}

const SINCE = plain(
  'SELECT coalesce(sum(set_back_ms), 0) FROM clock_steps WHERE noticed_at >= $1',
  ({ since }) => [since],
  ([ms]) => Number(ms),
)

/** How far the clock was set back since a time, in all; milliseconds. */
export const clockSetBackMs = async (asked: Querying, since: number): Promise<number> =>
  (await asked.get(SINCE, { since })) ?? 0

/** How far the clock was set back in all, in milliseconds. An id may be later than its row by as much. */
export const furthestSetBack = async (asked: Querying): Promise<number> =>
  (await asked.get(STATEMENTS.furthest))?.ms ?? 0
