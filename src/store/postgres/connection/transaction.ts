/** One transaction as the tables see it: alone on its connection, or one participant of a batched transaction. */
import { Additions } from '../batching/additions'
import { inCreditOrder } from '../batching/credit-order'
import type { PipelinedTransaction } from './pipelined-transaction'
import { type BoundStatement, plain, type Statement, type StatementValues } from './statement'

/** Runs queries; transactions and read pools do. */
export interface Querying {
  all<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row[]>
  get<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row | undefined>
}

export abstract class Transaction implements Querying {
  changesSettings = false
  #hasWritten = false
  readonly #last: BoundStatement[] = []
  readonly #effects: Array<() => void> = []
  readonly #memory = new Map<string, Promise<unknown>>()

  /** `slot`: the slot of reserved credit from which this transaction takes. */
  constructor(
    protected readonly pipeline: PipelinedTransaction,
    readonly slot: number,
  ) {}

  /** The database's time; known once a query has been answered. */
  get now(): number {
    return this.pipeline.now
  }

  /** When the transaction began, by the unadjusted clock of the database; known once `now` is. */
  get stamped(): number {
    return this.pipeline.stamped
  }

  /** Run after the commit. */
  get effects(): ReadonlyArray<() => void> {
    return this.#effects
  }

  get hasWritten(): boolean {
    return this.#hasWritten
  }

  /** Sent right before the commit. */
  get lastWrites(): readonly BoundStatement[] {
    return this.#last
  }

  /** Resolves once `now` is known. */
  opened(): Promise<void> {
    return this.pipeline.opened()
  }

  abstract all<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row[]>

  async get<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row | undefined> {
    return (await this.all(statement, values))[0]
  }

  /** Asks once in this transaction and remembers the answer; code that changes the answer calls `forget`. */
  once<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#memory.get(name)
    if (known) return known as Promise<Answer>
    const asked = ask()
    // Code that prefetches may never await the answer; avoid an unhandled rejection.
    asked.catch(() => {})
    this.#memory.set(name, asked)
    return asked
  }

  /** Remembers an answer that is known without asking. */
  note<Answer>(name: string, answer: Answer): void {
    this.#memory.set(name, Promise.resolve(answer))
  }

  knows(name: string): boolean {
    return this.#memory.has(name)
  }

  forget(name: string): void {
    this.#memory.delete(name)
  }

  /** Sends a change without waiting for it. A failure shows at the next answer, at the latest at the commit. */
  run(statement: Statement<unknown>, values: StatementValues = {}): void {
    this.#hasWritten = true
    this.write({ statement, values })
  }

  /** Sends a change and answers the rows that it returns. */
  change<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row[]> {
    this.#hasWritten = true
    return this.all(statement, values)
  }

  /**
   * Adds a row and answers it as the database has stored it. In a batched transaction that is known only with the commit, so
   * the transaction itself must not wait for it.
   */
  add<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row> {
    this.#hasWritten = true
    return this.writeNew(statement, values)
  }

  /** Sends a change right before the commit, so that a contended lock is held only for the duration of the commit. */
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

/** A transaction that shares its connection with no other. New rows wait for the next statement and go out with it. */
export class SingleTransaction extends Transaction {
  readonly #additions = new Additions()

  async all<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row[]> {
    this.#sendAdditions()
    const rows = await this.pipeline.ask(statement.text, statement.bind(values))
    return rows.map((row) => statement.read(row))
  }

  /** Throws the first failure of the transaction, or `CommitLostError`. */
  async commit(): Promise<void> {
    // A transaction that has asked for nothing has not yet learnt that it must not be stored.
    await this.opened()
    for (const write of inCreditOrder(this.lastWrites)) this.write(write)
    this.#sendAdditions()
    await this.pipeline.commit(this.hasWritten)
  }

  protected write({ statement, values }: BoundStatement): void {
    if (statement.isAddition) {
      this.#additions.add(statement, values)
      if (this.#additions.isFull) this.#sendAdditions()
    } else {
      this.#sendAdditions()
      this.pipeline.send(statement.text, statement.bind(values))
    }
  }

  protected async writeNew<Row>(statement: Statement<Row>, values: StatementValues): Promise<Row> {
    const [row] = await this.all(statement, values)
    return row as Row
  }

  #sendAdditions(): void {
    const added = this.#additions.take()
    if (added) this.pipeline.send(added.text, added.values)
  }
}

const LOCK = plain(
  'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
  ({ what }) => [what],
  () => true,
)

/**
 * Takes an advisory lock until the transaction ends, for what has no row yet. Statements run in order, so what is asked next
 * runs under the lock without a round trip for it.
 */
export function lock(transaction: Transaction, what: string): void {
  transaction.all(LOCK, { what }).catch(() => {
    // The transaction remembers its first failure and throws it at the commit.
  })
}
