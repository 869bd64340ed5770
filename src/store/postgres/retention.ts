/** What is no longer kept. Several servers may delete at a time: what one is about to delete, others leave to it. */
import type { Tx } from '../../ports/store'
import { idFloor } from '../ids'
import { plain, type Statement } from './statement'
import type { Unit } from './unit'

const count = ([deleted]: readonly unknown[]) => Number(deleted)

/** An issue with work left is kept. */
const ISSUES = plain(
  `WITH old AS MATERIALIZED (
     SELECT issues.app_id, mode, issue_id FROM apps JOIN LATERAL (
       SELECT app_id, mode, issue_id FROM issues
       WHERE issues.app_id = apps.app_id AND mode = $1 AND issue_id < $2 AND verification_status <> 'issued'
         AND billing_status IN ('debited', 'released')
       ORDER BY issue_id LIMIT $3 FOR UPDATE SKIP LOCKED) AS issues ON true LIMIT $3
   ), gone_attempts AS (
     DELETE FROM attempts USING old WHERE attempts.app_id = old.app_id AND attempts.mode = old.mode
       AND attempts.issue_id = old.issue_id
   ), gone_jobs AS (DELETE FROM jobs USING old WHERE subject_id = old.issue_id
   ), gone_letters AS (DELETE FROM outbox USING old WHERE outbox.issue_id = old.issue_id
   ), gone AS (
     DELETE FROM issues USING old WHERE issues.app_id = old.app_id AND issues.mode = old.mode
       AND issues.issue_id = old.issue_id RETURNING 1
   ) SELECT count(*) FROM gone`,
  ({ mode, before, limit }) => [mode, idFloor(before as number), limit],
  count,
)

/** Of the first by a key that comes in the order of time, those that are past: what is young is not looked at. */
const oldest = (table: string, key: string, isPast: string) =>
  plain(
    `WITH past AS MATERIALIZED (
       SELECT ${key} FROM (SELECT * FROM ${table} ORDER BY ${key} LIMIT $2 FOR UPDATE SKIP LOCKED) AS first
       WHERE ${isPast}), gone AS (DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM past) RETURNING 1)
     SELECT count(*) FROM gone`,
    ({ at, limit }) => [at, limit],
    count,
  )

const FAILURES = plain(
  `WITH past AS MATERIALIZED (
     SELECT app_id, key_kind, phone_hash FROM failures WHERE last_at < $1 ORDER BY last_at LIMIT $2 FOR UPDATE SKIP LOCKED
   ), gone AS (DELETE FROM failures USING past WHERE failures.app_id = past.app_id AND failures.key_kind = past.key_kind
     AND failures.phone_hash = past.phone_hash RETURNING 1) SELECT count(*) FROM gone`,
  ({ at, limit }) => [at, limit],
  count,
)

const CLAIMS = oldest('claims', 'claim_id', 'created_at < $1')
const REPORTS = oldest('awaited_reports', 'message_id', 'answered_at < $1')
const LETTERS = oldest('outbox', 'issue_id', 'expires_at <= $1')

/** By their ids, which carry their time; and events nobody is told of any more. */
const HOOKS = plain(
  `WITH old AS MATERIALIZED (
     SELECT delivery_id, event_id FROM webhook_deliveries WHERE delivery_id < $1 AND status <> 'pending'
     ORDER BY delivery_id LIMIT $2 FOR UPDATE SKIP LOCKED
   ), gone_attempts AS (DELETE FROM webhook_attempts USING old WHERE webhook_attempts.delivery_id = old.delivery_id
   ), gone_jobs AS (DELETE FROM jobs USING old WHERE subject_id = old.delivery_id AND kind = 'webhook'
   ), gone_events AS (
     DELETE FROM webhook_events WHERE event_id IN (SELECT event_id FROM old) AND NOT EXISTS (
       SELECT 1 FROM webhook_deliveries AS other WHERE other.event_id = webhook_events.event_id
         AND other.delivery_id NOT IN (SELECT delivery_id FROM old))
   ), gone AS (DELETE FROM webhook_deliveries USING old WHERE webhook_deliveries.delivery_id = old.delivery_id RETURNING 1
   ) SELECT count(*) FROM gone`,
  ({ before, limit }) => [idFloor(before as number), limit],
  count,
)

export function retentionTx(unit: Unit): Tx['retention'] {
  const deleted = async (statement: Statement<number>, values: Record<string, unknown>) =>
    (await unit.change(statement, values))[0] ?? 0
  return {
    issues: (mode, before, limit) => deleted(ISSUES, { mode, before, limit }),
    claims: (before, limit) => deleted(CLAIMS, { at: before, limit }),
    failures: (before, limit) => deleted(FAILURES, { at: before, limit }),
    reports: (before, limit) => deleted(REPORTS, { at: before, limit }),
    hooks: (before, limit) => deleted(HOOKS, { before, limit }),
    async outbox(limit) {
      await unit.opened()
      return deleted(LETTERS, { at: unit.now, limit })
    },
  }
}
