/**
 * Statements: built by Drizzle when they are first used, compiled once, and run on whichever session has them. Drizzle
 * looks up the codec of every placeholder and column at each call, which costs as much as a small query. Here they are
 * looked up once.
 */
import { Column, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm'
import type { SelectedFieldsOrdered as SelectedByPostgres } from 'drizzle-orm/pg-core'
import type { SelectedFieldsOrdered as SelectedBySQLite } from 'drizzle-orm/sqlite-core'

export type SelectedFields = SelectedBySQLite | SelectedByPostgres | undefined
/** By the names of parameters. */
export type Values = object

/** One SQL statement of a dialect, with the codecs of its parameters and rows. */
export interface Statement<Row = unknown> {
  readonly text: string
  /** The values in the order of the statement's parameters. */
  bind(values: Values): unknown[]
  /** NULL is undefined in the domain, and so is a table that a left join found no row of. */
  read(row: readonly unknown[]): Row
}

/** What Drizzle's builders have in common. */
export interface StatementBuilder {
  prepare(name: string): unknown
}
interface Prepared {
  getQuery(): Query
  fields: SelectedFields
}

type NoNull<T> = { [K in keyof T]: null extends T[K] ? Nested<Exclude<T[K], null>> | undefined : Nested<T[K]> }
/** The row of a joined table, which every such table tells the time of. JSON has nulls of its own. */
type Nested<T> = T extends { createdAt: number } ? NoNull<T> : T
export type RowOf<B> = Awaited<B> extends Array<infer Row> ? NoNull<Row> : never

/** Compiled when it is first used: compiling all statements would take longer than the rest of a start. */
export const statement = <B extends StatementBuilder>(build: () => B): Statement<RowOf<B>> =>
  statementOf<RowOf<B>>(build)

export function statementOf<Row>(
  build: () => StatementBuilder,
  read?: (row: readonly unknown[]) => Row,
): Statement<Row> {
  let compiled: Statement<Row> | undefined
  const first = () => {
    compiled ??= compile(build().prepare('') as Prepared, read)
    return compiled
  }
  return {
    get text() {
      return first().text
    },
    bind: (values) => first().bind(values),
    read: (row) => first().read(row),
  }
}

function compile<Row>(prepared: Prepared, read: ((row: readonly unknown[]) => Row) | undefined): Statement<Row> {
  const query = prepared.getQuery()
  const parameters = query.params.map(compileParameter)
  const parts = compileParts((prepared.fields ?? []) as SelectedBySQLite)
  return {
    text: query.sql,
    bind: (values) => bindAll(parameters, values as Record<string, unknown>),
    read: read ?? ((row) => readRow(parts, row) as Row),
  }
}
function readRow({ own, groups }: Parts, row: readonly unknown[]): Record<string, unknown> {
  const result = readColumns(own, row)
  for (const { name, place, columns } of groups)
    result[name] = place !== undefined && row[place] === null ? undefined : readColumns(columns, row)
  return result
}

function readColumns(columns: readonly ResultColumn[], row: readonly unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const { name, place, decode } of columns) {
    const value = row[place]
    if (value === null) result[name] = undefined
    else result[name] = decode === undefined ? value : decode(value)
  }
  return result
}

interface Parameter {
  /** Undefined for a constant. */
  name: string | undefined
  /** Undefined where the value needs no encoding. */
  encode: ((value: unknown) => unknown) | undefined
  /** The column of a value that may be missing. */
  isNullable?: boolean
}

function bindAll(parameters: readonly Parameter[], values: Record<string, unknown>): unknown[] {
  const bound: unknown[] = []
  for (const { name, encode, isNullable } of parameters) {
    const given = name === undefined ? undefined : values[name]
    const value = given === undefined && isNullable ? null : given
    if (value === undefined && name !== undefined) throw new Error(`No value for the parameter ${name}`)
    bound.push(encode === undefined ? value : encode(value))
  }
  return bound
}

function compileParameter(parameter: unknown): Parameter {
  if (is(parameter, Placeholder)) return { name: parameter.name, encode: undefined }
  if (!is(parameter, Param) || !is(parameter.value, Placeholder)) return { name: undefined, encode: () => parameter }
  const { encoder, value } = parameter
  return { name: value.name, encode: encodeFor(encoder), isNullable: is(encoder, Column) && !encoder.notNull }
}

function encodeFor(encoder: Param['encoder']): Parameter['encode'] {
  if (isAsIs(encoder, 'mapToDriverValue')) return undefined
  // Drizzle hands NULL to the codec of a placeholder too.
  return (value) => (value === null ? null : encoder.mapToDriverValue(value))
}

interface ResultColumn {
  name: string
  /** Index in the row. */
  place: number
  decode: ((value: unknown) => unknown) | undefined
}

/** Where the columns of a row go: into the result itself, or into the nested object of a named table. */
interface Parts {
  own: readonly ResultColumn[]
  /** `place`: index of a NOT NULL column, by which a missing row of a left join is recognized. */
  groups: ReadonlyArray<{ name: string; place: number | undefined; columns: readonly ResultColumn[] }>
}

function compileParts(fields: SelectedBySQLite): Parts {
  const groupOf = (path: readonly string[]) => path.at(-2)
  const columnsOf = (group: string | undefined) =>
    fields.flatMap(({ path, field }, place) =>
      groupOf(path) === group ? [{ name: path.at(-1) ?? '', place, decode: decodeField(field) }] : [],
    )
  const names = [...new Set(fields.flatMap(({ path }) => groupOf(path) ?? []))]
  return {
    own: columnsOf(undefined),
    groups: names.map((name) => {
      const place = fields.findIndex(({ path, field }) => groupOf(path) === name && is(field, Column) && field.notNull)
      return { name, place: place < 0 ? undefined : place, columns: columnsOf(name) }
    }),
  }
}

function decodeField(field: SelectedBySQLite[number]['field']): ResultColumn['decode'] {
  // Anything else would be a subquery, which the stores do not use here.
  const decoder = is(field, Column) ? field : decoderOf(is(field, SQL) ? field : (field as SQL.Aliased).sql)
  return isAsIs(decoder, 'mapFromDriverValue') ? undefined : (value) => decoder.mapFromDriverValue(value)
}

/** The decoder is internal to Drizzle's SQL class. */
const decoderOf = (expression: SQL) => (expression as SQL & { decoder: Pick<Column, 'mapFromDriverValue'> }).decoder

/** Whether the codec is the inherited one, which changes nothing. */
function isAsIs<Name extends 'mapToDriverValue' | 'mapFromDriverValue'>(coder: object, name: Name): boolean {
  return (coder as Partial<Record<Name, unknown>>)[name] === Column.prototype[name]
}

interface Update {
  statement: Statement
  values: Values
}

/**
 * Updates only the changed columns of a locked row, or all of them if `before` is unknown: each unchanged column would
 * cost SQLite its constraints and its index entries. Each set of columns has its own statement. Undefined where nothing
 * has changed.
 */
export function changedOnly<const Name extends string>(
  all: readonly Name[],
  build: (names: readonly Name[]) => Statement,
) {
  type Row = { readonly [K in Name]?: unknown }
  const updates = new Map<string, Statement>()
  return (row: Row, before: Row | undefined): Update | undefined => {
    const changed = before ? all.filter((name) => row[name] !== before[name]) : all
    if (changed.length === 0) return undefined
    const key = changed.join()
    const statement = updates.get(key) ?? build(changed)
    updates.set(key, statement)
    return { statement, values: Object.fromEntries(changed.map((name) => [name, row[name]])) }
  }
}
