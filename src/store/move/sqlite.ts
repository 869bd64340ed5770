/** A database file as one side of a move. The caller must make sure that no server runs on its folder. */
import { Database, type Statement } from 'bun:sqlite'
import { storable } from '../postgres/connection/transaction'
import { migrate } from '../sqlite/connection/migrate'
import { BATCH, type MovedRow, Side } from './side'
import type { MovedColumn } from './tables'

const BUSY_TIMEOUT_MS = 5_000

/** `name` is the display name of the folder. Throws what `migrate` throws. */
export function openFile(file: string, name: string): Side {
  const db = new Database(file, { create: false, readwrite: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    migrate(db)
    db.run('PRAGMA journal_mode = WAL')
    db.run('PRAGMA synchronous = FULL')
    db.run('PRAGMA foreign_keys = ON')
    db.run('PRAGMA cache_size = -65536')
    return new FileSide(db, name)
  } catch (error) {
    db.close()
    throw error
  }
}

class FileSide extends Side {
  readonly now = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
  #insert: { table: unknown; statement: Statement } | undefined

  constructor(
    private readonly db: Database,
    readonly name: string,
  ) {
    super()
  }

  async all(sql: string, values: MovedRow = []): Promise<MovedRow[]> {
    // Without NUL characters, which the other side cannot store.
    return this.db
      .query(sql)
      .values(...values)
      .map(storable) as MovedRow[]
  }

  read({ name, type }: MovedColumn): string {
    if (type === 'text') return name
    if (type === 'boolean') return `iif(${name}, 'true', 'false')`
    if (type === 'integer' || type === 'bigint') return `CAST(${name} AS TEXT)`
    const hex = `lower(hex(${name}))`
    return `iif(${name} IS NULL, NULL, ${type === 'uuid' ? uuidOf(hex) : `'\\x' || ${hex}`})`
  }

  write({ type }: MovedColumn, text: string): string {
    if (type === 'text') return text
    if (type === 'boolean') return `${text} = 'true'`
    if (type === 'integer' || type === 'bigint') return `CAST(${text} AS INTEGER)`
    return type === 'uuid' ? `unhex(${text}, '-')` : `unhex(substr(${text}, 3))`
  }

  async *batches(sql: string): AsyncGenerator<MovedRow[]> {
    let batch: MovedRow[] = []
    for (const row of this.db.query<Record<string, unknown>, []>(sql).iterate()) {
      if (batch.push(storable(Object.values(row)) as MovedRow) < BATCH) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  async insert(...[table, rows]: Parameters<Side['insert']>): Promise<void> {
    if (this.#insert?.table !== table) {
      const names = table.columns.map(({ name }) => `"${name}"`)
      const values = table.columns.map((column, at) => this.write(column, `?${at + 1}`))
      this.#insert = { table, statement: this.db.prepare(`INSERT INTO ${table.name} (${names}) VALUES (${values})`) }
    }
    for (const row of rows) this.#insert.statement.run(...row)
  }

  async assertIdle(): Promise<void> {}

  async lock(): Promise<void> {
    this.db.run('BEGIN IMMEDIATE')
  }

  lastNumber(table: string, column: string): string {
    const given = `SELECT seq FROM sqlite_sequence WHERE name = '${table}'`
    return `CAST(max(coalesce(max(${column}), 0), coalesce((${given}), 0)) AS TEXT)`
  }

  async setLastNumber(table: string, _column: string, last: string): Promise<void> {
    this.db.query('DELETE FROM sqlite_sequence WHERE name = ?').run(table)
    this.db.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))').run(table, last)
  }

  async close(): Promise<void> {
    // A file with unfinalized statements stays open for a while, and its transaction with it.
    if (this.db.inTransaction) this.db.run('ROLLBACK')
    this.db.close()
  }
}

const uuidOf = (hex: string) =>
  [
    [1, 8],
    [9, 4],
    [13, 4],
    [17, 4],
    [21, 12],
  ]
    .map(([from, length]) => `substr(${hex}, ${from}, ${length})`)
    .join(` || '-' || `)
