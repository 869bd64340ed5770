/** Usage as it is counted: one row for each bucket of the latency histogram. */
import { addTally, emptyTally, LATENCY_STEPS_MS, TALLIED, type UsageRow } from '../../domain/operations/usage'

/** The histogram bucket of an attempt `a`; NULL where no carrier accepted the message. */
export const STEP = `CASE ${LATENCY_STEPS_MS.map((step, index) => `WHEN a.answered_at - a.called_at <= ${step} THEN ${index}`).join(' ')}
  WHEN a.answered_at IS NOT NULL THEN ${LATENCY_STEPS_MS.length} END`

export interface CountedRow extends Omit<UsageRow, 'latencies'> {
  step: number | null
}

/** Merges the buckets of each group into one row. */
export function mergeBuckets(rows: readonly CountedRow[]): UsageRow[] {
  const alike = Map.groupBy(rows, ({ at, channel, carrier, country, purpose }) =>
    JSON.stringify([at, channel, carrier, country, purpose]),
  )
  return [...alike.values()].map((group) => {
    const latencies = [...LATENCY_STEPS_MS, 0].map(() => 0)
    const sum = emptyTally()
    for (const row of group) {
      if (row.step !== null) latencies[row.step] = (latencies[row.step] ?? 0) + row.messages
      addTally(sum, row)
    }
    const { step: _, ...first } = group[0] as CountedRow
    return { ...first, ...sum, latencies }
  })
}

export const SUMS = TALLIED.map((name) => `sum(${name}) AS ${name}`).join(', ')

/** Name of the fact with the time up to which hourly rows are stored. */
export const ROLLED_UNTIL = 'usage_rolled_until'
