/** Drizzle on a connection of Bun's, with statements that are prepared to the end. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import type { Query } from 'drizzle-orm'
import { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite/driver'
import { PreparedQuery, SQLiteBunSession } from 'drizzle-orm/bun-sqlite/session'
import { NoopLogger } from 'drizzle-orm/logger'
import { type PreparedQueryConfig, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { HashCover } from '../../ports/vault'
import { type Compiled, compile } from '../compiled'

export type Drizzle = BunSQLiteDatabase

/** `cover`: of statements in which there are hashes. */
export function drizzle(connection: Database, cover: HashCover = NO_HASHES): Drizzle {
  const dialect = new SQLiteSyncDialect()
  return new BunSQLiteDatabase('sync', dialect, new CompilingSession(connection, dialect, cover), undefined)
}

const forgotten = () => {
  throw new Error('This statement has hashes: it needs to know how they are stored')
}
const NO_HASHES: HashCover = {
  ...{ stored: forgotten, otherwise: forgotten, plain: forgotten, knows: forgotten, steady: forgotten },
  ...{ generation: 0, isChanging: false },
}

type PrepareArguments = Parameters<SQLiteBunSession<Record<string, never>, Record<string, never>>['prepareQuery']>
type Prepared = Omit<PreparedQueryConfig, 'statement' | 'run'>

class CompilingSession extends SQLiteBunSession<Record<string, never>, Record<string, never>> {
  readonly #connection: Database
  readonly #cover: HashCover

  constructor(connection: Database, dialect: SQLiteSyncDialect, cover: HashCover) {
    super(connection, dialect, undefined)
    this.#connection = connection
    this.#cover = cover
  }

  override prepareQuery<T extends Prepared>(...args: PrepareArguments): PreparedQuery<T> {
    const [query, fields, method, isArrayMode, mapper] = args
    if (mapper) return super.prepareQuery(...args)
    return new CompiledQuery(this.#connection.prepare(query.sql), query, fields, method, isArrayMode, this.#cover)
  }
}

class CompiledQuery<T extends Prepared> extends PreparedQuery<T> {
  readonly #statement: Statement<unknown, SQLQueryBindings[]>
  readonly #compiled: Compiled
  readonly #cover: HashCover

  constructor(
    statement: Statement<unknown, SQLQueryBindings[]>,
    query: Query,
    fields: PrepareArguments[1],
    method: PrepareArguments[2],
    isArrayMode: boolean,
    cover: HashCover,
  ) {
    super(statement, query, new NoopLogger(), fields, method, isArrayMode)
    this.#statement = statement
    this.#compiled = compile(query, fields)
    this.#cover = cover
  }

  override run(values: Record<string, unknown> = {}) {
    return this.#statement.run(this.#bind(values))
  }

  override all(values: Record<string, unknown> = {}): T['all'] {
    return this.#statement.values(this.#bind(values)).map((row) => this.#compiled.read(row, this.#cover))
  }

  override get(values: Record<string, unknown> = {}): T['get'] {
    const row = this.#statement.values(this.#bind(values))[0]
    return row && this.#compiled.read(row, this.#cover)
  }

  /** All of them as one, which its types do not tell: as so many arguments Bun would gather them into a list again. */
  #bind(values: Record<string, unknown>): SQLQueryBindings {
    return this.#compiled.bind(values, this.#cover) as unknown as SQLQueryBindings
  }
}
