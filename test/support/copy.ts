/** A copy of a PostgreSQL at one moment as a file of SQLite, so that one set of checks serves both. */
import { Database } from 'bun:sqlite'
import type { SQL } from 'bun'

const TABLES = [
  ...['issues', 'outbox', 'jobs', 'attempts', 'wallets', 'ledger_entries'],
  ...['webhook_endpoints', 'webhook_events', 'webhook_deliveries'],
]

interface Column {
  name: string
  type: string
}

export class Copy {
  readonly #copy: Database
  #columns: Map<string, Column[]> | undefined

  constructor(
    private readonly sql: SQL,
    file: string,
  ) {
    this.#copy = new Database(file, { create: true })
  }

  /** As it is now. */
  async take(): Promise<void> {
    await this.sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (tx) => {
      this.#columns ??= await this.#layOut(tx)
      const found = new Map<string, unknown[][]>()
      for (const [table, columns] of this.#columns)
        found.set(table, await tx.unsafe(`SELECT ${columns.map(read).join()} FROM ${table}`).values())
      this.#copy.transaction(() => {
        for (const [table, rows] of found) this.#fill(table, rows)
      })()
    })
  }

  close(): void {
    this.#copy.close()
  }

  async #layOut(tx: SQL): Promise<Map<string, Column[]>> {
    const all: Array<Column & { table: string }> = await tx`
      SELECT table_name AS table, column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_schema = current_schema() ORDER BY ordinal_position`
    const columns = new Map(TABLES.map((table) => [table, all.filter((column) => column.table === table)]))
    for (const [table, ofTable] of columns) {
      // Big numbers come as text; the column makes numbers of them.
      const declared = ofTable.map((column) => `${column.name} ${isNumber(column) ? 'INTEGER' : 'BLOB'}`)
      this.#copy.run(`CREATE TABLE ${table} (${declared.join()})`)
    }
    // The checks join by issue alone, which the product never does; without these a long run spends its time here.
    for (const table of ['issues', 'outbox', 'ledger_entries', 'attempts'])
      this.#copy.run(`CREATE INDEX checks_of_${table} ON ${table} (issue_id)`)
    this.#copy.run('CREATE INDEX checks_of_jobs ON jobs (subject_id)')
    return columns
  }

  #fill(table: string, rows: readonly unknown[][]): void {
    this.#copy.run(`DELETE FROM ${table}`)
    const [first] = rows
    if (!first) return
    const insert = this.#copy.query(`INSERT INTO ${table} VALUES (${first.map(() => '?').join()})`)
    for (const row of rows) insert.run(...(row as string[]))
  }
}

const isNumber = ({ type }: Column) => ['bigint', 'integer', 'boolean'].includes(type)

function read({ name, type }: Column): string {
  if (type === 'uuid') return `decode(replace(${name}::text, '-', ''), 'hex')`
  return type === 'boolean' ? `${name}::integer` : name
}
