/** What the doors ask and write through: a unit, alone in its transaction or one of several. */
import type { PipelinedTransaction } from './pipelined-transaction'
import { plain, type Statement, type StatementValues } from './statement'

/** What is asked; units and readers answer it. */
export interface Querying {
  all<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row[]>
  get<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row | undefined>
}

/** A statement with what it is about. */
export interface BoundStatement {
  statement: Statement<unknown>
  values: StatementValues
}

export abstract class Transaction implements Querying {
  changesSettings = false
  #hasWritten = false
  readonly #last: BoundStatement[] = []
  readonly #effects: Array<() => void> = []
  readonly #memory = new Map<string, Promise<unknown>>()

  /** `slot`: which part of what wallets have set aside it takes from. */
  constructor(
    protected readonly block: PipelinedTransaction,
    readonly slot: number,
  ) {}

  /** By the database's clock; known once a door has answered. */
  get now(): number {
    return this.block.now
  }

  /** When it began, by the database's clock itself; known as `now` is. */
  get stamped(): number {
    return this.block.stamped
  }

  /** What is to happen once it is stored. */
  get effects(): ReadonlyArray<() => void> {
    return this.#effects
  }

  get hasWritten(): boolean {
    return this.#hasWritten
  }

  /** What is to be written at the very end. */
  get lastWrites(): readonly BoundStatement[] {
    return this.#last
  }

  /** Waits until `now` is known. */
  opened(): Promise<void> {
    return this.block.opened()
  }

  abstract all<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row[]>

  async get<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row | undefined> {
    return (await this.all(statement, values))[0]
  }

  /** Asked once in this unit; what changes the answer calls `forget`. */
  once<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#memory.get(name)
    if (known) return known as Promise<Answer>
    const asked = ask()
    // Whoever asked ahead may never need it.
    asked.catch(() => {})
    this.#memory.set(name, asked)
    return asked
  }

  /** Notes what is known without asking. */
  note<Answer>(name: string, answer: Answer): void {
    this.#memory.set(name, Promise.resolve(answer))
  }

  knows(name: string): boolean {
    return this.#memory.has(name)
  }

  forget(name: string): void {
    this.#memory.delete(name)
  }

  /** Changes something; that it went wrong shows at the next answer, at the latest at the commit's. */
  run(statement: Statement<unknown>, values: StatementValues = {}): void {
    this.#hasWritten = true
    this.write({ statement, values })
  }

  /** The same, with an answer: which rows were changed. */
  change<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row[]> {
    this.#hasWritten = true
    return this.all(statement, values)
  }

  /** A new row, and what the database has made of it: known with the commit, so the unit itself does not wait for it. */
  add<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row> {
    this.#hasWritten = true
    return this.writeNew(statement, values)
  }

  /** At the very end, so that a lock everybody wants is held for the commit only. */
  last(statement: Statement<unknown>, values: StatementValues = {}): void {
    this.#hasWritten = true
    this.#last.push({ statement, values })
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect)
  }

  protected abstract write(write: BoundStatement): void

  protected abstract writeNew<Row>(statement: Statement<Row>, values: StatementValues): Promise<Row>
}

const LOCK = plain(
  'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
  ({ what }) => [what],
  () => true,
)

/** Sent before whatever the unit asks next; nobody waits for it alone. */
export function lock(unit: Transaction, what: string): void {
  unit.all(LOCK, { what }).catch(() => {
    // The unit knows what went wrong.
  })
}
