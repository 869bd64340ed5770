import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import type { CarrierConfig } from '../../domain/delivery/carrier'
import type { SendOutcome, SendRefusal } from '../../domain/delivery/delivery'
import { missing } from '../../domain/shared/error'
import { LEGS } from '../../domain/shared/value'
import { REPORT_PREFIX } from '../../http/reports'
import { CARRIER_TYPES, Carriers, explainCode, reportsBySecret } from '../../providers/carriers'
import { SettingsCache } from '../../runtime/caches/settings-cache'
import { LocalGates } from '../../runtime/carriers/concurrency-limiters'
import { systemClock } from '../../system/clock'
import { systemDial } from '../../system/dial'
import { systemRandom } from '../../system/random'
import { createTransport } from '../../system/transport'
import * as administer from '../../usecases/administer'
import { type CarrierState, listCarriers } from '../../usecases/inspect'
import { testCarrier } from '../../usecases/test-provider'
import { asLeg, confirm, headersOf } from '../command'
import { inspectorOf } from '../open'
import { iso, table } from '../output'
import { type Admin, adminCommand, flag, group, NO_INPUT, number, text, texts } from './build'

/** As typed on the command line. */
const settings = z.object({
  name: z.string().describe('<carrier>  name of the carrier'),
  type: z.enum(Object.keys(CARRIER_TYPES)).describe('type of the carrier'),
  channels: z.array(z.string()).describe(`--channel <channel>  ${LEGS.join(', ')}, repeatable or separated by commas`),
  config: text('--config <file>  JSON object with its settings and credentials; - reads standard input'),
  url: text('http: URL that receives the messages as POST requests'),
  headers: texts('--header <header>  http: "Name: value" sent with every message, repeatable'),
  concurrency: number('messages in the air at a time (default: WATCHWORD_PROVIDER_CONCURRENCY)'),
  timeoutMs: number('how long it may take to answer (default: WATCHWORD_PROVIDER_TIMEOUT_MS)'),
  reports: flag('http: the carrier sends delivery reports; charge when they arrive'),
  replace: flag('replace the type, URL or account of a carrier without asking'),
})
const ofCarrier = z.object({ name: z.string().describe('<carrier>  name of the carrier') })

/** Settings from a file, overridden by flags. */
function configOf({ config, url, headers, reports }: z.infer<typeof settings>): Record<string, unknown> {
  const given: unknown = config === undefined ? {} : parse(readFileSync(config === '-' ? 0 : config, 'utf8'))
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new InvalidArgumentError('--config: must hold a JSON object')
  }
  return {
    ...given,
    ...(url !== undefined && { url }),
    ...(headers !== undefined && { headers: headersOf(headers) }),
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

/** Settings that identify the carrier: its host and its account. */
const IDENTITY = ['url', 'host', 'port', 'apiBase', 'kakaoApiBase', 'accountSid', 'systemId', 'userId'] as const

/** Asks before an existing name gets another host or account, because messages would go elsewhere from then on. */
async function confirmReplacement(
  { store }: Admin,
  { name, type, replace }: z.infer<typeof settings>,
  config: Record<string, unknown>,
): Promise<void> {
  const known = (await store.read.carriers.all()).find((one) => one.name === name)
  if (!known || (known.type === type && IDENTITY.every((setting) => known.config[setting] === config[setting]))) return
  const question = `The carrier ${name} is there already (${whereIs(known)}). Put this one in its place?`
  await confirm({ yes: replace ?? false }, question, '--replace')
}

/** Type and host only: the rest of the URL may contain credentials. */
function whereIs({ type, config: { url, host } }: CarrierConfig): string {
  const at = typeof url === 'string' ? URL.parse(url)?.host : host
  return at ? `${type}, ${at}` : type
}

/** Builds the carrier in this process, as the server would. */
async function carrierOf({ config, store, log }: Admin, name: string) {
  const deps = { clock: systemClock, random: systemRandom, numbering: config.numbering }
  const directory = new SettingsCache(store.read)
  const node = { directory, limiters: new LocalGates() }
  // Delivery receipts belong to the server. Refused here, the carrier sends them to it again.
  const report = () => Promise.reject(new Error('not the server'))
  const carriers = new Carriers(node, undefined, {
    ...deps,
    ...{ transport: createTransport(), dial: systemDial, log, timeoutMs: config.carrierTimeoutMs },
    concurrency: config.carrierConcurrency,
    reportUrl: () => undefined,
    report,
  })
  const provider = (await carriers.named(name))?.carrier
  const known = (await directory.carriers()).find((one) => one.name === name)
  if (!provider || !known) throw missing('provider', name)
  return { provider, deps, explain: (code: string) => explainCode(known, code) }
}

/** The outcome that this answer would have for a code, and the message id at the carrier. */
function consequenceOf(outcome: SendOutcome): string {
  if (outcome.kind === 'ambiguous') return 'It may be out: a code would count as sent, and never be sent again.'
  if (outcome.kind === 'refused') return `A code would not count as sent: ${NEXT[outcome.retry]}.`
  const { carrierMessageId: id } = outcome
  return id === undefined ? 'The carrier says no id.' : `The carrier calls it ${id}.`
}

const NEXT: Readonly<Record<SendRefusal, string>> = {
  later: 'it would be retried soon',
  unreached: 'it would be retried soon, and after three failed connections the circuit breaker opens',
  elsewhere: 'the next carrier would be tried',
  unfit: 'the circuit breaker would open, and the code would go to the next carrier, or wait if there is none',
  never: 'no other carrier would be tried',
}

const healthOf = ({ state, since, code, explanation, retryAt }: CarrierState) =>
  state === 'healthy'
    ? state
    : `${state} since ${iso(since)}${code ? `, ${code}` : ''}${explanation ? `: ${explanation}` : ''}; tried again from ${iso(retryAt)}`

export const providerCommands = () =>
  group(
    'provider',
    'carriers that deliver messages',
    'set main --type http --channel sms --url https://carrier.example.com/send',
    {
      set: adminCommand({
        summary: 'add or change a carrier',
        examples: [
          "main --type http --channel sms --url https://carrier.example.com/send --header 'X-Api-Key: …'",
          'twilio --type twilio --channel sms --config twilio.json',
        ],
        input: settings,
        run: async (admin, typed) => {
          const { name, type, concurrency, timeoutMs } = typed
          const config = configOf(typed)
          await confirmReplacement(admin, typed, config)
          const channels = typed.channels.flatMap((list) => list.split(',')).map(asLeg)
          const wanted = { name, type, channels, config, concurrency, timeoutMs }
          const { carrier, newReportSecret: reportSecret } = await administer.setCarrier(admin, wanted)
          const reportUrl = `${admin.config.publicUrl ?? ''}${REPORT_PREFIX}${name}`
          return { name, type, channels: carrier.channels, reportUrl, ...(reportSecret && { reportSecret }) }
        },
        lines: ({ name, type, channels, reportUrl, reportSecret }) => [
          `Provider ${name} (${type}) serves ${channels.join(', ')}.`,
          ...(reportsBySecret(type) ? [`Delivery reports: POST ${reportUrl}`] : []),
          ...(reportSecret ? [`with "Authorization: Bearer ${reportSecret}", which is shown only now`] : []),
        ],
      }),
      test: adminCommand({
        summary: 'send one test message by a carrier and show its answer',
        examples: ['main --to +821012345678'],
        input: ofCarrier.extend({
          to: z.string().describe('--to <number>  your own phone'),
          channel: z.string().default('sms').describe(LEGS.join(', ')),
          templateCode: text(
            "--template-code <code>  AlimTalk: the carrier's code of an approved template with a code variable",
          ),
        }),
        run: async (admin, { name, to, channel, templateCode }) => {
          const { provider, explain, deps } = await carrierOf(admin, name)
          const order = { to, channel: asLeg(channel), ...(templateCode && { templateCode }) }
          const { outcome, latencyMs } = await testCarrier(deps, provider, order).finally(() => provider.close?.())
          const explanation = outcome.code === undefined ? undefined : explain(outcome.code)
          if (outcome.kind !== 'accepted') process.exitCode = 1
          return { name, ...outcome, latencyMs, ...(explanation && { explanation }) }
        },
        lines: ({ latencyMs, explanation, ...outcome }) => [
          `${outcome.name}: ${outcome.kind} after ${latencyMs} ms${outcome.code ? `, ${outcome.code}` : ''}${explanation ? `: ${explanation}` : ''}`,
          consequenceOf(outcome),
        ],
      }),
      list: adminCommand({
        summary: 'list carriers',
        ...NO_INPUT,
        run: (admin) => listCarriers(inspectorOf(admin)),
        json: (providers) => ({
          providers: providers.map(({ since, retryAt, ...row }) => ({
            ...row,
            since: iso(since),
            retryAt: iso(retryAt),
          })),
        }),
        lines: (providers) =>
          table(
            ['CARRIER', 'TYPE', 'CHANNELS', 'HEALTH'],
            providers.map((row) => [row.name, row.type, row.channels.join(', '), healthOf(row)]),
            'No carriers yet: test keys work, live messages are not sent. `watchword provider set` adds one.',
          ),
      }),
      remove: adminCommand({
        summary: 'remove a carrier',
        examples: ['main --yes'],
        input: ofCarrier,
        confirmation: async ({ store }, { name }) => {
          const known = (await store.read.carriers.all()).find((carrier) => carrier.name === name)
          if (!known) throw missing('provider', name)
          const goes = 'Its settings and credentials are forgotten.'
          return `Remove the carrier ${name} (${known.type}, ${known.channels.join(', ')})? ${goes}`
        },
        run: async (admin, { name }) => {
          await administer.removeCarrier(admin, name)
          return { name, removed: true }
        },
        lines: ({ name }) => [`Removed provider ${name}`],
      }),
    },
  )
