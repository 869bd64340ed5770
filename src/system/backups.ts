/** Copies of the database: backups beside the running server, and the files of a restore. */
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Backup } from '../ports/files'
import { isLocked } from './data-dir-lock'
import type { Flushing } from './flusher'

const folderOf = (dataDir: string) => join(dataDir, 'backups')
const UNFINISHED = '.unfinished'
const NAME = /^watchword-.+\.db$/

/** Newest first. The time is that of the file: one from a clock that was ahead lies in the future. */
export function listBackups(dataDir: string): Backup[] {
  const folder = folderOf(dataDir)
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => ({ name, stat: statSync(join(folder, name), { throwIfNoEntry: false }) }))
      .flatMap(({ name, stat }) =>
        // A copy that a full disk has left empty is no backup, and neither is a folder.
        stat?.isFile() && stat.size > 0 ? [{ name, bytes: stat.size, at: Math.round(stat.mtimeMs) }] : [],
      )
      .sort((a, b) => b.at - a.at)
  } catch {
    // No folder, no backups.
    return []
  }
}

interface BackupInput {
  now: number
  keep: number
}

interface Made {
  made: Backup
  removed: string[]
}

/** Makes a backup by `copy` and removes old ones. A failure is noted in a file until a backup succeeds. */
export function makeBackup(dataDir: string, making: BackupInput, copy: (file: string) => void): Made {
  try {
    const made = copyAndKeep(dataDir, making, copy)
    rmSync(noteIn(dataDir), { force: true })
    return made
  } catch (error) {
    noteFailure(dataDir, error instanceof Error ? error.message : String(error))
    throw error
  }
}

/** Beside the database: the folder of the backups may be what cannot be written. */
const noteIn = (dataDir: string) => join(dataDir, 'backup-failed')
const WHY_MAX = 300

/** Ignores an error, since the caller reports the failure of the backup. */
export function noteFailure(dataDir: string, why: string): void {
  try {
    writeFileSync(noteIn(dataDir), why.slice(0, WHY_MAX))
    giveToOwner(dataDir, noteIn(dataDir))
  } catch {}
}

/** When and why the latest backup failed; undefined where it succeeded. */
export function lastFailure(dataDir: string): { at: number; why: string } | undefined {
  try {
    return { at: Math.round(statSync(noteIn(dataDir)).mtimeMs), why: readFileSync(noteIn(dataDir), 'utf8') }
  } catch {
    return undefined
  }
}

/** Files that root makes in a data folder must not keep its server out. */
export function giveToOwner(dataDir: string, ...made: string[]): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dataDir)
  for (const path of made) if (existsSync(path)) chownSync(path, uid, gid)
}

/** Why the folder of the backups cannot be read; undefined where it can, or is not there. */
export function unreadableBackups(dataDir: string): string | undefined {
  try {
    namesIn(folderOf(dataDir))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

/** A backup gets its name only when it is complete. */
function copyAndKeep(dataDir: string, { now, keep }: BackupInput, copy: (file: string) => void): Made {
  const folder = folderOf(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  removeLeftovers(dataDir)
  const name = `watchword-${new Date(now).toISOString().replaceAll(':', '-')}.db`
  const unfinished = join(folder, `${name}${UNFINISHED}`)
  rmSync(unfinished, { force: true })
  try {
    flushedMeanwhile(unfinished, () => copy(unfinished))
    giveToOwner(dataDir, folder, unfinished)
    renameSync(unfinished, join(folder, name))
  } catch (error) {
    // On a full disk the incomplete file would take the last space.
    rmSync(unfinished, { force: true })
    throw error
  }
  const all = listBackups(dataDir)
  const made = all.find((one) => one.name === name)
  if (!made) throw new Error('the backup has vanished')
  const removed = all
    .filter((one) => one !== made)
    .slice(Math.max(0, keep - 1))
    .map((old) => old.name)
  for (const old of removed) rmSync(join(folder, old))
  return { made, removed }
}

/**
 * Removes what killed backups have left, and returns the names. SQLite keeps the file of a backup in progress locked; its journal
 * lies beside it. A file that cannot be removed stays, and so does all in a folder that cannot be read.
 */
export function removeLeftovers(dataDir: string): string[] {
  const folder = folderOf(dataDir)
  if (unreadableBackups(dataDir) !== undefined) return []
  const names = namesIn(folder).filter((name) => name.endsWith(UNFINISHED))
  return names.filter((name) => {
    try {
      const file = join(folder, name)
      if (isLocked(file)) return false
      for (const suffix of ['-journal', '']) rmSync(file + suffix, { force: true })
      return true
    } catch {
      return false
    }
  })
}

/** Copies `file` to `copy`, on disk when it returns. */
export function copyWhole(file: string, copy: string): void {
  flushedMeanwhile(copy, () => copyFileSync(file, copy, constants.COPYFILE_FICLONE))
  chmodSync(copy, 0o600)
  sync(copy)
}

/**
 * Keeps what is not on disk yet short while `write` makes a big file: a server's commit waits until all of it is flushed. With 2 M
 * issues and 600 codes a second its loop stood still for up to 460 ms in a backup; so it is some 10 to 50.
 */
function flushedMeanwhile(file: string, write: () => void): void {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const flushing: Flushing = { file, ended: new Int32Array(new SharedArrayBuffer(4)) }
  const thread = new Worker(new URL('./flusher.ts', import.meta.url), { workerData: flushing })
  // A backup needs no second thread.
  thread.on('error', () => {})
  thread.unref()
  try {
    write()
  } finally {
    Atomics.store(flushing.ended, 0, 1)
    Atomics.notify(flushing.ended, 0)
  }
}

/** The SHA-256 of a file, in lower-case hexadecimal digits. */
export async function sha256Of(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(file).stream()) hasher.update(chunk)
  return hasher.digest('hex')
}

/** Makes a rename in the folder durable. */
export const syncFolderOf = (file: string) => sync(dirname(file))

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Whether the write-ahead log has commits that a copy of the file alone would miss. */
export const hasOpenLog = (file: string) => existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0
