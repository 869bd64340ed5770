/** Usage as it is counted: one row for each bucket of the latency histogram. */
import { LATENCY_STEPS_MS, type UsageRow } from '../../domain/operations/usage'

/** The histogram bucket of an attempt `a`; NULL where no carrier accepted the message. */
export const STEP = `CASE ${LATENCY_STEPS_MS.map((step, index) => `WHEN a.answered_at - a.called_at <= ${step} THEN ${index}`).join(' ')}
  WHEN a.answered_at IS NOT NULL THEN ${LATENCY_STEPS_MS.length} END`

export interface CountedRow extends Omit<UsageRow, 'latencies'> {
  step: number | null
}

/** Merges the buckets of each group into one row. */
export function mergeBuckets(rows: readonly CountedRow[]): UsageRow[] {
  const alike = Map.groupBy(rows, ({ hour, channel, carrier, country, purpose }) =>
    JSON.stringify([hour, channel, carrier, country, purpose]),
  )
  return [...alike.values()].map((group) => {
    const latencies = [...LATENCY_STEPS_MS, 0].map(() => 0)
    for (const { step, issued } of group) if (step !== null) latencies[step] = (latencies[step] ?? 0) + issued
    const sum = (value: (row: CountedRow) => number) => group.reduce((total, row) => total + value(row), 0)
    const { step: _, ...first } = group[0] as CountedRow
    return {
      ...first,
      issued: sum(({ issued }) => issued),
      delivered: sum(({ delivered }) => delivered),
      failed: sum(({ failed }) => failed),
      verified: sum(({ verified }) => verified),
      spent: sum(({ spent }) => spent),
      latencies,
    }
  })
}

/** Name of the fact with the time up to which hourly rows are stored. */
export const ROLLED_UNTIL = 'usage_rolled_until'
