/** Returns the free pages of a database file to the disk. */
import { Database } from 'bun:sqlite'

/** Value of `PRAGMA auto_vacuum` with which free pages can be returned a few at a time. */
const INCREMENTAL = 2

/** A step takes some ten milliseconds and blocks all writers. */
const PAGES_AT_ONCE = 500

export interface FileState {
  bytes: number
  /** Whether `giveBackPages` works; files of earlier releases lack the setting. */
  isIncremental: boolean
}

export const stateOfFile = (file: string): FileState =>
  on(file, (db) => {
    const { bytes } = db
      .query('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get() as {
      bytes: number
    }
    const { auto_vacuum: mode } = db.query('PRAGMA auto_vacuum').get() as { auto_vacuum: number }
    return { bytes, isIncremental: mode === INCREMENTAL }
  })

/** Rewrites the file so that `giveBackPages` works. Blocks all writers, for a second per 64 MB. */
export const rewriteInPlace = (file: string): void =>
  on(file, (db) => {
    db.run(`PRAGMA auto_vacuum = ${INCREMENTAL}`)
    db.run('VACUUM')
  })

/** Returns some free pages. False where none is left. */
export const releasePages = (file: string): boolean =>
  on(file, (db) => {
    db.query(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`).all()
    const { freelist_count: free } = db.query('PRAGMA freelist_count').get() as { freelist_count: number }
    return free > 0
  })

function on<T>(file: string, work: (db: Database) => T): T {
  const db = new Database(file, { readwrite: true, create: false, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 5000')
    return work(db)
  } finally {
    db.close()
  }
}
