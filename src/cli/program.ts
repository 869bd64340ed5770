/** The command line. Every command works while a server runs on the same data folder, and when none does. */
import { Command, type Option } from 'commander'
import { type Config, describeSettings } from '../config'
import { VERSION } from '../domain/version'
import { appCommands } from './app'
import { backupCommand, restoreCommand } from './backup'
import { command, dataOption, newOption } from './command'
import { completeCommand, completionCommand } from './completion'
import { creditCommands } from './credit'
import { doctorCommand } from './doctor'
import { drillCommand } from './drill'
import { healthcheckCommand } from './healthcheck'
import { incidentCommands } from './incident'
import { issueCommands, queueCommand } from './issue'
import { keyCommands } from './key'
import { licensesCommand } from './licenses'
import { moveCommand } from './move'
import { nodesCommand } from './nodes'
import { open, placeOf } from './open'
import { auditCommands, operatorCommands } from './operator'
import { styled } from './output'
import { privacyCommands } from './privacy'
import { providerCommands } from './provider'
import { routeCommands } from './route'
import { secretCommands } from './secret'
import { templateCommands } from './template'
import { versionCommand } from './version'
import { webhookCommands } from './webhook'

/** `isJson`: whoever asked reads JSON, so that help in the place of an answer is not for them. */
export function createProgram({ isJson }: { isJson: boolean }): Command {
  const program = new Command('watchword')
    .description('Self-hosted phone verification codes.')
    .version(VERSION)
    .addHelpText('after', `\nSettings (environment):\n${settingsHelp()}`)
    .exitOverride()
    // Errors are told in one place, `main.ts`.
    .configureOutput({ outputError() {}, ...(isJson && { writeErr() {} }) })
    .configureHelp({ styleTitle: (title) => styled('bold', title), optionDescription })

  program.addCommand(serveCommand())
  program.addCommand(quickstartCommand())
  program.addCommand(healthcheckCommand())
  program.addCommand(doctorCommand())
  program.addCommand(appCommands())
  program.addCommand(keyCommands())
  program.addCommand(creditCommands())
  program.addCommand(providerCommands())
  program.addCommand(routeCommands())
  program.addCommand(issueCommands())
  program.addCommand(queueCommand())
  program.addCommand(incidentCommands())
  program.addCommand(nodesCommand())
  program.addCommand(templateCommands())
  program.addCommand(webhookCommands())
  program.addCommand(operatorCommands())
  program.addCommand(auditCommands())
  program.addCommand(privacyCommands())
  program.addCommand(backupCommand())
  program.addCommand(restoreCommand())
  program.addCommand(drillCommand())
  program.addCommand(secretCommands())
  program.addCommand(moveCommand())
  program.addCommand(completionCommand())
  program.addCommand(versionCommand())
  program.addCommand(licensesCommand())
  program.addCommand(completeCommand(program), { hidden: true })
  inherit(program)
  return program
}

function inherit(parent: Command): void {
  for (const child of parent.commands) inherit(child.copyInheritedSettings(parent))
}

const portOption = ['--port <n>', 'port to listen on; 0 takes any free one (default: WATCHWORD_PORT or 8787)'] as const
const hostOption = ['--host <address>', 'address to listen on (default: WATCHWORD_HOST or 127.0.0.1)'] as const

interface ListenOptions {
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
    .action(async ({ data, port, host, new: isNew = false }: ListenOptions) => {
      // What only a server needs is loaded by a server only.
      const { serve } = await import('./serve')
      const opened = await open({ DATA: data, PORT: port, HOST: host }, { makes: true, serves: true, isNew })
      const { url, metricsUrl, setUpUrl } = await serve(opened)
      const publicUrl = opened.config.publicUrl ?? url
      const pages = {
        docs: `${publicUrl}/docs`,
        console: `${publicUrl}/console`,
        ...(metricsUrl && { metrics: metricsUrl }),
        ...(setUpUrl && { setUp: setUpUrl }),
      }
      const line = { event: 'listening', url, ...pages, ...whereOf(opened.config), version: VERSION }
      process.stdout.write(`${JSON.stringify(line)}\n`)
    })

const whereOf = (config: Config) => (config.database ? { database: placeOf(config) } : { data: placeOf(config) })

const quickstartCommand = () =>
  command('quickstart', 'run the service with a demo app and print its test keys', 'quickstart --port 9000')
    .addOption(dataOption())
    .option(...portOption)
    .option(...hostOption)
    .addOption(newOption())
    .action(async ({ data, port, host, new: isNew = false }: ListenOptions) => {
      const { quickstart } = await import('./quickstart')
      const flags = { DATA: data, PORT: port, HOST: host, LOG_LEVEL: 'warn', LEAVING_MS: '0' }
      await quickstart(await open(flags, { makes: true, serves: true, isNew }))
    })

/** Says of an option that must be given that it must; else as commander describes it. */
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
