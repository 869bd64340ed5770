/** Adjusts stored times after the database's clock was set back, or after a failover to a server whose clock is behind. */
import { sql } from 'drizzle-orm'
import { DAY_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import { setBack } from '../clock'
import { type ClockWatch, FOLLOWED } from '../clock-watch'
import { POSTGRES } from '../dialect'
import { CLOCK } from './connection/clock-lock'
import type { Transaction } from './connection/transaction'

const { number, plain } = POSTGRES
const now = number('now')
const day = sql.raw(String(DAY_MS))

const STATEMENTS = {
  /**
   * Adjustments run one at a time, so that the second sees the step that the first has noted. The lock also waits for
   * all transactions that began by the old time.
   */
  lock: plain(
    () => sql`SELECT pg_advisory_xact_lock(${sql.raw(CLOCK)})`,
    () => true,
  ),
  look: plain(
    () => sql`SELECT clock_ms(), ${sql.raw(FOLLOWED)}`,
    ([stamped, followedMs]) => ({ stamped: Number(stamped), followedMs: Number(followedMs) }),
  ),
  /**
   * Rate-limit counts with later times are moved to now, so that none is lost. Rows are locked in the order in which
   * they are counted, to avoid deadlocks.
   */
  countNoLonger: plain(
    () => sql`WITH later AS MATERIALIZED (
       SELECT subject, split_part(subject, '/', 2) AS "window" FROM counted WHERE ends_at > ${now} ORDER BY subject FOR UPDATE)
     UPDATE counted SET
       times = CASE "window" WHEN 'utc-day' THEN times ELSE ARRAY(SELECT least(t, ${now}) FROM unnest(times) AS t ORDER BY t) END,
       ends_at = CASE "window" WHEN 'utc-day' THEN (${now} / ${day} + 1) * ${day} ELSE least(ends_at, ${now} + "window"::bigint) END
     FROM later WHERE counted.subject = later.subject`,
  ),
  /** Otherwise a server that died would count as alive until the clock reaches its old time again. */
  fallSilent: plain(() => sql`UPDATE nodes SET seen_at = seen_at - ${number('byMs')} WHERE seen_at > ${now}`),
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
  transaction.run(STATEMENTS.countNoLonger, { now })
  transaction.run(STATEMENTS.fallSilent, { now, byMs })
}
