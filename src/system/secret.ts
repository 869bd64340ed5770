/** The master secret: from the environment, else a key file in the data folder, made at first start. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../ports/log'
import { MIN_SECRET_LENGTH } from '../ports/vault'

export const SECRET_FILE = 'watchword.secret'

export class KeyFileError extends Error {
  override name = 'KeyFileError'
}

/** Throws `KeyFileError` where a database is there but its key file is not, or is cut short. */
export function masterSecret(
  dataDir: string,
  configured: string | undefined,
  { isNew, log }: { isNew: boolean; log: Log },
): Uint8Array {
  if (configured !== undefined) return Buffer.from(configured, 'utf8')
  const file = join(dataDir, SECRET_FILE)
  if (!existsSync(file)) {
    if (!isNew)
      throw new KeyFileError(`The database's key file is missing: ${file}. Restore it, or set WATCHWORD_SECRET.`)
    makeKeyFile(file)
    log.warn({ file }, 'made a new master secret; back this file up, the database is useless without it')
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < MIN_SECRET_LENGTH)
    throw new KeyFileError(`The key file is empty or cut short: ${file}. Restore it.`)
  return Buffer.from(secret, 'utf8')
}

/** The key file, where others than its owner can read it. */
export function exposedKeyFile(dataDir: string): string | undefined {
  const file = join(dataDir, SECRET_FILE)
  return existsSync(file) && (statSync(file).mode & 0o077) !== 0 ? file : undefined
}

/** Complete before it has its name: of two processes that start at once one makes the file, and both read all of it. */
function makeKeyFile(file: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}
