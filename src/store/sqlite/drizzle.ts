/**
 * Drizzle with prepared statements that are prepared to the end. Drizzle's own look up every placeholder's and every
 * column's kind anew at each call, which costs as much as SQLite itself; here it is looked up once, when a statement is
 * prepared.
 */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { Column, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm'
import { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite/driver'
import { PreparedQuery, SQLiteBunSession } from 'drizzle-orm/bun-sqlite/session'
import { NoopLogger } from 'drizzle-orm/logger'
import { type PreparedQueryConfig, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'

export type Drizzle = BunSQLiteDatabase

export function drizzle(connection: Database): Drizzle {
  const dialect = new SQLiteSyncDialect()
  return new BunSQLiteDatabase('sync', dialect, new CompilingSession(connection, dialect), undefined)
}

type PrepareArguments = Parameters<SQLiteBunSession<Record<string, never>, Record<string, never>>['prepareQuery']>
type Prepared = Omit<PreparedQueryConfig, 'statement' | 'run'>
type Fields = NonNullable<PrepareArguments[1]>

class CompilingSession extends SQLiteBunSession<Record<string, never>, Record<string, never>> {
  readonly #connection: Database

  constructor(connection: Database, dialect: SQLiteSyncDialect) {
    super(connection, dialect, undefined)
    this.#connection = connection
  }

  override prepareQuery<T extends Prepared>(...args: PrepareArguments): PreparedQuery<T> {
    const [query, fields, method, isArrayMode, mapper] = args
    if (mapper) return super.prepareQuery(...args)
    return new CompiledQuery(this.#connection.prepare(query.sql), query, fields, method, isArrayMode)
  }
}

/** Of a left join, only single columns may be selected: a whole table that is missing would not become null here. */
class CompiledQuery<T extends Prepared> extends PreparedQuery<T> {
  readonly #statement: Statement<unknown, SQLQueryBindings[]>
  readonly #parameters: Parameter[]
  readonly #columns: ResultColumn[]

  constructor(
    statement: Statement<unknown, SQLQueryBindings[]>,
    query: Query,
    fields: Fields | undefined,
    method: PrepareArguments[2],
    isArrayMode: boolean,
  ) {
    super(statement, query, new NoopLogger(), fields, method, isArrayMode)
    this.#statement = statement
    this.#parameters = query.params.map(compileParameter)
    this.#columns = fields?.map(compileColumn) ?? []
  }

  override run(values: Record<string, unknown> = {}) {
    return this.#statement.run(...this.#bind(values))
  }

  override all(values: Record<string, unknown> = {}): T['all'] {
    return this.#statement.values(...this.#bind(values)).map((row) => this.#read(row))
  }

  override get(values: Record<string, unknown> = {}): T['get'] {
    const row = this.#statement.values(...this.#bind(values))[0]
    return row && this.#read(row)
  }

  #bind(values: Record<string, unknown>): SQLQueryBindings[] {
    return this.#parameters.map((parameter) => parameter(values) as SQLQueryBindings)
  }

  #read(row: readonly unknown[]): Record<string, unknown> {
    const result: Record<string, unknown> = {}
    for (let index = 0; index < this.#columns.length; index++) {
      const { group, name, decode } = this.#columns[index] as ResultColumn
      const value = row[index]
      const decoded = decode === undefined || value === null ? value : decode(value)
      if (group === undefined) result[name] = decoded
      else {
        const inGroup = (result[group] ?? {}) as Record<string, unknown>
        inGroup[name] = decoded
        result[group] = inGroup
      }
    }
    return result
  }
}

type Parameter = (values: Record<string, unknown>) => unknown

function compileParameter(parameter: unknown): Parameter {
  if (is(parameter, Placeholder)) return namedValue(parameter)
  if (!is(parameter, Param) || !is(parameter.value, Placeholder)) return () => parameter
  const { encoder, value } = parameter
  const find = namedValue(value)
  if (isAsIs(encoder, 'mapToDriverValue')) return find
  return (values) => encoder.mapToDriverValue(find(values))
}

function namedValue({ name }: Placeholder): Parameter {
  return (values) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No value for the parameter ${name}`)
    return value
  }
}

interface ResultColumn {
  /** The object it belongs to, in a row of several. */
  group: string | undefined
  name: string
  decode: ((value: unknown) => unknown) | undefined
}

function compileColumn({ path, field }: Fields[number]): ResultColumn {
  const [name = '', group] = path.toReversed()
  // A subquery would be nested.
  const decoder = is(field, Column) ? field : decoderOf(is(field, SQL) ? field : (field as SQL.Aliased).sql)
  const isPlain = isAsIs(decoder, 'mapFromDriverValue')
  return { group, name, decode: isPlain ? undefined : (value) => decoder.mapFromDriverValue(value) }
}

/** Drizzle keeps it to itself. */
const decoderOf = (expression: SQL) => (expression as SQL & { decoder: Pick<Column, 'mapFromDriverValue'> }).decoder

/** What columns that change nothing inherit. */
function isAsIs<Name extends 'mapToDriverValue' | 'mapFromDriverValue'>(coder: object, name: Name): boolean {
  return (coder as Partial<Record<Name, unknown>>)[name] === Column.prototype[name]
}
