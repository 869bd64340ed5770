/** The command line. Every command works while a server runs on the same data folder, and when none does. */
import { Command, type Option } from 'commander'
import { type Config, describeSettings } from '../config'
import { VERSION } from '../domain/operations/version'
import { command, dataOption, newOption } from './command'
import { open, placeOf } from './open'
import { styled } from './output'

/**
 * Commands by name, in the order of the help. Each is loaded only when it is used, to keep the start of a server fast.
 */
const COMMANDS: Record<string, (program: Command) => Command | Promise<Command>> = {
  serve: () => serveCommand(),
  quickstart: () => quickstartCommand(),
  healthcheck: async () => (await import('./healthcheck')).healthcheckCommand(),
  doctor: async () => (await import('./doctor')).doctorCommand(),
  app: async () => (await import('./admin/app')).appCommands(),
  key: async () => (await import('./admin/key')).keyCommands(),
  credit: async () => (await import('./admin/credit')).creditCommands(),
  provider: async () => (await import('./admin/provider')).providerCommands(),
  route: async () => (await import('./admin/route')).routeCommands(),
  plan: async () => (await import('./admin/plan')).planCommands(),
  notice: async () => (await import('./admin/notice')).noticeCommands(),
  relay: async () => (await import('./admin/relay')).relayCommands(),
  review: async () => (await import('./admin/review')).reviewCommands(),
  price: async () => (await import('./admin/price')).priceCommands(),
  'report-token': async () => (await import('./admin/report-token')).reportTokenCommands(),
  apply: async () => (await import('./apply')).applyCommand(),
  export: async () => (await import('./apply')).exportCommand(),
  token: async () => (await import('./admin/token')).tokenCommands(),
  issue: async () => (await import('./admin/issue')).issueCommands(),
  queue: async () => (await import('./admin/issue')).queueCommand(),
  incident: async () => (await import('./admin/incident')).incidentCommands(),
  nodes: async () => (await import('./nodes')).nodesCommand(),
  template: async () => (await import('./admin/template')).templateCommands(),
  webhook: async () => (await import('./admin/webhook')).webhookCommands(),
  operator: async () => (await import('./admin/operator')).operatorCommands(),
  audit: async () => (await import('./admin/operator')).auditCommands(),
  privacy: async () => (await import('./admin/privacy')).privacyCommands(),
  backup: async () => (await import('./backup')).backupCommand(),
  restore: async () => (await import('./backup')).restoreCommand(),
  secret: async () => (await import('./secret')).secretCommands(),
  move: async () => (await import('./move')).moveCommand(),
  completion: async () => (await import('./completion')).completionCommand(),
  conformance: async () => (await import('./conformance')).conformanceCommand(),
  version: async () => (await import('./version')).versionCommand(),
  licenses: async () => (await import('./licenses')).licensesCommand(),
  complete: async (program) => (await import('./completion')).completeCommand(program),
}
/** Only completion scripts call this command, and it needs all other commands. */
const HIDDEN = 'complete'

interface CommandLine {
  isJson: boolean
  words?: readonly string[]
}

/**
 * `words`: the words of the command line. If the first one is a command, only that command is built; otherwise all are.
 * `isJson`: the caller reads JSON, so help is not printed in place of an answer.
 */
export async function createProgram({ isJson, words = [] }: CommandLine): Promise<Command> {
  const program = new Command('watchword')
    .description('Self-hosted phone verification codes.')
    .version(VERSION)
    .addHelpText('after', () => `\nSettings (environment):\n${settingsHelp()}`)
    .exitOverride()
    // A command and its subcommand may have options with the same name.
    .enablePositionalOptions()
    // `main.ts` prints all errors.
    .configureOutput({ outputError() {}, ...(isJson && { writeErr() {} }) })
    .configureHelp({ styleTitle: (title) => styled('bold', title), optionDescription })

  const [first = ''] = words
  const isOne = first !== HIDDEN && Object.hasOwn(COMMANDS, first)
  for (const [name, load] of Object.entries(COMMANDS))
    if (!isOne || name === first) program.addCommand(await load(program), { hidden: name === HIDDEN })
  inherit(program)
  return program
}

function inherit(parent: Command): void {
  for (const child of parent.commands) inherit(child.copyInheritedSettings(parent))
}

const portOption = ['--port <n>', 'port to listen on; 0 takes any free one (default: WATCHWORD_PORT or 8787)'] as const
const hostOption = ['--host <address>', 'address to listen on (default: WATCHWORD_HOST or 127.0.0.1)'] as const

interface ServeOptions {
  data?: string
  port?: string
  host?: string
  new?: boolean
}

const serveCommand = () =>
  command('serve', 'run the service until SIGTERM', 'serve --data /var/lib/watchword --port 8787')
    .addOption(dataOption())
    .option(...portOption)
    .option(...hostOption)
    .addOption(newOption())
    .action(async ({ data, port, host, new: isNew = false }: ServeOptions) => {
      // Loads server code only when a server starts.
      const { serve } = await import('./serve')
      const flags = { DATA: data, PORT: port, HOST: host }
      const opened = await open(flags, { makes: true, serves: true, waits: true, isNew })
      const { url, metricsUrl, setUpUrl } = await serve(opened)
      const publicUrl = opened.config.publicUrl ?? url
      const pages = {
        docs: `${publicUrl}/docs`,
        console: `${publicUrl}/console`,
        ...(metricsUrl && { metrics: metricsUrl }),
        ...(setUpUrl && { setUp: setUpUrl }),
      }
      const line = { event: 'listening', url, ...pages, ...whereOf(opened.config), version: VERSION }
      // `process.stdout` is avoided because creating its streams is slower than printing the line.
      console.log(JSON.stringify(line))
    })

const whereOf = (config: Config) => (config.database ? { database: placeOf(config) } : { data: placeOf(config) })

const quickstartCommand = () =>
  command('quickstart', 'run the service with a demo app and print its test keys', 'quickstart --port 9000')
    .addOption(dataOption())
    .option(...portOption)
    .option(...hostOption)
    .addOption(newOption())
    .action(async ({ data, port, host, new: isNew = false }: ServeOptions) => {
      const { quickstart } = await import('./quickstart')
      const flags = { DATA: data, PORT: port, HOST: host, LOG_LEVEL: 'warn', LEAVING_MS: '0' }
      await quickstart(await open(flags, { makes: true, serves: true, isNew }))
    })

/** Marks a mandatory option in its description. */
function optionDescription(option: Option): string {
  const { description, mandatory, argChoices, defaultValue } = option
  const notes = [
    ...(mandatory ? ['required'] : []),
    ...(argChoices ? [`choices: ${argChoices.join(', ')}`] : []),
    ...(defaultValue === undefined ? [] : [`default: ${defaultValue}`]),
  ]
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description
}

function settingsHelp(): string {
  return describeSettings()
    .map(({ name, byDefault, meaning }) => `  ${name.padEnd(42)} ${meaning}${byDefault && ` (${byDefault})`}`)
    .join('\n')
}
