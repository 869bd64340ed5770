/** Moves all data from a data folder to PostgreSQL, or back. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../../config'
import type { Vault } from '../../ports/vault'
import { type MoveOptions, move, undoMove } from '../../store/move/move'
import { openUrl } from '../../store/move/postgres'
import type { Side } from '../../store/move/side'
import { openFile } from '../../store/move/sqlite'
import { MovedError } from '../../store/moved'
import { HEAD } from '../../store/rows/person'
import { createDatabase, stageOf } from '../../store/sqlite/open'
import { systemClock } from '../../system/clock'
import { headFileIn } from '../../system/data-dir-files'
import { lockDataDir } from '../../system/data-dir-lock'
import { createLog } from '../../system/log'
import { masterSecret, SECRET_FILE } from '../../system/secret'
import { createVault, systemRandom } from '../../system/vault'
import { lostEnds } from '../../usecases/verify-audit'
import { type Confirmable, confirm } from '../command'
import { DATABASE_FILE, openFile as openStore } from '../open'
import { Failure, outputFor } from '../output'

export interface MoveRequest extends Confirmable {
  from: string
  to?: string
  undo?: boolean
  json?: boolean
}

export async function moveAll({ from, to, json }: MoveRequest): Promise<void> {
  if (to === undefined) throw new InvalidArgumentError('--to: say where everything is to go')
  if (isUrl(from) === isUrl(to))
    throw new InvalidArgumentError('--to: one of the two is a data folder, the other one a postgres:// URL')
  const folder = isUrl(from) ? to : from
  const config = configOf(folder)
  const vault = vaultOf(config)
  const output = outputFor(json)
  const sides: Side[] = []
  const opened = async (side: Side | Promise<Side>) => {
    sides.push(await side)
    return side
  }
  try {
    const source = await opened(isUrl(from) ? openUrl(from) : sourceFolder(config))
    const target = await opened(isUrl(to) ? openUrl(to) : targetFolder(config))
    const id = Buffer.from(systemRandom.bytes(16)).toString('hex')
    const moved = await move(source, target, { vault, id, report: json ? () => {} : onStderr() })
    if (target.name === folder) await keepAuditHead(folder, target)
    const what = moved
      ? `Moved ${totalOf(moved.tables)} rows from ${source.name} to ${target.name}: both have as many of each kind, and every ledger adds up.`
      : `${source.name} had been moved to ${target.name} before.`
    const next = [nextOf(config, isUrl(to)), `No server starts on ${source.name}, which has all it had. ${WAY_BACK}`]
    output({ from: source.name, to: target.name, isNew: moved !== undefined, ...moved }, [what, ...next])
  } finally {
    for (const side of sides) await side.close()
  }
}

export async function undo(options: MoveRequest): Promise<void> {
  const { from, json } = options
  const config = configOf(isUrl(from) ? undefined : from)
  const vault = vaultOf(config)
  const side = await (isUrl(from) ? openUrl(from) : folderSide(config))
  try {
    await confirm(
      options,
      `Let servers start on ${side.name} again? What has happened since it was moved is not in it.`,
    )
    await undoMove(side, vault)
    outputFor(json)({ from: side.name }, [`Servers start on ${side.name} again. Let none start where it was moved to.`])
  } finally {
    await side.close()
  }
}

const WAY_BACK = '`watchword move --undo` is the way back, without what happens from now on.'

const isUrl = (place: string) => /^postgres(ql)?:\/\//.test(place)

/** The configuration for that folder. The command names both places, so a PostgreSQL in the environment is ignored. */
const configOf = (folder: string | undefined) =>
  readConfig(
    { ...process.env, WATCHWORD_DATABASE_URL: undefined, WATCHWORD_DATABASE_URL_FILE: undefined },
    { DATA: folder, LOG_LEVEL: 'warn' },
  )

/** One secret seals both. */
const vaultOf = (config: Config): Vault => createVault(secretOf(config))

const secretOf = ({ dataDir, secret, logLevel }: Config): Buffer =>
  Buffer.from(masterSecret(dataDir, secret, { isNew: false, log: createLog(logLevel) }))

function folderSide({ dataDir }: Config): Side {
  const file = join(dataDir, DATABASE_FILE)
  if (stageOf(file) === 'empty') throw new Failure('no_database', `There is no database: ${file}.`)
  lockDataDir(dataDir)
  return openFile(file, dataDir)
}

async function sourceFolder(config: Config): Promise<Side> {
  const side = folderSide(config)
  try {
    await assertWholeAudit(config)
    return side
  } catch (error) {
    await side.close()
    throw error
  }
}

/** The file with the end of the audit log is not moved, so its finding must be reported first. */
async function assertWholeAudit(config: Config): Promise<void> {
  try {
    const { store } = openStore(config, join(config.dataDir, DATABASE_FILE), {
      isNew: false,
      headFile: headFileIn(config.dataDir),
    })
    const lost = await lostEnds(store.read).finally(() => store.close())
    if (lost.some(({ problem }) => problem !== 'gone'))
      throw new Failure(
        'conflict',
        'The newest entries of the audit log are gone; look at `watchword audit verify` first, and `watchword audit accept`.',
      )
  } catch (error) {
    // Checked when the move began.
    if (!(error instanceof MovedError)) throw error
  }
}

/** Created if missing. */
function targetFolder(config: Config): Side {
  const { dataDir, secret } = config
  const file = join(dataDir, DATABASE_FILE)
  if (stageOf(file) === 'empty') {
    const keyFile = join(dataDir, SECRET_FILE)
    if (secret && existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim() !== secretOf(config).toString())
      throw new Failure('conflict', `There is a key file of another database: ${keyFile}. Name another folder.`)
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    headFileIn(dataDir).remove()
    createDatabase(file)
  }
  return folderSide(config)
}

/** Stands beside the database, as on a server. */
async function keepAuditHead(dataDir: string, side: Side): Promise<void> {
  const file = headFileIn(dataDir)
  const line = await side.fact(HEAD)
  if (line && file.read() === undefined) file.write(line.toString())
}

/** Only the owner may read the secret. */
function nextOf({ dataDir, secret }: Config, isUrlNext: boolean): string {
  const kept = join(dataDir, SECRET_FILE)
  if (!isUrlNext)
    return `Start the server with --data ${dataDir}, and with the secret of before, or with that as the text of ${kept}.`
  const which = secret === undefined ? `the text of ${kept} as WATCHWORD_SECRET` : `the ${secret.setting} of before`
  return `Start the servers with that URL as WATCHWORD_DATABASE_URL, and each with ${which}.`
}

const totalOf = (tables: Record<string, number>) => Object.values(tables).reduce((sum, rows) => sum + rows, 0)

const EVERY_MS = 2_000

/** Reports each finished table, and the progress of large ones. */
function onStderr(): MoveOptions['report'] {
  let last = systemClock.elapsed()
  return (progress) => {
    if (progress === 'verifying') return void process.stderr.write('comparing both\n')
    const { table, rows, of } = progress
    if (rows < of && systemClock.elapsed() - last < EVERY_MS) return
    last = systemClock.elapsed()
    process.stderr.write(`${table}: ${rows} of ${of} rows\n`)
  }
}
