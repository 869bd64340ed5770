/** Usage by quarters of an hour: stored rows for hours that have settled, counted ones for the rest. */
import {
  sumRows,
  TALLIED,
  USAGE_INTERVAL_MS,
  type UsageKey,
  type UsageRow,
  type UsageSum,
  type UsageTally,
} from '../../domain/operations/usage'
import { HOUR_MS, type Leg, MINUTE_MS, type Owner } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import type { UsageReader } from '../../ports/store/wallets'
import { idFloor, idTime } from '../ids'
import { type CountedRow, mergeBuckets, ROLLED_UNTIL, STEP, SUMS, TAKEN } from '../rows/usage'
import { plain } from './connection/statement'
import { lock, type Querying, type Transaction } from './connection/transaction'

const AT = `(i.created_at / ${USAGE_INTERVAL_MS}) * ${USAGE_INTERVAL_MS} AS at`
const RANGE = 'i.app_id = $1 AND i.mode = $2 AND i.issue_id >= $3 AND i.issue_id < $4'

/**
 * Counts a range of ids, which the primary key finds and which is a range of time. One row for each bucket of the
 * histogram. Each issue counts at its last leg; messages of the legs before follow.
 */
const COUNT = plain<CountedRow>(
  `SELECT ${AT}, i.leg, coalesce(a.provider, '') AS carrier, coalesce(i.country, '') AS country, i.purpose,
     ${STEP} AS step, count(*),
     count(*) FILTER (WHERE i.delivery_status IN ('sent', 'delivered') OR a.provider IS NOT NULL
       OR EXISTS (SELECT FROM attempts a WHERE ${TAKEN})),
     count(*) FILTER (WHERE i.delivery_status = 'delivered'), count(*) FILTER (WHERE i.delivery_status = 'failed'),
     count(*) FILTER (WHERE i.verification_status = 'verified'), sum(i.debited_amount), count(a.provider)
   FROM issues i LEFT JOIN attempts a ON ${TAKEN} AND a.leg = i.leg
   WHERE ${RANGE}
   GROUP BY at, i.leg, carrier, i.country, i.purpose, step
   UNION ALL
   SELECT ${AT}, a.leg, a.provider, coalesce(i.country, ''), i.purpose, ${STEP} AS step, 0, 0, 0, 0, 0, 0, count(*)
   FROM issues i JOIN attempts a ON ${TAKEN} AND a.leg <> i.leg
   WHERE ${RANGE} AND (i.legs IS NOT NULL OR i.leg <> i.channel)
   GROUP BY at, a.leg, a.provider, i.country, i.purpose, step`,
  ({ appId, mode, from, to }) => [appId, mode, idFloor(from as number), idFloor(to as number)],
  ([at, channel, carrier, country, purpose, step, ...tally]) => ({
    ...{ at: Number(at), ...keyOf([channel, carrier, country, purpose]), ...tallyOf(tally) },
    step: step === null ? null : Number(step),
  }),
)

const keyOf = ([channel, carrier, country, purpose]: readonly unknown[]): UsageKey => ({
  ...{ channel: channel as Leg, carrier: String(carrier), country: String(country), purpose: String(purpose) },
})

/** In the order of `TALLIED`. */
const tallyOf = (counts: readonly unknown[]) =>
  Object.fromEntries(TALLIED.map((name, place) => [name, Number(counts[place])])) as UsageTally

const ROLLED = plain(
  "SELECT convert_from(value, 'UTF8') FROM facts WHERE name = $1",
  () => [ROLLED_UNTIL],
  ([at]) => Number(at),
)
/** Start of the hour of the first issue at `from` or later. */
const FIRST_HOUR = plain(
  'SELECT issue_id FROM issues WHERE app_id = $1 AND mode = $2 AND issue_id >= $3 ORDER BY issue_id LIMIT 1',
  ({ appId, mode, from }) => [appId, mode, idFloor(from as number)],
  ([id]) => Math.floor(idTime(String(id)) / HOUR_MS) * HOUR_MS,
)
const COLUMNS = `at, channel, provider, country, purpose, ${TALLIED.join(', ')}, latencies`
const KEEP = plain(
  `INSERT INTO usage_intervals (app_id, mode, ${COLUMNS})
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
   ON CONFLICT (app_id, mode, at, channel, provider, country, purpose) DO UPDATE
   SET ${TALLIED.map((name) => `${name} = excluded.${name}`).join(', ')}, latencies = excluded.latencies`,
  (row) => [
    ...[row.appId, row.mode, row.at, row.channel, row.carrier, row.country, row.purpose],
    ...[...TALLIED.map((name) => row[name]), JSON.stringify(row.latencies)],
  ],
)
const MARK = plain(
  `INSERT INTO facts (name, value) VALUES ($1, convert_to($2, 'UTF8'))
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ({ at }) => [ROLLED_UNTIL, String(at)],
)

export function usageTx(transaction: Transaction): Tx['usage'] {
  return {
    async keep(rows) {
      for (const row of rows) transaction.run(KEEP, { ...row })
    },
    async markRolled(until) {
      lock(transaction, 'usage')
      if (until > ((await transaction.get(ROLLED)) ?? 0)) transaction.run(MARK, { at: until })
    },
  }
}

const KEPT = plain<UsageRow>(
  `SELECT ${COLUMNS} FROM usage_intervals WHERE app_id = $1 AND mode = $2 AND at >= $3 AND at < $4`,
  ({ appId, mode, from, to }) => [appId, mode, from, to],
  ([at, channel, carrier, country, purpose, ...counts]) => ({
    ...{ at: Number(at), ...keyOf([channel, carrier, country, purpose]), ...tallyOf(counts) },
    latencies: JSON.parse(String(counts.at(-1))),
  }),
)
const SUMMED = plain<UsageSum>(
  `SELECT (at + $5) / $6 AS step, channel, provider, country, CASE WHEN $7 THEN purpose ELSE '' END AS named, ${SUMS}
   FROM usage_intervals WHERE app_id = $1 AND mode = $2 AND at >= $3 AND at < $4
   GROUP BY step, channel, provider, country, named`,
  ({ appId, mode, from, to, offsetMs, stepMs, byPurpose }) => [appId, mode, from, to, offsetMs, stepMs, byPurpose],
  ([step, channel, carrier, country, purpose, ...tally]) => ({
    ...{ step: Number(step), ...keyOf([channel, carrier, country, purpose]), ...tallyOf(tally) },
  }),
)

/** A past hour changes less the older it is, so its count is cached for this long, or for a part of its age. */
const COUNT_KEPT_MS = 10 * MINUTE_MS
const COUNT_KEPT_SHARE = 1 / 6
/**
 * A count of the current hour is cached for this many times its duration, so that counting cannot keep the database
 * busy.
 */
const REST_AFTER_COUNT = 20
const MAX_COUNTS_KEPT = 2_000

export function usageReader(pool: Querying, elapsed: () => number): UsageReader {
  const counts = new Map<string, { rows: UsageRow[]; at: number; keptMs: number }>()

  const countHour = async ({ appId, mode }: Owner, hour: number) =>
    mergeBuckets(await pool.all(COUNT, { appId, mode, from: hour, to: hour + HOUR_MS }))

  async function hourOf(owner: Owner, hour: number, now: number): Promise<UsageRow[]> {
    const name = `${owner.appId}/${owner.mode}/${hour}`
    const known = counts.get(name)
    if (known && Math.abs(now - known.at) < known.keptMs) return known.rows
    const startedAt = elapsed()
    const rows = await countHour(owner, hour)
    const tookMs = elapsed() - startedAt
    const isOver = hour + HOUR_MS + COUNT_KEPT_MS <= now
    if (counts.size >= MAX_COUNTS_KEPT) counts.clear()
    const pastMs = Math.max(COUNT_KEPT_MS, (now - hour - HOUR_MS) * COUNT_KEPT_SHARE)
    counts.set(name, { rows, at: now, keptMs: isOver ? pastMs : tookMs * REST_AFTER_COUNT })
    return rows
  }

  const rolledIn = async ({ appId, mode }: Owner, { from, to }: { from: number; to: number }) => {
    const rolled = (await pool.get(ROLLED)) ?? (await pool.get(FIRST_HOUR, { appId, mode, from: 0 })) ?? to
    return Math.min(Math.max(rolled, from), to)
  }

  /** Counts what is not stored: whole hours with issues, of which only the intervals asked for are answered. */
  async function countedRows(owner: Owner, from: number, to: number, now: number): Promise<UsageRow[]> {
    const rows: UsageRow[] = []
    for (let hour = Math.floor(from / HOUR_MS) * HOUR_MS; ; hour += HOUR_MS) {
      hour = (await pool.get(FIRST_HOUR, { appId: owner.appId, mode: owner.mode, from: hour })) ?? to
      if (hour >= to || hour > now) return rows
      rows.push(...(await hourOf(owner, hour, now)).filter(({ at }) => at >= from && at < to))
    }
  }

  return {
    rolledUntil: () => pool.get(ROLLED),
    firstHour: ({ appId, mode }, from) => pool.get(FIRST_HOUR, { appId, mode, from }),
    countHour,
    async rows(owner, from, to, now) {
      const rolled = await rolledIn(owner, { from, to })
      const { appId, mode } = owner
      const rows = await pool.all(KEPT, { appId, mode, from, to: rolled })
      return [...rows, ...(await countedRows(owner, rolled, to, now))]
    },
    async sums({ appId, mode }, slice, now) {
      const rolled = await rolledIn({ appId, mode }, slice)
      const sums = await pool.all(SUMMED, { appId, mode, ...slice, to: rolled })
      return [...sums, ...sumRows(await countedRows({ appId, mode }, rolled, slice.to, now), slice)]
    },
  }
}
