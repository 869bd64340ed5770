/** Room on the disk, and whether the database can be written. */
import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '../open'
import { type Check, findings, type Wrong } from './finding'

const MIB = 2 ** 20
const FULL_BYTES = 100 * MIB
const LITTLE_BYTES = 1_024 * MIB
/** A checkpoint comes at some 48 MB: a log this long has had none for a while. */
const LONG_LOG_BYTES = 256 * MIB

const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`

export const checkDisk: Check = async ({ config: { dataDir }, store }) => {
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const log = join(dataDir, `${DATABASE_FILE}-wal`)
  const logBytes = existsSync(log) ? statSync(log).size : 0
  const isWritable = await store.assertWritable().then(
    () => true,
    () => false,
  )
  const size = await store.read.size()
  const wrong: Wrong[] = []
  if (!isWritable) {
    wrong.push({
      state: 'problem',
      message: `The database in ${dataDir} cannot be written.`,
      advice: 'Look at free space, at the owner of the folder, and whether it is mounted read-only.',
    })
  }
  if (free < LITTLE_BYTES || free < size) {
    wrong.push({
      state: free < FULL_BYTES ? 'problem' : 'warn',
      message: `${mib(free)} are free in ${dataDir}; the database has ${mib(size)}, and a backup takes as much.`,
      advice: 'Make room, or move the data folder to a larger disk.',
    })
  }
  if (logBytes > LONG_LOG_BYTES) {
    wrong.push({
      state: 'warn',
      message: `The write-ahead log has ${mib(logBytes)}: something keeps the database from taking it in.`,
      advice: 'Look for a process that reads the database for a long time, such as a copy being made.',
    })
  }
  return findings('disk', wrong, `${mib(free)} are free; the database has ${mib(size)} and can be written.`)
}
