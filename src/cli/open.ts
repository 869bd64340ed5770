/** Opens the data folder, for a server or for one command beside it. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig } from '../config'
import type { HeadFile, Log, Store, Vault } from '../ports'
import { assertProvider, explainCode } from '../providers/carriers'
import { openStore } from '../store/sqlite/open'
import { systemClock } from '../system/clock'
import { headFileIn } from '../system/head-file'
import { createLog } from '../system/log'
import { systemRandom } from '../system/random'
import { masterSecret } from '../system/secret'
import { createVault } from '../system/vault'
import type { AdminDependencies } from '../usecases/administer'
import type { InspectDependencies } from '../usecases/inspect'

export interface Opened {
  config: Config
  log: Log
  vault: Vault
  store: Store
}

export const DATABASE_FILE = 'watchword.db'

/** Throws what `readConfig` and `openStore` throw. Makes the folder, the key file and the database where they are missing. */
export function open(flags: Record<string, string | undefined>): Opened {
  const config = readConfig(process.env, flags)
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const file = join(config.dataDir, DATABASE_FILE)
  return openFile(config, file, { isNew: !existsSync(file), headFile: headFileIn(config.dataDir) })
}

/**
 * Opens a database by the secret of the data folder. `isNew`: there may be none yet, and one is made. `headFile`: for the
 * one that is in use.
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

export const adminOf = ({ store, vault }: Pick<Opened, 'store' | 'vault'>): AdminDependencies => ({
  store,
  vault,
  actor: { name: 'cli' },
  // The server looks by itself.
  wakeDelivery() {},
  clock: systemClock,
  random: systemRandom,
  assertProvider,
})

export const inspectorOf = ({ store }: Pick<Opened, 'store'>): InspectDependencies => ({
  store,
  clock: systemClock,
  async explain(provider, code) {
    const known = (await store.read.providers()).find(({ name }) => name === provider)
    return known && explainCode(known, code)
  },
})
