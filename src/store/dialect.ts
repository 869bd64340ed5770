/**
 * The two dialects. Drizzle builds every statement of both from one text; only what differs between them stands here, or
 * beside each other in a statement (`either`). Drizzle's PostgreSQL types serve for both, since its builders have the
 * same methods.
 */
import {
  and,
  type Column,
  eq,
  getTableColumns,
  type NotNull,
  Param,
  type Placeholder,
  type Query,
  type SQL,
  sql,
} from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import type { Origin } from '../domain/shared/addressed'
import { isUuid } from '../domain/shared/value'
import { uuidBytes, uuidText } from './ids'
import { type SelectedFields, type Statement, statementOf } from './statement'
import { type ColumnField, type ColumnKind, columnsOf, JSON_CODEC, TABLES, type Table } from './tables'

interface ColumnConfig<Data> {
  name: string
  dataType: 'custom'
  columnType: 'PgCustomColumn'
  data: Data
  driverParam: unknown
  enumValues: undefined
}

/** Every column as a custom one: Drizzle's types need only its data and whether it may be NULL. */
type ColumnOf<F> =
  F extends ColumnField<infer Data, infer IsNull>
    ? IsNull extends true
      ? pg.PgCustomColumnBuilder<ColumnConfig<Data>>
      : NotNull<pg.PgCustomColumnBuilder<ColumnConfig<Data>>>
    : never
type TableOf<T> =
  T extends Table<infer Name, infer F>
    ? ReturnType<typeof pg.pgTable<Name, { [Property in keyof F]: ColumnOf<F[Property]> }>>
    : never
export type Tables = { [Name in keyof typeof TABLES]: TableOf<(typeof TABLES)[Name]> }
type AnyTable = Tables[keyof Tables]

type Builder = pg.PgDatabase<pg.PgQueryResultHKT>
type MakeColumn = (name: string) => { notNull(): unknown }

export type DialectName = 'sqlite' | 'postgres'

interface Kit {
  name: DialectName
  columns: Record<ColumnKind, MakeColumn>
  table: (name: string, columns: never) => unknown
  builder: Builder
  render(text: SQL): Query
}

/** A request id and, after a space, its trace: a request id contains none. */
const ORIGIN_CODEC = {
  dataType: () => 'text',
  toDriver: ({ requestId, trace }: Origin) => (trace ? `${requestId} ${trace}` : requestId),
  fromDriver(text: string): Origin {
    const [requestId = '', ...trace] = text.split(' ')
    return { requestId, trace: trace.join(' ') || undefined }
  },
}

const texts = (customType: typeof pg.customType | typeof sqlite.customType) => ({
  json: (customType as typeof pg.customType)<{ data: unknown; driverData: string | null }>(JSON_CODEC),
  origin: (customType as typeof pg.customType)<{ data: Origin; driverData: string }>(ORIGIN_CODEC),
})

const neverExecuted = (): never => {
  throw new Error('A statement is executed on a session')
}

/** Drizzle serves as a query builder only: what it prepares is the text with its parameters and fields. */
class PreparedOfSQLite extends sqlite.SQLitePreparedQuery<sqlite.PreparedQueryConfig & { type: 'sync' }> {
  constructor(
    query: Query,
    readonly fields: SelectedFields,
  ) {
    super('sync', 'all', query)
  }
  override run = neverExecuted
  override all = neverExecuted
  override get = neverExecuted
  override values = neverExecuted
}

class SessionOfSQLite extends sqlite.SQLiteSession<'sync', unknown, Record<string, never>, Record<string, never>> {
  override prepareQuery = (query: Query, fields: SelectedFields) => new PreparedOfSQLite(query, fields) as never
  override transaction = neverExecuted
}

class PreparedOfPostgres<T extends pg.PreparedQueryConfig> extends pg.PgPreparedQuery<T> {
  constructor(
    query: Query,
    readonly fields: SelectedFields,
  ) {
    super(query, undefined, undefined)
  }
  override execute = neverExecuted
}

class SessionOfPostgres extends pg.PgSession {
  override prepareQuery<T extends pg.PreparedQueryConfig>(query: Query, fields: SelectedFields) {
    return new PreparedOfPostgres<T>(query, fields)
  }
  override transaction = neverExecuted
}

const sqliteDialect = new sqlite.SQLiteSyncDialect()
const pgDialect = new pg.PgDialect()

const KITS: Record<DialectName, Kit> = {
  sqlite: {
    name: 'sqlite',
    columns: {
      ...{ text: sqlite.text, integer: sqlite.integer, bigint: sqlite.integer, ...texts(sqlite.customType) },
      boolean: (name) => sqlite.integer(name, { mode: 'boolean' }),
      /** UUID text in the domain, 16 bytes in the database. */
      uuid: sqlite.customType<{ data: string; driverData: Uint8Array }>({
        dataType: () => 'blob',
        toDriver: uuidBytes,
        fromDriver: uuidText,
      }),
      bytes: sqlite.customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'blob' }),
    },
    table: sqlite.sqliteTable,
    builder: new sqlite.BaseSQLiteDatabase(
      'sync',
      sqliteDialect,
      new SessionOfSQLite(sqliteDialect),
      undefined,
    ) as unknown as Builder,
    render: (text) => sqliteDialect.sqlToQuery(text),
  },
  postgres: {
    name: 'postgres',
    columns: {
      ...{ text: pg.text, integer: pg.integer, boolean: pg.boolean, ...texts(pg.customType) },
      /** The driver answers it as text. */
      bigint: (name) => pg.bigint(name, { mode: 'number' }),
      /** A text that is not a UUID matches no row, where PostgreSQL would raise an error. */
      uuid: pg.customType<{ data: string; driverData: string | null }>({
        dataType: () => 'uuid',
        toDriver: (value: string) => (isUuid(value) ? value : null),
      }),
      /** Copied, because the driver's value is a view into a larger buffer. */
      bytes: pg.customType<{ data: Uint8Array; driverData: Uint8Array }>({
        dataType: () => 'bytea',
        fromDriver: (value) => new Uint8Array(value),
      }),
    },
    table: pg.pgTable,
    builder: new pg.PgDatabase(pgDialect, new SessionOfPostgres(pgDialect), undefined) as Builder,
    render: (text) => pgDialect.sqlToQuery(text),
  },
}

const tablesOf = ({ columns, table }: Kit) =>
  Object.fromEntries(
    Object.entries(TABLES).map(([property, described]: [string, Table]) => {
      const made = columnsOf(described, (name, { kind, isNull }) =>
        isNull ? columns[kind](name) : columns[kind](name).notNull(),
      )
      return [property, table(described.name, made as never)]
    }),
  ) as unknown as Tables

const columnOf = (table: pg.PgTable, name: string) => getTableColumns(table)[name] as pg.AnyPgColumn

type NamesOf<T extends pg.PgTable> = keyof T['_']['columns'] & string
type Locked<Q> = Q extends { for(strength: 'no key update', config?: infer Config): unknown } ? Config : never

function dialectOf(kit: Kit) {
  const { name, builder: db, render } = kit
  const isSQLite = name === 'sqlite'
  const value = (column: Column, parameter: string) => new Param(sql.placeholder(parameter), column)
  /**
   * A parameter of a condition, encoded like its column. Without the `+`, which changes no value, SQLite plans by the
   * value of the parameter, and prepares statements with joins or sorts anew for each.
   */
  const bind = (column: Column, parameter: string): SQL =>
    isSQLite ? sql`+${value(column, parameter)}` : sql`${value(column, parameter)}`
  const typed = (type: string) => (parameter: string) =>
    isSQLite ? sql`+${sql.placeholder(parameter)}` : sql`${sql.placeholder(parameter)}::${sql.raw(type)}`
  const match = <T extends pg.PgTable>(table: T, ...names: ReadonlyArray<NamesOf<T>>): SQL =>
    and(...names.map((each) => eq(columnOf(table, each), bind(columnOf(table, each), each)))) as SQL
  /** Every column of a table, or the named ones, as parameters of an INSERT. */
  const parameters = <T extends pg.PgTable>(table: T, names?: readonly string[]) =>
    Object.fromEntries((names ?? Object.keys(getTableColumns(table))).map((each) => [each, sql.placeholder(each)])) as {
      [K in keyof T['$inferInsert']]-?: Placeholder
    }
  return {
    name,
    db,
    tables: tablesOf(kit),
    bind,
    /** A parameter that is compared with numbers. */
    number: typed('bigint'),
    word: typed('text'),
    /** Rows whose named columns are the parameters of those names. */
    match,
    ofOwner: (table: AnyTable) => match(table as Tables['issues'], 'appId', 'mode'),
    parameters,
    /** The named columns as parameters of an UPDATE. */
    changes: <T extends pg.PgTable, const K extends NamesOf<T>>(table: T, names: readonly K[]) =>
      Object.fromEntries(names.map((each) => [each, sql`${value(columnOf(table, each), each)}`])) as Record<K, SQL>,
    /** The new values of an upsert, for the named columns. */
    excluded: <T extends pg.PgTable, const K extends NamesOf<T>>(table: T, names: readonly K[]) =>
      Object.fromEntries(
        names.map((each) => [each, sql`excluded.${sql.identifier(columnOf(table, each).name)}`]),
      ) as Record<K, SQL>,
    /** An id in a row that is read by position. */
    idIn: (value: unknown): string => (isSQLite ? uuidText(value as Uint8Array) : String(value)),
    /** The same in both dialects' words. */
    either: <T>(words: Record<DialectName, T>): T => words[name],
    /** SQLite has one writer, and so no row locks. */
    hasRowLocks: !isSQLite,
    locked: <Q>(query: Q, config?: Locked<Q>): Q =>
      isSQLite
        ? query
        : (query as unknown as { for(strength: string, config: unknown): Q }).for('no key update', config),
    insert: (table: pg.PgTable, names?: readonly string[]): Statement =>
      statementOf(() => db.insert(table).values(parameters(table, names)) as never),
    /** A statement in plain SQL, whose rows are read by position. */
    plain: <Row = never>(text: () => SQL, read: (row: readonly unknown[]) => Row = () => undefined as never) =>
      statementOf<Row>(() => ({ prepare: () => ({ getQuery: () => render(text()), fields: undefined }) }), read),
  }
}

export type Dialect = ReturnType<typeof dialectOf>

export const SQLITE = dialectOf(KITS.sqlite)
export const POSTGRES = dialectOf(KITS.postgres)

/** What is described once, made once for each dialect that is used. */
export function inDialect<T>(describe: (dialect: Dialect) => T): (session: { dialect: Dialect }) => T {
  const made = new Map<Dialect, T>()
  return ({ dialect }) => {
    if (!made.has(dialect)) made.set(dialect, describe(dialect))
    return made.get(dialect) as T
  }
}
