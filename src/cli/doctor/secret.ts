/** The master secret. That it opens the database is proved where this runs. */
import { existsSync } from 'node:fs'
import { exposedKeyFile, keyFileIn } from '../../system/secret'
import { type Check, findings, type Wrong } from './finding'

export const checkSecret: Check = ({ config: { dataDir, database, secret } }) => {
  const file = keyFileIn(dataDir)
  const wrong: Wrong[] = []
  const exposed = exposedKeyFile(dataDir, secret)
  if (exposed) {
    wrong.push({
      state: 'warn',
      message: `The key file can be read by others than its owner: ${exposed}`,
      advice: `chmod 600 ${exposed}; in a container, where nobody else is, it may stay so.`,
    })
  }
  if (!database && secret && existsSync(file)) {
    wrong.push({
      state: 'warn',
      message: `There is a secret in ${secret.setting} and in ${file}; only the first is used.`,
      advice: 'Keep one of them, so that nobody backs up the wrong one.',
    })
  }
  const where = secret?.setting ?? file
  return findings('secret', wrong, `${where} opens the database. Keep a copy of it apart from the backups.`)
}
