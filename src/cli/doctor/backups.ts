/** Whether what is lost with this disk is somewhere else. */
import { DAY_MS, HOUR_MS } from '../../domain/value'
import { listBackups } from '../../system/backups'
import { type Check, findings } from './finding'

const ADVICE =
  'Run `watchword backup` every day (cron, a systemd timer), and copy it and the secret to another machine.'

export const checkBackups: Check = ({ config: { dataDir }, now }) => {
  const [newest] = listBackups(dataDir)
  if (!newest) return findings('backups', [{ state: 'warn', message: 'There are no backups.', advice: ADVICE }], '')
  const hours = Math.floor((now - newest.at) / HOUR_MS)
  const message = `The newest backup is ${newest.name}, ${hours} hours old.`
  return findings('backups', now - newest.at > DAY_MS ? [{ state: 'warn', message, advice: ADVICE }] : [], message)
}
