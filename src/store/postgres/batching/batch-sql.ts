/**
 * The SQL of a batch: one statement for the queries or inserts of several participants, each with its own parameters. The text
 * depends only on their number, because every connection keeps each prepared text.
 *
 * `OFFSET 0` forces a nested loop that uses the index for each participant. While a table is new the planner would scan all
 * of it, and keep that plan.
 */
import type { Statement } from '../connection/statement'

type BatchText = (statement: Statement<unknown>, count: number) => string

/** Runs the query once for each participant, in order; the first column of a row is the participant's number. */
export const batchedQuery = memoized(({ text, written, shared }, count) => {
  if (!shared || (LOCKS.test(text) && !shared.holds))
    throw new Error(`A batched statement must name its locks: ${text}`)
  const { types } = shared
  const tuples = times(count, (n) => `(${[n, ...types.map((type, at) => `$${n * types.length + at + 1}::${type}`)]})`)
  const names = ['participant', ...types.map((_, at) => `p${at + 1}`)]
  const query = written((n) => `batch.p${n}`)
  return `SELECT batch.participant, answer.* FROM (VALUES ${tuples}) AS batch (${names}) CROSS JOIN LATERAL (${query} OFFSET 0) AS answer`
})

const LOCKS = /\bfor (no key )?update\b|_lock\(/i
/** Inserts one row for each participant, in order. */
export const batchedInsert = memoized(({ written }, count) => written((n) => `$${n}`, count))

const times = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n))

function memoized(join: BatchText) {
  const made = new WeakMap<Statement<unknown>, string[]>()
  return (statement: Statement<unknown>, count: number): string => {
    const texts = made.get(statement) ?? []
    const text = texts[count] ?? join(statement, count)
    texts[count] = text
    made.set(statement, texts)
    return text
  }
}
