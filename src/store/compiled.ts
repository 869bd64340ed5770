/**
 * Statements of Drizzle's query builder, prepared to the end. Drizzle's own look up every placeholder's and every column's
 * kind anew at each call, which costs as much as a small database itself; here it is looked up once.
 */
import { Column, getTableName, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm'
import type { SelectedFieldsOrdered as SelectedByPostgres } from 'drizzle-orm/pg-core'
import type { SelectedFieldsOrdered as SelectedBySQLite } from 'drizzle-orm/sqlite-core'
import type { HashCover } from '../ports/vault'
import { hashBytes, hashKeyOf, isHashKey } from './covered'

export type Fields = SelectedBySQLite | SelectedByPostgres

export interface Compiled {
  /** Parameters in the order in which the statement names them. */
  bind(values: Record<string, unknown>, cover: HashCover): unknown[]
  /** Of a left join, only single columns may be selected: a whole table that is missing would not become null here. */
  read(row: readonly unknown[], cover: HashCover): Record<string, unknown>
  /** What the database calls the kind of each parameter; undefined where it is not that of a column. */
  readonly types: ReadonlyArray<string | undefined>
}

export function compile(query: Query, fields: Fields | undefined): Compiled {
  const parameters = query.params.map(compileParameter)
  const columns = compileColumns((fields ?? []) as SelectedBySQLite)
  return {
    bind: (values, cover) => parameters.map((parameter) => parameter(values, cover)),
    read: (row, cover) => readRow(columns, row, cover),
    types: query.params.map(typeOf),
  }
}

const typeOf = (parameter: unknown) =>
  is(parameter, Param) && is(parameter.encoder, Column) ? parameter.encoder.getSQLType() : undefined

function readRow(columns: readonly ResultColumn[], row: readonly unknown[], cover: HashCover): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) {
    const { group, name, decode, isLeftOut } = columns[index] as ResultColumn
    if (isLeftOut) continue
    const value = row[index]
    const decoded = decode === undefined || value === null ? value : decode(value, row, cover)
    if (group === undefined) result[name] = decoded
    else {
      const inGroup = (result[group] ?? {}) as Record<string, unknown>
      inGroup[name] = decoded
      result[group] = inGroup
    }
  }
  return result
}

type Parameter = (values: Record<string, unknown>, cover: HashCover) => unknown

function compileParameter(parameter: unknown): Parameter {
  if (is(parameter, Placeholder)) return namedValue(parameter)
  if (!is(parameter, Param) || !is(parameter.value, Placeholder)) return () => parameter
  const { encoder, value } = parameter
  const find = namedValue(value)
  if (bytesOf(encoder)) return (values, cover) => stored(find(values, cover), cover)
  if (saysHashKey(encoder)) return (_, cover) => hashKeyOf(cover)
  if (isAsIs(encoder, 'mapToDriverValue')) return find
  return (values, cover) => encoder.mapToDriverValue(find(values, cover))
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
  decode: ((value: unknown, row: readonly unknown[], cover: HashCover) => unknown) | undefined
  /** It is only needed for others. */
  isLeftOut: boolean
}

function compileColumns(fields: SelectedBySQLite): ResultColumn[] {
  return fields.map(({ path, field }) => {
    const [name = '', group] = path.toReversed()
    const isLeftOut = saysHashKey(field)
    const bytes = bytesOf(field)
    if (bytes) return { group, name, isLeftOut, decode: decodeHash(fields, field as Column, bytes) }
    // A subquery would be nested.
    const decoder = is(field, Column) ? field : decoderOf(is(field, SQL) ? field : (field as SQL.Aliased).sql)
    const isPlain = isAsIs(decoder, 'mapFromDriverValue')
    return { group, name, isLeftOut, decode: isPlain ? undefined : (value) => decoder.mapFromDriverValue(value) }
  })
}

/** What says by which key it is stored is to be selected with it. */
function decodeHash(fields: SelectedBySQLite, column: Column, bytes: number): ResultColumn['decode'] {
  const place = fields.findIndex(({ field }) => saysHashKey(field) && (field as Column).table === column.table)
  if (place < 0) throw new Error(`${column.name} was selected without its hash_key`)
  return (value, row, cover) =>
    cover.plain(column.mapFromDriverValue(value) as Uint8Array, Number(row[place] ?? 0), bytes)
}

const bytesOf = (coder: unknown) => (is(coder, Column) ? hashBytes(getTableName(coder.table), coder.name) : undefined)
const saysHashKey = (coder: unknown) => is(coder, Column) && isHashKey(getTableName(coder.table), coder.name)

const stored = (hash: unknown, cover: HashCover) => (hash === null ? null : cover.stored(hash as Uint8Array))

/** Drizzle keeps it to itself. */
const decoderOf = (expression: SQL) => (expression as SQL & { decoder: Pick<Column, 'mapFromDriverValue'> }).decoder

/** What columns that change nothing inherit. */
function isAsIs<Name extends 'mapToDriverValue' | 'mapFromDriverValue'>(coder: object, name: Name): boolean {
  return (coder as Partial<Record<Name, unknown>>)[name] === Column.prototype[name]
}
