/** Checks the disk: its free space, that the database is writable, and that a recent backup exists. */
import { join } from 'node:path'
import { newestOf, nextBackupAt } from '../../domain/operations/backup-schedule'
import { type DiskUsage, FULL_BYTES, isShortOfSpace } from '../../domain/operations/disk'
import { DAY_MS, HOUR_MS } from '../../domain/shared/value'
import { lastFailure, listBackups, removeLeftovers, unreadableBackups } from '../../system/backups'
import { diskOf } from '../../system/data-dir-files'
import { DATABASE_FILE } from '../open'
import { iso } from '../output'
import { type Check, type DoctorFinding, findings, type Wrong } from './finding'

const MIB = 2 ** 20
const FEW_FILES = 100
/** A checkpoint normally runs at 48 MB, so a log of this size is blocked. */
const LONG_LOG_BYTES = 256 * MIB

const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`

export const checkDisk: Check = async ({ config: { dataDir }, store }) => {
  const isWritable = await store.assertWritable().then(
    () => true,
    () => false,
  )
  const wrong: Wrong[] = []
  if (!isWritable) {
    wrong.push({
      state: 'problem',
      message: `The database in ${dataDir} cannot be written.`,
      advice: 'Look at free space, at the owner of the folder, and whether it is mounted read-only.',
    })
  }
  const usage = diskOf(join(dataDir, DATABASE_FILE))
  const { free, size, log } = usage
  wrong.push(...judgeRoom(dataDir, usage))
  if (log > LONG_LOG_BYTES) {
    wrong.push({
      state: 'warn',
      message: `The write-ahead log has ${mib(log)}: something keeps the database from taking it in.`,
      advice: 'Look for a process that reads the database for a long time, such as a copy being made.',
    })
  }
  return findings('disk', wrong, `${mib(free)} are free; the database has ${mib(size)} and can be written.`)
}

/** Findings about disk space, also for a database that does not open. */
export const roomOf = (dataDir: string): DoctorFinding[] =>
  judgeRoom(dataDir, diskOf(join(dataDir, DATABASE_FILE))).map((wrong) => ({ check: 'disk', ...wrong }))

export function judgeRoom(dataDir: string, { free, size, log, files }: DiskUsage): Wrong[] {
  const advice = 'Make room, or move the data folder to a larger disk.'
  const wrong: Wrong[] = []
  if (isShortOfSpace({ free, size, log })) {
    wrong.push({
      state: free < FULL_BYTES ? 'problem' : 'warn',
      message: `${mib(free)} are free in ${dataDir}; the database has ${mib(size + log)}, and a backup takes as much.`,
      advice,
    })
  }
  if (files < FEW_FILES)
    wrong.push({ state: 'problem', message: `${dataDir} has room for ${files} files more.`, advice })
  return wrong
}

const ADVICE =
  'Set WATCHWORD_BACKUP_AT, or run `watchword backup` every day (cron, a systemd timer); copy it and the secret to another machine.'

export const checkBackups: Check = ({ config: { dataDir, backups }, now }) => {
  const wrong: Wrong[] = []
  const left = removeLeftovers(dataDir)
  if (left.length > 0) wrong.push({ state: 'ok', message: `Removed what killed backups had left: ${left.join(', ')}.` })
  const unreadable = unreadableBackups(dataDir)
  if (unreadable !== undefined) {
    const advice = `Give the folder to the user of the server: \`chown -R --reference=${dataDir} ${join(dataDir, 'backups')}\`.`
    wrong.push({ state: 'problem', message: `The folder of the backups cannot be read: ${unreadable}.`, advice })
  }
  const failed = lastFailure(dataDir)
  if (failed) {
    wrong.push({
      state: 'problem',
      message: `The last backup that was tried for, at ${iso(failed.at)}, was not made: ${failed.why}`,
      advice: 'Mend that, and run `watchword backup`. Look at the room on the disk first.',
    })
  }
  const newest = newestOf(listBackups(dataDir), now)
  if (!newest)
    return findings('backups', [...wrong, { state: 'warn', message: 'There are no backups.', advice: ADVICE }], '')
  const hours = Math.floor((now - newest.at) / HOUR_MS)
  const message = `The newest backup is ${newest.name}, ${hours} hours old.`
  if (now - newest.at > DAY_MS) wrong.push({ state: 'warn', message, advice: ADVICE })
  const next = iso(nextBackupAt(backups.at, now))
  const fine = next ? `${message} The server makes the next one at ${next}.` : message
  return findings(
    'backups',
    wrong.every(({ state }) => state === 'ok') ? [...wrong, { state: 'ok', message: fine }] : wrong,
    '',
  )
}
