import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CarrierConfig } from '../domain/carrier'
import type { SendOutcome, SendRefusal } from '../domain/delivery'
import { missing } from '../domain/error'
import { CHANNELS } from '../domain/value'
import { REPORT_PREFIX } from '../http/reports'
import { KeptDirectory } from '../node/directory'
import { LocalGates } from '../node/gates'
import { CARRIER_TYPES, Carriers, explainCode, reportsBySecret } from '../providers/carriers'
import { systemClock } from '../system/clock'
import { systemDial } from '../system/dial'
import { systemRandom } from '../system/random'
import { createTransport } from '../system/transport'
import * as administer from '../usecases/administer'
import { type CarrierState, listCarriers } from '../usecases/inspect'
import { testCarrier } from '../usecases/test-provider'
import {
  asChannel,
  type CommonOptions,
  collect,
  command,
  headersOf,
  onData,
  onDataCommand,
  removalCommand,
  wholeNumber,
} from './command'
import { type Confirmable, confirm } from './confirm'
import { adminOf, inspectorOf, type Opened } from './open'
import { iso, table } from './output'

interface ProviderOptions extends CommonOptions {
  type: string
  channel: string[]
  config?: string
  url?: string
  header?: string[]
  reports?: boolean
  replace?: boolean
  concurrency?: number
  timeoutMs?: number
}

interface TestOptions extends CommonOptions {
  to: string
  channel: string
  templateCode?: string
}

/** The settings of a file, and those of flags over them. */
function configOf({ config, url, header, reports }: ProviderOptions): Record<string, unknown> {
  const given: unknown = config === undefined ? {} : parse(readFileSync(config === '-' ? 0 : config, 'utf8'))
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new InvalidArgumentError('--config: must hold a JSON object')
  }
  return {
    ...given,
    ...(url !== undefined && { url }),
    ...(header !== undefined && { headers: headersOf(header) }),
    ...(reports !== undefined && { reports }),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('--config: not valid JSON')
  }
}

/** Settings that say which carrier it is: where messages go, and on whose account. */
const IDENTITY = ['url', 'host', 'port', 'apiBase', 'kakaoApiBase', 'accountSid', 'systemId', 'userId'] as const

/** Asks before a name that exists comes to mean another carrier, whose messages would go elsewhere from then on. */
async function confirmReplacement(
  { store }: Opened,
  name: string,
  { type, replace }: ProviderOptions,
  config: Record<string, unknown>,
): Promise<void> {
  const known = (await store.read.carriers.all()).find((one) => one.name === name)
  if (!known || (known.type === type && IDENTITY.every((setting) => known.config[setting] === config[setting]))) return
  const question = `The carrier ${name} is there already (${whereIs(known)}). Put this one in its place?`
  await confirm({ yes: replace ?? false }, question, '--replace')
}

/** Its type and host. The rest of a URL may hold credentials. */
function whereIs({ type, config: { url, host } }: CarrierConfig): string {
  const at = typeof url === 'string' ? URL.parse(url)?.host : host
  return at ? `${type}, ${at}` : type
}

/** The carrier as the server would build it, in this process. */
async function carrierOf({ config, store, log }: Opened, name: string) {
  const deps = { clock: systemClock, random: systemRandom, numbering: config.numbering }
  const dependencies = {
    ...deps,
    transport: createTransport(),
    dial: systemDial,
    log,
    timeoutMs: config.carrierTimeoutMs,
  }
  const directory = new KeptDirectory(store.read)
  const node = { directory, gates: new LocalGates() }
  // Receipts belong to the server: refused here, they come again to it.
  const report = () => Promise.reject(new Error('not the server'))
  const carriers = new Carriers(node, undefined, {
    ...dependencies,
    concurrency: config.carrierConcurrency,
    reportUrl: () => undefined,
    report,
  })
  const provider = (await carriers.named(name))?.carrier
  const known = (await directory.carriers()).find((one) => one.name === name)
  if (!provider || !known) throw missing('provider', name)
  return { provider, deps, explain: (code: string) => explainCode(known, code) }
}

/** What would become of a code that is answered so, and by which id the carrier knows it. */
function consequenceOf(outcome: SendOutcome): string {
  if (outcome.kind === 'ambiguous') return 'It may be out: a code would count as sent, and never be sent again.'
  if (outcome.kind === 'refused') return `A code would not count as sent: ${NEXT[outcome.retry]}.`
  const { carrierMessageId: id } = outcome
  return id === undefined ? 'The carrier says no id.' : `The carrier calls it ${id}.`
}

const NEXT: Readonly<Record<SendRefusal, string>> = {
  later: 'it would be tried again soon',
  unreached: 'it would be tried again soon, and a carrier that cannot be reached three times rests',
  elsewhere: 'the next carrier would be asked',
  unfit: 'this carrier would rest, and the code would go to the next one, or wait where there is none',
  never: 'nobody else would be asked',
}

const healthOf = ({ state, since, code, explanation, retryAt }: CarrierState) =>
  state === 'healthy'
    ? state
    : `${state} since ${iso(since)}${code ? `, ${code}` : ''}${explanation ? `: ${explanation}` : ''}; tried again from ${iso(retryAt)}`

export function providerCommands(): Command {
  const provider = command(
    'provider',
    'carriers that deliver messages',
    'provider set main --type http --channel sms --url https://carrier.example.com/send',
  )
  provider.addCommand(
    onDataCommand(
      'set',
      'add a carrier, or change the one of that name',
      "provider set main --type http --channel sms --url https://carrier.example.com/send --header 'X-Api-Key: …'",
      'provider set twilio --type twilio --channel sms --config twilio.json',
    )
      .argument('<carrier>', 'what you call it')
      .addOption(new Option('--type <type>', 'what it is').choices(Object.keys(CARRIER_TYPES)).makeOptionMandatory())
      .requiredOption('--channel <channel>', `${CHANNELS.join(' or ')}, repeatable or separated by commas`, collect)
      .option('--config <file>', 'JSON object with its settings and credentials; - reads standard input')
      .option('--url <url>', 'http: where messages are posted to')
      .option('--header <header>', 'http: "Name: value" sent with every message, repeatable', collect)
      .option(
        '--concurrency <n>',
        'messages in the air at a time (default: WATCHWORD_PROVIDER_CONCURRENCY)',
        wholeNumber,
      )
      .option(
        '--timeout-ms <n>',
        'how long it may take to answer (default: WATCHWORD_PROVIDER_TIMEOUT_MS)',
        wholeNumber,
      )
      .option('--reports', 'http: the carrier calls the report URL; charge when it does')
      .option('--replace', 'do not ask before a carrier of that name gets another type, URL or account')
      .action((name: string, options: ProviderOptions) =>
        onData(options, async (opened, output) => {
          const config = configOf(options)
          await confirmReplacement(opened, name, options, config)
          const { carrier: provider, newReportSecret } = await administer.setCarrier(adminOf(opened), {
            name,
            type: options.type,
            channels: options.channel.flatMap((list) => list.split(',')).map(asChannel),
            config,
            concurrency: options.concurrency,
            timeoutMs: options.timeoutMs,
          })
          const { type, channels } = provider
          const reportUrl = `${opened.config.publicUrl ?? ''}${REPORT_PREFIX}${name}`
          output({ name, type, channels, reportUrl, ...(newReportSecret && { reportSecret: newReportSecret }) }, [
            `Provider ${name} (${type}) serves ${channels.join(', ')}.`,
            ...(reportsBySecret(type) ? [`Delivery reports: POST ${reportUrl}`] : []),
            ...(newReportSecret ? [`with "Authorization: Bearer ${newReportSecret}", which is shown only now`] : []),
          ])
        }),
      ),
  )
  provider.addCommand(
    onDataCommand(
      'test',
      'send one marked message by a carrier and show what it answers',
      'provider test main --to +821012345678',
    )
      .argument('<carrier>', 'what you called it')
      .requiredOption('--to <number>', 'a phone of yours')
      .option('--channel <channel>', CHANNELS.join(' or '), 'sms')
      .option('--template-code <code>', "AlimTalk: the carrier's code of an approved template with a code variable")
      .action((name: string, options: TestOptions) =>
        onData(options, async (opened, output) => {
          const { provider, explain, deps } = await carrierOf(opened, name)
          const { to, channel, templateCode } = options
          const order = { to, channel: asChannel(channel), ...(templateCode && { templateCode }) }
          const { outcome, latencyMs } = await testCarrier(deps, provider, order).finally(() => provider.close?.())
          const explanation = outcome.code === undefined ? undefined : explain(outcome.code)
          output({ name, ...outcome, latencyMs, ...(explanation && { explanation }) }, [
            `${name}: ${outcome.kind} after ${latencyMs} ms${outcome.code ? `, ${outcome.code}` : ''}${explanation ? `: ${explanation}` : ''}`,
            consequenceOf(outcome),
          ])
          if (outcome.kind !== 'accepted') process.exitCode = 1
        }),
      ),
  )
  provider.addCommand(
    onDataCommand('list', 'list carriers', 'provider list').action((options: CommonOptions) =>
      onData(options, async (opened, output) => {
        const providers = await listCarriers(inspectorOf(opened))
        output(
          {
            providers: providers.map(({ since, retryAt, ...row }) => ({
              ...row,
              since: iso(since),
              retryAt: iso(retryAt),
            })),
          },
          table(
            ['CARRIER', 'TYPE', 'CHANNELS', 'HEALTH'],
            providers.map((row) => [row.name, row.type, row.channels.join(', '), healthOf(row)]),
            'No carriers yet: test keys work, live messages are not sent. `watchword provider set` adds one.',
          ),
        )
      }),
    ),
  )
  provider.addCommand(
    removalCommand('remove', 'remove a carrier', 'provider remove main --yes')
      .argument('<carrier>', 'what you called it')
      .action((name: string, options: CommonOptions & Confirmable) =>
        onData(options, async (opened, output) => {
          const known = (await opened.store.read.carriers.all()).find((provider) => provider.name === name)
          if (!known) throw missing('provider', name)
          const goes = 'Its settings and credentials are forgotten.'
          await confirm(options, `Remove the carrier ${name} (${known.type}, ${known.channels.join(', ')})? ${goes}`)
          await administer.removeCarrier(adminOf(opened), name)
          output({ name, removed: true }, [`Removed provider ${name}`])
        }),
      ),
  )
  return provider
}
