/** Opens the data folder, for a server or for one command beside it. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig } from '../config'
import type { HeadFile } from '../ports/files'
import type { Log } from '../ports/log'
import type { Vault } from '../ports/vault'
import { assertCarrier, explainCode } from '../providers/carriers'
import { type FileStore, layOut, openStore, stageOf } from '../store/sqlite/open'
import { systemClock } from '../system/clock'
import { headFileIn } from '../system/head-file'
import { createLog } from '../system/log'
import { systemRandom } from '../system/random'
import { masterSecret, SECRET_FILE } from '../system/secret'
import { createVault } from '../system/vault'
import type { InspectDependencies } from '../usecases/inspect'
import { Failure } from './failure'

export interface Opened {
  config: Config
  log: Log
  vault: Vault
  store: FileStore
}

export const DATABASE_FILE = 'watchword.db'

/** Who opens: `makes`, an installation may begin with this; `isNew`, it must, whatever was in the folder before. */
export interface Beginning {
  makes?: boolean
  isNew?: boolean
}

/**
 * Throws what `readConfig` and `openStore` throw, and a `Failure` where there is no database and none is to be made: a
 * wrong folder is a mistake, and a key file without its database is a loss, neither is a new service.
 */
export function open(flags: Record<string, string | undefined>, beginning: Beginning = {}): Opened {
  const config = readConfig(process.env, flags)
  const { dataDir } = config
  const file = join(dataDir, DATABASE_FILE)
  // Looked for first: another process that begins here makes it last.
  const hasKeyFile = existsSync(join(dataDir, SECRET_FILE))
  if (stageOf(file) === 'empty') begin(dataDir, file, hasKeyFile, beginning)
  else if (beginning.isNew) throw new Failure('conflict', `--new is for a folder without a database; there is ${file}`)
  return openFile(config, file, { isNew: stageOf(file) === 'unsealed', headFile: headFileIn(dataDir) })
}

function begin(dataDir: string, file: string, hasKeyFile: boolean, { makes, isNew }: Beginning): void {
  if (hasKeyFile && !isNew) {
    const ways =
      'Put it back (`watchword restore FILE`), or begin anew with `serve --new`, which gives up what it held.'
    throw new Failure('lost_database', `There is a key file in ${dataDir}, and no database of it. ${ways}`)
  }
  if (!makes) {
    const ways =
      'Name the data folder with --data or WATCHWORD_DATA; `watchword serve` and `app create` make a new one.'
    throw new Failure('no_database', `There is no database: ${file}. ${ways}`)
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // Of a log that was given up with its database.
  headFileIn(dataDir).remove()
  layOut(file)
}

/**
 * Opens a database by the secret of the data folder. `isNew`: it is of no secret yet, and one is made where there is none.
 * `headFile`: for the one that is in use.
 */
export function openFile(
  config: Config,
  file: string,
  { isNew, headFile }: { isNew: boolean; headFile?: HeadFile },
): Opened {
  const log = createLog(config.logLevel)
  const vault = createVault(masterSecret(config.dataDir, config.secret, { isNew, log }))
  const store = openStore({ file, clock: systemClock, vault, ...(headFile && { headFile }) })
  return { config, log, vault, store }
}

/** For use cases that note who made the change. */
export const adminOf = ({ store, vault }: Pick<Opened, 'store' | 'vault'>) => ({
  store,
  vault,
  actor: { name: 'cli' },
  // The server looks by itself.
  node: { wakeUps: { wake() {}, listen() {} } },
  clock: systemClock,
  random: systemRandom,
  assertCarrier,
})

export const inspectorOf = ({ store }: Pick<Opened, 'store'>): InspectDependencies => ({
  store,
  clock: systemClock,
  async explain(provider, code) {
    const known = (await store.read.carriers.all()).find(({ name }) => name === provider)
    return known && explainCode(known, code)
  },
})
