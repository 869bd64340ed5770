/** One transaction as the tables see it. */
import { POSTGRES } from '../../dialect'
import type { Session } from '../../session'
import type { Statement, Values } from '../../statement'
import { RAISE_VERSION } from '../settings'
import type { PipelinedTransaction } from './pipelined-transaction'

/** PostgreSQL text cannot hold NUL, which carriers may send; U+FFFD replaces it wherever a text is stored or looked up. */
export const storable = (parameters: unknown[]): unknown[] =>
  parameters.some((value) => typeof value === 'string' && value.includes('\0'))
    ? parameters.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value))
    : parameters

export class Transaction implements Session {
  readonly dialect = POSTGRES
  changesSettings = false
  readonly #effects: Array<() => void> = []

  constructor(private readonly pipeline: PipelinedTransaction) {}

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

  opened(): Promise<void> {
    return this.pipeline.opened()
  }

  async all<Row>(statement: Statement<Row>, values: Values = {}): Promise<Row[]> {
    return (await this.#ask(statement, values)).map(statement.read)
  }

  async get<Row>(statement: Statement<Row>, values?: Values): Promise<Row | undefined> {
    return (await this.all(statement, values))[0]
  }

  /** Sends a change without waiting for it. */
  run(statement: Statement, values: Values = {}): void {
    this.pipeline.send(statement.text, storable(statement.bind(values)))
  }

  async change(statement: Statement, values: Values = {}): Promise<number> {
    return (await this.#ask(statement, values)).count
  }

  lock(what: string): void {
    this.pipeline.send('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [what])
  }

  settingsChanged(): void {
    this.changesSettings = true
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect)
  }

  /** Throws the first failure of the transaction, or `CommitLostError`. */
  async commit(): Promise<void> {
    // A transaction that has asked for nothing has not yet learnt that it must not be stored.
    await this.opened()
    // One row, which every change of settings waits for: last, so that it is held for the commit only.
    if (this.changesSettings) this.pipeline.send(RAISE_VERSION)
    await this.pipeline.commit()
  }

  #ask(statement: Statement, values: Values) {
    return this.pipeline.ask(statement.text, storable(statement.bind(values)))
  }
}
