/** Hourly usage: counts of issues and delivery latencies. */
import type { Leg } from '../shared/value'

/** Upper bounds of the latency histogram, milliseconds; one more bucket has no bound. */
export const LATENCY_STEPS_MS = [
  50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 20_000, 60_000,
] as const

/** Counts of one hour by channel, carrier, country and purpose. */
export interface UsageRow {
  /** Start of the hour, Unix milliseconds. */
  hour: number
  channel: Leg
  /** Empty where no carrier took the message. */
  carrier: string
  country: string
  purpose: string
  issued: number
  delivered: number
  failed: number
  verified: number
  spent: number
  /** Histogram by `LATENCY_STEPS_MS`, with one more bucket beyond the last. */
  latencies: readonly number[]
}

export interface UsageCounts {
  issued: number
  delivered: number
  failed: number
  verified: number
  spent: number
  p50Ms?: number
  p95Ms?: number
}

const COUNTED = ['issued', 'delivered', 'failed', 'verified', 'spent'] as const

/** Sums rows in one pass: callers make up purposes, so there may be many rows. */
export function addUp(rows: readonly UsageRow[]): UsageCounts {
  const sums = { issued: 0, delivered: 0, failed: 0, verified: 0, spent: 0 }
  const latencies = [...LATENCY_STEPS_MS, 0].map(() => 0)
  for (const row of rows) {
    for (const name of COUNTED) sums[name] += row[name]
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
