/** Small files in the data folder, beside the database: a backup that is put in its place does not replace them. */
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { DiskUsage } from '../domain/operations/disk'
import type { ErasedFile, HeadFile } from '../ports/files'

const HEAD_FILE = 'watchword.audit'
const ERASED_FILE = 'watchword.erased'

/** The disk of a database file. */
export function diskOf(file: string): DiskUsage {
  const { bavail, bsize, files, ffree } = statfsSync(dirname(file))
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return {
    free: bavail * bsize,
    size: sizeOf(file),
    log: sizeOf(`${file}-wal`),
    // Some file systems do not count inodes.
    files: files === 0 ? Number.POSITIVE_INFINITY : ffree,
  }
}

/** The head of the audit log, in one line. */
export function headFileIn(dataDir: string): HeadFile {
  const file = join(dataDir, HEAD_FILE)
  return {
    read: () => textOf(file),
    write: (line) => replace(file, [line]),
    remove: () => rmSync(file, { force: true }),
  }
}

/** Phones that were erased, one a line: a backup does not know them. */
export function erasedFileIn(dataDir: string): ErasedFile {
  const file = join(dataDir, ERASED_FILE)
  return {
    read: () => linesOf(file),
    add: (lines) => put(file, 'a', lines),
    write: (lines) => replace(file, lines),
  }
}

/** Empty where there is no such file. */
export const linesOf = (file: string): string[] => textOf(file)?.split('\n').filter(Boolean) ?? []

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The draft is complete and on disk before it gets the name, so that a power failure leaves the old file or the new one. */
function replace(file: string, lines: readonly string[]): void {
  const draft = `${file}.${process.pid}`
  put(draft, 'w', lines)
  renameSync(draft, file)
}

function put(file: string, flags: 'a' | 'w', lines: readonly string[]): void {
  const descriptor = openSync(file, flags, 0o600)
  try {
    writeSync(descriptor, lines.map((line) => `${line}\n`).join(''))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
