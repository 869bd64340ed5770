/** One server a data folder: two would each keep limits and places of their own, and so double them. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/** In the data folder. */
export const LOCK_FILE = 'serve.lock'

export class AlreadyServedError extends Error {
  override name = 'AlreadyServedError'
}

/**
 * Holds the folder until the process ends, however it ends: the lock is the operating system's. Throws
 * `AlreadyServedError` where another process holds it.
 */
export function holdAlone(dataDir: string): void {
  const lock = new Database(join(dataDir, LOCK_FILE), { create: true, strict: true })
  try {
    lock.run('PRAGMA locking_mode = EXCLUSIVE')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error
    throw new AlreadyServedError(
      `Another server runs on ${dataDir}. Stop it first, or choose another folder with --data.`,
    )
  }
  held.push(lock)
}

/** Kept from the garbage collector, which would close it. */
const held: Database[] = []
