/** Puts one database file in the place of another. */
import { Database } from 'bun:sqlite'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { isBusy } from './failure'
import { assertKnownVersion } from './migrate'
import { schemaDifference } from './schema-check'

export class DamagedDatabaseError extends Error {
  override name = 'DamagedDatabaseError'
}

/**
 * Throws `DamagedDatabaseError` unless the file is a whole database with the schema that this program makes, in which each
 * row has those it belongs to and each wallet agrees with its ledger and its issues; `NewerDatabaseError` for a later
 * schema. Reads all of it: not for the serving process.
 */
export function assertSound(file: string): void {
  const db = new Database(file, { readonly: true, strict: true })
  try {
    const { user_version: version } = db.query('PRAGMA user_version').get() as { user_version: number }
    if (version === 0) throw new DamagedDatabaseError('The file is not a database of Watchword.')
    assertKnownVersion(db)
    // Before any row is read: what stands in the place of a table could answer anything.
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

/** Sentences about rows that must not be there; `…` stands for their first column. */
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
    `SELECT app_id FROM jobs AS j WHERE kind <> 'webhook' AND NOT EXISTS
      (SELECT 1 FROM issues AS i WHERE i.app_id = j.app_id AND i.mode = j.mode AND i.issue_id = j.subject_id)`,
  ],
  [
    'A job belongs to no delivery of a webhook, of …',
    `SELECT app_id FROM jobs WHERE kind = 'webhook' AND subject_id NOT IN (SELECT delivery_id FROM webhook_deliveries)`,
  ],
  [
    'A rendered message belongs to no issue.',
    'SELECT issue_id FROM outbox WHERE issue_id NOT IN (SELECT issue_id FROM issues)',
  ],
]

/**
 * Puts `successor` in the place of `file`, which is kept as `kept`; a process that dies on the way leaves one or the
 * other. False where there was none. Throws where another process has `file` open.
 */
export function replaceDatabase(file: string, successor: string, kept: string): boolean {
  const isThere = existsSync(file)
  const before = isThere ? closeLog(file) : undefined
  try {
    if (isThere) linkSync(file, kept)
    // A log that could not be closed stays with its database: beside another one it would be applied to that.
    if (!before && existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${kept}-wal`)
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
    renameSync(successor, file)
  } finally {
    before?.close()
  }
  return isThere
}

/** Writes the log into the database, and holds it so that nobody begins another. Undefined where it is too damaged. */
function closeLog(file: string): Database | undefined {
  const db = new Database(file, { create: false, readwrite: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 2000')
    db.run('PRAGMA locking_mode = EXCLUSIVE')
    db.run('PRAGMA journal_mode = DELETE')
    db.run('BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db.close()
    if (isBusy(error)) throw error
    return undefined
  }
}
