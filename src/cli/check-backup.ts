/** `watchword restore --check`: whether a backup would do, found out on a copy of it, before it is needed. */
import { existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config'
import { countsOf, type RowsSince, since } from '../store/sqlite/inspect'
import { copyWhole, listBackups } from '../system/backups'
import { systemClock } from '../system/clock'
import { assertBackup, assertChecksum, type CopyOptions, openCopy } from './copy'
import { DATABASE_FILE } from './open'
import { Failure, iso } from './output'

/** The named backup, or the newest one. Throws a `Failure` where there is none. */
export function backupToCheck({ dataDir }: Config, file: string | undefined): string {
  const [newest] = listBackups(dataDir)
  const backup = file ?? (newest && join(dataDir, 'backups', newest.name))
  if (!backup && !existsSync(join(dataDir, DATABASE_FILE)))
    throw new Failure('no_database', `There is no database: ${join(dataDir, DATABASE_FILE)}`)
  if (!backup) throw new Failure('not_found', `There are no backups in ${dataDir}: \`watchword backup\` creates one.`)
  assertBackup(backup, join(dataDir, DATABASE_FILE))
  return backup
}

/** Throws if any check fails. Removes its copy, made within `scratch`, in every case. */
export async function checkBackup(config: Config, backup: string, scratch: string, demands: CopyOptions) {
  const begunAt = systemClock.elapsed()
  const folder = mkdtempSync(join(scratch, 'watchword-check-'))
  try {
    assertRoom(folder, backup)
    const copy = join(folder, DATABASE_FILE)
    copyWhole(backup, copy)
    const sha256 = await assertChecksum(copy, demands)
    await (await openCopy(config, copy, demands)).store.close()
    const lost = sinceCopy(join(config.dataDir, DATABASE_FILE), copy)
    const ms = Math.round(systemClock.elapsed() - begunAt)
    return {
      backup,
      bytes: statSync(backup).size,
      sha256,
      held: countsOf(copy),
      ms,
      ...(lost && { lost: shown(lost) }),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A migration to a newer schema writes at most the size of the database again. */
function assertRoom(folder: string, backup: string): void {
  const { bavail, bsize } = statfsSync(folder)
  const needed = 2 * statSync(backup).size
  if (bavail * bsize < needed)
    throw new Failure('invalid', `The check needs ${needed} bytes in ${folder}: name another place with --scratch.`)
}

/** Undefined where there is no readable database to compare with: an unreadable one is a case for the backup. */
function sinceCopy(database: string, copy: string): RowsSince | undefined {
  if (!existsSync(database)) return undefined
  try {
    return since(database, copy)
  } catch (error) {
    if (error instanceof Error && error.name === 'SQLiteError') return undefined
    throw error
  }
}

const shown = ({ newest, newestInCopy, ...counts }: RowsSince) => ({
  ...{ ...counts, since: iso(newestInCopy), newest: iso(newest) },
})

export const checkLines = ({ backup, bytes, sha256, held, ms, lost }: Awaited<ReturnType<typeof checkBackup>>) => [
  `${backup} (${bytes} bytes) would do: it is whole, this secret opens it, and its ledger adds up. That took ${ms} ms.`,
  `Its SHA-256: ${sha256}`,
  `In it: ${Object.entries(held)
    .map(([name, count]) => `${count} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
    .join(', ')}.`,
  lost
    ? `Lost would be ${lost.issues} issues, ${lost.ledgerEntries} ledger entries and ${lost.auditEntries} entries of the audit log, and what ` +
      `has changed since ${lost.since ?? 'the beginning'}; the newest is of ${lost.newest ?? 'no time'}.`
    : 'What would be lost is not known: there is no database here that can be read.',
]
