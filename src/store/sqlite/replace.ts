/** Puts one database file in the place of another. */
import { Database } from 'bun:sqlite'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { isBusy } from './failure'

export class DamagedDatabaseError extends Error {
  override name = 'DamagedDatabaseError'
}

/**
 * Throws `DamagedDatabaseError` unless the file is a whole database with tables of ours, in which each row has those it
 * belongs to and the ledger of each wallet adds up to its balance. Reads all of it: not for the serving process.
 */
export function assertSound(file: string): void {
  const db = new Database(file, { readonly: true, strict: true })
  try {
    const found = db.query('PRAGMA integrity_check(1)').get() as { integrity_check: string }
    if (found.integrity_check !== 'ok') throw new DamagedDatabaseError(`The file is damaged: ${found.integrity_check}`)
    const { user_version: version } = db.query('PRAGMA user_version').get() as { user_version: number }
    if (version === 0) throw new DamagedDatabaseError('The file is not a database of Watchword.')
    const loose = db.query('PRAGMA foreign_key_check').get() as { table: string; parent: string } | null
    if (loose) throw new DamagedDatabaseError(`A row of ${loose.table} belongs to none of ${loose.parent}.`)
    const wrong = db.query(UNBALANCED).get() as { appId: string } | null
    if (wrong) throw new DamagedDatabaseError(`The ledger of ${wrong.appId} does not add up to its balance.`)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SQLiteError') throw error
    throw new DamagedDatabaseError(`The file is not a whole database: ${error.message}`)
  } finally {
    db.close()
  }
}

const UNBALANCED = `SELECT app_id AS appId FROM wallets AS w
  WHERE balance <> (SELECT coalesce(sum(amount_delta), 0) FROM ledger_entries AS l WHERE l.app_id = w.app_id)`

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
