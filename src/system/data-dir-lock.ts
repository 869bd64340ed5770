/** One server a data folder: two would each keep limits and places of their own, and so double them. */
import { Database } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fromLibc } from './libc'

/** In the data folder. */
export const LOCK_FILE = 'serve.lock'

export class AlreadyServedError extends Error {
  override name = 'AlreadyServedError'
}

/**
 * Holds the folder until the process ends, however it ends: the locks are the operating system's. Throws
 * `AlreadyServedError` where another process holds it. The file names who holds it, and is all there is where the folder
 * itself cannot be locked; the folder is held also where that file was removed.
 */
export function lockDataDir(dataDir: string): void {
  const lock = new Database(join(dataDir, LOCK_FILE), { create: true, strict: true })
  try {
    lock.run('PRAGMA locking_mode = EXCLUSIVE')
    lock.run('BEGIN EXCLUSIVE')
    if (isLockedByAnother(dataDir)) throw alreadyServed(dataDir)
  } catch (error) {
    lock.close()
    const isBusy = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'
    throw isBusy ? alreadyServed(dataDir) : error
  }
  held.push(lock)
}

const alreadyServed = (dataDir: string) =>
  new AlreadyServedError(`Another server runs on ${dataDir}. Stop it first, or choose another folder with --data.`)

/** `flock`: exclusively, and without waiting. */
const LOCK_EX_NB = 2 | 4
const EWOULDBLOCK = process.platform === 'darwin' ? 35 : 11

/** Locks the folder itself, until the process ends. Some network file systems cannot. */
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

/** Kept from the garbage collector, which would close it. */
const held: Database[] = []
