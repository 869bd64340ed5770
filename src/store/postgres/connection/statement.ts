/** Statements, prepared to the end when they are first used, and executed on whatever connection a unit has. */
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

/** How a parameter is written, by its number from 1 on: `$1` in a statement of its own. */
export type ParameterText = (n: number) => string

/** What a connection is asked, and what its rows mean. */
export interface Statement<Row> {
  readonly text: string
  /** The text with parameters written otherwise; of an addition, for so many rows. */
  written(place: ParameterText, rows?: number): string
  bind(values: StatementValues): unknown[]
  read(row: readonly unknown[]): Row
  /** Looks at no row that its unit has just added, and comes in no order with them: several of the kind may be one statement. */
  readonly isAddition?: boolean
  /** May be asked for several units at once. */
  readonly shared?: Shared<Row>
  readonly leavesNoTrace?: boolean
  /** Takes from what is set aside of a wallet: for an app once in a transaction, with the sum of this parameter. */
  readonly summed?: string
}

/** What units that share a transaction must know of what they ask. */
export interface Shared<Row> {
  /** Of its parameters. */
  readonly types: readonly string[]
  /** What it has locked: one of the units alone may have that. */
  holds?(row: Row, values: StatementValues): string
}

/** How a statement may be sent. `sharedBy`: together with those of other units; what it locks has a name there. */
interface StatementOptions<Row> {
  isAddition?: boolean
  sharedBy?: 'anybody' | Shared<Row>['holds']
}

export type StatementValues = Record<string, unknown>

/** Only a builder: what it prepares is executed elsewhere. */
class CompiledPgQuery<T extends PreparedQueryConfig> extends PgPreparedQuery<T> {
  readonly compiled: Compiled

  constructor(query: Query, fields: SelectedFieldsOrdered | undefined) {
    super(query, undefined, undefined)
    this.compiled = compile(query, fields)
  }

  override execute(): Promise<never> {
    throw new Error('A statement is executed by a unit or a reader')
  }
}

class StatementBuilder extends PgSession {
  override prepareQuery<T extends PreparedQueryConfig>(query: Query, fields: SelectedFieldsOrdered | undefined) {
    return new CompiledPgQuery<T>(query, fields)
  }

  override transaction(): Promise<never> {
    throw new Error('Units are begun by the store')
  }
}

const numbered: ParameterText = (n) => `$${n}`

function builderOf(place: ParameterText) {
  const dialect = Object.assign(new PgDialect(), { escapeParam: (index: number) => place(index + 1) })
  return new PgDatabase(dialect, new StatementBuilder(dialect), undefined)
}

/** Builds statements. */
export const db = builderOf(numbered)

interface PreparedPgStatement {
  getQuery(): Query
  execute(values?: never): Promise<unknown>
}

type RowOf<P extends PreparedPgStatement> = Awaited<ReturnType<P['execute']>> extends Array<infer Row> ? Row : never

/** A text here holds no NUL, which carriers may send: wherever one is stored or looked for, another sign stands for it. */
export const storable = (parameters: unknown[]): unknown[] =>
  parameters.some((value) => typeof value === 'string' && value.includes('\0'))
    ? parameters.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value))
    : parameters

/**
 * Prepared when it is first used: preparing all of them would take longer than the rest of a start. `prepare` gets what builds
 * it, and how many rows it adds; only what units may send together looks at that.
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
  throw new Error(`Of what kind the parameters are is not said: ${text}`)
}

const sharing = <Row>(by: NonNullable<StatementOptions<Row>['sharedBy']>, types: () => readonly string[]) => ({
  shared: {
    get types() {
      return types()
    },
    ...(by !== 'anybody' && { holds: by }),
  },
})

/** A new row with every column of a table, or with the named ones. */
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

/** The values of so many rows. */
export const repeated = <StatementValues>(rows: number, make: () => StatementValues): StatementValues[] =>
  Array.from({ length: rows }, make)

/** A statement in SQL's own words; its rows are read by their places. One that units may ask together says where its parameters are. */
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

/** Whoever writes it may still come to nothing: nobody sees that it was written. */
export const traceless = (statement: Statement<never>): Statement<never> => ({ ...statement, leavesNoTrace: true })

/** A parameter of a condition, encoded as the column is (Drizzle leaves bare placeholders in conditions as they are). */
export const bind = (column: AnyPgColumn, name: string) => new Param(sql.placeholder(name), column)

/** PostgreSQL's own word for a list, as a parameter. */
export const listOf = (items: ReadonlyArray<string | number>) =>
  `{${items.map((item) => (typeof item === 'number' ? item : `"${item.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`

/** Of an app and mode. */
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

/** Statements of one shape, each made once. */
export function keptBy<Key, Row>(make: (key: Key) => Statement<Row>): (key: Key) => Statement<Row> {
  const made = new Map<Key, Statement<Row>>()
  return (key) => {
    const known = made.get(key) ?? make(key)
    made.set(key, known)
    return known
  }
}
