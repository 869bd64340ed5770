import type { Command } from 'commander'
import { listBackups, makeBackup } from '../system/backups'
import { systemClock } from '../system/clock'
import { type CommonOptions, onData, onDataCommand, wholeNumber } from './command'
import { iso } from './output'

export const backupCommand = (): Command =>
  onDataCommand('backup', 'copy the database into the folder `backups` of the data folder, beside a running server')
    .option('--keep <n>', 'how many of the newest copies stay', wholeNumber, 7)
    .action((options: CommonOptions & { keep: number }) =>
      onData(options, async ({ config, store }, output) => {
        const how = { now: systemClock.now(), keep: Math.max(1, options.keep) }
        const { made, removed } = makeBackup(config.dataDir, how, (file) => store.copyTo(file))
        output({ ...made, at: iso(made.at), removed, kept: listBackups(config.dataDir).length }, [
          `Made backups/${made.name} (${made.bytes} bytes). It is useless without watchword.secret: keep that, too.`,
        ])
      }),
    )
