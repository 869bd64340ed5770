import { Command, InvalidArgumentError } from 'commander'
import { REPORT_PREFIX } from '../http/reports'
import * as administer from '../usecases/administer'
import { asChannel, type CommonOptions, collect, onData, onDataCommand } from './command'
import { adminOf } from './open'

interface ProviderOptions extends CommonOptions {
  type: string
  channel: string[]
  url?: string
  header?: string[]
  reports?: boolean
}

function headersOf(lines: string[] = []): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      if (at < 1) throw new InvalidArgumentError(`--header: must be "Name: value": ${line}`)
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

export function providerCommands(): Command {
  const provider = new Command('provider').description('carriers that deliver messages')
  provider.addCommand(
    onDataCommand('set', 'add a carrier, or change the one of that name')
      .argument('<name>', 'what you call it')
      .requiredOption('--type <type>', 'http: any carrier with an HTTP API')
      .requiredOption('--channel <channel>', 'sms or alimtalk, repeatable or separated by commas', collect)
      .option('--url <url>', 'where messages are posted to')
      .option('--header <header>', '"Name: value" sent with every message, repeatable', collect)
      .option('--reports', 'the carrier calls the report URL; charge when it does')
      .action((name: string, options: ProviderOptions) =>
        onData(options, async (opened, output) => {
          const { provider, newReportSecret } = await administer.setProvider(adminOf(opened), {
            name,
            type: options.type,
            channels: options.channel.flatMap((list) => list.split(',')).map(asChannel),
            config: {
              ...(options.url !== undefined && { url: options.url }),
              headers: headersOf(options.header),
              reports: options.reports ?? false,
            },
          })
          const { type, channels } = provider
          const reportUrl = `${opened.config.publicUrl ?? ''}${REPORT_PREFIX}${name}`
          output({ name, type, channels, reportUrl, ...(newReportSecret && { reportSecret: newReportSecret }) }, [
            `Provider ${name} (${type}) serves ${channels.join(', ')}.`,
            `Delivery reports: POST ${reportUrl}`,
            ...(newReportSecret ? [`with "Authorization: Bearer ${newReportSecret}", which is shown only now`] : []),
          ])
        }),
      ),
  )
  provider.addCommand(
    onDataCommand('list', 'list carriers').action((options: CommonOptions) =>
      onData(options, async ({ store }, output) => {
        // Credentials are never shown again.
        const providers = (await store.read.providers()).map(({ name, type, channels }) => ({ name, type, channels }))
        output(
          { providers },
          providers.map((row) => `${row.name}  ${row.type}  ${row.channels.join(', ')}`),
        )
      }),
    ),
  )
  provider.addCommand(
    onDataCommand('remove', 'remove a carrier')
      .argument('<name>', 'carrier')
      .action((name: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          await administer.removeProvider(adminOf(opened), name)
          output({ name, removed: true }, [`Removed provider ${name}`])
        }),
      ),
  )
  return provider
}
