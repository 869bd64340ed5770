/** Checks where the master secret is stored. It has already opened the database. */
import { existsSync } from 'node:fs'
import { isActive } from '../../domain/access/api-key'
import { hasAllowances } from '../../domain/access/browser-key'
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

/** Finds live browser keys from before their restrictions: anybody who has one can send arbitrary text. */
export const checkKeys: Check = async ({ store: { read }, now }) => {
  const keys = (await Promise.all((await read.apps.all()).map(({ appId }) => read.keys.ofApp(appId)))).flat()
  const open = keys.filter((key) => isActive(key, now) && hasAllowances(key))
  return findings(
    'keys',
    open.map(({ keyId, appId, allows }) => ({
      state: 'warn',
      message: `The live browser key ${keyId} of ${appId} may ${allows.map((what) => MAY[what]).join(' and ')}.`,
      advice: `\`watchword key allow ${keyId}\` takes that back, where your pages do not need it.`,
    })),
    'No live browser key may set the sender or write texts of its own.',
  )
}

const MAY = { from: 'set the sender', text: 'write any text into template variables' } as const
