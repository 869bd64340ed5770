/** `watchword drill`: whether a backup would do, found out before it has to. */
import { existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../config'
import { countsOf, type RowsSince, since } from '../../store/sqlite/inspect'
import { listBackups } from '../../system/backups'
import { systemClock } from '../../system/clock'
import { copyWhole } from '../../system/restore'
import { type CommonOptions, onDataCommand } from '../command'
import { assertBackup, assertChecksum, type CopyOptions, despiteAuditOption, openCopy, sha256Option } from '../copy'
import { Failure, notEmbedded } from '../failure'
import { DATABASE_FILE } from '../open'
import { iso, outputFor } from '../output'
import { ask, type DrillFindings } from './ask'

interface DrillOptions extends CommonOptions, CopyOptions {
  from?: string
  scratch: string
}

export const drillCommand = (): Command =>
  onDataCommand(
    'drill',
    'restore the newest backup in a scratch folder, ask it, say how long that took and what would be lost; sends nothing',
    'drill',
    'drill --from watchword-data/backups/watchword-2027-01-31T04-00-00.000Z.db --json',
  )
    .option('--from <file>', 'this backup (default: the newest in the data folder)')
    .option('--scratch <dir>', 'where the scratch folder is made and removed', tmpdir())
    .addOption(sha256Option())
    .addOption(despiteAuditOption())
    .action(async (options: DrillOptions) => {
      const config = readConfig(process.env, { DATA: options.data, LOG_LEVEL: 'warn' })
      if (config.database)
        throw notEmbedded(
          'drill restores a backup of a data folder',
          'pg_restore into an empty one, and ask a server there',
        )
      const told = await drill(config, backupOf(config, options), options)
      const { lost } = told
      outputFor(options.json)({ ...told, ...(lost && { lost: objectOf(lost) }) }, linesOf(told))
    })

function backupOf({ dataDir }: Config, { from }: DrillOptions): string {
  const [newest] = listBackups(dataDir)
  const file = from ?? (newest && join(dataDir, 'backups', newest.name))
  if (!file && !existsSync(join(dataDir, DATABASE_FILE)))
    throw new Failure('no_database', `There is no database: ${join(dataDir, DATABASE_FILE)}`)
  if (!file) throw new Failure('not_found', `There are no backups in ${dataDir}: \`watchword backup\` makes one.`)
  assertBackup(file, join(dataDir, DATABASE_FILE))
  return file
}

interface Drilled {
  backup: string
  bytes: number
  sha256: string
  /** In it. */
  held: Record<string, number>
  asked: DrillFindings
  /** Until a server on the copy had answered. */
  ms: { copy: number; verify: number; answer: number; total: number }
  /** Undefined where there is no database to hold it against, or none that can be read. */
  lost: RowsSince | undefined
}

/** Throws where anything does not hold. Leaves nothing behind. */
async function drill(config: Config, backup: string, { scratch, ...demands }: DrillOptions): Promise<Drilled> {
  const folder = mkdtempSync(join(scratch, 'watchword-drill-'))
  try {
    assertRoom(folder, backup)
    const copy = join(folder, DATABASE_FILE)
    const [, copied] = await timed(() => copyWhole(backup, copy))
    const [{ opened, sha256 }, verified] = await timed(async () => {
      const sha256 = await assertChecksum(copy, demands)
      return { opened: await openCopy(config, copy, demands), sha256 }
    })
    // Before it is asked, which adds a key.
    const held = countsOf(copy)
    const lost = sinceCopy(join(config.dataDir, DATABASE_FILE), copy)
    const [asked, answered] = await timed(() => ask(opened))
    const ms = { copy: copied, verify: verified, answer: answered, total: copied + verified + answered }
    return { backup, bytes: statSync(backup).size, sha256, held, asked, ms, lost }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What it answered, and after how many milliseconds. */
async function timed<T>(work: () => T | Promise<T>): Promise<[T, number]> {
  const begunAt = systemClock.elapsed()
  const answer = await work()
  return [answer, Math.round(systemClock.elapsed() - begunAt)]
}

/** As much again is written to it at most: where it is brought to a newer schema. */
function assertRoom(folder: string, backup: string): void {
  const { bavail, bsize } = statfsSync(folder)
  const needed = 2 * statSync(backup).size
  if (bavail * bsize < needed)
    throw new Failure('invalid', `A drill needs ${needed} bytes in ${folder}: name another place with --scratch.`)
}

function sinceCopy(database: string, copy: string): RowsSince | undefined {
  if (!existsSync(database)) return undefined
  try {
    return since(database, copy)
  } catch (error) {
    // That it cannot be read is what a backup is for.
    if (error instanceof Error && error.name === 'SQLiteError') return undefined
    throw error
  }
}

const objectOf = ({ newest, newestInCopy, ...counts }: RowsSince) => ({
  ...counts,
  ...{ since: iso(newestInCopy), newest: iso(newest) },
})

const linesOf = ({ backup, bytes, sha256, held, asked, ms, lost }: Drilled): string[] => [
  `${backup} (${bytes} bytes) would do: it is whole, this secret opens it, its ledger adds up, and a server on it answers.`,
  `Its SHA-256: ${sha256}`,
  `It took ${ms.total} ms: ${ms.copy} to copy, ${ms.verify} to look at all of it, ${ms.answer} to start and to answer.`,
  `In it: ${Object.entries(held)
    .map(([name, count]) => `${count} ${name.replace(/[A-Z]/g, (rendered) => ` ${rendered.toLowerCase()}`)}`)
    .join(', ')}.${asked.issueId ? ` Its newest issue is ${asked.issueId}, as a server on it says.` : ''}`,
  lost ? lossOf(lost) : 'What would be lost is not known: there is no database here that can be read.',
]

const lossOf = ({ issues, ledgerEntries, auditEntries, newest, newestInCopy }: RowsSince) =>
  `Lost would be ${issues} issues, ${ledgerEntries} ledger entries and ${auditEntries} entries of the audit log, and what ` +
  `has changed since ${iso(newestInCopy) ?? 'the beginning'}; the newest is of ${iso(newest) ?? 'no time'}.`
