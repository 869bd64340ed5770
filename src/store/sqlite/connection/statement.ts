/** SQL statements: built by Drizzle and compiled once for the process, prepared once on each connection that uses them. */
import type { Changes, Database, SQLQueryBindings } from 'bun:sqlite'
import { and, eq, getTableColumns, Param, type Placeholder, type Query, type SQL, sql, type Table } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  BaseSQLiteDatabase,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
  type SQLiteExecuteMethod,
  SQLitePreparedQuery,
  SQLiteSession,
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

type SyncConfig = PreparedQueryConfig & { type: 'sync' }
type NoSchema = Record<string, never>

/** Drizzle serves as a query builder only; connections execute the compiled text. */
class CompiledQuery extends SQLitePreparedQuery<SyncConfig> {
  readonly compiled: Compiled

  constructor(query: Query, fields: SelectedFieldsOrdered | undefined, method: SQLiteExecuteMethod) {
    super('sync', method, query)
    this.compiled = compile(query, fields)
  }

  override run = executedElsewhere
  override all = executedElsewhere
  override get = executedElsewhere
  override values = executedElsewhere
}

class QueryBuilder extends SQLiteSession<'sync', Changes, NoSchema, NoSchema> {
  override prepareQuery(query: Query, fields: SelectedFieldsOrdered | undefined, method: SQLiteExecuteMethod) {
    return new CompiledQuery(query, fields, method)
  }

  override transaction(): never {
    throw new Error('Transactions are begun by the store')
  }
}

function executedElsewhere(): never {
  throw new Error('A statement is executed on a connection')
}

const dialect = new SQLiteSyncDialect()
export const db = new BaseSQLiteDatabase('sync', dialect, new QueryBuilder(dialect), undefined)

type PreparedStatement = { get(values?: never): unknown; all(values?: never): unknown; run(values?: never): unknown }

/**
 * `run` answers how many rows were changed. RETURNING would cost more, because SQLite collects its rows in a temporary
 * table.
 */
type Executed<P extends PreparedStatement> = Pick<P, 'get' | 'all'> & {
  run(values?: Parameters<P['run']>[0]): Changes
}

/** Compiled when it is first used: compiling all statements would take longer than the rest of a start. */
export function statement<P extends PreparedStatement>(build: () => P) {
  let built: CompiledQuery | undefined
  const compiled = () => {
    built ??= build() as unknown as CompiledQuery
    return built
  }
  const executed = new WeakMap<Database, Executed<P>>()
  return {
    /** The same for the same connection, which prepares it when it is first used. */
    on(connection: Database): Executed<P> {
      const known = executed.get(connection) ?? (executedOn(connection, compiled) as Executed<P>)
      executed.set(connection, known)
      return known
    },
  }
}

function executedOn(connection: Database, compiled: () => CompiledQuery) {
  const prepare = () => {
    const query = compiled()
    return {
      statement: connection.prepare<unknown, SQLQueryBindings[]>(query.getQuery().sql),
      // Values are passed as one array, which Bun's types do not know: separate ones Bun would collect into an array again.
      bind: (values: Values) => query.compiled.bind(values) as unknown as SQLQueryBindings,
      read: query.compiled.read,
    }
  }
  let prepared: ReturnType<typeof prepare> | undefined
  const first = () => {
    prepared ??= prepare()
    return prepared
  }
  return {
    run(values: Values = {}) {
      const { statement, bind } = first()
      return statement.run(bind(values))
    },
    all(values: Values = {}) {
      const { statement, bind, read } = first()
      return statement.values(bind(values)).map(read)
    },
    get(values: Values = {}) {
      const { statement, bind, read } = first()
      const row = statement.values(bind(values))[0]
      return row && read(row)
    },
  }
}
type Values = Record<string, unknown>

/** Several statements on a connection, by their names. */
export const on = <S extends Record<string, { on(connection: Database): unknown }>>(
  connection: Database,
  statements: S,
) =>
  Object.fromEntries(Object.entries(statements).map(([name, one]) => [name, one.on(connection)])) as {
    [Name in keyof S]: ReturnType<S[Name]['on']>
  }

/** A statement written as SQL, prepared when it is first used. */
export function plain<Row, Values extends SQLQueryBindings | SQLQueryBindings[] = []>(text: string) {
  return {
    on(connection: Database) {
      const prepare = () => connection.prepare<Row, Values>(text)
      let prepared: ReturnType<typeof prepare> | undefined
      const first = () => {
        prepared ??= prepare()
        return prepared
      }
      type Bound = Parameters<ReturnType<typeof prepare>['get']>
      return {
        get: (...values: Bound) => first().get(...values),
        all: (...values: Bound) => first().all(...values),
        run: (...values: Bound) => first().run(...values),
        values: (...values: Bound) => first().values(...values),
      }
    },
  }
}

/**
 * Updates only the changed columns of a locked row, or all of them if `before` is unknown: each unchanged column would
 * cost its constraints and its index entries. Each set of columns has its own statement.
 */
export function updating<const Name extends string>(
  all: readonly Name[],
  build: (names: readonly Name[]) => PreparedStatement,
) {
  type Row = { readonly [K in Name]: unknown }
  const updates = new Map<string, ReturnType<typeof statement<PreparedStatement>>>()
  const updateOf = (names: readonly Name[]) => {
    const key = names.join()
    const update = updates.get(key) ?? statement(() => build(names))
    updates.set(key, update)
    return update
  }
  return (connection: Database, key: Record<string, unknown>, row: Row, before: Row | undefined): void => {
    const changed = before ? all.filter((name) => row[name] !== before[name]) : all
    if (changed.length === 0) return
    const values: Record<string, unknown> = { ...key }
    for (const name of changed) values[name] = row[name] ?? null
    updateOf(changed)
      .on(connection)
      .run(values as never)
  }
}
