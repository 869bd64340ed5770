/** Usage by hour: stored rows for hours that have settled, counted ones for the rest. */
import type { UsageRow } from '../../domain/operations/usage'
import { HOUR_MS, type Leg, MINUTE_MS, type Mode, type Owner } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { UsageReader } from '../../ports/store/wallets'
import { idFloor, idTime } from '../ids'
import { type CountedRow, mergeBuckets, ROLLED_UNTIL, STEP } from '../rows/usage'
import { plain } from './connection/statement'
import { lock, type Querying, type Transaction } from './connection/transaction'

/**
 * Counts a range of ids, which the primary key finds and which is a range of time. One row for each bucket of the
 * histogram.
 */
const COUNT = plain<CountedRow>(
  `SELECT (i.created_at / ${HOUR_MS}) * ${HOUR_MS} AS hour, i.leg, coalesce(a.provider, '') AS carrier,
     coalesce(i.country, '') AS country, i.purpose, ${STEP} AS step, count(*),
     count(*) FILTER (WHERE i.delivery_status = 'delivered'), count(*) FILTER (WHERE i.delivery_status = 'failed'),
     count(*) FILTER (WHERE i.verification_status = 'verified'), sum(i.debited_amount)
   FROM issues i LEFT JOIN attempts a ON a.app_id = i.app_id AND a.mode = i.mode AND a.issue_id = i.issue_id
     AND a.leg = i.leg AND a.outcome = 'accepted'
   WHERE i.app_id = $1 AND i.mode = $2 AND i.issue_id >= $3 AND i.issue_id < $4
   GROUP BY hour, i.leg, carrier, i.country, i.purpose, step`,
  ({ appId, mode, from, to }) => [appId, mode, idFloor(from as number), idFloor(to as number)],
  ([hour, channel, carrier, country, purpose, step, issued, delivered, failed, verified, spent]) => ({
    ...usageOf([hour, channel, carrier, country, purpose, issued, delivered, failed, verified, spent]),
    step: step === null ? null : Number(step),
  }),
)

function usageOf(row: readonly unknown[]): Omit<UsageRow, 'latencies'> {
  const [hour, channel, carrier, country, purpose, issued, delivered, failed, verified, spent] = row
  return {
    ...{ hour: Number(hour), channel: channel as Leg, carrier: String(carrier) },
    ...{ country: String(country), purpose: String(purpose), issued: Number(issued), delivered: Number(delivered) },
    ...{ failed: Number(failed), verified: Number(verified), spent: Number(spent) },
  }
}

const ROLLED = plain(
  "SELECT convert_from(value, 'UTF8') FROM facts WHERE name = $1",
  () => [ROLLED_UNTIL],
  ([at]) => Number(at),
)
const OLDEST = plain(
  'SELECT issue_id FROM issues WHERE app_id = $1 AND mode = $2 ORDER BY issue_id LIMIT 1',
  ({ appId, mode }) => [appId, mode],
  ([id]) => idTime(String(id)),
)
const OWNERS = plain<Owner>(
  `SELECT app_id, mode FROM apps, (VALUES ('live'), ('test')) AS modes (mode)`,
  () => [],
  ([appId, mode]) => ({ appId: String(appId), mode: mode as Mode }),
)
const COLUMNS = 'hour, channel, provider, country, purpose, issued, delivered, failed, verified, spent, latencies'
const KEEP = plain(
  `INSERT INTO usage_hours (app_id, mode, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   ON CONFLICT (app_id, mode, hour, channel, provider, country, purpose) DO UPDATE SET issued = excluded.issued,
     delivered = excluded.delivered, failed = excluded.failed, verified = excluded.verified, spent = excluded.spent,
     latencies = excluded.latencies`,
  (row) => [
    ...[row.appId, row.mode, row.hour, row.channel, row.carrier, row.country, row.purpose],
    ...[row.issued, row.delivered, row.failed, row.verified, row.spent, JSON.stringify(row.latencies)],
  ],
)
const MARK = plain(
  `INSERT INTO facts (name, value) VALUES ($1, convert_to($2, 'UTF8'))
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ({ at }) => [ROLLED_UNTIL, String(at)],
)

export function usageTx(transaction: Transaction): Tx['usage'] {
  return {
    async rolledUntil() {
      // Only one server counts an hour.
      lock(transaction, 'usage')
      const known = await transaction.get(ROLLED)
      if (known !== undefined) return known
      const owners = await transaction.all(OWNERS)
      const firsts = await Promise.all(owners.map((owner) => transaction.get(OLDEST, { ...owner })))
      const [first] = firsts.filter((at) => at !== undefined).sort((a, b) => a - b)
      return first === undefined ? undefined : Math.floor(first / HOUR_MS) * HOUR_MS
    },
    async rollUp(hour) {
      lock(transaction, 'usage')
      for (const owner of await transaction.all(OWNERS)) {
        const rows = await transaction.all(COUNT, { ...owner, from: hour, to: hour + HOUR_MS })
        for (const row of mergeBuckets(rows)) transaction.run(KEEP, { ...owner, ...row })
      }
      transaction.run(MARK, { at: hour + HOUR_MS })
    },
  }
}

const KEPT = plain<UsageRow>(
  `SELECT ${COLUMNS} FROM usage_hours WHERE app_id = $1 AND mode = $2 AND hour >= $3 AND hour < $4`,
  ({ appId, mode, from, to }) => [appId, mode, from, to],
  (row) => ({ ...usageOf(row), latencies: JSON.parse(String(row[10])) }),
)

/** A past hour changes little until it settles, so its count is cached for this long. */
const COUNT_KEPT_MS = 10 * MINUTE_MS
/**
 * A count of the current hour is cached for this many times its duration, so that counting cannot keep the database
 * busy.
 */
const REST_AFTER_COUNT = 20
const MAX_COUNTS_KEPT = 2_000

export function usageReader(pool: Querying, elapsed: () => number): UsageReader {
  const counts = new Map<string, { rows: UsageRow[]; at: number; keptMs: number }>()

  async function hourOf(owner: Owner, hour: number, now: number): Promise<UsageRow[]> {
    const name = `${owner.appId}/${owner.mode}/${hour}`
    const known = counts.get(name)
    if (known && Math.abs(now - known.at) < known.keptMs) return known.rows
    const startedAt = elapsed()
    const { appId, mode } = owner
    const rows = mergeBuckets(await pool.all(COUNT, { appId, mode, from: hour, to: hour + HOUR_MS }))
    const tookMs = elapsed() - startedAt
    const isOver = hour + HOUR_MS + COUNT_KEPT_MS <= now
    if (counts.size >= MAX_COUNTS_KEPT) counts.clear()
    counts.set(name, { rows, at: now, keptMs: isOver ? COUNT_KEPT_MS : tookMs * REST_AFTER_COUNT })
    return rows
  }

  /** Start of the hour of the first issue. */
  async function firstHour({ appId, mode }: Owner): Promise<number> {
    const at = await pool.get(OLDEST, { appId, mode })
    return at === undefined ? Number.POSITIVE_INFINITY : Math.floor(at / HOUR_MS) * HOUR_MS
  }

  return {
    async rows(owner, from, to, now) {
      const settled = (await pool.get(ROLLED)) ?? (await firstHour(owner))
      const rolled = Math.min(Math.max(settled, from), to)
      const { appId, mode } = owner
      const rows = await pool.all(KEPT, { appId, mode, from, to: rolled })
      for (let hour = rolled; hour < to && hour <= now; hour += HOUR_MS) rows.push(...(await hourOf(owner, hour, now)))
      return rows
    },
  }
}
