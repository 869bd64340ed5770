/** What tables need of a database. SQLite answers at once, PostgreSQL later. */
import type { Dialect } from './dialect'
import type { Statement, Values } from './statement'

export type Later<T> = T | Promise<T>

export interface Querying {
  readonly dialect: Dialect
  get<Row>(statement: Statement<Row>, values?: Values): Later<Row | undefined>
  all<Row>(statement: Statement<Row>, values?: Values): Later<Row[]>
}

/** Reads of committed data, outside of any transaction. */
export interface Reads extends Querying {
  /** For queries that read many pages once: they must not evict what the others have in their cache. */
  readonly scanning: Querying
}

/** One transaction. */
export interface Session extends Querying {
  /** Unix milliseconds, by the database's clock; known once it has answered something. */
  readonly now: number
  /** Resolves once `now` is known. */
  opened(): Later<void>
  /** Makes a change. A failure may show only at a later answer, at the latest at the commit. */
  run(statement: Statement, values?: Values): void
  /** Makes a change and answers how many rows it has changed. */
  change(statement: Statement, values?: Values): Later<number>
  /**
   * Locks what has no row yet, until the transaction ends. What is asked next runs under the lock, without waiting for an
   * answer.
   */
  lock(what: string): void
  /** Keys, apps, templates, carriers or routes have changed. */
  settingsChanged(): void
  /** Runs once the transaction is on disk; not at all if it is rolled back. */
  afterCommit(effect: () => void): void
}

/** A row that was found, as the domain has it. */
export const found = <Row, T>(row: Row | undefined, read: (row: Row) => T): T | undefined =>
  row === undefined ? undefined : read(row)
