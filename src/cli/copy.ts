/** Checks that a copy of the database must pass before it replaces another database. */
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config'
import type { Reader } from '../ports/store'
import { assertSound, DamagedDatabaseError } from '../store/sqlite/connection/integrity-check'
import { hasOpenLog, sha256Of } from '../system/backups'
import { verifyAudit } from '../usecases/verify-audit'
import { type Opened, openFile } from './open'
import { Failure } from './output'

/** Requirements for a copy. */
export interface CopyOptions {
  despiteAudit?: boolean
  /** Lower-case hexadecimal; undefined accepts any. */
  sha256?: string
}

export const sha256Option = () =>
  new Option('--sha256 <hash>', 'the SHA-256 of the file, as `backup` printed it; any other file is refused').argParser(
    (text) => {
      if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('must be 64 hexadecimal digits')
      return text.toLowerCase()
    },
  )

export const despiteAuditOption = () =>
  new Option('--despite-audit', 'also where entries of its audit log were changed or are missing')

/** Throws a `Failure` unless the file may be a backup of `database`. */
export function assertBackup(file: string, database: string): void {
  if (!existsSync(file)) throw new Failure('not_found', `No such file: ${file}`)
  if (!statSync(file).isFile()) throw new Failure('invalid', `${file} is not a file`)
  if (existsSync(database) && realpathSync(file) === realpathSync(database)) {
    throw new Failure('invalid', `${file} is the database itself, not a backup of it`)
  }
  if (hasOpenLog(file)) {
    throw new Failure(
      'invalid',
      `${file}-wal holds commits that are not in ${file}: it is a database in use, not a backup`,
    )
  }
}

/** Returns the SHA-256 of a copy. Throws `DamagedDatabaseError` if it differs from the requested one. */
export async function assertChecksum(copy: string, { sha256 }: CopyOptions): Promise<string> {
  const found = await sha256Of(copy)
  if (sha256 !== undefined && found !== sha256)
    throw new DamagedDatabaseError(
      `The SHA-256 of the file is ${found}, not ${sha256}: it is another backup, or it was changed.`,
    )
  return found
}

/**
 * Opens a copy as the server would: with the secret of the data folder, at this program's version. Throws what `openFile`
 * throws, and `DamagedDatabaseError` where anything in it does not hold. Reads all of it.
 */
export async function openCopy(config: Config, copy: string, { despiteAudit }: CopyOptions): Promise<Opened> {
  assertSound(copy)
  const opened = openFile(config, copy, { isNew: false })
  try {
    await assertSealed(opened.store.read)
    if (!despiteAudit) await assertAudited(opened)
    return opened
  } catch (error) {
    await opened.store.close()
    throw error
  }
}

/** One row of the database proves the secret; this opens every sealed setting as well. */
async function assertSealed({ apps, carriers, challenges, endpoints, people }: Reader): Promise<void> {
  const opens = async (what: string, read: Promise<unknown>) => {
    try {
      await read
    } catch {
      throw new DamagedDatabaseError(`The secret does not open ${what}.`)
    }
  }
  await opens('the carriers', carriers.all())
  await opens('the second factors of the operators', people.all())
  for (const { appId } of await apps.all()) {
    await opens(`the webhooks of ${appId}`, endpoints.ofApp(appId))
    await opens(`the challenge of ${appId}`, challenges.find(appId))
  }
}

async function assertAudited({ store, vault }: Opened): Promise<void> {
  const { isIntact, brokenAt } = await verifyAudit({ read: store.read, vault })
  if (isIntact) return
  const what = brokenAt === undefined ? 'Its newest entries are gone' : `Entry ${brokenAt} is not as it was written`
  throw new DamagedDatabaseError(`The audit log is not whole. ${what}. To take it all the same: --despite-audit`)
}

/** Also removes the files that SQLite keeps beside an open database. */
export function discard(copy: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
}
