/** Allows one server per data folder: two would each count their own limits and slots, and so double them. */
import { Database } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fromLibc } from './libc'

export const LOCK_FILE = 'serve.lock'

export class AlreadyServedError extends Error {
  override name = 'AlreadyServedError'
}

/**
 * Locks the folder until the process ends, however it ends, by locks of the operating system. Throws `AlreadyServedError` where
 * another process holds one. There are two: of a file, by which the owner is found, and of the folder, in case the file is removed.
 */
export function lockDataDir(dataDir: string): void {
  const lock = new Database(join(dataDir, LOCK_FILE), { create: true, strict: true })
  try {
    lock.run('PRAGMA locking_mode = EXCLUSIVE')
    lock.run('BEGIN EXCLUSIVE')
    if (isLockedByAnother(dataDir)) throw alreadyServed(dataDir)
  } catch (error) {
    lock.close()
    throw isBusy(error) ? alreadyServed(dataDir) : error
  }
  held.push(lock)
}

const isBusy = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'

/** Whether another program writes to a database file. */
export function isLocked(file: string): boolean {
  const db = new Database(file, { create: false, readwrite: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 0')
    db.run('BEGIN EXCLUSIVE')
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    db.close()
  }
}

const alreadyServed = (dataDir: string) =>
  new AlreadyServedError(`Another server runs on ${dataDir}. Stop it first, or choose another folder with --data.`)

/** `flock`, exclusive and without waiting. */
const LOCK_EX_NB = 2 | 4
const EWOULDBLOCK = process.platform === 'darwin' ? 35 : 11

/** Locks the folder itself until the process ends. False where the file system cannot lock it. */
function isLockedByAnother(dataDir: string): boolean {
  const libc = fromLibc({ flock: { args: ['i32', 'i32'], returns: 'i32' } })
  const errnoAddress = errnoFunction()
  if (!libc || !errnoAddress) return false
  const folder = openSync(dataDir, 'r')
  if (libc.flock(folder, LOCK_EX_NB) === 0) return false
  const { read } = require('bun:ffi') as typeof import('bun:ffi')
  const at = errnoAddress()
  const errno = at === null ? 0 : read.i32(at)
  closeSync(folder)
  return errno === EWOULDBLOCK
}

const ERRNO = { args: [], returns: 'ptr' } as const
const errnoFunction = () =>
  process.platform === 'darwin'
    ? fromLibc({ __error: ERRNO })?.__error
    : fromLibc({ __errno_location: ERRNO })?.__errno_location

/** References, since the garbage collector would close the databases and so release the locks. */
const held: Database[] = []
