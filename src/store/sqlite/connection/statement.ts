/** SQL statements: built by Drizzle, compiled and prepared when they are first used, with named parameters. */
import type { Changes, Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { and, eq, getTableColumns, Param, type Placeholder, type Query, type SQL, sql, type Table } from 'drizzle-orm'
import { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite/driver'
import { PreparedQuery, SQLiteBunSession } from 'drizzle-orm/bun-sqlite/session'
import { NoopLogger } from 'drizzle-orm/logger'
import {
  type AnySQLiteColumn,
  type PreparedQueryConfig,
  SQLiteSyncDialect,
  type SQLiteTable,
} from 'drizzle-orm/sqlite-core'
import { type Compiled, compile } from '../../compiled'

/** A parameter encoded like its column; Drizzle does not encode bare placeholders in conditions. */
const value = (column: AnySQLiteColumn, name: string) => new Param(sql.placeholder(name), column)

/**
 * A parameter of a condition. Without the `+`, which changes no value, SQLite plans by the value of the parameter, and
 * prepares statements with joins or sorts anew for each.
 */
export const bind = (column: AnySQLiteColumn, name: string): SQL => sql`+${value(column, name)}`

/** Selects the rows of an app and mode. */
export const ofOwner = ({ appId, mode }: { appId: AnySQLiteColumn; mode: AnySQLiteColumn }) =>
  and(eq(appId, bind(appId, 'appId')), eq(mode, bind(mode, 'mode')))

/** The named columns as parameters of an UPDATE. */
export function changes<T extends SQLiteTable, const K extends keyof T['_']['columns'] & string>(
  table: T,
  names: readonly K[],
) {
  const columns = getTableColumns(table as Table)
  return Object.fromEntries(
    names.map((name) => [name, sql`${value(columns[name] as AnySQLiteColumn, name)}`]),
  ) as Record<K, SQL>
}

/** Every column of a table, or the named ones, as parameters of an INSERT. */
export function parameters<T extends SQLiteTable>(table: T, names?: readonly string[]) {
  const columns = names ?? Object.keys(getTableColumns(table as Table))
  return Object.fromEntries(columns.map((name) => [name, sql.placeholder(name)])) as {
    [K in keyof T['$inferInsert']]-?: Placeholder
  }
}

type PreparedStatement = { get(values?: never): unknown; all(values?: never): unknown; run(values?: never): unknown }

/**
 * `run` answers how many rows were changed. RETURNING would cost more, because SQLite collects its rows in a temporary
 * table.
 */
type OnFirstUse<P extends PreparedStatement> = Pick<P, 'get' | 'all'> & {
  run(values?: Parameters<P['run']>[0]): Changes
}

/** Prepares a statement when it is first used: preparing all of them would take longer than the rest of a start. */
export function onFirstUse<P extends PreparedStatement>(prepare: () => P): OnFirstUse<P> {
  let prepared: P | undefined
  const statement = () => {
    prepared ??= prepare()
    return prepared
  }
  return {
    get: (values) => statement().get(values),
    all: (values) => statement().all(values),
    run: (values) => statement().run(values) as Changes,
  }
}

/** A statement written as SQL, prepared when it is first used. */
export function plain<Row, Values extends SQLQueryBindings | SQLQueryBindings[] = []>(
  connection: Database,
  text: string,
) {
  const prepare = () => connection.prepare<Row, Values>(text)
  let prepared: ReturnType<typeof prepare> | undefined
  const statement = () => {
    prepared ??= prepare()
    return prepared
  }
  type Bound = Parameters<ReturnType<typeof prepare>['get']>
  return {
    get: (...values: Bound) => statement().get(...values),
    all: (...values: Bound) => statement().all(...values),
    run: (...values: Bound) => statement().run(...values),
    values: (...values: Bound) => statement().values(...values),
  }
}

/**
 * Updates only the changed columns of a locked row: each unchanged column would cost its constraints and its index
 * entries. Each set of columns has its own statement; beyond `most` sets, or if `before` is unknown, all columns are
 * updated.
 */
export function updating<const Name extends string>(
  all: readonly Name[],
  most: number,
  prepare: (names: readonly Name[]) => PreparedStatement,
) {
  type Row = { readonly [K in Name]: unknown }
  const update = (names: readonly Name[]) => ({ names, ...onFirstUse(() => prepare(names)) })
  const updateAll = update(all)
  const updates = new Map<string, typeof updateAll>()
  const updateOf = (names: readonly Name[]) => {
    const key = names.join()
    if (!updates.has(key) && updates.size < most) updates.set(key, update(names))
    return updates.get(key) ?? updateAll
  }
  return (key: Record<string, unknown>, row: Row, before: Row | undefined): void => {
    const changed = before ? all.filter((name) => row[name] !== before[name]) : all
    if (changed.length === 0) return
    const { names, run } = updateOf(changed)
    const values: Record<string, unknown> = { ...key }
    for (const name of names) values[name] = row[name] ?? null
    run(values as never)
  }
}

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

  /**
   * Passes all values as one array, which Bun's types do not know: as separate arguments Bun would collect them into an
   * array again.
   */
  #bind(values: Record<string, unknown>): SQLQueryBindings {
    return this.#compiled.bind(values) as unknown as SQLQueryBindings
  }
}
