/** Sums of usage and its cost, by whatever people ask for. Decisions: "Usage". */
import { addTally, emptyTally, type UsageSum, type UsageTally } from '../domain/operations/usage'
import type { ReportGroup } from '../domain/operations/usage-report'
import { invalid, missing } from '../domain/shared/error'
import { dayOf, firstOfDay, isDay, isTimeZone, type OffsetPeriod, offsetPeriods } from '../domain/shared/time-zone'
import { DAY_MS, HOUR_MS, type Mode } from '../domain/shared/value'
import { amountText, type MessagePrice, priceFinder } from '../domain/wallet/message-price'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'

export interface ReportQuery {
  /** Undefined: all apps. */
  appIds?: readonly string[] | undefined
  mode: Mode
  /** First and last day. */
  from: string
  to: string
  /** IANA name. */
  timeZone: string
  groupBy: readonly ReportGroup[]
  /** The `next` of the page before. */
  after?: string | undefined
  limit: number
}

/** Amounts are decimal numbers as text, one for each currency. */
export interface ReportCounts extends UsageTally {
  cost: Array<{ currency: string; amount: string }>
  /** Accepted messages without a price. */
  unpriced: number
}

/** A row has a value for each group that was asked for; `hour` is the hour of the day. */
export type UsageReportRow = ReportCounts & Partial<Record<ReportGroup, string>>

export interface ReportPage {
  total: ReportCounts
  /** In the order of their groups; only those with usage. */
  rows: UsageReportRow[]
  next?: string
}

const MOST_DAYS = 400
/** More rows would hold the event loop where they are sorted; purposes are made up by callers. */
export const MOST_ROWS = 10_000
/** Steps that one query of a database answers. */
const MOST_STEPS = 50

/** Throws `invalid` or `not_found`. */
export async function readReport(
  deps: { store: Store; clock: Pick<Clock, 'now'> },
  query: ReportQuery,
): Promise<ReportPage> {
  const { store, clock } = deps
  const { mode } = query
  const groupBy = [...new Set(query.groupBy)]
  const stepMs = groupBy.includes('hour') ? HOUR_MS : DAY_MS
  const slices = slicesOf(query, stepMs)
  const known = new Set((await store.read.apps.withRemoved()).map(({ appId }) => appId))
  const appIds = new Set(query.appIds ?? known)
  for (const appId of appIds) if (!known.has(appId)) throw missing('app', appId)
  const sums = new Sums(groupBy, stepMs, mode === 'live' ? await store.read.prices.all() : undefined)
  for (const appId of appIds)
    for (const slice of slices) {
      const byPurpose = groupBy.includes('purpose')
      for (const sum of await store.lists.usage.sums({ appId, mode }, { ...slice, stepMs, byPurpose }, clock.now()))
        sums.add(appId, sum)
    }
  return sums.report(query)
}

/** The period of a query, cut where clocks change and after some days. Throws `invalid`. */
function slicesOf({ from, to, timeZone }: ReportQuery, stepMs: number): OffsetPeriod[] {
  if (!isTimeZone(timeZone))
    throw invalid('timeZone', 'invalid_time_zone', 'must be the IANA name of a time zone, such as Asia/Seoul')
  for (const [param, day] of Object.entries({ from, to }))
    if (!isDay(day)) throw invalid(param, 'invalid_day', 'must be a day, such as 2026-01-31')
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1 || days > MOST_DAYS)
    throw invalid('to', 'invalid_period', `must be 0 to ${MOST_DAYS - 1} days after from`, { max: MOST_DAYS })
  const end = firstOfDay(dayOf(Date.parse(to) + DAY_MS), timeZone)
  return offsetPeriods(firstOfDay(from, timeZone), end, timeZone).flatMap((period) => {
    const longest = MOST_STEPS * stepMs
    return Array.from({ length: Math.ceil((period.to - period.from) / longest) }, (_, n) => ({
      ...{ from: period.from + n * longest, to: Math.min(period.from + (n + 1) * longest, period.to) },
      offsetMs: period.offsetMs,
    }))
  })
}

interface RowSums {
  groups: readonly string[]
  tally: UsageTally
  unpriced: number
  /** Millionths by currency. */
  cost: Map<string, bigint>
}

const emptySums = (groups: readonly string[]): RowSums => ({
  ...{ groups, tally: emptyTally(), unpriced: 0, cost: new Map() },
})

class Sums {
  readonly #rows = new Map<string, RowSums>()
  readonly #total = emptySums([])
  readonly #priceOf: ReturnType<typeof priceFinder>

  constructor(
    readonly groupBy: readonly ReportGroup[],
    readonly stepMs: number,
    /** Undefined in test mode, where messages cost nothing. */
    readonly prices: readonly MessagePrice[] | undefined,
  ) {
    this.#priceOf = priceFinder(prices ?? [])
  }

  add(appId: string, sum: UsageSum): void {
    const localTime = sum.step * this.stepMs
    const day = dayOf(localTime)
    const values: Record<ReportGroup, string> = {
      ...{ app: appId, month: day.slice(0, 7), day, hour: new Date(localTime).toISOString().slice(11, 13) },
      ...{ country: sum.country, carrier: sum.carrier, channel: sum.channel, purpose: sum.purpose },
    }
    const groups = this.groupBy.map((group) => values[group])
    const name = JSON.stringify(groups)
    let row = this.#rows.get(name)
    if (!row) {
      if (this.#rows.size === MOST_ROWS)
        throw invalid('groupBy', 'too_many_rows', `more than ${MOST_ROWS} rows; choose fewer groups or days`, {
          max: MOST_ROWS,
        })
      row = emptySums(groups)
      this.#rows.set(name, row)
    }
    const price = sum.messages === 0 ? undefined : this.#priceOf(sum, day)
    for (const sums of [row, this.#total]) {
      addTally(sums.tally, sum)
      if (price) {
        const cost = BigInt(price.millionths) * BigInt(sum.messages)
        sums.cost.set(price.currency, (sums.cost.get(price.currency) ?? 0n) + cost)
      } else if (this.prices) sums.unpriced += sum.messages
    }
  }

  report({ after = '', limit }: Pick<ReportQuery, 'after' | 'limit'>): ReportPage {
    const names = [...this.#rows.keys()].sort()
    const rest = names.filter((name) => name > after)
    const page = rest.slice(0, limit)
    return {
      total: countsOf(this.#total),
      rows: page.flatMap((name) => {
        const row = this.#rows.get(name)
        if (!row) return []
        const groups = this.groupBy.map((group, place) => [group, row.groups[place]])
        return [{ ...Object.fromEntries(groups), ...countsOf(row) }]
      }),
      ...(rest.length > limit && { next: page.at(-1) }),
    }
  }
}

const countsOf = ({ tally, unpriced, cost }: RowSums): ReportCounts => ({
  ...{ ...tally, unpriced },
  cost: [...cost]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, millionths]) => ({ currency, amount: amountText(millionths) })),
})
