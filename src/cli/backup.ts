/** Copies of the database: `backup` makes one, `restore` puts one in place. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../config'
import type { HeadFile } from '../ports/files'
import { replaceDatabase } from '../store/sqlite/connection/replace'
import { copyWhole, giveToOwner, listBackups, makeBackup, sha256Of, syncFolderOf } from '../system/backups'
import { systemClock, systemSchedule } from '../system/clock'
import { erasedFileIn, headFileIn } from '../system/data-dir-files'
import { lockDataDir } from '../system/data-dir-lock'
import { createLog } from '../system/log'
import { createTelemetry } from '../system/telemetry'
import { type ErasureDependencies, eraseDue, takeErasures } from '../usecases/erase-phone'
import { writeAudit } from '../usecases/shared/write-audit'
import { headOf } from '../usecases/verify-audit'
import { backupToCheck, checkBackup, checkLines } from './check-backup'
import {
  type CommonOptions,
  type Confirmable,
  confirm,
  onData,
  onDataCommand,
  removalCommand,
  wholeNumber,
} from './command'
import {
  assertBackup,
  assertChecksum,
  type CopyOptions,
  despiteAuditOption,
  discard,
  openCopy,
  sha256Option,
} from './copy'
import { adminOf, DATABASE_FILE, openFile } from './open'
import { Failure, iso, notEmbedded, outputFor } from './output'
import { scheduleBackups } from './scheduled-backups'

export const backupCommand = (): Command =>
  onDataCommand(
    'backup',
    'copy the database into the folder `backups` of the data folder, also while a server runs',
    'backup --keep 14',
  )
    .option('--keep <n>', 'number of newest copies to keep', wholeNumber, 7)
    .option(
      '--schedule <times>',
      'keep running, and create a backup at these times of day (UTC), such as 03:00,15:00; a server does this itself with WATCHWORD_BACKUP_AT',
    )
    .action((options: CommonOptions & { keep: number; schedule?: string }) => {
      if (options.schedule !== undefined) return backUpAtTimes(options, options.schedule)
      return onData(options, async ({ config, store, file }, output) => {
        if (!file) throw notEmbedded('backup copies a data folder', 'pg_dump, or its archive, backs that up')
        const how = { now: systemClock.now(), keep: Math.max(1, options.keep) }
        const [newest] = await store.read.audit.page({ limit: 1 })
        const audit = { entries: newest?.seq ?? 0, head: headOf(newest) }
        const { made, removed } = makeBackup(config.dataDir, how, (copy) => file.copyTo(copy))
        const copy = join(config.dataDir, 'backups', made.name)
        const sha256 = await sha256Of(copy)
        output({ ...made, sha256, at: iso(made.at), audit, removed, kept: listBackups(config.dataDir).length }, [
          `Made ${copy} (${made.bytes} bytes). It is useless without watchword.secret: keep that, too.`,
          `Its SHA-256, for \`restore\`: ${sha256}`,
          `The audit log in it: ${audit.entries} entries, head ${audit.head}`,
        ])
      })
    })

/** Runs until it is stopped. A backup that is due is made at once. */
async function backUpAtTimes({ data, keep }: CommonOptions & { keep: number }, times: string): Promise<void> {
  const config = readConfig(process.env, { DATA: data, BACKUP_AT: times, BACKUP_KEEP: String(Math.max(1, keep)) })
  const database = join(config.dataDir, DATABASE_FILE)
  if (!existsSync(database)) throw new Failure('no_database', `There is no database: ${database}`)
  const stop = scheduleBackups(config, createLog(config.logLevel), (pattern, run) => {
    void run()
    return systemSchedule(pattern, run)
  })
  await new Promise<void>((end) => {
    process.once('SIGTERM', () => end())
    process.once('SIGINT', () => end())
  })
  stop()
}

type RestoreOptions = CommonOptions & Confirmable & CopyOptions & { check?: true; scratch: string }

export const restoreCommand = (): Command =>
  removalCommand(
    'restore',
    'replace the database with a backup and keep the old one beside it; no server may run',
    'restore watchword-data/backups/watchword-2027-01-31T04-00-00.000Z.db --yes',
    'restore --check',
  )
    .argument('[file]', 'backup, as `backup` made it; with --check the newest one by default')
    .option('--check', 'only look whether the backup would do, on a copy, and say what would be lost')
    .option('--scratch <dir>', 'with --check: where the copy is made and removed', tmpdir())
    .addOption(sha256Option())
    .addOption(despiteAuditOption())
    .action(async (file: string | undefined, options: RestoreOptions) => {
      const config = readConfig(process.env, { DATA: options.data, LOG_LEVEL: 'warn' })
      if (config.database)
        throw notEmbedded(
          'restore puts a backup into a data folder, which --data names',
          'pg_restore brings that back, with all servers stopped',
        )
      if (options.check) {
        const checked = await checkBackup(config, backupToCheck(config, file), options.scratch, options)
        return outputFor(options.json)(checked, checkLines(checked))
      }
      if (file === undefined) throw new InvalidArgumentError('restore: the file is missing')
      const { dataDir } = config
      const database = join(dataDir, DATABASE_FILE)
      assertBackup(file, database)
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      lockDataDir(dataDir)
      const copy = join(dataDir, 'watchword-restoring.db')
      const headFile = headFileIn(dataDir)
      // The end of the audit log of the replaced database, as that database records it.
      const endBefore = headFile.read()?.trim()
      // A killed process leaves its write-ahead log, which would be applied to this copy.
      discard(copy)
      let phones = 0
      try {
        copyWhole(file, copy)
        const sha256 = await assertChecksum(copy, options)
        const { store, vault, clock, log } = await openCopy(config, copy, options)
        try {
          const isReplacing = existsSync(database)
          if (isReplacing) await confirm(options, `Put ${file} in the place of ${database}? That is kept beside it.`)
          const admin = adminOf({ store, vault, clock })
          await store.transaction((tx) =>
            writeAudit(admin, tx, 'database.restore', DATABASE_FILE, {
              auditHead: endBefore,
            }),
          )
          phones = await eraseAgain(config, { ...admin, telemetry: createTelemetry({ log }) })
        } finally {
          await store.close()
        }
        const kept = join(
          dataDir,
          `watchword-replaced-${new Date(systemClock.now()).toISOString().replaceAll(':', '-')}.db`,
        )
        // The file describes the replaced database. The next lines, or the next start, write it for the new one.
        headFile.remove()
        const isReplaced = replaceDatabase(database, copy, kept)
        syncFolderOf(database)
        await keepAuditHead(config, database, headFile)
        giveToOwner(dataDir, ...readdirSync(dataDir).map((name) => join(dataDir, name)))
        outputFor(options.json)(
          { database, restoredFrom: file, sha256, ...(isReplaced && { kept }), erasedAgain: phones },
          [
            `${database} is now what ${file} was, whose SHA-256 is ${sha256}.`,
            ...(phones > 0 ? [`Phones that were erased since, and are erased again: ${phones}.`] : []),
            ...(isReplaced ? [`The one before is kept as ${kept}.`] : []),
          ],
        )
      } finally {
        discard(copy)
      }
    })

/** The backup still holds phones that were erased after it was made. */
async function eraseAgain(
  { dataDir, liveRetentionDays }: Config,
  admin: ErasureDependencies & Pick<ReturnType<typeof adminOf>, 'clock'>,
): Promise<number> {
  const erasedFile = erasedFileIn(dataDir)
  const deps = { ...admin, erasedFile, liveRetentionDays }
  const phones = await takeErasures(deps, erasedFile.read())
  await eraseDue({ ...deps, isAlone: true })
  return phones
}

async function keepAuditHead(config: Config, database: string, headFile: HeadFile): Promise<void> {
  const { store } = openFile(config, database, { isNew: false, headFile })
  try {
    await store.transaction((tx) => tx.audit.storeHead({ inAnyCase: true }))
  } finally {
    await store.close()
  }
}
