/** A database in PostgreSQL as one side of a move. */
import type { ReservedSQL, SQL } from 'bun'
import { MoveError } from '../moved'
import { isLockConflict } from '../postgres/connection/failure'
import { migrate } from '../postgres/connection/migrate'
import { nameOf } from '../postgres/connection/name'
import { connect } from '../postgres/connection/pool'
import { BATCH, type MovedRow, Side } from './side'
import { type MovedColumn, type MovedTable, TABLES } from './tables'

/** A running server sends a heartbeat within this time. */
const SEEN_WITHIN_MS = 30_000
/** Large tables may take long, but a lock of a running server is not waited for. */
const SETTINGS = {
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  lock_timeout: '2s',
  bytea_output: 'hex',
}

/** Throws what `migrate` throws, and `MoveError` where another move works on it. */
export async function openUrl(url: string): Promise<Side> {
  const sql = connect({ url, size: 1 }, 'watchword move')
  try {
    await migrate(sql)
    // One connection from here on, so that its transaction, locks and settings end with it.
    const connection = await sql.reserve()
    const side = new UrlSide(sql, connection, nameOf(url))
    await side.prepare().catch(async (error) => {
      await side.close()
      throw error
    })
    return side
  } catch (error) {
    await sql.close()
    throw error
  }
}

class UrlSide extends Side {
  readonly now = 'clock_ms()'

  constructor(
    private readonly sql: SQL,
    private readonly connection: ReservedSQL,
    readonly name: string,
  ) {
    super()
  }

  async prepare(): Promise<void> {
    for (const [name, value] of Object.entries(SETTINGS))
      await this.all('SELECT set_config($1, $2, false)', [name, value])
    // Waits briefly, because the database may not have noticed yet that an earlier move has ended.
    const lock = `SELECT pg_advisory_lock(hashtextextended('watchword move ' || current_schema(), 0))::text`
    await this.all(lock).catch(this.#inUse(`Another move works on ${this.name}.`))
  }

  #inUse = (message: string) => (error: unknown) => {
    throw isLockConflict(error) ? new MoveError('in_use', message) : error
  }

  async all(sql: string, values: MovedRow = []): Promise<MovedRow[]> {
    return await this.connection.unsafe(sql, [...values]).values()
  }

  read({ name }: MovedColumn): string {
    return `${name}::text`
  }

  write({ type }: MovedColumn, text: string): string {
    return `${text}::text::${type}`
  }

  async *batches(sql: string): AsyncGenerator<MovedRow[]> {
    await this.all(`DECLARE batches NO SCROLL CURSOR FOR ${sql}`)
    const next = () => this.all(`FETCH ${BATCH} FROM batches`)
    for (let rows = await next(); rows.length > 0; rows = await next()) yield rows
    await this.all('CLOSE batches')
  }

  async insert({ name, columns }: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const copying = this.connection.unsafe(`COPY ${name} (${columns.map(({ name }) => `"${name}"`)}) FROM STDIN`)
    const writer = (await copying.writable()).getWriter()
    await writer.write(new TextEncoder().encode(rows.map(lineOf).join('')))
    await writer.close()
    await copying
  }

  async assertIdle(): Promise<void> {
    const sql = `SELECT name FROM nodes WHERE seen_at > clock_ms() - ${SEEN_WITHIN_MS} LIMIT 1`
    const [node] = await this.all(sql)
    if (node)
      throw new MoveError(
        'in_use',
        `A server runs on ${this.name}: ${node[0]}. Stop all of them; one that was killed counts as gone after ${SEEN_WITHIN_MS / 1_000} seconds.`,
      )
  }

  async lock({ isExclusive }: { isExclusive: boolean }): Promise<void> {
    const tables = TABLES.map(({ name }) => name)
    await this.all('BEGIN')
    await this.all(`LOCK TABLE ${tables} IN ${isExclusive ? 'ACCESS EXCLUSIVE' : 'SHARE'} MODE`).catch(
      this.#inUse(`Somebody works on ${this.name}.`),
    )
  }

  lastNumber(table: string, column: string): string {
    const given = `pg_sequence_last_value(${sequenceOf(table, column)}::regclass)`
    return `greatest(coalesce(max(${column}), 0), coalesce(${given}, 0))::text`
  }

  async setLastNumber(table: string, column: string, last: string): Promise<void> {
    if (last !== '0') await this.all(`SELECT setval(${sequenceOf(table, column)}, $1::text::bigint)::text`, [last])
  }

  async close(): Promise<void> {
    this.connection.release()
    await this.sql.close()
  }
}

const sequenceOf = (table: string, column: string) => `pg_get_serial_sequence('${table}', '${column}')`

/** The text format of COPY. */
const lineOf = (row: MovedRow): string =>
  `${row.map((value) => (value === null ? '\\N' : escaped(value))).join('\t')}\n`

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escaped = (value: string) => value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character)
