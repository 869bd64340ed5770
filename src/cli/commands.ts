/** The command line. Every command works while a server runs on the same data folder, and when none does. */
import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { describeSettings } from '../config'
import type { KeyKind, KeyLimits } from '../domain/key'
import type { TemplateVariable } from '../domain/template'
import type { Channel, Mode } from '../domain/value'
import { REPORT_PREFIX } from '../http/reports'
import * as administer from '../usecases/administer'
import { VERSION } from '../version'
import { adminOf, type Opened, open } from './open'
import { type Output, outputFor } from './output'
import { quickstart } from './quickstart'
import { serve } from './serve'

interface CommonOptions {
  data?: string
  json?: boolean
}

const collect = (value: string, all: string[] = []) => [...all, value]

function wholeNumber(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('must be a whole number')
  return Number(text)
}

function instant(text: string): number {
  const at = Date.parse(text)
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at))
    throw new InvalidArgumentError('must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z')
  return at
}

/** Runs one command on the opened data folder and closes it. */
async function onData(options: CommonOptions, run: (opened: Opened, output: Output) => Promise<void>): Promise<void> {
  const opened = open({ DATA: options.data, LOG_LEVEL: 'warn' })
  try {
    await run(opened, outputFor(options.json))
  } finally {
    await opened.store.close()
  }
}

const dataOption = () => new Option('--data <dir>', 'data folder (default: WATCHWORD_DATA or ./watchword-data)')
const jsonOption = () => new Option('--json', 'answer with one JSON object')

/** A command that works on the data folder. */
const onDataCommand = (name: string, summary: string) =>
  new Command(name).description(summary).addOption(dataOption()).addOption(jsonOption())

export function createProgram(): Command {
  const program = new Command('watchword')
    .description('Self-hosted phone verification codes.')
    .version(VERSION)
    .showHelpAfterError('(add --help for what is possible)')
    .addHelpText('after', `\nSettings (environment):\n${settingsHelp()}`)

  program.addCommand(
    new Command('serve')
      .description('run the service until SIGTERM')
      .addOption(dataOption())
      .option('--port <n>', 'port to listen on; 0 takes any free one (default: WATCHWORD_PORT or 8787)')
      .option('--host <address>', 'address to listen on (default: WATCHWORD_HOST or 127.0.0.1)')
      .action(async ({ data, port, host }: { data?: string; port?: string; host?: string }) => {
        const opened = open({ DATA: data, PORT: port, HOST: host })
        const { url } = await serve(opened)
        const publicUrl = opened.config.publicUrl ?? url
        process.stdout.write(
          `${JSON.stringify({ event: 'listening', url, docs: `${publicUrl}/docs`, data: opened.config.dataDir, version: VERSION })}\n`,
        )
      }),
  )
  program.addCommand(
    new Command('quickstart')
      .description('run the service with a demo app and print its test keys')
      .addOption(dataOption())
      .option('--port <n>', 'port to listen on')
      .action(async ({ data, port }: { data?: string; port?: string }) =>
        quickstart(open({ DATA: data, PORT: port, LOG_LEVEL: 'warn' })),
      ),
  )
  program.addCommand(appCommands())
  program.addCommand(keyCommands())
  program.addCommand(creditCommands())
  program.addCommand(providerCommands())
  program.addCommand(templateCommands())
  return program
}

function settingsHelp(): string {
  return describeSettings()
    .map(({ name, byDefault, meaning }) => `  ${name.padEnd(42)} ${meaning}${byDefault && ` (${byDefault})`}`)
    .join('\n')
}

function appCommands(): Command {
  const app = new Command('app').description('apps: the owners of keys, wallet and issues')
  app.addCommand(
    onDataCommand('create', 'create an app')
      .argument('<name>', 'what people call it')
      .action((name: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const { appId, organizationId, name: label } = await administer.createApp(adminOf(opened), { name })
          output({ appId, organizationId, name: label }, [`Created app ${appId} (${label})`])
        }),
      ),
  )
  app.addCommand(
    onDataCommand('list', 'list apps').action((options: CommonOptions) =>
      onData(options, async ({ store }, output) => {
        const apps = await store.read.apps()
        const rows = await Promise.all(
          apps.map(async ({ appId, organizationId, name }) => {
            const wallet = await store.read.wallet(appId)
            return { appId, organizationId, name, balance: wallet?.balance ?? 0, reserved: wallet?.reserved ?? 0 }
          }),
        )
        output(
          { apps: rows },
          rows.map((row) => `${row.appId}  ${row.name}  balance ${row.balance}, reserved ${row.reserved}`),
        )
      }),
    ),
  )
  return app
}

interface KeyOptions extends CommonOptions {
  app: string
  kind: KeyKind
  mode: Mode
  scope?: string[]
  origin?: string[]
  cidr?: string[]
  expires?: number
  issuesPerMin?: number
  verifiesPerMin?: number
  readsPerMin?: number
  issuesPerMinPerIp?: number
}

function keyLimits({ issuesPerMin, verifiesPerMin, readsPerMin, issuesPerMinPerIp }: KeyOptions): KeyLimits {
  const given = Object.entries({ issuesPerMin, verifiesPerMin, readsPerMin, issuesPerMinPerIp })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function keyCommands(): Command {
  const key = new Command('key').description('API keys')
  key.addCommand(
    onDataCommand('create', 'create a key; it is shown this once')
      .requiredOption('--app <id>', 'app that owns the key')
      .addOption(
        new Option('--kind <kind>', 'sk: for servers, pk: for browsers').choices(['sk', 'pk']).makeOptionMandatory(),
      )
      .addOption(new Option('--mode <mode>', 'live or test').choices(['live', 'test']).makeOptionMandatory())
      .option('--scope <scope>', 'what it may do, repeatable (default: sk *, pk otp:issue otp:verify)', collect)
      .option('--origin <origin>', 'exact origin a pk key may be used from, repeatable', collect)
      .option('--cidr <network>', 'network an sk key may be used from, repeatable', collect)
      .addOption(new Option('--expires <date>', 'when it stops working').argParser(instant))
      .option('--issues-per-min <n>', 'own limit, live keys only', wholeNumber)
      .option('--verifies-per-min <n>', 'own limit, live keys only', wholeNumber)
      .option('--reads-per-min <n>', 'own limit, live keys only', wholeNumber)
      .option('--issues-per-min-per-ip <n>', 'own limit for each client address, live keys only', wholeNumber)
      .action((options: KeyOptions) =>
        onData(options, async (opened, output) => {
          const { key: text, stored } = await administer.createKey(adminOf(opened), {
            appId: options.app,
            kind: options.kind,
            mode: options.mode,
            scopes: options.scope ?? [],
            allowedOrigins: options.origin ?? [],
            allowedCidrs: options.cidr ?? [],
            limits: keyLimits(options),
            expiresAt: options.expires,
          })
          const { keyId, kind, mode, scopes, allowedOrigins } = stored
          output({ keyId, key: text, kind, mode, scopes, allowedOrigins }, [
            `Created key ${keyId}; it is shown only now:`,
            text,
          ])
        }),
      ),
  )
  key.addCommand(
    onDataCommand('list', 'list the keys of an app')
      .requiredOption('--app <id>', 'app')
      .action((options: CommonOptions & { app: string }) =>
        onData(options, async ({ store }, output) => {
          const keys = (await store.read.keys(options.app)).map(({ hash: _, ...rest }) => rest)
          output(
            { keys },
            keys.map(
              (row) =>
                `${row.keyId}  ${row.prefix}…${row.lastFour}  ${row.scopes.join(' ')}${row.revokedAt ? '  revoked' : ''}`,
            ),
          )
        }),
      ),
  )
  key.addCommand(
    onDataCommand('revoke', 'revoke a key; it stops working at once')
      .argument('<keyId>', 'key, as `key create` named it')
      .action((keyId: string, options: CommonOptions) =>
        onData(options, async (opened, output) => {
          const { revokedAt } = await administer.revokeKey(adminOf(opened), keyId)
          output({ keyId, revokedAt: new Date(revokedAt).toISOString() }, [`Revoked key ${keyId}`])
        }),
      ),
  )
  return key
}

function creditCommands(): Command {
  const credit = new Command('credit').description('wallets')
  credit.addCommand(
    onDataCommand('add', 'top up the wallet of an app')
      .requiredOption('--app <id>', 'app')
      .requiredOption('--amount <n>', 'credits', wholeNumber)
      .action((options: CommonOptions & { app: string; amount: number }) =>
        onData(options, async (opened, output) => {
          const { appId, balance } = await administer.addCredit(adminOf(opened), {
            appId: options.app,
            amount: options.amount,
          })
          output({ appId, balance }, [`Balance of ${appId}: ${balance} CREDIT`])
        }),
      ),
  )
  credit.addCommand(
    onDataCommand('overdraft', 'let the available credit of an app go below zero')
      .requiredOption('--app <id>', 'app')
      .requiredOption('--limit <n>', 'credits below zero; 0 switches it off', wholeNumber)
      .action((options: CommonOptions & { app: string; limit: number }) =>
        onData(options, async (opened, output) => {
          const { appId, overdraftLimit } = await administer.setOverdraft(adminOf(opened), {
            appId: options.app,
            limit: options.limit,
          })
          output({ appId, overdraftLimit }, [`Overdraft limit of ${appId}: ${overdraftLimit} CREDIT`])
        }),
      ),
  )
  return credit
}

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

function providerCommands(): Command {
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

function asChannel(text: string): Channel {
  if (text !== 'sms' && text !== 'alimtalk')
    throw new InvalidArgumentError(`--channel: must be sms or alimtalk: ${text}`)
  return text
}

interface TemplateOptions extends CommonOptions {
  app: string
  name?: string
  body: string
  channel?: string[]
  variable?: string[]
  providerCode?: string
}

/** `name`, `name?` for one that may be left out, `name=pattern` for one that must match. */
function variablesOf(lines: string[] = []): Record<string, TemplateVariable> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', optional, pattern] = /^([^=?]+)(\?)?(?:=(.+))?$/s.exec(line) ?? []
      return [name, { required: optional === undefined, ...(pattern !== undefined && { pattern }) }]
    }),
  )
}

function templateCommands(): Command {
  const template = new Command('template').description('message templates')
  template.addCommand(
    onDataCommand('set', 'register a template of an app, or a new version of one')
      .argument('<templateId>', 'what requests call it')
      .requiredOption('--app <id>', 'app')
      .requiredOption('--body <text>', 'text with #{code} and #{variables}; @FILE reads a file')
      .option('--name <name>', 'what people call it')
      .option('--channel <channel>', 'sms or alimtalk, repeatable (default: sms)', collect)
      .option('--variable <rule>', 'name, name? or name=pattern, repeatable', collect)
      .option('--provider-code <code>', 'code of the template at the AlimTalk provider')
      .action((templateId: string, options: TemplateOptions) =>
        onData(options, async (opened, output) => {
          const saved = await administer.saveTemplate(adminOf(opened), options.app, {
            templateId,
            name: options.name ?? templateId,
            body: options.body.startsWith('@') ? readFileSync(options.body.slice(1), 'utf8').trimEnd() : options.body,
            channelSupport: (options.channel ?? ['sms']).flatMap((list) => list.split(',')).map(asChannel),
            variables: variablesOf(options.variable),
            providerTemplateCode: options.providerCode ?? templateId,
          })
          output(saved, [`Template ${templateId} is registered for ${options.app}`])
        }),
      ),
  )
  template.addCommand(
    onDataCommand('list', "list an app's own templates")
      .requiredOption('--app <id>', 'app')
      .action((options: CommonOptions & { app: string }) =>
        onData(options, async ({ store }, output) => {
          const templates = await store.read.templates(options.app)
          output(
            { templates },
            templates.map((row) => `${row.templateId}  ${row.channelSupport.join(', ')}  ${row.body}`),
          )
        }),
      ),
  )
  return template
}
