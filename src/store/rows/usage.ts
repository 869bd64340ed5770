/** Usage as it is counted: one row for each bucket of the latency histogram. */
import { addTally, emptyTally, LATENCY_STEPS_MS, TALLIED, type UsageRow } from '../../domain/operations/usage'

/** The histogram bucket of an attempt `a`; NULL where no carrier accepted the message. */
export const STEP = `CASE ${LATENCY_STEPS_MS.map((step, index) => `WHEN a.answered_at - a.called_at <= ${step} THEN ${index}`).join(' ')}
  WHEN a.answered_at IS NOT NULL THEN ${LATENCY_STEPS_MS.length} END`

/** Attempts `a` of an issue `i` that a carrier took: it said so, or has reported on the message. Either costs. */
export const TAKEN = `a.app_id = i.app_id AND a.mode = i.mode AND a.issue_id = i.issue_id
  AND (a.outcome = 'accepted' OR a.report IS NOT NULL)`

export interface CountedRow extends Omit<UsageRow, 'latencies'> {
  step: number | undefined
}

/** Merges the buckets of each group into one row; `merged` has those of an earlier part. */
export function mergeBuckets(counted: readonly CountedRow[], merged = new Map<string, UsageRow>()): UsageRow[] {
  for (const { step, ...row } of counted) {
    const name = JSON.stringify([row.at, row.channel, row.carrier, row.country, row.purpose])
    const sum = merged.get(name) ?? { ...row, ...emptyTally(), latencies: [...LATENCY_STEPS_MS, 0].map(() => 0) }
    const latencies = sum.latencies.map((messages, place) => (place === step ? messages + row.messages : messages))
    addTally(sum, row)
    merged.set(name, { ...sum, latencies })
  }
  return [...merged.values()]
}

export const SUMS = TALLIED.map((name) => `sum(${name}) AS ${name}`).join(', ')

/** Name of the fact with the time up to which hourly rows are stored. */
export const ROLLED_UNTIL = 'usage_rolled_until'
