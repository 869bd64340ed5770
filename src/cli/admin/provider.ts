import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import type { CarrierConfig, CarrierSetup } from '../../domain/delivery/carrier'
import type { SendOutcome, SendRefusal } from '../../domain/delivery/delivery'
import { missing } from '../../domain/shared/error'
import { LEGS } from '../../domain/shared/value'
import { REPORT_PREFIX } from '../../http/reports'
import type { ListedType, TypeSetting } from '../../ports/carrier'
import { CARRIER_TYPES, Carriers, reportsByUrl, showsVerifyToken } from '../../providers/carriers'
import type { DescriptionFile } from '../../providers/description'
import type { CarrierType } from '../../providers/type'
import { listedType } from '../../providers/type-settings'
import { SettingsCache } from '../../runtime/caches/store-cache'
import { LocalLimiters } from '../../runtime/carriers/concurrency-limiter'
import { systemClock } from '../../system/clock'
import { systemDial } from '../../system/dial'
import { createTransport } from '../../system/transport'
import { systemRandom } from '../../system/vault'
import * as administer from '../../usecases/administer'
import { type CarrierState, listCarriers } from '../../usecases/inspect'
import { type TestOrder, type TestReport, testCarrier } from '../../usecases/test-provider'
import { asLeg, confirm, headersOf } from '../command'
import { inspectorOf } from '../open'
import { iso, table } from '../output'
import { type Admin, adminCommand, clientCommand, flag, group, NO_INPUT, number, text, texts } from './build'
import { lineOf } from './route'

/** As typed on the command line. */
const settings = z.object({
  name: z.string().describe('<carrier>  name of the carrier'),
  type: z
    .string()
    .describe(
      `--type <type>  ${Object.keys(CARRIER_TYPES).join(', ')}, or a file with a description such as ./acme.json`,
    ),
  channels: z.array(z.string()).describe(`--channel <channel>  ${LEGS.join(', ')}, repeatable or separated by commas`),
  config: text('--config <file>  JSON object with its settings and credentials; - reads standard input'),
  set: texts('--set <setting>  "name=value" over the file, repeatable; `provider types` names them'),
  url: text('http: URL that receives the messages as POST requests'),
  headers: texts('--header <header>  http: "Name: value" sent with every message, repeatable'),
  concurrency: number('messages in the air at a time (default: WATCHWORD_PROVIDER_CONCURRENCY)'),
  timeoutMs: number('how long it may take to answer (default: WATCHWORD_PROVIDER_TIMEOUT_MS)'),
  reports: flag('http: the carrier sends delivery reports; charge when they arrive'),
  replace: flag('replace the type, URL or account of a carrier without asking'),
})
const ofCarrier = z.object({ name: z.string().describe('<carrier>  name of the carrier') })
const testMessage = z.object({
  to: z.string().describe('--to <number>  your own phone'),
  channel: z.string().default('sms').describe(LEGS.join(', ')),
  templateCode: text(
    "--template-code <code>  AlimTalk: the carrier's code of an approved template with a code variable",
  ),
})

/** A file with a description, or the name of a type that we know. */
const isFile = (type: string) => /[/\\]|\.json$/.test(type)

function knownType(name: string): CarrierType {
  const known = Object.hasOwn(CARRIER_TYPES, name) ? CARRIER_TYPES[name] : undefined
  if (known) return known
  throw new InvalidArgumentError(`no such type: ${name}. Known: ${Object.keys(CARRIER_TYPES).join(' ')}, or a file`)
}

/** Settings from a file, overridden by flags, with the description of a type that the operator brings. */
function carrierOfInput({ type, config, set, url, headers, reports }: z.infer<typeof settings>) {
  if (!isFile(type)) knownType(type)
  const given = withSettings(config === undefined ? {} : objectIn(config, '--config'), set)
  const description = isFile(type) ? describedIn(type) : undefined
  const known = {
    ...given,
    ...(url !== undefined && { url }),
    ...(headers !== undefined && { headers: headersOf(headers) }),
    ...(reports !== undefined && { reports }),
    ...(description && { description }),
  }
  return { type: description?.type ?? type, config: known }
}

function withSettings(config: Record<string, unknown>, set: readonly string[] = []): Record<string, unknown> {
  const given = { ...config }
  for (const setting of set) assign(given, setting)
  return given
}

function objectIn(file: string, option: string): Record<string, unknown> {
  const given = parse(readFileSync(file === '-' ? 0 : file, 'utf8'), file === '-' ? option : `${option}: ${file}`)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new InvalidArgumentError(`${option}: must hold a JSON object`)
  }
  return { ...given }
}

function parse(text: string, option: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError(`${option}: not valid JSON`)
  }
}

/** `sms.from=0212345678` is the setting `from` of the group `sms`. */
function assign(config: Record<string, unknown>, setting: string): void {
  const [, name = '', member, value] = /^([^=.]+)(?:\.([^=.]+))?=(.*)$/s.exec(setting) ?? []
  if (value === undefined) throw new InvalidArgumentError(`--set: must be name=value: ${setting.slice(0, 40)}`)
  const group = config[name]
  config[name] = member === undefined ? value : { ...(typeof group === 'object' && group), [member]: value }
}

/** Throws, naming each place of the file that is wrong. */
function describedIn(file: string): DescriptionFile {
  // Loaded where an operator brings a file: no other command has a use for the schema.
  const { carrierDescription } = require('../../providers/description') as typeof import('../../providers/description')
  const given = objectIn(file, '--type')
  if (Object.hasOwn(CARRIER_TYPES, String(given.type)))
    throw new InvalidArgumentError(`--type: ${file}: type is one that is here already: ${given.type}`)
  const { error } = carrierDescription.safeParse(given)
  if (!error) return given as DescriptionFile
  const problems = error.issues.flatMap(problemsIn).slice(0, 5)
  throw new InvalidArgumentError(`--type: ${file}: ${problems.join('; ')}`)
}

/** A choice between two shapes is wrong where the closer one is. */
function problemsIn(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.join('.')
  const unknown = issue.code === 'unrecognized_keys' ? ` (${issue.keys.join(', ')})` : ''
  if (issue.code !== 'invalid_union' || issue.errors.length === 0)
    return [`${at || 'the file'} ${issue.message}${unknown}`]
  const [closest = []] = issue.errors.toSorted((a, b) => a.length - b.length)
  return closest.flatMap((inner) => problemsIn({ ...inner, path: [...issue.path, ...inner.path] }))
}

/** Settings that identify the carrier: its host and its account. */
const IDENTITY = ['url', 'host', 'port', 'apiBase', 'kakaoApiBase', 'accountSid', 'systemId', 'userId'] as const

/** Asks before an existing name gets another host or account, because messages would go elsewhere from then on. */
async function confirmReplacement(
  { store }: Admin,
  { name, replace }: z.infer<typeof settings>,
  { type, config }: CarrierSetup,
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

/** Builds the carriers in this process, as the server would. */
function carriersOf({ config, store, vault, log }: Admin) {
  const deps = { clock: systemClock, random: systemRandom, numbering: config.numbering }
  const node = { directory: new SettingsCache(store.read), limiters: new LocalLimiters() }
  // Delivery receipts belong to the server. Refused here, the carrier sends them to it again.
  const report = () => Promise.reject(new Error('not the server'))
  const carriers = new Carriers(node, undefined, {
    ...deps,
    ...{ transport: createTransport(), dial: systemDial, vault, log, timeoutMs: config.carrierTimeoutMs },
    concurrency: config.carrierConcurrency,
    // The server answers calls that are tried here, too.
    reportUrl: (name) => config.publicUrl && `${config.publicUrl}${REPORT_PREFIX}${name}`,
    ...{ report, dropped() {} },
  })
  return { carriers, deps }
}

async function carrierOf(admin: Admin, name: string) {
  const { carriers, deps } = carriersOf(admin)
  const provider = (await carriers.named(name))?.carrier
  if (!provider) throw missing('provider', name)
  return { provider, deps }
}

function shownType(name: string): ListedType {
  if (!isFile(name)) return listedType(name, knownType(name))
  const own = describedIn(name)
  return listedType(own.type, { channels: own.channels, description: own })
}

const settingLine = ({ name, title, help = '', secret, optional, default: given }: TypeSetting): string[] => [
  name,
  help === '' ? title : `${title}. ${help}`,
  [
    ...(secret ? ['secret'] : []),
    ...(optional ? ['optional'] : []),
    ...(given === undefined ? [] : [`default ${given}`]),
  ].join(', '),
]

const orderOf = ({ to, channel, templateCode }: z.infer<typeof testMessage>): TestOrder => ({
  ...{ to, channel: asLeg(channel), ...(templateCode && { templateCode }) },
})

/** What the carrier answered to a test message. Unless it was taken, the command fails. */
async function testAnswer(admin: Admin, name: string, { outcome, latencyMs }: TestReport) {
  const explanation = outcome.code === undefined ? undefined : await inspectorOf(admin).explain(name, outcome.code)
  if (outcome.kind !== 'accepted') process.exitCode = 1
  return { name, ...outcome, latencyMs, ...(explanation && { explanation }) }
}

const testLines = ({ latencyMs, explanation, ...outcome }: Awaited<ReturnType<typeof testAnswer>>): string[] => [
  `${outcome.name}: ${outcome.kind} after ${latencyMs} ms${outcome.code ? `, ${outcome.code}` : ''}${explanation ? `: ${explanation}` : ''}`,
  consequenceOf(outcome),
]

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

const healthOf = ({ state, since, code, explanation, retryAt }: CarrierState) => {
  if (state === 'healthy') return state
  return state === 'paused'
    ? `paused since ${iso(since)}`
    : `${state} since ${iso(since)}${code ? `, ${code}` : ''}${explanation ? `: ${explanation}` : ''}; tried again from ${iso(retryAt)}`
}

function androidApp(text: string): { packageName: string; signatureHash: string } {
  const [, packageName, signatureHash] = /^([\w.]+)=(\S+)$/.exec(text) ?? []
  if (packageName === undefined || signatureHash === undefined)
    throw new InvalidArgumentError('--android-app: must be package=signature hash')
  return { packageName, signatureHash }
}

/** How a carrier shows the report secret, which is new. */
const secretLine = (carrier: CarrierSetup, secret: string) =>
  showsVerifyToken(carrier)
    ? `with the verify token ${secret}, which is shown only now`
    : `with "Authorization: Bearer ${secret}", which is shown only now`

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
          'acme --type ./acme.json --channel sms --set apiKey=…',
        ],
        input: settings,
        run: async (admin, typed) => {
          const { name, concurrency, timeoutMs } = typed
          const { type, config } = carrierOfInput(typed)
          await confirmReplacement(admin, typed, { type, config })
          const channels = typed.channels.flatMap((list) => list.split(',')).map(asLeg)
          const wanted = { name, type, channels, config, concurrency, timeoutMs }
          const { carrier, newReportSecret: reportSecret } = await administer.setCarrier(admin, wanted)
          const reportUrl = `${admin.config.publicUrl ?? ''}${REPORT_PREFIX}${name}`
          const answer = { name, type, channels: carrier.channels, reportUrl, ...(reportSecret && { reportSecret }) }
          return { answer, setup: { type, config } }
        },
        json: ({ answer }) => answer,
        lines: ({ answer: { name, type, channels, reportUrl, reportSecret }, setup: carrier }) => {
          return [
            `Provider ${name} (${type}) serves ${channels.join(', ')}.`,
            ...(reportsByUrl(carrier) ? [`Delivery reports: POST ${reportUrl}`] : []),
            ...(reportSecret ? [secretLine(carrier, reportSecret)] : []),
          ]
        },
      }),
      test: adminCommand({
        summary: 'send one test message by a carrier and show its answer',
        examples: ['main --to +821012345678'],
        input: ofCarrier.extend(testMessage.shape),
        run: async (admin, { name, ...message }) => {
          const { provider, deps } = await carrierOf(admin, name)
          const report = await testCarrier(deps, provider, orderOf(message)).finally(() => provider.close?.())
          return testAnswer(admin, name, report)
        },
        lines: testLines,
      }),
      rotate: adminCommand({
        summary: 'change credentials of a carrier, once it has taken a test message by the new ones',
        examples: ['main --config new-token.json --to +821012345678'],
        input: ofCarrier.extend({
          config: text('--config <file>  JSON object with the settings that change; - reads standard input'),
          set: texts('--set <setting>  "name=value" over the file, repeatable'),
          ...testMessage.shape,
        }),
        run: async (admin, { name, config, set, ...message }) => {
          const { carriers, deps } = carriersOf(admin)
          const given = config === undefined ? {} : objectIn(config, '--config')
          const { isRotated, ...report } = await administer.rotateCarrier(
            { ...admin, ...deps, trial: (carrier) => carriers.trial(carrier) },
            name,
            {
              change: (known) => ({
                channels: known.channels,
                config: withSettings({ ...known.config, ...given }, set),
              }),
              order: orderOf(message),
            },
          )
          return { isRotated, ...(await testAnswer(admin, name, report)) }
        },
        lines: ({ isRotated, ...answer }) => [
          ...testLines(answer),
          isRotated
            ? 'Messages use the new settings. Reports that are signed with the old ones count for another day.'
            : 'Nothing was changed.',
        ],
      }),
      types: adminCommand({
        summary: 'list the types of carriers, or the settings of one',
        examples: ['', 'twilio'],
        input: z.object({ type: z.string().optional().describe('[type]  a type, or a file with a description') }),
        run: (_, { type }) => ({ types: (type === undefined ? Object.keys(CARRIER_TYPES) : [type]).map(shownType) }),
        lines: ({ types }, { type }) =>
          type === undefined
            ? table(
                ['TYPE', 'CARRIER', 'CHANNELS', 'DOCUMENTATION'],
                types.map((row) => [row.type, row.title, row.channels.join(', '), row.documentation]),
                '',
              )
            : types.flatMap(({ title, documentation, settings }) => [
                `${title}: ${documentation}`,
                ...table(
                  ['SETTING', 'WHAT IT IS', ''],
                  settings.map(settingLine),
                  'Its settings are in its documentation.',
                ),
              ]),
      }),
      'whatsapp-template': adminCommand({
        summary: 'create the authentication template of a WhatsApp carrier at Meta, and say whether it is approved',
        examples: ['meta --language en_US --language ko', 'meta'],
        input: ofCarrier.extend({
          languages: texts("--language <code>  Meta's code of a language to create, repeatable; none: only look"),
          minutes: number('minutes that the message says a code lives (default: 5)'),
          androidApps: texts(
            '--android-app <app>  "package=signature hash" of an app that Android fills in, repeatable',
          ),
        }),
        run: async (admin, { name, languages = [], minutes = 5, androidApps = [] }) => {
          const wanted = { languages, minutes, androidApps: androidApps.map(androidApp) }
          const found = await carriersOf(admin).carriers.whatsappTemplate(name, wanted)
          if (found.languages.some(({ status }) => status === 'REFUSED')) process.exitCode = 1
          return { name, ...found }
        },
        lines: ({ template, languages }) =>
          table(
            ['LANGUAGE', 'STATUS', ''],
            languages.map(({ language, status, reason = '' }) => [language, status, reason]),
            `No template ${template} yet: --language creates it.`,
          ),
      }),
      list: adminCommand({
        summary: 'list carriers',
        ...NO_INPUT,
        run: (admin) => listCarriers(inspectorOf(admin)),
        json: (providers) => ({
          providers: providers.map(({ since, retryAt, reportedAt, ...row }) => ({
            ...row,
            reportedAt: iso(reportedAt),
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
      pause: clientCommand({
        summary: 'give a carrier no new messages; routes skip it, and its reports still count',
        examples: ['main'],
        input: ofCarrier,
        run: async (client, { name }) => {
          await client.carriers.pause({ name })
          return { name, paused: true }
        },
        lines: ({ name }) => [`Paused provider ${name}. \`watchword provider resume ${name}\` ends it.`],
      }),
      resume: clientCommand({
        summary: 'end the pause of a carrier',
        examples: ['main'],
        input: ofCarrier,
        run: async (client, { name }) => {
          await client.carriers.resume({ name })
          return { name, paused: false }
        },
        lines: ({ name }) => [`Resumed provider ${name}`],
      }),
      remove: clientCommand({
        summary: 'remove a carrier',
        examples: ['main --yes'],
        input: ofCarrier,
        confirmation: async (client, { name }) => {
          const { type, channels } = await client.carriers.settings({ name })
          const routes = (await client.carriers.routes()).routes.filter(({ providers }) => providers.includes(name))
          const goes = [
            'Its settings and credentials are forgotten.',
            ...(routes.length > 0
              ? [`Routes that name it use their other carriers: ${routes.map(lineOf).join('; ')}.`]
              : []),
          ]
          return `Remove the carrier ${name} (${type.type}, ${channels.join(', ')})? ${goes.join(' ')}`
        },
        run: async (client, { name }) => {
          await client.carriers.remove({ name })
          return { name, removed: true }
        },
        lines: ({ name }) => [`Removed provider ${name}`],
      }),
    },
  )
