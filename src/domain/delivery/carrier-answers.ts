/** Answers of a carrier in a period: outcomes, failures by code, and how long it took. */
import type { SendOutcome } from './delivery'

/** Answers of one outcome, code and rounded time. */
export interface AnswerCount {
  outcome: SendOutcome['kind']
  code: string | undefined
  /** The carrier's words on one of them, without digits. */
  said?: string | undefined
  /** How long the carrier took, rounded down to about a tenth. */
  ms: number
  calls: number
}

export interface AnswerReport extends Record<SendOutcome['kind'], number> {
  p50Ms?: number
  p95Ms?: number
  /** The most frequent first. */
  failures: Array<{ outcome: Exclude<SendOutcome['kind'], 'accepted'>; code: string; calls: number; said?: string }>
}

/** A carrier may answer a code of its own for each message. */
const MOST_FAILURES = 20

export function answerReport(counts: readonly AnswerCount[]): AnswerReport {
  const sums = { accepted: 0, refused: 0, ambiguous: 0 }
  for (const { outcome, calls } of counts) sums[outcome] += calls
  const p50Ms = percentile(counts, 0.5)
  const p95Ms = percentile(counts, 0.95)
  const times = { ...(p50Ms !== undefined && { p50Ms }), ...(p95Ms !== undefined && { p95Ms }) }
  return { ...sums, ...times, failures: failuresIn(counts) }
}

function failuresIn(counts: readonly AnswerCount[]): AnswerReport['failures'] {
  const failures = new Map<string, AnswerReport['failures'][number]>()
  for (const { outcome, code = '', calls, said } of counts) {
    if (outcome === 'accepted') continue
    const known = failures.get(`${outcome} ${code}`) ?? { outcome, code, calls: 0 }
    known.calls += calls
    if (said !== undefined) known.said = said
    failures.set(`${outcome} ${code}`, known)
  }
  return [...failures.values()].sort((a, b) => b.calls - a.calls).slice(0, MOST_FAILURES)
}

function percentile(counts: readonly AnswerCount[], share: number): number | undefined {
  let left = share * counts.reduce((sum, { calls }) => sum + calls, 0)
  for (const { ms, calls } of counts.toSorted((a, b) => a.ms - b.ms)) {
    left -= calls
    if (left <= 0) return ms
  }
  return undefined
}
