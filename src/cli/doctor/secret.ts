/** The master secret. That it opens the database is proved where this runs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exposedKeyFile, SECRET_FILE } from '../../system/secret'
import { type Check, findings, type Wrong } from './finding'

export const checkSecret: Check = ({ config: { dataDir, database, secret } }) => {
  if (database) return findings('secret', [], opensBy('WATCHWORD_SECRET'))
  const file = join(dataDir, SECRET_FILE)
  const wrong: Wrong[] = []
  const isThere = existsSync(file)
  if (exposedKeyFile(dataDir)) {
    wrong.push({
      state: 'problem',
      message: `The key file can be read by others than its owner: ${file}`,
      advice: `chmod 600 ${file}`,
    })
  }
  if (isThere && secret !== undefined) {
    wrong.push({
      state: 'warn',
      message: `There is a secret in WATCHWORD_SECRET and in ${file}; only the first is used.`,
      advice: 'Keep one of them, so that nobody backs up the wrong one.',
    })
  }
  const where = secret === undefined ? file : 'WATCHWORD_SECRET'
  return findings('secret', wrong, opensBy(where))
}

const opensBy = (where: string) => `${where} opens the database. Keep a copy of it apart from the backups.`
