/** Usage by hour: kept rows for hours that have settled, counted ones for the rest. */
import type { Database } from 'bun:sqlite'
import { LATENCY_STEPS_MS, type UsageRow } from '../../domain/usage'
import { HOUR_MS, type Owner } from '../../domain/value'
import type { Reader, Tx } from '../../ports'
import { idFloor, idTime, uuidBytes, uuidText } from './ids'

/** The histogram as a JSON array, one count for each step and one for what is beyond. */
const HISTOGRAM = `json_array(${[...LATENCY_STEPS_MS, Number.MAX_SAFE_INTEGER]
  .map((step, index, steps) => `sum(a.latency > ${steps[index - 1] ?? -1} AND a.latency <= ${step})`)
  .map((count) => `coalesce(${count}, 0)`)
  .join(', ')})`

/** Of issues by id, so by time: the primary key leads to them. */
const COUNT = `
  SELECT i.app_id AS appId, i.mode, (i.created_at / ${HOUR_MS}) * ${HOUR_MS} AS hour, i.leg AS channel,
    coalesce(a.provider, '') AS provider, coalesce(i.country, '') AS country, i.purpose,
    count(*) AS issued, sum(i.delivery_status = 'delivered') AS delivered, sum(i.delivery_status = 'failed') AS failed,
    sum(i.verification_status = 'verified') AS verified, sum(i.debited_amount) AS spent, ${HISTOGRAM} AS latencies
  FROM issues i LEFT JOIN (
    SELECT app_id, mode, issue_id, leg, provider, answered_at - called_at AS latency FROM attempts
    WHERE app_id = $appId AND mode = $mode AND outcome = 'accepted' AND issue_id >= $from AND issue_id < $below
  ) a ON a.app_id = i.app_id AND a.mode = i.mode AND a.issue_id = i.issue_id AND a.leg = i.leg
  WHERE i.app_id = $appId AND i.mode = $mode AND i.issue_id >= $from AND i.issue_id < $below
  GROUP BY hour, i.leg, provider, country, i.purpose`

const ROLLED_UNTIL = 'usage_rolled_until'

interface Row extends Omit<UsageRow, 'latencies'> {
  latencies: string
}

const rowOf = ({ latencies, ...row }: Row): UsageRow => ({ ...row, latencies: JSON.parse(latencies) })

const range = (from: number, to: number) => ({ from: uuidBytes(idFloor(from)), below: uuidBytes(idFloor(to)) })

function rolledUntil(connection: Database): () => number | undefined {
  const find = connection.query<{ at: string }, { name: string }>(
    'SELECT CAST(value AS TEXT) AS at FROM facts WHERE name = $name',
  )
  return () => {
    const row = find.get({ name: ROLLED_UNTIL })
    return row ? Number(row.at) : undefined
  }
}

export function createUsageTx(connection: Database): Pick<Tx, 'usageRolledUntil' | 'rollUpHour'> {
  const findRolled = rolledUntil(connection)
  const owners = connection.query<Owner, []>(
    "SELECT app_id AS appId, mode FROM apps, (SELECT 'live' AS mode UNION ALL SELECT 'test')",
  )
  const oldest = connection.query<{ id: Uint8Array | null }, { appId: string; mode: string }>(
    'SELECT min(issue_id) AS id FROM issues WHERE app_id = $appId AND mode = $mode',
  )
  const keep = connection.query(
    `INSERT OR REPLACE INTO usage_hours (app_id, mode, hour, channel, provider, country, purpose, issued, delivered,
       failed, verified, spent, latencies) ${COUNT}`,
  )
  const mark = connection.query('INSERT OR REPLACE INTO facts (name, value) VALUES ($name, CAST($at AS BLOB))')
  return {
    async usageRolledUntil() {
      const known = findRolled()
      if (known !== undefined) return known
      const firsts = owners.all().flatMap(({ appId, mode }) => oldest.get({ appId, mode })?.id ?? [])
      const [first] = firsts.map((id) => idTime(uuidText(id))).sort((a, b) => a - b)
      return first === undefined ? undefined : Math.floor(first / HOUR_MS) * HOUR_MS
    },
    async rollUpHour(hour) {
      for (const { appId, mode } of owners.all()) keep.run({ appId, mode, ...range(hour, hour + HOUR_MS) })
      mark.run({ name: ROLLED_UNTIL, at: String(hour + HOUR_MS) })
    },
  }
}

export function createUsageReader(connection: Database): Pick<Reader, 'usage'> {
  const findRolled = rolledUntil(connection)
  const kept = connection.query<Row, { appId: string; mode: string; from: number; to: number }>(
    `SELECT hour, channel, provider, country, purpose, issued, delivered, failed, verified, spent, latencies
     FROM usage_hours WHERE app_id = $appId AND mode = $mode AND hour >= $from AND hour < $to`,
  )
  const counted = connection.query<Row, { appId: string; mode: string; from: Uint8Array; below: Uint8Array }>(COUNT)
  return {
    async usage({ appId, mode }, from, to) {
      const rolled = Math.min(Math.max(findRolled() ?? from, from), to)
      return [
        ...kept.all({ appId, mode, from, to: rolled }),
        ...counted.all({ appId, mode, ...range(rolled, to) }),
      ].map(rowOf)
    },
  }
}
