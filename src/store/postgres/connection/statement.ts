/** SQL statements, compiled when they are first used and executed on the connection of whichever transaction or reader uses them. */
import { and, eq, getTableColumns, Param, type Placeholder, type Query, type SQL, sql, type Table } from 'drizzle-orm'
import {
  type AnyPgColumn,
  PgDatabase,
  PgDialect,
  PgPreparedQuery,
  PgSession,
  type PgTable,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
} from 'drizzle-orm/pg-core'
import { type Compiled, compile } from '../../compiled'

/** How parameter `n` (from 1) is written: `$1` in a statement that is sent by itself. */
export type ParameterText = (n: number) => string

/** One SQL statement with the codecs of its parameters and rows. */
export interface Statement<Row> {
  readonly text: string
  /** The text with another notation of its parameters; an addition can be written for several rows. */
  written(place: ParameterText, rows?: number): string
  bind(values: StatementValues): unknown[]
  read(row: readonly unknown[]): Row
  /** An INSERT that reads no row its transaction has just added, so several of them may be sent as one statement. */
  readonly isAddition?: boolean
  /** Present where one statement may run for several transactions of a batch. */
  readonly shared?: Shared<Row>
  /** Its effect is invisible, so it may stay even if its transaction is rolled back. */
  readonly leavesNoTrace?: boolean
  /** The parameter to add up: a transaction sends the statement once for each app, with the sum. Used for slots of reserved credit. */
  readonly summed?: string
}

/** Facts about a statement that a batched transaction needs to run it for several participants. */
export interface Shared<Row> {
  /** PostgreSQL types of the parameters. */
  readonly types: readonly string[]
  /** Names the lock that a row stands for; only one participant of a batch may hold it. */
  holds?(row: Row, values: StatementValues): string
}

/** `sharedBy`: whether the statement may run for several transactions at once; a statement that locks says how its locks are named. */
interface StatementOptions<Row> {
  isAddition?: boolean
  sharedBy?: 'anybody' | Shared<Row>['holds']
}

export type StatementValues = Record<string, unknown>

export interface BoundStatement {
  statement: Statement<unknown>
  values: StatementValues
}

/** Drizzle serves as a query builder only; connections execute the compiled text. */
class CompiledPgQuery<T extends PreparedQueryConfig> extends PgPreparedQuery<T> {
  readonly compiled: Compiled

  constructor(query: Query, fields: SelectedFieldsOrdered | undefined) {
    super(query, undefined, undefined)
    this.compiled = compile(query, fields)
  }

  override execute(): Promise<never> {
    throw new Error('A statement is executed by a transaction or a reader')
  }
}

class StatementBuilder extends PgSession {
  override prepareQuery<T extends PreparedQueryConfig>(query: Query, fields: SelectedFieldsOrdered | undefined) {
    return new CompiledPgQuery<T>(query, fields)
  }

  override transaction(): Promise<never> {
    throw new Error('Transactions are begun by the store')
  }
}

const numbered: ParameterText = (n) => `$${n}`

function builderOf(place: ParameterText) {
  const dialect = Object.assign(new PgDialect(), { escapeParam: (index: number) => place(index + 1) })
  return new PgDatabase(dialect, new StatementBuilder(dialect), undefined)
}

export const db = builderOf(numbered)

interface PreparedPgStatement {
  getQuery(): Query
  execute(values?: never): Promise<unknown>
}

type RowOf<P extends PreparedPgStatement> = Awaited<ReturnType<P['execute']>> extends Array<infer Row> ? Row : never

/** PostgreSQL text cannot hold NUL, which carriers may send; U+FFFD replaces it wherever a text is stored or looked up. */
export const storable = (parameters: unknown[]): unknown[] =>
  parameters.some((value) => typeof value === 'string' && value.includes('\0'))
    ? parameters.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value))
    : parameters

/**
 * Compiled when it is first used: compiling all statements would take longer than the rest of a start. `prepare` gets the
 * query builder and the number of rows to add; only additions look at the number.
 */
export function statement<P extends PreparedPgStatement>(
  prepare: (on: typeof db, rows: number) => P,
  { isAddition = false, sharedBy }: StatementOptions<RowOf<P>> = {},
): Statement<RowOf<P>> {
  let known: { query: Query; compiled: Compiled } | undefined
  const prepared = () => {
    if (!known) {
      const query = prepare(db, 1) as unknown as CompiledPgQuery<PreparedQueryConfig>
      known = { query: query.getQuery(), compiled: query.compiled }
    }
    return known
  }
  const types = () => prepared().compiled.types.map((type) => type ?? unsaid(prepared().query.sql))
  return {
    isAddition,
    get text() {
      return prepared().query.sql
    },
    written: (place, rows = 1) => prepare(builderOf(place), rows).getQuery().sql,
    ...(sharedBy && sharing(sharedBy, types)),
    bind: (values) => storable(prepared().compiled.bind(values)),
    read: (row) => prepared().compiled.read(row) as RowOf<P>,
  }
}

function unsaid(text: string): never {
  throw new Error(`A shared statement must give the types of its parameters: ${text}`)
}

const sharing = <Row>(by: NonNullable<StatementOptions<Row>['sharedBy']>, types: () => readonly string[]) => ({
  shared: {
    get types() {
      return types()
    },
    ...(by !== 'anybody' && { holds: by }),
  },
})

/** INSERT of a row with every column of a table, or with the named ones. */
export const addition = (table: PgTable, names?: readonly string[]): Statement<unknown> =>
  statement(
    (on, rows) =>
      on
        .insert(table)
        .values(repeated(rows, () => parameters(table, names)))
        .prepare(''),
    {
      isAddition: true,
    },
  )

export const repeated = <StatementValues>(rows: number, make: () => StatementValues): StatementValues[] =>
  Array.from({ length: rows }, make)

/** A statement in plain SQL whose rows are read by position. A shared one takes `place` to write its parameters. */
export function plain<Row = never>(
  text: string,
  bind: (values: StatementValues) => unknown[],
  read?: (row: readonly unknown[]) => Row,
): Statement<Row>
export function plain<Row = never>(
  text: (place: ParameterText) => string,
  bind: (values: StatementValues) => unknown[],
  read?: (row: readonly unknown[]) => Row,
  shared?: Shared<Row>,
): Statement<Row>
export function plain<Row>(
  text: string | ((place: ParameterText) => string),
  bind: (values: StatementValues) => unknown[],
  read: (row: readonly unknown[]) => Row = () => undefined as never,
  shared?: Shared<Row>,
): Statement<Row> {
  const written = typeof text === 'string' ? () => text : text
  return { text: written(numbered), written, bind: (values) => storable(bind(values)), read, ...(shared && { shared }) }
}

/** Marks a statement whose effect is invisible even if its transaction is rolled back. */
export const traceless = (statement: Statement<never>): Statement<never> => ({ ...statement, leavesNoTrace: true })

/** A parameter of a condition, encoded as the column is (Drizzle leaves bare placeholders in conditions as they are). */
export const bind = (column: AnyPgColumn, name: string) => new Param(sql.placeholder(name), column)

/** An array literal of PostgreSQL, as a parameter. */
export const listOf = (items: ReadonlyArray<string | number>) =>
  `{${items.map((item) => (typeof item === 'number' ? item : `"${item.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`

/** Selects the rows of an app and mode. */
export const ofOwner = ({ appId, mode }: { appId: AnyPgColumn; mode: AnyPgColumn }) =>
  and(eq(appId, bind(appId, 'appId')), eq(mode, bind(mode, 'mode')))

/** The named columns as parameters of an UPDATE. */
export function changes<T extends PgTable, const K extends keyof T['_']['columns'] & string>(
  table: T,
  names: readonly K[],
) {
  const columns = getTableColumns(table as Table)
  return Object.fromEntries(names.map((name) => [name, sql`${bind(columns[name] as AnyPgColumn, name)}`])) as Record<
    K,
    SQL
  >
}

/** Every column of a table, or the named ones, as parameters of an INSERT. */
export function parameters<T extends PgTable>(table: T, names?: readonly string[]) {
  const columns = names ?? Object.keys(getTableColumns(table as Table))
  return Object.fromEntries(columns.map((name) => [name, sql.placeholder(name)])) as {
    [K in keyof T['$inferInsert']]-?: Placeholder
  }
}

/** Memoizes a family of statements by its key. */
export function keptBy<Key, Row>(make: (key: Key) => Statement<Row>): (key: Key) => Statement<Row> {
  const made = new Map<Key, Statement<Row>>()
  return (key) => {
    const known = made.get(key) ?? make(key)
    made.set(key, known)
    return known
  }
}
