/** Replaces a database file by another. */
import { Database } from 'bun:sqlite'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { isBusy } from './failure'

/**
 * Moves `successor` to `file`, and the old file to `kept`. A crash in between leaves one or the other in place. False
 * where there was no old file. Throws where another process has `file` open.
 */
export function replaceDatabase(file: string, successor: string, kept: string): boolean {
  const isThere = existsSync(file)
  const before = isThere ? closeLog(file) : undefined
  try {
    if (isThere) linkSync(file, kept)
    // A log that could not be closed moves with its database; beside the new file SQLite would apply it to that.
    if (!before && existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${kept}-wal`)
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
    renameSync(successor, file)
  } finally {
    before?.close()
  }
  return isThere
}

/**
 * Copies the log into the database and keeps it locked, so that no new log begins. Undefined where the file is too
 * damaged.
 */
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
