/** The files of a restore: a copy that is on the disk before it is looked at, its checksum, and names with a date. */
import { chmodSync, closeSync, constants, copyFileSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Copies `file` to `copy`, on disk when it returns. */
export function copyWhole(file: string, copy: string): void {
  copyFileSync(file, copy, constants.COPYFILE_FICLONE)
  chmodSync(copy, 0o600)
  sync(copy)
}

/** The SHA-256 of a file, in lower-case hexadecimal digits. */
export async function sha256Of(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(file).stream()) hasher.update(chunk)
  return hasher.digest('hex')
}

/** What was renamed in a folder stays so after a power failure. */
export const syncFolderOf = (file: string) => sync(dirname(file))

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Whether commits to a database lie beside it still, where a copy of the file alone would miss them. */
export const hasOpenLog = (file: string) => existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0
