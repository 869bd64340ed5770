/** Usage by quarters of an hour: counts of issues and messages, and delivery latencies. */
import { type Leg, MINUTE_MS } from '../shared/value'

/** Upper bounds of the latency histogram, milliseconds; one more bucket has no bound. */
export const LATENCY_STEPS_MS = [
  50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 20_000, 60_000,
] as const

/** A quarter of an hour: days of every time zone begin at one, and hours of most would not do. */
export const USAGE_INTERVAL_MS = 15 * MINUTE_MS

export const TALLIED = ['issued', 'sent', 'delivered', 'failed', 'verified', 'spent', 'messages'] as const

/** `sent`: issues with a message at a carrier. `messages`: those that carriers took; an issue may have one for each leg. */
export type UsageTally = Record<(typeof TALLIED)[number], number>

export const emptyTally = (): UsageTally => ({
  ...{ issued: 0, sent: 0, delivered: 0, failed: 0, verified: 0, spent: 0, messages: 0 },
})

export function addTally(sum: UsageTally, more: Readonly<UsageTally>): void {
  for (const name of TALLIED) sum[name] += more[name]
}

export function totalOfTallies(tallies: ReadonlyArray<Readonly<UsageTally>>): UsageTally {
  const total = emptyTally()
  for (const tally of tallies) addTally(total, tally)
  return total
}

/** The key of a count. An issue counts at its last leg, a message at its own. */
export interface UsageKey {
  channel: Leg
  /** Empty where no carrier took the message. */
  carrier: string
  country: string
  purpose: string
}

/** Counts of one interval by channel, carrier, country and purpose. */
export interface UsageRow extends UsageKey, UsageTally {
  /** Start of the interval, Unix milliseconds. */
  at: number
  /** Histogram by `LATENCY_STEPS_MS`, with one more bucket beyond the last. */
  latencies: readonly number[]
}

/** A period in which the clocks of a time zone are `offsetMs` before UTC. */
export interface UsageSlice {
  from: number
  to: number
  offsetMs: number
  stepMs: number
  /** Without it purposes are added up: callers make them up, so there may be many. */
  byPurpose: boolean
}

/** Sums of a step; steps are counted from the beginning of 1970 in local time. The purpose is empty where they are added up. */
export interface UsageSum extends UsageKey, UsageTally {
  step: number
}

/** Adds rows of a slice up as the database does. */
export function sumRows(rows: readonly UsageRow[], { offsetMs, stepMs, byPurpose }: UsageSlice): UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const { at, channel, carrier, country, purpose: named, latencies: _, ...tally } of rows) {
    const step = Math.floor((at + offsetMs) / stepMs)
    const purpose = byPurpose ? named : ''
    const name = JSON.stringify([step, channel, carrier, country, purpose])
    const sum = sums.get(name)
    if (sum) addTally(sum, tally)
    else sums.set(name, { step, channel, carrier, country, purpose, ...tally })
  }
  return [...sums.values()]
}

export interface UsageCounts extends UsageTally {
  p50Ms?: number
  p95Ms?: number
}

/** Sums rows in one pass: callers make up purposes, so there may be many rows. */
export function addUp(rows: readonly UsageRow[]): UsageCounts {
  const sums = emptyTally()
  const latencies = [...LATENCY_STEPS_MS, 0].map(() => 0)
  for (const row of rows) {
    addTally(sums, row)
    row.latencies.forEach((count, step) => {
      latencies[step] = (latencies[step] ?? 0) + count
    })
  }
  const p50Ms = percentile(latencies, 0.5)
  const p95Ms = percentile(latencies, 0.95)
  return { ...sums, ...(p50Ms !== undefined && { p50Ms }), ...(p95Ms !== undefined && { p95Ms }) }
}

/** Interpolates linearly within the bucket. */
function percentile(latencies: readonly number[], share: number): number | undefined {
  const total = latencies.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let left = share * total
  for (const [step, count] of latencies.entries()) {
    const above = LATENCY_STEPS_MS[step]
    if (count >= left && count > 0) {
      const below = LATENCY_STEPS_MS[step - 1] ?? 0
      return above === undefined ? below : Math.round(below + (above - below) * (left / count))
    }
    left -= count
  }
  return LATENCY_STEPS_MS.at(-1)
}
