/** Phones that were erased, beside the database: a backup that is put in its place does not know them. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ErasedFile } from '../ports/files'

const NAME = 'watchword.erased'

export function erasedFileIn(dataDir: string): ErasedFile {
  const file = join(dataDir, NAME)
  return {
    read: () => linesOf(file),
    add: (lines) => put(file, 'a', lines),
    write(lines) {
      // Complete and on disk before it has its name, so that a power failure leaves the old one or the new one.
      const draft = `${file}.${process.pid}`
      put(draft, 'w', lines)
      renameSync(draft, file)
    },
  }
}

/** None where there is no such file. */
export function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
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
