/**
 * One statement for what several units ask, or add, each with parameters of its own. Every connection keeps what it has prepared, so a text depends on nothing but how many they are.
 *
 * `OFFSET 0` keeps the database from joining them otherwise than one after the other, each by its index: while a table is new
 * it would read all of it, and remember to.
 */
import type { Statement } from '../connection/statement'

type Joining = (statement: Statement<unknown>, count: number) => string

/** Each time as it is written, one after the other; the first column says whose answer a row is. */
export const askedBySeveral = remembered(({ text, written, shared }, count) => {
  if (!shared || (LOCKS.test(text) && !shared.holds)) throw new Error(`It does not say what it locks: ${text}`)
  const { types } = shared
  const tuples = times(count, (n) => `(${[n, ...types.map((type, at) => `$${n * types.length + at + 1}::${type}`)]})`)
  const names = ['unit', ...types.map((_, at) => `p${at + 1}`)]
  const words = written((n) => `asked.p${n}`)
  return `SELECT asked.unit, answer.* FROM (VALUES ${tuples}) AS asked (${names}) CROSS JOIN LATERAL (${words} OFFSET 0) AS answer`
})

const LOCKS = /\bfor (no key )?update\b|_lock\(/i
/** Rows in the order in which they are given. */
export const addedBySeveral = remembered(({ written }, count) => written((n) => `$${n}`, count))

const times = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n))

function remembered(join: Joining) {
  const made = new WeakMap<Statement<unknown>, string[]>()
  return (statement: Statement<unknown>, count: number): string => {
    const texts = made.get(statement) ?? []
    const text = texts[count] ?? join(statement, count)
    texts[count] = text
    made.set(statement, texts)
    return text
  }
}
