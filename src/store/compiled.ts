/**
 * Compiles statements of Drizzle's query builder. Drizzle looks up the codec of every placeholder and column at each
 * call, which costs as much as a small query. Here they are looked up once.
 */
import { Column, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm'
import type { SelectedFieldsOrdered as SelectedByPostgres } from 'drizzle-orm/pg-core'
import type { SelectedFieldsOrdered as SelectedBySQLite } from 'drizzle-orm/sqlite-core'

export type SelectedFields = SelectedBySQLite | SelectedByPostgres

export interface Compiled {
  /** The values in the order of the statement's parameters. */
  bind(values: Record<string, unknown>): unknown[]
  /** A table that a left join found no row of is null. */
  read(row: readonly unknown[]): Record<string, unknown>
  /** The SQL type of each parameter; undefined where the parameter is not encoded as a column. */
  readonly types: ReadonlyArray<string | undefined>
}

export function compile(query: Query, fields: SelectedFields | undefined): Compiled {
  const parameters = query.params.map(compileParameter)
  const parts = compileParts((fields ?? []) as SelectedBySQLite)
  return {
    bind: (values) => bindAll(parameters, values),
    read: (row) => readRow(parts, row),
    types: query.params.map(typeOf),
  }
}

const typeOf = (parameter: unknown) =>
  is(parameter, Param) && is(parameter.encoder, Column) ? parameter.encoder.getSQLType() : undefined

function readRow({ own, groups }: Parts, row: readonly unknown[]): Record<string, unknown> {
  const result = readColumns(own, row)
  for (const { name, place, columns } of groups)
    result[name] = place !== undefined && row[place] === null ? null : readColumns(columns, row)
  return result
}

function readColumns(columns: readonly ResultColumn[], row: readonly unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const { name, place, decode } of columns) {
    const value = row[place]
    result[name] = decode === undefined || value === null ? value : decode(value)
  }
  return result
}

interface Parameter {
  /** Undefined for a constant. */
  name: string | undefined
  /** Undefined where the value needs no encoding. */
  encode: ((value: unknown) => unknown) | undefined
}

function bindAll(parameters: readonly Parameter[], values: Record<string, unknown>): unknown[] {
  const bound: unknown[] = []
  for (const { name, encode } of parameters) {
    const value = name === undefined ? undefined : values[name]
    if (value === undefined && name !== undefined) throw new Error(`No value for the parameter ${name}`)
    bound.push(encode === undefined ? value : encode(value))
  }
  return bound
}

function compileParameter(parameter: unknown): Parameter {
  if (is(parameter, Placeholder)) return { name: parameter.name, encode: undefined }
  if (!is(parameter, Param) || !is(parameter.value, Placeholder)) return { name: undefined, encode: () => parameter }
  const { encoder, value } = parameter
  return { name: value.name, encode: encodeFor(encoder) }
}

function encodeFor(encoder: Param['encoder']): Parameter['encode'] {
  return isAsIs(encoder, 'mapToDriverValue') ? undefined : (value) => encoder.mapToDriverValue(value)
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
