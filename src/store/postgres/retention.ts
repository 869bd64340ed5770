/** Deletes data past its retention. Several servers may do so at once; each skips the rows that another is deleting. */
import type { Tx } from '../../ports/store'
import { idFloor } from '../ids'
import { NETWORKS_FORGOTTEN } from '../rows/traffic'
import { listOf, plain, type Statement } from './connection/statement'
import { lock, type Transaction } from './connection/transaction'
import { deliveryDeletion } from './webhooks'

const count = ([deleted]: readonly unknown[]) => Number(deleted)

/** Issues with unfinished work are kept. */
const ISSUES = plain(
  `WITH old AS MATERIALIZED (
     SELECT issues.app_id, mode, issue_id FROM apps JOIN LATERAL (
       SELECT app_id, mode, issue_id FROM issues
       WHERE issues.app_id = apps.app_id AND mode = $1 AND issue_id < $2 AND verification_status <> 'issued'
         AND billing_status IN ('debited', 'released') AND erased_at IS NULL
       ORDER BY issue_id LIMIT $3 FOR UPDATE SKIP LOCKED) AS issues ON true
     WHERE ($4::text IS NULL OR apps.app_id = $4) AND apps.app_id <> ALL ($5::text[]) LIMIT $3
   ), gone_attempts AS (
     DELETE FROM attempts USING old WHERE attempts.app_id = old.app_id AND attempts.mode = old.mode
       AND attempts.issue_id = old.issue_id
   ), gone_jobs AS (DELETE FROM jobs USING old WHERE subject_id = old.issue_id
   ), gone_events AS (DELETE FROM webhook_events USING old WHERE webhook_events.issue_id = old.issue_id AND old.mode = 'live'
       RETURNING webhook_events.event_id
   ), gone_deliveries AS (DELETE FROM webhook_deliveries USING gone_events WHERE webhook_deliveries.event_id = gone_events.event_id
       RETURNING delivery_id
   ), gone_webhook_attempts AS (DELETE FROM webhook_attempts USING gone_deliveries WHERE webhook_attempts.delivery_id = gone_deliveries.delivery_id
   ), gone_delivery_jobs AS (DELETE FROM jobs USING gone_deliveries WHERE jobs.subject_id = gone_deliveries.delivery_id AND kind = 'webhook'
   ), gone_messages AS (DELETE FROM outbox USING old WHERE outbox.issue_id = old.issue_id
   ), gone AS (
     DELETE FROM issues USING old WHERE issues.app_id = old.app_id AND issues.mode = old.mode
       AND issues.issue_id = old.issue_id RETURNING 1
   ) SELECT count(*) FROM gone`,
  ({ mode, before, limit, only = null, but }) => [mode, idFloor(before as number), limit, only, but],
  count,
)

/** Deletes among the first rows by a key that grows with time, so that younger rows are not scanned. */
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

const oldestRows = (table: string, key: string, time: string) =>
  plain(
    `WITH gone AS (DELETE FROM ${table} WHERE (${key}) IN (
       SELECT ${key} FROM ${table} WHERE ${time} < $1 ORDER BY ${time} LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1)
     SELECT count(*) FROM gone`,
    ({ at, limit }) => [at, limit],
    count,
  )
const DECISIONS = oldestRows(
  'decisions',
  'app_id, minute, key_kind, country, rule, refused, prefix_hash, network_hash',
  'minute',
)
/** By app, as they lie. */
const HOURS = plain(
  `WITH gone AS (DELETE FROM traffic_hours WHERE (app_id, hour, key_kind, country) IN (
     SELECT old.* FROM apps JOIN LATERAL (
       SELECT app_id, hour, key_kind, country FROM traffic_hours
       WHERE traffic_hours.app_id = apps.app_id COLLATE "default" AND hour < $1
       ORDER BY hour LIMIT $2 FOR UPDATE SKIP LOCKED) AS old ON true LIMIT $2) RETURNING 1)
   SELECT count(*) FROM gone`,
  ({ at, limit }) => [at, limit],
  count,
)
const SNAPSHOTS = oldestRows('traffic_snapshots', 'app_id', 'made_at')
const INCIDENTS = oldestRows('incidents', 'incident_id', 'ended_at')

const NOTICES = plain(
  `WITH old AS MATERIALIZED (
     SELECT notice_id FROM notices WHERE ended_at < $1 ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
   ), gone_messages AS (DELETE FROM notice_messages USING old WHERE notice_messages.notice_id = old.notice_id
   ), gone AS (DELETE FROM notices USING old WHERE notices.notice_id = old.notice_id RETURNING 1
   ) SELECT count(*) FROM gone`,
  ({ at, limit }) => [at, limit],
  count,
)

const ABSENCES = oldestRows('absent_phones', 'phone_hash, channel', 'until')

const FORGOTTEN = plain(
  "SELECT convert_from(value, 'UTF8') FROM facts WHERE name = $1",
  () => [NETWORKS_FORGOTTEN],
  ([at]) => Number(at),
)
const NOTE_FORGOTTEN = plain(
  `INSERT INTO facts (name, value) VALUES ($1, convert_to($2, 'UTF8'))
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ({ at }) => [NETWORKS_FORGOTTEN, String(at)],
)
const NETWORKS = plain(
  `WITH old AS MATERIALIZED (
     SELECT issues.app_id, mode, issue_id FROM apps JOIN LATERAL (
       SELECT app_id, mode, issue_id FROM issues WHERE issues.app_id = apps.app_id AND mode = 'live'
         AND issue_id >= $1 AND issue_id < $2 AND network_hash IS NOT NULL
       ORDER BY issue_id LIMIT $3 FOR NO KEY UPDATE) AS issues ON true LIMIT $3
   ), forgotten AS (
     UPDATE issues SET network_hash = NULL FROM old WHERE issues.app_id = old.app_id AND issues.mode = old.mode
       AND issues.issue_id = old.issue_id RETURNING 1
   ) SELECT count(*) FROM forgotten`,
  ({ from, before, limit }) => [idFloor(from as number), idFloor(before as number), limit],
  count,
)

const IDEMPOTENCY_RECORDS = oldest('claims', 'claim_id', 'created_at < $1')
const REPORTS = oldest('awaited_reports', 'message_id', 'answered_at < $1')
const MESSAGES = oldest('outbox', 'issue_id', 'expires_at <= $1')

/** Deliveries are selected by id, which carries the time. */
const HOOKS = plain(
  deliveryDeletion(`SELECT delivery_id, event_id FROM webhook_deliveries WHERE delivery_id < $1 AND status <> 'pending'
    ORDER BY delivery_id LIMIT $2 FOR UPDATE SKIP LOCKED`),
  ({ before, limit }) => [idFloor(before as number), limit],
  count,
)

export function retentionTx(transaction: Transaction): Tx['retention'] {
  const deleted = async (statement: Statement<number>, values: Record<string, unknown>) =>
    (await transaction.change(statement, values))[0] ?? 0
  return {
    issues: ({ mode, ...whose }, before, limit) =>
      deleted(ISSUES, {
        mode,
        before,
        limit,
        ...('only' in whose ? { only: whose.only, but: '{}' } : { but: listOf(whose.but) }),
      }),
    idempotencyRecords: (before, limit) => deleted(IDEMPOTENCY_RECORDS, { at: before, limit }),
    failures: (before, limit) => deleted(FAILURES, { at: before, limit }),
    reports: (before, limit) => deleted(REPORTS, { at: before, limit }),
    decisions: (before, limit) => deleted(DECISIONS, { at: before, limit }),
    trafficHours: (before, limit) => deleted(HOURS, { at: before, limit }),
    trafficSnapshots: (before, limit) => deleted(SNAPSHOTS, { at: before, limit }),
    incidents: (before, limit) => deleted(INCIDENTS, { at: before, limit }),
    notices: (before, limit) => deleted(NOTICES, { at: before, limit }),
    absences: (before, limit) => deleted(ABSENCES, { at: before, limit }),
    async networks(before, limit) {
      lock(transaction, NETWORKS_FORGOTTEN)
      // Without an earlier run there was nothing to delete.
      const from = (await transaction.get(FORGOTTEN)) ?? before
      const forgotten = await deleted(NETWORKS, { from, before, limit })
      if (forgotten < limit) transaction.run(NOTE_FORGOTTEN, { at: before })
      return forgotten
    },
    hooks: (before, limit) => deleted(HOOKS, { before, limit }),
    async outbox(limit) {
      await transaction.opened()
      return deleted(MESSAGES, { at: transaction.now, limit })
    },
  }
}
