/** Drizzle on a connection of Bun's, with statements that are prepared to the end. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import type { Query } from 'drizzle-orm'
import { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite/driver'
import { PreparedQuery, SQLiteBunSession } from 'drizzle-orm/bun-sqlite/session'
import { NoopLogger } from 'drizzle-orm/logger'
import { type PreparedQueryConfig, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { type Compiled, compile } from '../../compiled'

export type Drizzle = BunSQLiteDatabase

export function drizzle(connection: Database): Drizzle {
  const dialect = new SQLiteSyncDialect()
  return new BunSQLiteDatabase('sync', dialect, new CompilingSession(connection, dialect), undefined)
}

type PrepareArguments = Parameters<SQLiteBunSession<Record<string, never>, Record<string, never>>['prepareQuery']>
type PreparedConfig = Omit<PreparedQueryConfig, 'statement' | 'run'>

class CompilingSession extends SQLiteBunSession<Record<string, never>, Record<string, never>> {
  readonly #connection: Database

  constructor(connection: Database, dialect: SQLiteSyncDialect) {
    super(connection, dialect, undefined)
    this.#connection = connection
  }

  override prepareQuery<T extends PreparedConfig>(...args: PrepareArguments): PreparedQuery<T> {
    const [query, fields, method, isArrayMode, mapper] = args
    if (mapper) return super.prepareQuery(...args)
    return new CompiledSQLiteQuery(this.#connection.prepare(query.sql), query, fields, method, isArrayMode)
  }
}

class CompiledSQLiteQuery<T extends PreparedConfig> extends PreparedQuery<T> {
  readonly #statement: Statement<unknown, SQLQueryBindings[]>
  readonly #compiled: Compiled

  constructor(
    statement: Statement<unknown, SQLQueryBindings[]>,
    query: Query,
    fields: PrepareArguments[1],
    method: PrepareArguments[2],
    isArrayMode: boolean,
  ) {
    super(statement, query, new NoopLogger(), fields, method, isArrayMode)
    this.#statement = statement
    this.#compiled = compile(query, fields)
  }

  override run(values: Record<string, unknown> = {}) {
    return this.#statement.run(this.#bind(values))
  }

  override all(values: Record<string, unknown> = {}): T['all'] {
    return this.#statement.values(this.#bind(values)).map((row) => this.#compiled.read(row))
  }

  override get(values: Record<string, unknown> = {}): T['get'] {
    const row = this.#statement.values(this.#bind(values))[0]
    return row && this.#compiled.read(row)
  }

  /** All of them as one, which its types do not tell: as so many arguments Bun would gather them into a list again. */
  #bind(values: Record<string, unknown>): SQLQueryBindings {
    return this.#compiled.bind(values) as unknown as SQLQueryBindings
  }
}
