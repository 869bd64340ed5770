/** The master secret: from the environment, else a key file in the data folder, made at first start. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../ports'

const FILE_NAME = 'watchword.secret'

export function masterSecret(dataDir: string, configured: string | undefined, log: Log): Uint8Array {
  if (configured !== undefined) return Buffer.from(configured, 'utf8')
  const file = join(dataDir, FILE_NAME)
  if (!existsSync(file)) {
    try {
      // `wx`: of two processes that start at once, one makes the file and both read it.
      writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
      log.warn({ file }, 'made a new master secret; back this file up, the database is useless without it')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'utf8')
}
