/** Opens the data folder or the PostgreSQL, for a server or for one command beside it. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, type DatabaseConfig, readConfig } from '../config'
import type { Clock } from '../ports/clock'
import type { ErasedFile, HeadFile } from '../ports/files'
import type { Fleet } from '../ports/node'
import type { Store } from '../ports/store'
import type { Vault } from '../ports/vault'
import { assertCarrier, explainCode, reportsBySecret } from '../providers/carriers'
import type { MigrationStep } from '../store/migrations'
import { nameOf } from '../store/postgres/connection/name'
import type { SharedStore } from '../store/postgres/open'
import { createDatabase, type FileStore, openStore, stageOf, upgrade } from '../store/sqlite/open'
import { type ClockSighting, databaseClock, systemClock } from '../system/clock'
import { erasedFileIn, headFileIn } from '../system/data-dir-files'
import { eventLoopBatch } from '../system/event-loop-batch'
import { type LogOnUse, logOnUse } from '../system/log'
import { machineMistakes } from '../system/machine-mistakes'
import { masterSecret, SECRET_FILE } from '../system/secret'
import { createVault, systemRandom } from '../system/vault'
import { throttleWrites } from '../system/write-throttle'
import type { InspectDependencies } from '../usecases/inspect'
import { COMMAND_LINE } from '../usecases/shared/write-audit'
import type { Front } from './awaited-database'
import { Failure, notEmbedded } from './output'

export interface Opened {
  config: Config
  log: LogOnUse
  vault: Vault
  /** The clock that the store uses for timestamps. */
  clock: Clock
  store: Store
  /** The embedded database; undefined on PostgreSQL. */
  file?: FileStore
  /** Stands beside the database in use. */
  erasedFile?: ErasedFile
  /** The name of this server among those that share the database. */
  fleet?: Fleet
  /** Set if the server listened before its database answered. */
  front?: Front
}

/** Location of the data, without credentials. */
export const placeOf = ({ database, dataDir }: Config) => (database ? nameOf(database.url) : dataDir)

export const DATABASE_FILE = 'watchword.db'

const APPLYING = 'applying a migration of the database'

/**
 * How a command opens its installation. `makes`: it may make a new one. `isNew`: it must make one, whatever the folder
 * has. `serves`: it is a server, and no command beside one. `waits`: it waits for a PostgreSQL that does not answer.
 */
export interface Beginning {
  makes?: boolean
  isNew?: boolean
  serves?: boolean
  waits?: boolean
}

/**
 * Throws what `readConfig` and `openStore` throw, and a `Failure` where there is no database and none may be made. A
 * wrong folder is a mistake, and a key file without its database is a loss; neither is a new service.
 */
export async function open(flags: Record<string, string | undefined>, beginning: Beginning = {}): Promise<Opened> {
  const config = readConfig(process.env, flags, beginning.serves ? examined : undefined)
  if (!config.database) return await openFolder(config, beginning)
  if (beginning.isNew) throw notEmbedded('--new is for a data folder', 'an empty database is begun in any case')
  return openShared(config, config.database, beginning)
}

const examined: Parameters<typeof readConfig>[2] = ({ HOST, METRICS_LISTEN, DATA }, isFolder) =>
  machineMistakes({
    hosts: { HOST, METRICS_LISTEN: METRICS_LISTEN?.host },
    dataDir: isFolder ? DATA : undefined,
    databaseFile: DATABASE_FILE,
  })

/** Any server or command may be the first, so an empty database gets its schema here. */
export async function openShared(
  config: Config,
  database: DatabaseConfig,
  { serves = false, waits = false }: Pick<Beginning, 'serves' | 'waits'> = {},
): Promise<Opened> {
  const log = logOnUse(config.logLevel)
  const vault = vaultOf(config, log, false)
  const { clock, see } = databaseClock(systemClock)
  const node = Buffer.from(systemRandom.bytes(8)).toString('hex')
  const time = (sighting: ClockSighting) => {
    see(sighting)
    return sighting.stamped
  }
  const opening = (store: SharedStore) => ({ config, log, vault, clock, store, fleet: store.fleet })
  // A server on a data folder does not need this code.
  const { openStore } = await import('../store/postgres/open')
  const migrating = (step: MigrationStep) => log.info({ ...step }, APPLYING)
  const attempt = () => openStore({ ...database, clock, vault, node, time, serves, migrating })
  if (!waits) return opening(await attempt())
  const { awaitDatabase } = await import('./awaited-database')
  const { opened, front } = await awaitDatabase(config, nameOf(database.url), log, attempt)
  return { ...opening(opened), ...(front && { front }) }
}

async function openFolder(config: Config, beginning: Beginning): Promise<Opened> {
  const { dataDir } = config
  const file = join(dataDir, DATABASE_FILE)
  // Checked first, because another process creates this file last.
  const hasKeyFile = existsSync(join(dataDir, SECRET_FILE))
  let stage = stageOf(file)
  if (stage === 'empty') {
    begin(dataDir, file, hasKeyFile, beginning)
    // Another process may have continued the change.
    stage = stageOf(file)
  } else if (beginning.isNew)
    throw new Failure('conflict', `--new is for a folder without a database; there is ${file}`)
  const isNew = stage === 'unsealed'
  const log = logOnUse(config.logLevel)
  const migrations = await upgrade(file, (step) => log.info({ ...step }, APPLYING))
  if (migrations > 0) log.info({ migrations }, 'the database is upgraded')
  const opened = openFile(config, file, { isNew, headFile: headFileIn(dataDir), serves: beginning.serves ?? false })
  return { ...opened, erasedFile: erasedFileIn(dataDir) }
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
  // Belongs to the log of a removed database.
  headFileIn(dataDir).remove()
  createDatabase(file)
}

/**
 * Opens a database by the secret of the data folder. `isNew`: it is of no secret yet, and one is made where there is none.
 * `headFile`: for the one that is in use. `serves`: for a server.
 */
export function openFile(
  config: Config,
  file: string,
  { isNew, headFile, serves = false }: { isNew: boolean; headFile?: HeadFile; serves?: boolean },
): Opened {
  const log = logOnUse(config.logLevel)
  const vault = vaultOf(config, log, isNew)
  const { checkpointPages } = config
  const store = openStore({
    ...{ file, clock: systemClock, vault, checkpointPages },
    ...(headFile && { headFile }),
    ...(serves ? { atEnd: eventLoopBatch.runAfter } : { soon: throttleWrites() }),
  })
  return { config, log, vault, clock: systemClock, store, file: store }
}

/**
 * The key file may have changed since; the database records whether it did. A secret program runs at the start only.
 */
function vaultOf({ dataDir, secret }: Config, log: LogOnUse, isNew: boolean): Vault {
  const isFile = secret === undefined || 'file' in secret
  const again = () => masterSecret(dataDir, secret, { isNew: false, log })
  return createVault(masterSecret(dataDir, secret, { isNew, log }), undefined, isFile ? again : undefined)
}

/** Context for use cases that write the audit log. */
export const adminOf = ({ store, vault, clock }: Pick<Opened, 'store' | 'vault' | 'clock'>) => ({
  store,
  vault,
  clock,
  actor: { name: COMMAND_LINE },
  // The server checks this itself.
  node: { wakeUps: { wake() {}, subscribe() {} } },
  random: systemRandom,
  assertCarrier,
  reportsBySecret,
})

export const inspectorOf = ({ store, clock }: Pick<Opened, 'store' | 'clock'>): InspectDependencies => ({
  store,
  clock,
  async explain(provider, code) {
    const known = (await store.read.carriers.all()).find(({ name }) => name === provider)
    return known && explainCode(known, code)
  },
})
