/** The master secret: as the settings say, else a key file in the data folder, made at first start. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../ports/log'
import { MIN_SECRET_LENGTH, type SecretSource } from '../ports/vault'
import { syncFolderOf } from './backups'

export const SECRET_FILE = 'watchword.secret'

/** A vault that has not answered by then is away. */
const COMMAND_WITHIN_MS = 10_000
const COMMAND_PRINTS_BYTES = 64 * 1024

export class KeyFileError extends Error {
  override name = 'KeyFileError'
}

/**
 * Throws `KeyFileError` where a database is there but its key file is not, or is cut short; where others may read or change
 * it; where a file or a program that is to have it has not.
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

/** Nothing of what it prints is told, not even where it fails: it may be the secret. */
function printed({ setting, command }: { setting: string; command: readonly string[] }, withinMs: number): string {
  const [program = '', ...args] = command
  // Who has no such program does not wait for what starts one.
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
 * The key file of the data folder, where everybody on this machine can read it, and any where others can change it. A file
 * that is given may be read: containers mount secrets so, for their only user.
 */
function assertKept(file: string, { isOwn }: { isOwn: boolean }): void {
  const { mode } = statSync(file)
  if ((mode & 0o002) !== 0) throw new KeyFileError(`Everybody can change the key file: ${file}; chmod 600 ${file}`)
  if (isOwn && (mode & 0o004) !== 0)
    throw new KeyFileError(`Everybody can read the key file: ${file}; chmod 600 ${file}`)
}

/** The file the secret is in, where more than its owner can read it. A container's volumes and mounts may be so. */
export function exposedKeyFile(dataDir: string, configured: SecretSource | undefined): string | undefined {
  if (configured && !('file' in configured)) return undefined
  const file = configured?.file ?? keyFileIn(dataDir)
  // A group that is given the file is meant to read it; in the data folder nobody else is.
  const others = configured ? 0o007 : 0o077
  return existsSync(file) && (statSync(file).mode & others) !== 0 ? file : undefined
}

/** The secret in a file that is given on the command line. */
export const secretIn = (file: string, setting: string): Uint8Array => Buffer.from(textOf({ setting, file }, 0), 'utf8')

const nextKeyFileIn = (dataDir: string) => `${keyFileIn(dataDir)}.next`

/** A new secret for the data folder; one that was made before and not put in place. On disk before anything is sealed by it. */
export function nextKeyFile(dataDir: string): Uint8Array {
  const file = nextKeyFileIn(dataDir)
  // What was cut short has sealed nothing.
  if (existsSync(file) && readFileSync(file, 'utf8').trim().length < MIN_SECRET_LENGTH) unlinkSync(file)
  if (!existsSync(file)) writeFileSync(file, newSecret(), { mode: 0o600, flag: 'wx', flush: true })
  syncFolderOf(file)
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'utf8')
}

/** Puts the next key file in the place of the one before, which is gone. False where another process has just done so. */
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

/** Complete before it has its name: of two processes that start at once one makes the file, and both read all of it. */
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
