/**
 * Rows that a unit adds one after another go out as one statement: to either side a statement costs more than a row. All of
 * it sees the database as it was before, which is why only what looks at no other row is joined.
 */
import type { Statement, StatementValues } from '../connection/statement'

/** Every connection keeps what it has prepared: there are to be few texts. */
const AT_MOST = 8

/** Statements in their order, and those that have followed them before. */
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
    return this.texts.length === AT_MOST
  }

  and(statement: Statement<unknown>, parameters: number): Chain {
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
    this.#chain = this.#chain.and(statement, bound.length)
    this.#values.push(...bound)
  }

  /** All that came since they were taken last. */
  take(): { text: string; values: unknown[] } | undefined {
    if (this.#chain === Chain.NONE) return undefined
    const taken = { text: this.#chain.text, values: this.#values }
    this.#chain = Chain.NONE
    this.#values = []
    return taken
  }
}
