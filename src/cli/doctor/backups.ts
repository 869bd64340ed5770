/** Checks that a recent backup exists. */
import { nextBackupAt } from '../../domain/operations/backup-schedule'
import { DAY_MS, HOUR_MS } from '../../domain/shared/value'
import { lastFailureAt, listBackups } from '../../system/backups'
import { iso } from '../output'
import { type Check, findings, type Wrong } from './finding'

const ADVICE =
  'Set WATCHWORD_BACKUP_AT, or run `watchword backup` every day (cron, a systemd timer); copy it and the secret to another machine.'

export const checkBackups: Check = ({ config: { dataDir, backups }, now }) => {
  const wrong: Wrong[] = []
  const failedAt = lastFailureAt(dataDir)
  if (failedAt !== undefined) {
    wrong.push({
      state: 'problem',
      message: `The last backup that was tried for, at ${iso(failedAt)}, was not made.`,
      advice: "Run `watchword backup`, which says why; so does the server's log. Look at the room on the disk first.",
    })
  }
  const [newest] = listBackups(dataDir)
  if (!newest)
    return findings('backups', [...wrong, { state: 'warn', message: 'There are no backups.', advice: ADVICE }], '')
  const hours = Math.floor((now - newest.at) / HOUR_MS)
  const message = `The newest backup is ${newest.name}, ${hours} hours old.`
  if (now - newest.at > DAY_MS) wrong.push({ state: 'warn', message, advice: ADVICE })
  const next = iso(nextBackupAt(backups.at, now))
  return findings('backups', wrong, next ? `${message} The server makes the next one at ${next}.` : message)
}
