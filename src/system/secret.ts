/** The master secret: from the settings, else from a key file in the data folder, which the first start makes. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../ports/log'
import { MIN_SECRET_LENGTH, type SecretSource } from '../ports/vault'
import { syncFolderOf } from './backups'

export const SECRET_FILE = 'watchword.secret'

/** After this time the program counts as unavailable. */
const COMMAND_WITHIN_MS = 10_000
const COMMAND_PRINTS_BYTES = 64 * 1024

export class KeyFileError extends Error {
  override name = 'KeyFileError'
}

/**
 * Throws `KeyFileError` where the key file of a database is missing or cut short, or where others may read or change it. The same
 * holds for a configured file or program that does not provide the secret.
 */
export function masterSecret(
  dataDir: string,
  configured: SecretSource | undefined,
  { isNew, log, withinMs = COMMAND_WITHIN_MS }: { isNew: boolean; log: Pick<Log, 'warn'>; withinMs?: number },
): Uint8Array {
  if (configured) return Buffer.from(textOf(configured, withinMs), 'utf8')
  const file = keyFileIn(dataDir)
  if (!existsSync(file)) {
    if (!isNew)
      throw new KeyFileError(`The database's key file is missing: ${file}. Restore it, or set WATCHWORD_SECRET.`)
    makeKeyFile(file)
    log.warn({ file }, 'made a new master secret; back this file up, the database is useless without it')
  }
  assertKept(file, { isOwn: true })
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < MIN_SECRET_LENGTH)
    throw new KeyFileError(`The key file is empty or cut short: ${file}. Restore it.`)
  return Buffer.from(secret, 'utf8')
}

export const keyFileIn = (dataDir: string) => join(dataDir, SECRET_FILE)

function textOf(source: SecretSource, withinMs: number): string {
  if ('text' in source) return source.text
  const text = 'file' in source ? read(source) : printed(source, withinMs)
  if (text.length >= MIN_SECRET_LENGTH) return text
  const what = 'file' in source ? `the file ${source.file} holds` : 'the program prints'
  throw new KeyFileError(`${source.setting}: ${what} less than ${MIN_SECRET_LENGTH} characters`)
}

function read({ setting, file }: { setting: string; file: string }): string {
  try {
    assertKept(file, { isOwn: false })
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof KeyFileError) throw error
    throw new KeyFileError(`${setting}: the file ${file} cannot be read`)
  }
}

/** Output of the program is never shown, not even in an error: it may be the secret. */
function printed({ setting, command }: { setting: string; command: readonly string[] }, withinMs: number): string {
  const [program = '', ...args] = command
  // Loaded only here, so that other starts do not wait.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { error, status, stdout } = spawnSync(program, args, {
    ...{ encoding: 'utf8', shell: false, stdio: ['ignore', 'pipe', 'ignore'] },
    ...{ timeout: withinMs, killSignal: 'SIGKILL', maxBuffer: COMMAND_PRINTS_BYTES },
  })
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ETIMEDOUT') throw new KeyFileError(`${setting}: ${program} has printed nothing in time`)
  if (error) throw new KeyFileError(`${setting}: ${program} cannot be run (${code})`)
  if (status !== 0) throw new KeyFileError(`${setting}: ${program} has failed (${status ?? 'killed'})`)
  return stdout.trim()
}

/**
 * Throws where everybody on this machine can change a key file, or can read the one of the data folder. A configured file may be
 * readable, since containers mount secrets so.
 */
function assertKept(file: string, { isOwn }: { isOwn: boolean }): void {
  const { mode } = statSync(file)
  if ((mode & 0o002) !== 0) throw new KeyFileError(`Everybody can change the key file: ${file}; chmod 600 ${file}`)
  if (isOwn && (mode & 0o004) !== 0)
    throw new KeyFileError(`Everybody can read the key file: ${file}; chmod 600 ${file}`)
}

/** The file of the secret where others than its owner can read it, as volumes of a container may allow. */
export function exposedKeyFile(dataDir: string, configured: SecretSource | undefined): string | undefined {
  if (configured && !('file' in configured)) return undefined
  const file = configured?.file ?? keyFileIn(dataDir)
  // The group of a configured file is meant to read it; in the data folder only the owner is.
  const others = configured ? 0o007 : 0o077
  return existsSync(file) && (statSync(file).mode & others) !== 0 ? file : undefined
}

/** The secret of a file that is named on the command line. */
export const secretIn = (file: string, setting: string): Uint8Array => Buffer.from(textOf({ setting, file }, 0), 'utf8')

const nextKeyFileIn = (dataDir: string) => `${keyFileIn(dataDir)}.next`

/** The next secret of the data folder: an earlier one that was not put in place, else a new one. On disk before it seals anything. */
export function nextKeyFile(dataDir: string): Uint8Array {
  const file = nextKeyFileIn(dataDir)
  // A file that was cut short has sealed nothing.
  if (existsSync(file) && readFileSync(file, 'utf8').trim().length < MIN_SECRET_LENGTH) unlinkSync(file)
  if (!existsSync(file)) writeFileSync(file, newSecret(), { mode: 0o600, flag: 'wx', flush: true })
  syncFolderOf(file)
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'utf8')
}

/** Replaces the key file by the next one. False where another process has just done so. */
export function placeNextKeyFile(dataDir: string): boolean {
  try {
    renameSync(nextKeyFileIn(dataDir), keyFileIn(dataDir))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  syncFolderOf(keyFileIn(dataDir))
  return true
}

const newSecret = () => `${randomBytes(32).toString('base64url')}\n`

/** The draft is complete before it gets the name: of two processes that start at once, one makes the file and both read it whole. */
function makeKeyFile(file: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, newSecret(), { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}
