/**
 * An optimization: consecutive inserts of a transaction are sent as one statement, because a statement costs client and server
 * more than a row. All parts of one statement see the database as it was before it, so only inserts that read no other row
 * are joined.
 */
import type { Statement, StatementValues } from '../connection/statement'

/** Every connection keeps each prepared text, so their number is limited. */
const MAX_JOINED = 8

/** A sequence of statements, with the sequences that have extended it before. */
class Chain {
  static readonly NONE = new Chain([], 0)
  readonly #next = new Map<Statement<unknown>, Chain>()
  readonly text: string

  private constructor(
    private readonly texts: readonly string[],
    private readonly parameters: number,
  ) {
    const named = texts.slice(0, -1).map((text, index) => `added_${index + 1} AS (${text})`)
    this.text = `${named.length > 0 ? `WITH ${named} ` : ''}${texts.at(-1)}`
  }

  get isFull(): boolean {
    return this.texts.length === MAX_JOINED
  }

  extendedBy(statement: Statement<unknown>, parameters: number): Chain {
    const known = this.#next.get(statement)
    if (known) return known
    const text = statement.written((n) => `$${this.parameters + n}`)
    const chain = new Chain([...this.texts, text], this.parameters + parameters)
    this.#next.set(statement, chain)
    return chain
  }
}

export class Additions {
  #chain = Chain.NONE
  #values: unknown[] = []

  get isFull(): boolean {
    return this.#chain.isFull
  }

  add(statement: Statement<unknown>, values: StatementValues): void {
    const bound = statement.bind(values)
    this.#chain = this.#chain.extendedBy(statement, bound.length)
    this.#values.push(...bound)
  }

  /** The statement for all inserts since the last call. */
  take(): { text: string; values: unknown[] } | undefined {
    if (this.#chain === Chain.NONE) return undefined
    const taken = { text: this.#chain.text, values: this.#values }
    this.#chain = Chain.NONE
    this.#values = []
    return taken
  }
}
