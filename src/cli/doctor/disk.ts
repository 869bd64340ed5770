/** Checks the disk: its free space, that the database is writable, and that a recent backup exists. */
import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newestOf, nextBackupAt } from '../../domain/operations/backup-schedule'
import { DAY_MS, HOUR_MS } from '../../domain/shared/value'
import { lastFailureAt, listBackups, removeLeftovers } from '../../system/backups'
import { DATABASE_FILE } from '../open'
import { iso } from '../output'
import { type Check, type DoctorFinding, findings, type Wrong } from './finding'

const MIB = 2 ** 20
const FULL_BYTES = 100 * MIB
const LITTLE_BYTES = 1_024 * MIB
/** Size of the write-ahead log before a checkpoint. */
const LOG_BYTES = 64 * MIB
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
  const usage = usageOf(dataDir)
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
  judgeRoom(dataDir, usageOf(dataDir)).map((wrong) => ({ check: 'disk', ...wrong }))

interface DiskUsage {
  /** Bytes. */
  free: number
  /** Sizes of the database and of its write-ahead log. */
  size: number
  log: number
  /** Free inodes. */
  files: number
}

/** A backup needs as much space as the database and its log; the log needs space to grow before a checkpoint. */
export function judgeRoom(dataDir: string, { free, size, log, files }: DiskUsage): Wrong[] {
  const advice = 'Make room, or move the data folder to a larger disk.'
  const wrong: Wrong[] = []
  if (free < Math.max(LITTLE_BYTES, size + log + LOG_BYTES)) {
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

function usageOf(dataDir: string): DiskUsage {
  const { bavail, bsize, files, ffree } = statfsSync(dataDir)
  const sizeOf = (name: string) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0
  return {
    free: bavail * bsize,
    size: sizeOf(DATABASE_FILE),
    log: sizeOf(`${DATABASE_FILE}-wal`),
    // Some file systems do not count inodes.
    files: files === 0 ? Number.POSITIVE_INFINITY : ffree,
  }
}

const ADVICE =
  'Set WATCHWORD_BACKUP_AT, or run `watchword backup` every day (cron, a systemd timer); copy it and the secret to another machine.'

export const checkBackups: Check = ({ config: { dataDir, backups }, now }) => {
  const wrong: Wrong[] = []
  const left = removeLeftovers(dataDir)
  if (left.length > 0) wrong.push({ state: 'ok', message: `Removed what killed backups had left: ${left.join(', ')}.` })
  const failedAt = lastFailureAt(dataDir)
  if (failedAt !== undefined) {
    wrong.push({
      state: 'problem',
      message: `The last backup that was tried for, at ${iso(failedAt)}, was not made.`,
      advice: "Run `watchword backup`, which says why; so does the server's log. Look at the room on the disk first.",
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
