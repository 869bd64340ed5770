/** Usage by quarters of an hour: stored rows for hours that have settled, counted ones for the rest. */
import type { Database } from 'bun:sqlite'
import {
  sumRows,
  TALLIED,
  USAGE_INTERVAL_MS,
  type UsageRow,
  type UsageSlice,
  type UsageSum,
} from '../../domain/operations/usage'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Owner } from '../../domain/shared/value'
import type { Lists, Tx } from '../../ports/store'
import { idFloor, idTime, uuidBytes, uuidText } from '../ids'
import { type CountedRow, mergeBuckets, ROLLED_UNTIL, STEP, SUMS, TAKEN } from '../rows/usage'
import { nextTurn } from './connection/read-group'
import { on, plain } from './connection/statement'

const AT = `(i.created_at / ${USAGE_INTERVAL_MS}) * ${USAGE_INTERVAL_MS} AS at`
const RANGE = 'i.app_id = $appId AND i.mode = $mode AND i.issue_id >= $from AND i.issue_id < $below'

/**
 * Counts a range of ids, which the primary key finds and which is a range of time. One row for each bucket of the
 * histogram. Each issue counts at its last leg; messages of the legs before follow.
 */
const COUNT = `
  SELECT ${AT}, i.leg AS channel,
    coalesce(a.provider, '') AS carrier, coalesce(i.country, '') AS country, i.purpose, ${STEP} AS step,
    count(*) AS issued, sum(i.delivery_status IN ('sent', 'delivered') OR a.provider IS NOT NULL
      OR EXISTS (SELECT 1 FROM attempts a WHERE ${TAKEN})) AS sent,
    sum(i.delivery_status = 'delivered') AS delivered, sum(i.delivery_status = 'failed') AS failed,
    sum(i.verification_status = 'verified') AS verified, sum(i.debited_amount) AS spent, count(a.provider) AS messages
  FROM issues i LEFT JOIN attempts a ON ${TAKEN} AND a.leg = i.leg
  WHERE ${RANGE}
  GROUP BY at, i.leg, carrier, i.country, i.purpose, step
  UNION ALL
  SELECT ${AT}, a.leg, a.provider, coalesce(i.country, ''), i.purpose, ${STEP} AS step, 0, 0, 0, 0, 0, 0, count(*)
  FROM issues i JOIN attempts a ON ${TAKEN} AND a.leg <> i.leg
  WHERE ${RANGE} AND (i.legs IS NOT NULL OR i.leg <> i.channel)
  GROUP BY at, a.leg, a.provider, i.country, i.purpose, step`

interface HourRange extends Record<string, string | Uint8Array> {
  appId: string
  mode: string
  from: Uint8Array
  below: Uint8Array
}

interface UsageHourRow extends Omit<UsageRow, 'latencies'> {
  latencies: string
}

const rowOf = ({ latencies, ...row }: UsageHourRow): UsageRow => ({ ...row, latencies: JSON.parse(latencies) })

interface SumParameters
  extends Record<string, string | number>,
    Pick<UsageSlice, 'from' | 'to' | 'offsetMs' | 'stepMs'> {
  appId: string
  mode: string
  byPurpose: number
}

const range = (from: number, to: number) => ({ from: uuidBytes(idFloor(from)), below: uuidBytes(idFloor(to)) })

const FIND_ROLLED = plain<{ at: string }, { name: string }>(
  'SELECT CAST(value AS TEXT) AS at FROM facts WHERE name = $name',
)

function rolledUntil(connection: Database): () => number | undefined {
  const find = FIND_ROLLED.on(connection)
  return () => {
    const row = find.get({ name: ROLLED_UNTIL })
    return row ? Number(row.at) : undefined
  }
}

const USAGE_TX = {
  keep: plain<never, Record<string, string | number>>(
    `INSERT OR REPLACE INTO usage_intervals (app_id, mode, at, channel, provider, country, purpose, issued, sent,
       delivered, failed, verified, spent, messages, latencies)
     VALUES ($appId, $mode, $at, $channel, $carrier, $country, $purpose, $issued, $sent, $delivered, $failed, $verified,
       $spent, $messages, $latencies)`,
  ),
  mark: plain<never, { name: string; at: string }>(
    'INSERT OR REPLACE INTO facts (name, value) VALUES ($name, CAST($at AS BLOB))',
  ),
}

export function createUsageTx(connection: Database): Pick<Tx, 'usage'> {
  const { keep, mark } = on(connection, USAGE_TX)
  const findRolled = rolledUntil(connection)
  return {
    usage: {
      async keep(rows) {
        for (const row of rows) keep.run({ ...row, latencies: JSON.stringify(row.latencies) })
      },
      async markRolled(until) {
        if (until > (findRolled() ?? 0)) mark.run({ name: ROLLED_UNTIL, at: String(until) })
      },
    },
  }
}

/** Issues counted in one step, which takes a few milliseconds. */
const ISSUES_PER_STEP = 1_000

/** A past hour changes less the older it is, so its count is cached for this long, or for a part of its age. */
const COUNT_KEPT_MS = 10 * MINUTE_MS
const COUNT_KEPT_SHARE = 1 / 6
/**
 * A count of the current hour is cached for this many times its duration, so that counting cannot keep the process
 * busy.
 */
const REST_AFTER_COUNT = 20
const MAX_COUNTS_KEPT = 2_000

const USAGE_READER = {
  oldest: plain<{ id: Uint8Array | null }, { appId: string; mode: string; from: Uint8Array }>(
    'SELECT min(issue_id) AS id FROM issues WHERE app_id = $appId AND mode = $mode AND issue_id >= $from',
  ),
  kept: plain<
    UsageHourRow,
    { appId: string; mode: string; from: number; to: number }
  >(`SELECT at, channel, provider AS carrier, country, purpose, ${TALLIED.join(', ')}, latencies
     FROM usage_intervals WHERE app_id = $appId AND mode = $mode AND at >= $from AND at < $to`),
  summed: plain<
    UsageSum,
    SumParameters
  >(`SELECT (at + $offsetMs) / $stepMs AS step, channel, provider AS carrier, country,
       iif($byPurpose, purpose, '') AS purpose, ${SUMS}
     FROM usage_intervals WHERE app_id = $appId AND mode = $mode AND at >= $from AND at < $to
     GROUP BY step, channel, provider, country, iif($byPurpose, purpose, '')`),
  counted: plain<CountedRow, HourRange>(COUNT),
  further: plain<{ id: Uint8Array }, HourRange>(
    `SELECT i.issue_id AS id FROM issues i WHERE ${RANGE} ORDER BY i.issue_id LIMIT 1 OFFSET ${ISSUES_PER_STEP}`,
  ),
}

export function createUsageReader(connection: Database, elapsed: () => number): Pick<Lists, 'usage'> {
  const findRolled = rolledUntil(connection)
  const { kept, summed, counted, further, oldest } = on(connection, USAGE_READER)
  const firstHourOf = ({ appId, mode }: Owner, from: number): number | undefined => {
    const id = oldest.get({ appId, mode, from: uuidBytes(idFloor(from)) })?.id
    return id ? Math.floor(idTime(uuidText(id)) / HOUR_MS) * HOUR_MS : undefined
  }
  const counts = new Map<string, { rows: UsageRow[]; at: number; keptMs: number }>()

  async function countHour({ appId, mode }: Owner, hour: number): Promise<UsageRow[]> {
    const merged = new Map<string, UsageRow>()
    const { from, below } = range(hour, hour + HOUR_MS)
    for (let first: Uint8Array | undefined = from; first !== undefined; ) {
      const next: Uint8Array | undefined = further.get({ appId, mode, from: first, below })?.id
      mergeBuckets(counted.all({ appId, mode, from: first, below: next ?? below }), merged)
      first = next
      await nextTurn()
    }
    return [...merged.values()]
  }

  async function hourOf({ appId, mode }: Owner, hour: number, now: number): Promise<UsageRow[]> {
    const name = `${appId}/${mode}/${hour}`
    const known = counts.get(name)
    if (known && Math.abs(now - known.at) < known.keptMs) return known.rows
    const startedAt = elapsed()
    const rows = await countHour({ appId, mode }, hour)
    const tookMs = elapsed() - startedAt
    const isOver = hour + HOUR_MS + COUNT_KEPT_MS <= now
    if (counts.size >= MAX_COUNTS_KEPT) counts.clear()
    const pastMs = Math.max(COUNT_KEPT_MS, (now - hour - HOUR_MS) * COUNT_KEPT_SHARE)
    counts.set(name, { rows, at: now, keptMs: isOver ? pastMs : tookMs * REST_AFTER_COUNT })
    return rows
  }

  const rolledIn = (owner: Owner, { from, to }: { from: number; to: number }) =>
    Math.min(Math.max(findRolled() ?? firstHourOf(owner, 0) ?? to, from), to)

  /** Counts what is not stored: whole hours with issues, of which only the intervals asked for are answered. */
  async function countedRows(owner: Owner, from: number, to: number, now: number): Promise<UsageRow[]> {
    const rows: UsageRow[] = []
    for (let hour = Math.floor(from / HOUR_MS) * HOUR_MS; ; hour += HOUR_MS) {
      hour = firstHourOf(owner, hour) ?? to
      if (hour >= to || hour > now) return rows
      rows.push(...(await hourOf(owner, hour, now)).filter(({ at }) => at >= from && at < to))
    }
  }

  return {
    usage: {
      async rolledUntil() {
        return findRolled()
      },
      async firstHour(owner, from) {
        const hour = firstHourOf(owner, from)
        // Thousands of owners are asked for one after the other.
        await nextTurn()
        return hour
      },
      countHour,
      async rows(owner, from, to, now) {
        const rolled = rolledIn(owner, { from, to })
        const rows = kept.all({ appId: owner.appId, mode: owner.mode, from, to: rolled }).map(rowOf)
        return [...rows, ...(await countedRows(owner, rolled, to, now))]
      },
      async sums({ appId, mode }, slice, now) {
        const { offsetMs, stepMs, byPurpose } = slice
        const rolled = rolledIn({ appId, mode }, slice)
        const sums: UsageSum[] = []
        for (let from = slice.from; from < rolled; from += DAY_MS) {
          const to = Math.min(from + DAY_MS, rolled)
          sums.push(...summed.all({ appId, mode, from, to, offsetMs, stepMs, byPurpose: byPurpose ? 1 : 0 }))
          await nextTurn()
        }
        return [...sums, ...sumRows(await countedRows({ appId, mode }, rolled, slice.to, now), slice)]
      },
    },
  }
}
