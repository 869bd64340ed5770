/** Whether a file is a whole, consistent database of this program: for restores. */
import { Database } from 'bun:sqlite'
import { assertKnownVersion, emptyDatabase } from './migrate'

export class DamagedDatabaseError extends Error {
  override name = 'DamagedDatabaseError'
}

/**
 * Throws `DamagedDatabaseError` unless the file is a complete database with the schema of this program, satisfied
 * foreign keys, and wallets that agree with their ledgers and issues. Throws `NewerDatabaseError` for a later schema.
 * Reads the whole file, so it is not for the serving process.
 */
export function assertSound(file: string): void {
  const db = new Database(file, { readonly: true, strict: true })
  try {
    const { user_version: version } = db.query('PRAGMA user_version').get() as { user_version: number }
    if (version === 0) throw new DamagedDatabaseError('The file is not a database of Watchword.')
    assertKnownVersion(db)
    // Checked before any row is read, because a view in the place of a table could answer anything.
    const difference = schemaDifference(db, version)
    if (difference) throw new DamagedDatabaseError(`The schema was changed: ${difference}.`)
    const found = db.query('PRAGMA integrity_check(1)').get() as { integrity_check: string }
    if (found.integrity_check !== 'ok') throw new DamagedDatabaseError(`The file is damaged: ${found.integrity_check}`)
    const loose = db.query('PRAGMA foreign_key_check').get() as { table: string; parent: string } | null
    if (loose) throw new DamagedDatabaseError(`A row of ${loose.table} belongs to none of ${loose.parent}.`)
    for (const [defect, rows] of DEFECTS) {
      const row = db.query(`${rows} LIMIT 1`).values()[0]
      if (row) throw new DamagedDatabaseError(defect.replace('…', String(row[0])))
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SQLiteError') throw error
    throw new DamagedDatabaseError(`The file is not a whole database: ${error.message}`)
  } finally {
    db.close()
  }
}

/** Messages, each with the query of the rows that cause it; `…` stands for the first column. */
const DEFECTS: ReadonlyArray<[defect: string, rows: string]> = [
  [
    'The ledger of … does not add up to its balance.',
    `SELECT app_id FROM wallets AS w
      WHERE balance <> (SELECT coalesce(sum(amount_delta), 0) FROM ledger_entries AS l WHERE l.app_id = w.app_id)`,
  ],
  [
    'What is reserved of the credit of … is not what its open issues cost.',
    `SELECT app_id FROM wallets AS w WHERE reserved <> (SELECT coalesce(sum(price), 0) FROM issues AS i
      WHERE i.app_id = w.app_id AND billing_status IN ('reserved', 'debit_pending', 'release_pending'))`,
  ],
  ['An issue belongs to no app: …', 'SELECT app_id FROM issues WHERE app_id NOT IN (SELECT app_id FROM apps)'],
  [
    'An attempt belongs to no issue, of …',
    `SELECT app_id FROM attempts AS a WHERE NOT EXISTS
      (SELECT 1 FROM issues AS i WHERE i.app_id = a.app_id AND i.mode = a.mode AND i.issue_id = a.issue_id)`,
  ],
  [
    'A job belongs to no issue, of …',
    `SELECT app_id FROM jobs AS j WHERE kind NOT IN ('webhook', 'notice') AND NOT EXISTS
      (SELECT 1 FROM issues AS i WHERE i.app_id = j.app_id AND i.mode = j.mode AND i.issue_id = j.subject_id)`,
  ],
  [
    'A job belongs to no delivery of a webhook, of …',
    `SELECT app_id FROM jobs WHERE kind = 'webhook' AND subject_id NOT IN (SELECT delivery_id FROM webhook_deliveries)`,
  ],
  [
    'A job belongs to no message of a notice, of …',
    `SELECT app_id FROM jobs WHERE kind = 'notice' AND subject_id NOT IN (SELECT message_id FROM notice_messages)`,
  ],
  [
    'A rendered message belongs to no issue.',
    'SELECT issue_id FROM outbox WHERE issue_id NOT IN (SELECT issue_id FROM issues)',
  ],
]

interface SchemaObject {
  type: string
  name: string
  table: string
  sql: string
}

/** Every schema object except for the statistics of ANALYZE. */
const OBJECTS = `SELECT type, name, tbl_name AS "table", coalesce(sql, '') AS sql FROM sqlite_schema
  WHERE type <> 'table' OR name NOT IN ('sqlite_stat1', 'sqlite_stat4')`

/** Litestream keeps two tables of its own in the database that it replicates. */
const OF_LITESTREAM: readonly SchemaObject[] = [
  {
    ...{ type: 'table', name: '_litestream_seq', table: '_litestream_seq' },
    sql: 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
  },
  {
    ...{ type: 'table', name: '_litestream_lock', table: '_litestream_lock' },
    sql: 'CREATE TABLE _litestream_lock (id INTEGER)',
  },
]

/** The first difference from the schema that migrations make, as the end of a sentence; undefined if there is none. */
function schemaDifference(db: Database, version: number): string | undefined {
  using empty = emptyDatabase(version)
  return differencesBetween(objectsIn(db), objectsIn(empty))[0]
}

const objectsIn = (db: Database) => db.query(OBJECTS).all() as SchemaObject[]

function differencesBetween(found: readonly SchemaObject[], made: readonly SchemaObject[]): string[] {
  const missing = new Map(made.map((object) => [identityOf(object), object]))
  const allowed = new Set(OF_LITESTREAM.map(identityOf))
  const foreign = found.filter((object) => !missing.delete(identityOf(object)) && !allowed.has(identityOf(object)))
  return [
    ...foreign.map(({ type, name }) => `the ${type} ${name} is not one that this program makes`),
    ...[...missing.values()].map(({ type, name }) => `the ${type} ${name} is missing`),
  ]
}

const identityOf = ({ sql, ...object }: SchemaObject) => JSON.stringify({ ...object, sql: withoutComments(sql) })

/** Ignores comments and white space outside of quotes. */
const withoutComments = (sql: string) =>
  sql.replace(/('[^']*'|"[^"]*")|(?:--[^\n]*|[ \t\r\n])+/g, (_, quoted?: string) => quoted ?? ' ')
