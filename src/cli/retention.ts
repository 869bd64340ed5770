/** `watchword app retention`: how long an app's issues are kept. */
import { Option } from 'commander'
import * as administer from '../usecases/administer'
import { type CommonOptions, onData, onDataCommand, oneOrMore } from './command'
import { adminOf } from './open'

interface RetentionOptions extends CommonOptions {
  days?: number
  asServer?: boolean
}

export const retentionCommand = () =>
  onDataCommand(
    'retention',
    'show or decide how long live issues are kept, with all that was tried and told of them',
    'app retention app_4k2m9x0c7q1z --days 30',
  )
    .argument('<appId>', 'app')
    .option('--days <n>', 'so many days', oneOrMore)
    .addOption(new Option('--as-server', 'as WATCHWORD_LIVE_RETENTION_DAYS says').conflicts('days'))
    .action((appId: string, { days, asServer, ...options }: RetentionOptions) =>
      onData(options, async (opened, output) => {
        const isChange = days !== undefined || asServer === true
        const { retentionDays } = isChange
          ? await administer.setRetention(adminOf(opened), appId, days)
          : await administer.existingApp(opened, appId)
        const kept = retentionDays ?? opened.config.liveRetentionDays
        const whose = retentionDays === undefined ? ', as the server is set' : ''
        output({ appId, days: kept, own: retentionDays !== undefined }, [
          `Live issues are kept for ${kept} days${whose}.`,
        ])
      }),
    )
