/**
 * Statements of Drizzle's query builder, prepared to the end. Drizzle's own look up every placeholder's and every column's
 * kind anew at each call, which costs as much as a small database itself; here it is looked up once.
 */
import { Column, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm'
import type { SelectedFieldsOrdered as SelectedByPostgres } from 'drizzle-orm/pg-core'
import type { SelectedFieldsOrdered as SelectedBySQLite } from 'drizzle-orm/sqlite-core'

export type Fields = SelectedBySQLite | SelectedByPostgres

export interface Compiled {
  /** Parameters in the order in which the statement names them. */
  bind(values: Record<string, unknown>): unknown[]
  /** Of a left join, only single columns may be selected: a whole table that is missing would not become null here. */
  read(row: readonly unknown[]): Record<string, unknown>
}

export function compile(query: Query, fields: Fields | undefined): Compiled {
  const parameters = query.params.map(compileParameter)
  const columns = (fields as SelectedBySQLite | undefined)?.map(compileColumn) ?? []
  return {
    bind: (values) => parameters.map((parameter) => parameter(values)),
    read: (row) => readRow(columns, row),
  }
}

function readRow(columns: readonly ResultColumn[], row: readonly unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) {
    const { group, name, decode } = columns[index] as ResultColumn
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

function compileColumn({ path, field }: SelectedBySQLite[number]): ResultColumn {
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
