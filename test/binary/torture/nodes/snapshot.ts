/** A copy of a PostgreSQL at one moment as a file of SQLite, so that both tortures check the same promises. */
import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { indexForChecks } from '../findings'

const TABLES = [
  ...['issues', 'claims', 'outbox', 'jobs', 'attempts', 'wallets', 'ledger_entries'],
  ...['webhook_endpoints', 'webhook_events', 'webhook_deliveries'],
]

interface Column {
  name: string
  type: string
}

export async function snapshot(url: string, file: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  const copy = new Database(file, { create: true })
  try {
    await sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (tx) => {
      for (const table of TABLES) {
        const columns: Column[] = await tx`SELECT column_name AS name, data_type AS type FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name = ${table} ORDER BY ordinal_position`
        fill(copy, table, columns, await tx.unsafe(`SELECT ${columns.map(read).join()} FROM ${table}`).values())
        // What is set aside for reservations to come is reserved for nobody yet.
        if (table === 'wallets') await takeOffSlots(copy, tx)
      }
    })
    indexForChecks(copy)
    for (const table of ['issues', 'outbox']) copy.run(`CREATE INDEX ${table}_by_issue ON ${table} (issue_id)`)
    copy.run('CREATE INDEX jobs_of_subject ON jobs (subject_id)')
  } finally {
    copy.close()
    await sql.close()
  }
}

const isNumber = ({ type }: Column) => ['bigint', 'integer', 'boolean'].includes(type)

function read({ name, type }: Column): string {
  if (type === 'uuid') return `decode(replace(${name}::text, '-', ''), 'hex')`
  return type === 'boolean' ? `${name}::integer` : name
}

function fill(copy: Database, table: string, columns: readonly Column[], rows: readonly unknown[][]): void {
  // Big numbers come as text; the column makes numbers of them.
  const declared = columns.map((column) => `${column.name} ${isNumber(column) ? 'INTEGER' : 'BLOB'}`)
  copy.run(`CREATE TABLE ${table} (${declared.join()})`)
  const insert = copy.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join()})`)
  copy.transaction(() => {
    for (const row of rows) insert.run(...(row as string[]))
  })()
}

async function takeOffSlots(copy: Database, tx: SQL): Promise<void> {
  const slots = await tx`SELECT app_id AS app, sum(available)::integer AS aside FROM wallet_slots GROUP BY app_id`
  for (const { app, aside } of slots)
    copy.run('UPDATE wallets SET reserved = reserved - ? WHERE app_id = ?', [aside, app])
}
