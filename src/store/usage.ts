/** Usage by quarters of an hour: stored rows for hours that have settled, counted ones for the rest. */
import { sql } from 'drizzle-orm'
import {
  sumRows,
  TALLIED,
  USAGE_INTERVAL_MS,
  type UsageKey,
  type UsageRow,
  type UsageSum,
  type UsageTally,
} from '../domain/operations/usage'
import { DAY_MS, HOUR_MS, type Leg, MINUTE_MS, type Owner } from '../domain/shared/value'
import type { UsageReader, UsageTx } from '../ports/store/wallets'
import { inDialect } from './dialect'
import { readFact, saveFact } from './facts'
import { idFloor, idTime } from './ids'
import { type CountedRow, mergeBuckets, ROLLED_UNTIL, STEP, SUMS, TAKEN } from './rows/usage'
import type { Querying, Session } from './session'
import { statement } from './statement'

const keyOf = ([channel, carrier, country, purpose]: readonly unknown[]): UsageKey => ({
  ...{ channel: channel as Leg, carrier: String(carrier), country: String(country), purpose: String(purpose) },
})

/** In the order of `TALLIED`. */
const tallyOf = (counts: readonly unknown[]) =>
  Object.fromEntries(TALLIED.map((name, place) => [name, Number(counts[place])])) as UsageTally

const STATEMENTS = inDialect(({ db, tables: { issues, usageIntervals }, ...its }) => {
  const { parameters, excluded, bind, match, number, word, plain, idIn, either } = its
  const owned = sql`app_id = ${word('appId')} AND mode = ${word('mode')}`
  const range = sql`i.app_id = ${word('appId')} AND i.mode = ${word('mode')}
    AND i.issue_id >= ${bind(issues.issueId, 'from')} AND i.issue_id < ${bind(issues.issueId, 'below')}`
  const at = sql.raw(`(i.created_at / ${USAGE_INTERVAL_MS}) * ${USAGE_INTERVAL_MS} AS at`)
  /** A code without a message is delivered, as its app is shown it. */
  const delivery = sql.raw(`coalesce(i.delivery_status, 'delivered')`)
  /** Purposes are trimmed, so a message alone is never added to the codes of a purpose. */
  const purposeOf = sql.raw(`CASE WHEN i.verification_status IS NULL THEN ' ' ELSE '' END || i.purpose`)
  const [step, taken] = [sql.raw(STEP), sql.raw(TAKEN)]
  const { appId, mode, at: interval, channel, carrier, country, purpose } = usageIntervals
  const purposeOrNone = sql`CASE WHEN ${number('byPurpose')} = 1 THEN purpose ELSE '' END`
  return {
    /**
     * Counts a range of ids, which the primary key finds and which is a range of time. One row for each bucket of the
     * histogram. Each issue counts at its last leg; messages of the legs before follow.
     */
    count: plain(
      () => sql`
        SELECT ${at}, coalesce(i.leg, i.channel) AS leg, coalesce(a.provider, '') AS carrier, coalesce(i.country, '') AS country, ${purposeOf} AS purpose,
          ${step} AS step, count(*),
          count(*) FILTER (WHERE ${delivery} IN ('sent', 'delivered') OR a.provider IS NOT NULL
            OR EXISTS (SELECT 1 FROM attempts a WHERE ${taken})),
          count(*) FILTER (WHERE ${delivery} = 'delivered'), count(*) FILTER (WHERE ${delivery} = 'failed'),
          count(*) FILTER (WHERE i.verification_status = 'verified'), sum(i.debited_amount), count(a.provider)
        FROM issues i LEFT JOIN attempts a ON ${taken} AND a.leg = i.leg
        WHERE ${range}
        GROUP BY at, coalesce(i.leg, i.channel), carrier, i.country, ${purposeOf}, step
        UNION ALL
        SELECT ${at}, a.leg, a.provider, coalesce(i.country, ''), ${purposeOf}, ${step} AS step, 0, 0, 0, 0, 0, 0, count(*)
        FROM issues i JOIN attempts a ON ${taken} AND a.leg <> i.leg
        WHERE ${range} AND (i.legs IS NOT NULL OR i.leg <> i.channel)
        GROUP BY at, a.leg, a.provider, i.country, ${purposeOf}, step`,
      ([at, channel, carrier, country, purpose, step, ...tally]): CountedRow => ({
        ...{ at: Number(at), ...keyOf([channel, carrier, country, purpose]), ...tallyOf(tally) },
        step: step === null ? undefined : Number(step),
      }),
    ),
    /** The id `rows` rows further on in a range. */
    further: plain(
      () => sql`SELECT i.issue_id FROM issues i WHERE ${range} ORDER BY i.issue_id LIMIT 1
        OFFSET ${sql.placeholder('rows')}`,
      ([issueId]) => idIn(issueId),
    ),
    oldest: plain(
      () => sql`SELECT issue_id FROM issues WHERE ${owned} AND issue_id >= ${bind(issues.issueId, 'from')}
        ORDER BY issue_id LIMIT 1`,
      ([issueId]) => idIn(issueId),
    ),
    keep: statement(() =>
      db
        .insert(usageIntervals)
        .values(parameters(usageIntervals))
        .onConflictDoUpdate({
          target: [appId, mode, interval, channel, carrier, country, purpose],
          set: excluded(usageIntervals, [...TALLIED, 'latencies']),
        }),
    ),
    kept: statement(() =>
      db
        .select()
        .from(usageIntervals)
        .where(sql`${match(usageIntervals, 'appId', 'mode')} AND at >= ${number('from')} AND at < ${number('to')}`),
    ),
    summed: plain(
      () => sql`SELECT (at + ${number('offsetMs')}) / ${number('stepMs')} AS step, channel, provider, country,
          ${purposeOrNone} AS named, ${sql.raw(SUMS)}
        FROM usage_intervals WHERE ${owned} AND at >= ${number('from')} AND at < ${number('to')}
        GROUP BY step, channel, provider, country, named`,
      ([step, channel, carrier, country, purpose, ...tally]): UsageSum => ({
        ...{ step: Number(step), ...keyOf([channel, carrier, country, purpose]), ...tallyOf(tally) },
      }),
    ),
    /** Issues counted in one step, which takes a few milliseconds: SQLite's are counted on the event loop. */
    issuesPerStep: either({ sqlite: 1_000, postgres: 50_000 }),
  }
})

const rolledUntil = async (asked: Querying): Promise<number | undefined> => {
  const at = await readFact(asked, ROLLED_UNTIL)
  return at === undefined ? undefined : Number(at)
}

export function usageTx(tx: Session): UsageTx {
  return {
    async keep(rows) {
      for (const row of rows) tx.run(STATEMENTS(tx).keep, { ...row })
    },
    async markRolled(until) {
      tx.lock('usage')
      if (until > ((await rolledUntil(tx)) ?? 0)) saveFact(tx, ROLLED_UNTIL, String(until))
    },
  }
}

/** A past hour changes less the older it is, so its count is cached for this long, or for a part of its age. */
const COUNT_KEPT_MS = 10 * MINUTE_MS
const COUNT_KEPT_SHARE = 1 / 6
/**
 * A count of the current hour is cached for this many times its duration, so that counting cannot keep the database
 * busy.
 */
const REST_AFTER_COUNT = 20
const MAX_COUNTS_KEPT = 2_000

export function usageReader(reads: Querying, elapsed: () => number): UsageReader {
  const its = STATEMENTS(reads)
  const counts = new Map<string, { rows: UsageRow[]; at: number; keptMs: number }>()

  /** Start of the hour of the first issue at `from` or later. */
  async function firstHour({ appId, mode }: Owner, from: number): Promise<number | undefined> {
    const id = await reads.get(its.oldest, { appId, mode, from: idFloor(from) })
    return id === undefined ? undefined : Math.floor(idTime(id) / HOUR_MS) * HOUR_MS
  }

  async function countHour({ appId, mode }: Owner, hour: number): Promise<UsageRow[]> {
    const merged = new Map<string, UsageRow>()
    const below = idFloor(hour + HOUR_MS)
    for (let from: string | undefined = idFloor(hour); from !== undefined; ) {
      const part: object = { appId, mode, from, below, rows: its.issuesPerStep }
      const next: string | undefined = await reads.get(its.further, { ...part })
      mergeBuckets(await reads.all(its.count, { ...part, below: next ?? below }), merged)
      from = next
    }
    return [...merged.values()]
  }

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

  const rolledIn = async (owner: Owner, { from, to }: { from: number; to: number }) =>
    Math.min(Math.max((await rolledUntil(reads)) ?? (await firstHour(owner, 0)) ?? to, from), to)

  /** Counts what is not stored: whole hours with issues, of which only the intervals asked for are answered. */
  async function countedRows(owner: Owner, from: number, to: number, now: number): Promise<UsageRow[]> {
    const rows: UsageRow[] = []
    for (let hour = Math.floor(from / HOUR_MS) * HOUR_MS; ; hour += HOUR_MS) {
      hour = (await firstHour(owner, hour)) ?? to
      if (hour >= to || hour > now) return rows
      rows.push(...(await hourOf(owner, hour, now)).filter(({ at }) => at >= from && at < to))
    }
  }

  return {
    rolledUntil: () => rolledUntil(reads),
    firstHour,
    countHour,
    async rows(owner, from, to, now) {
      const rolled = await rolledIn(owner, { from, to })
      const { appId, mode } = owner
      const rows = await reads.all(its.kept, { appId, mode, from, to: rolled })
      return [...rows.map(({ appId: _, mode: __, ...row }) => row), ...(await countedRows(owner, rolled, to, now))]
    },
    async sums({ appId, mode }, { byPurpose, ...slice }, now) {
      const rolled = await rolledIn({ appId, mode }, slice)
      const sums: UsageSum[] = []
      for (let from = slice.from; from < rolled; from += DAY_MS) {
        const day = { from, to: Math.min(from + DAY_MS, rolled), byPurpose: byPurpose ? 1 : 0 }
        sums.push(...(await reads.all(its.summed, { appId, mode, ...slice, ...day })))
      }
      const counted = await countedRows({ appId, mode }, rolled, slice.to, now)
      return [...sums, ...sumRows(counted, { ...slice, byPurpose })]
    },
  }
}
