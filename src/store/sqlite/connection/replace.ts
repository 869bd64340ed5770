/** Puts one database file in the place of another. */
import { Database } from 'bun:sqlite'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { isBusy } from './failure'

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
