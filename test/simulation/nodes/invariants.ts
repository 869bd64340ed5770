/** What several servers must keep, read from the database beside them; what one must keep, too, is in `../invariants.ts`. */
import type { SQL } from 'bun'
import { LEASE_MS } from '../../../src/domain/operations/job'

const TEN_MINUTES_MS = 600_000
/** For who takes over what nobody holds any more. */
const TAKEN_OVER_WITHIN_MS = 3_000

export interface Held {
  perPhone: number
  /** No server was killed, cut off, or stood still. */
  isCalm: boolean
  isOver: boolean
  /** Unix milliseconds, by the database's clock. */
  now: number
  /** By how much it was set back in all. */
  setBackMs: number
}

/** The first promise that is broken, in words. */
export async function brokenBetweenNodes(
  sql: SQL,
  { perPhone, isCalm, isOver, now, setBackMs }: Held,
): Promise<string | undefined> {
  const promises: Array<[string, string]> = [
    [
      `a phone gets at most ${perPhone} codes in ten minutes, from all servers together`,
      `SELECT phone FROM (SELECT encode(phone_hash, 'hex') AS phone, created_at, lag(created_at, ${perPhone})
         OVER (PARTITION BY app_id, phone_hash ORDER BY created_at) AS before FROM issues) AS each
       WHERE before > created_at - ${TEN_MINUTES_MS}`,
    ],
    [
      'nobody follows a set-back that was none: the database has one clock',
      `SELECT sum(set_back_ms) AS followed, ${setBackMs} AS set_back FROM clock_steps HAVING sum(set_back_ms) > ${setBackMs}`,
    ],
    [
      'what is reserved is within what there is',
      'SELECT app_id, balance, reserved FROM wallets WHERE balance + overdraft_limit < reserved',
    ],
    [
      'an awaited report is of a message whose fate is open',
      `SELECT issue_id FROM attempts JOIN issues USING (issue_id)
       WHERE awaited_at IS NOT NULL AND delivery_status IN ('delivered', 'failed')`,
    ],
  ]
  if (isCalm)
    promises.push([
      'no call is taken for interrupted while its server lives',
      "SELECT issue_id, number FROM attempts WHERE code = 'INTERRUPTED'",
    ])
  if (isOver)
    for (const [kind, leaseMs] of Object.entries(LEASE_MS))
      promises.push([
        `no job is stuck: ${kind}`,
        `SELECT job_id, run_at - ${now} AS due FROM jobs WHERE kind = '${kind}'
           AND (run_at < ${now - TAKEN_OVER_WITHIN_MS} OR leased AND run_at < ${now - leaseMs - TAKEN_OVER_WITHIN_MS})`,
      ])
  for (const [promise, offenders] of promises) {
    const rows = await sql.unsafe(offenders)
    if (rows.length > 0) return `${promise}: ${JSON.stringify(rows.slice(0, 3))}`
  }
  return undefined
}
