/**
 * One side of a move. Rows travel as text, as PostgreSQL writes it, so that they are the same on both sides; SQL that both
 * kinds of database understand stands here, the rest with each kind.
 */
import type { RingRow } from '../../ports/vault'
import { type Mark, MOVED_FROM, MOVED_TO } from '../moved'
import { COUNTED, type MovedColumn, type MovedTable, TABLES } from './tables'

export type MovedRow = ReadonlyArray<string | null>

/** Rows that are read and written at a time. */
export const BATCH = 1_000

const quoted = (name: string) => `"${name}"`
const VALUE: MovedColumn = { name: 'value', type: 'bytea' }
const hexOf = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`
const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex')

/** The first app whose ledger does not add up to its balance. */
const UNBALANCED = `SELECT app_id FROM wallets AS w WHERE balance <>
  (SELECT coalesce(sum(amount_delta), 0) FROM ledger_entries AS l WHERE l.app_id = w.app_id) LIMIT 1`

/** An empty database has rows in these. */
const BEGUN_WITH = new Set(['facts', 'key_ring'])

/** On one connection; what the two kinds of database do each in their own way is abstract. */
export abstract class Side {
  /** As people name it: a folder, or a URL without its password. */
  abstract readonly name: string
  abstract all(sql: string, values?: MovedRow): Promise<MovedRow[]>
  /** An expression for the column as text. */
  abstract read(column: MovedColumn): string
  /** An expression for what such a text stands for. */
  abstract write(column: MovedColumn, text: string): string
  /** What a query finds, a part at a time. */
  abstract batches(sql: string): AsyncIterable<MovedRow[]>
  abstract insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void>
  /** Throws `MoveError` where a server works on it. */
  abstract assertIdle(): Promise<void>
  /** Takes back what is set aside for servers that run. */
  abstract gather(): Promise<void>
  /**
   * Begins a transaction in which nobody else writes; where `isExclusive`, nobody else reads what servers start by. What
   * fails, ends it with the connection.
   */
  abstract hold(options: { isExclusive: boolean }): Promise<void>
  /** An expression for the last number that was given for a column, in a query of its table. */
  abstract lastNumber(table: string, column: string): string
  abstract setLastNumber(table: string, column: string, last: string): Promise<void>
  /** An expression: Unix milliseconds. */
  abstract readonly now: string
  abstract close(): Promise<void>

  /** A fact's bytes. */
  async fact(name: string): Promise<Buffer | undefined> {
    const sql = `SELECT ${this.read(VALUE)} FROM facts WHERE name = $1`
    const [row] = await this.all(sql, [name])
    return row?.[0] ? bytesOf(row[0]) : undefined
  }

  /** The keys it keeps. */
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

  /** Of those that are moved, the first that has rows. */
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

  /** Leaves a source for `mark.to`; nobody else writes to it from now on. */
  async leave(mark: Mark): Promise<void> {
    await this.all('BEGIN')
    await this.gather()
    await this.#setMark(MOVED_TO, mark)
    await this.all('COMMIT')
    await this.hold({ isExclusive: false })
  }

  /** A source that has been left. */
  async left(mark: Mark): Promise<void> {
    await this.#setMark(MOVED_TO, mark)
    await this.all('COMMIT')
  }

  /** Whoever left it comes back. False where nobody did. */
  async comeBack(): Promise<boolean> {
    return (await this.all('DELETE FROM facts WHERE name = $1 RETURNING name', [MOVED_TO])).length > 0
  }

  /** What an empty target says of itself goes, and so do its keys. */
  async clear(): Promise<void> {
    for (const name of BEGUN_WITH) await this.all(`DELETE FROM ${name}`)
  }

  /** The last number given for each column that gives one once only. */
  async lastNumbers(): Promise<Record<string, string>> {
    const entries = Object.entries(COUNTED).map(async ([table, column]): Promise<[string, string]> => {
      const [row] = await this.all(`SELECT ${this.lastNumber(table, column)} FROM ${table}`)
      return [table, row?.[0] ?? '0']
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  /** A target that has everything: numbers go on behind the last one, and nobody runs a job. */
  async finish(lastNumbers: Record<string, string>, mark: Mark): Promise<void> {
    for (const [table, column] of Object.entries(COUNTED))
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
