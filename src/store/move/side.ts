/**
 * One side of a move. Rows travel in PostgreSQL's text format, so that they are equal on both sides. SQL that both
 * kinds of database understand stands here, the rest in the subclasses.
 */
import type { RingRow } from '../../ports/vault'
import { type Mark, MOVED_FROM, MOVED_TO } from '../moved'
import { type MovedColumn, type MovedTable, SEQUENCES, TABLES } from './tables'

export type MovedRow = ReadonlyArray<string | null>

/** Rows read and written at a time. */
export const BATCH = 1_000

const quoted = (name: string) => `"${name}"`
const VALUE: MovedColumn = { name: 'value', type: 'bytea' }
const hexOf = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`
const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex')

/** The first app whose ledger does not add up to its balance. */
const UNBALANCED = `SELECT app_id FROM wallets AS w WHERE balance <>
  (SELECT coalesce(sum(amount_delta), 0) FROM ledger_entries AS l WHERE l.app_id = w.app_id) LIMIT 1`

/** Tables that have rows even in an empty database. */
const BEGUN_WITH = new Set(['facts', 'key_ring'])

/** Uses one connection. The methods that differ between the two kinds of database are abstract. */
export abstract class Side {
  /** Display name: a folder, or a URL without its password. */
  abstract readonly name: string
  abstract all(sql: string, values?: MovedRow): Promise<MovedRow[]>
  /** SQL expression for the column as text. */
  abstract read(column: MovedColumn): string
  /** SQL expression for the value of such a text. */
  abstract write(column: MovedColumn, text: string): string
  /** The rows of a query, in batches. */
  abstract batches(sql: string): AsyncIterable<MovedRow[]>
  abstract insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void>
  /** Throws `MoveError` where a server works on it. */
  abstract assertIdle(): Promise<void>
  /**
   * Begins a transaction that locks out other writers; with `isExclusive` also servers that start. On failure the
   * connection ends the transaction.
   */
  abstract lock(options: { isExclusive: boolean }): Promise<void>
  /** SQL expression, within a query of the table, for the last number that a column's sequence has given. */
  abstract lastNumber(table: string, column: string): string
  abstract setLastNumber(table: string, column: string, last: string): Promise<void>
  /** SQL expression for the time in Unix milliseconds. */
  abstract readonly now: string
  abstract close(): Promise<void>

  async fact(name: string): Promise<Buffer | undefined> {
    const sql = `SELECT ${this.read(VALUE)} FROM facts WHERE name = $1`
    const [row] = await this.all(sql, [name])
    return row?.[0] ? bytesOf(row[0]) : undefined
  }

  async keyRing(): Promise<RingRow[]> {
    const [secretId, sealed] = ['secret_id', 'sealed'].map((name) => this.read({ name, type: 'bytea' }))
    const rows = await this.all(`SELECT name, ${secretId}, ${sealed}, made_at, begun_at FROM key_ring`)
    return rows.map(([name, secretId, sealed, madeAt, begunAt]) => ({
      ...{ name: name ?? '', secretId: bytesOf(secretId ?? ''), sealed: bytesOf(sealed ?? '') },
      ...{ madeAt: Number(madeAt), begunAt: begunAt === null ? undefined : Number(begunAt) },
    }))
  }

  async mark(name: string): Promise<Mark | undefined> {
    const value = await this.fact(name)
    return value && JSON.parse(value.toString())
  }

  /** The first moved table that has rows. */
  async filledTable(): Promise<string | undefined> {
    for (const { name } of TABLES)
      if (!BEGUN_WITH.has(name) && (await this.all(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0) return name
  }

  async unbalanced(): Promise<string | undefined> {
    return (await this.all(UNBALANCED))[0]?.[0] ?? undefined
  }

  async count({ name, only = 'TRUE' }: MovedTable): Promise<number> {
    return Number((await this.all(`SELECT count(*) FROM ${name} WHERE ${only}`))[0]?.[0])
  }

  rowsOf({ name, only = 'TRUE', columns }: MovedTable): AsyncIterable<MovedRow[]> {
    const reads = columns.map((column) => {
      return `${this.read({ ...column, name: quoted(column.name) })} AS ${quoted(column.name)}`
    })
    return this.batches(`SELECT ${reads} FROM ${name} WHERE ${only}`)
  }

  /** Marks the source as being moved to `mark.to` and locks out writers. */
  async markMoving(mark: Mark): Promise<void> {
    await this.all('BEGIN')
    await this.#setMark(MOVED_TO, mark)
    await this.all('COMMIT')
    await this.lock({ isExclusive: false })
  }

  /** Marks the source as moved. */
  async markMoved(mark: Mark): Promise<void> {
    await this.#setMark(MOVED_TO, mark)
    await this.all('COMMIT')
  }

  /** Removes the mark of a source. False where there was none. */
  async unmark(): Promise<boolean> {
    return (await this.all('DELETE FROM facts WHERE name = $1 RETURNING name', [MOVED_TO])).length > 0
  }

  /** Deletes the facts and keys of an empty target. */
  async clear(): Promise<void> {
    for (const name of BEGUN_WITH) await this.all(`DELETE FROM ${name}`)
  }

  /** The last number of each sequence. */
  async lastNumbers(): Promise<Record<string, string>> {
    const entries = Object.entries(SEQUENCES).map(async ([table, column]): Promise<[string, string]> => {
      const [row] = await this.all(`SELECT ${this.lastNumber(table, column)} FROM ${table}`)
      return [table, row?.[0] ?? '0']
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  /** Completes the target: sequences continue behind the last number, and leases of jobs are released. */
  async finish(lastNumbers: Record<string, string>, mark: Mark): Promise<void> {
    for (const [table, column] of Object.entries(SEQUENCES))
      await this.setLastNumber(table, column, lastNumbers[table] ?? '0')
    await this.all(`UPDATE jobs SET leased = FALSE, run_at = ${this.now} WHERE leased`)
    await this.#setMark(MOVED_FROM, mark)
    await this.all('COMMIT')
  }

  async #setMark(name: string, mark: Mark): Promise<void> {
    await this.all(
      `INSERT INTO facts (name, value) VALUES ($1, ${this.write(VALUE, '$2')})
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, hexOf(Buffer.from(JSON.stringify(mark)))],
    )
  }
}
