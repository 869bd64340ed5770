/**
 * Statements of Drizzle's query builder, prepared to the end. Drizzle's own look up every placeholder's and every column's
 * kind anew at each call, which costs as much as a small database itself; here it is looked up once.
 */
import { Column, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm'
import type { SelectedFieldsOrdered as SelectedByPostgres } from 'drizzle-orm/pg-core'
import type { SelectedFieldsOrdered as SelectedBySQLite } from 'drizzle-orm/sqlite-core'

export type SelectedFields = SelectedBySQLite | SelectedByPostgres

export interface Compiled {
  /** Parameters in the order in which the statement names them. */
  bind(values: Record<string, unknown>): unknown[]
  /** A table of a left join that has no row is null. */
  read(row: readonly unknown[]): Record<string, unknown>
  /** What the database calls the kind of each parameter; undefined where it is not that of a column. */
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
  /** Of the value; none has what is the same for all. */
  name: string | undefined
  /** Undefined where it is stored as it is. */
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
  /** In the row. */
  place: number
  decode: ((value: unknown) => unknown) | undefined
}

/** The objects that a row becomes: its own columns, and those of each table that has a name of its own. */
interface Parts {
  own: readonly ResultColumn[]
  /** `place`: of a column that no row of the table is without. */
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
  // A subquery would be nested.
  const decoder = is(field, Column) ? field : decoderOf(is(field, SQL) ? field : (field as SQL.Aliased).sql)
  return isAsIs(decoder, 'mapFromDriverValue') ? undefined : (value) => decoder.mapFromDriverValue(value)
}

/** Drizzle keeps it to itself. */
const decoderOf = (expression: SQL) => (expression as SQL & { decoder: Pick<Column, 'mapFromDriverValue'> }).decoder

/** What columns that change nothing inherit. */
function isAsIs<Name extends 'mapToDriverValue' | 'mapFromDriverValue'>(coder: object, name: Name): boolean {
  return (coder as Partial<Record<Name, unknown>>)[name] === Column.prototype[name]
}
