/** The command line. Every command works while a server runs on the same data folder, and when none does. */
import { Command } from 'commander'
import { describeSettings } from '../config'
import { VERSION } from '../version'
import { appCommands } from './app'
import { backupCommand } from './backup'
import { dataOption } from './command'
import { creditCommands } from './credit'
import { issueCommands, queueCommand } from './issue'
import { keyCommands } from './key'
import { open } from './open'
import { auditCommands, operatorCommands } from './operator'
import { providerCommands } from './provider'
import { quickstart } from './quickstart'
import { routeCommands } from './route'
import { serve } from './serve'
import { templateCommands } from './template'
import { webhookCommands } from './webhook'

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
        const { url, setUpUrl } = await serve(opened)
        const publicUrl = opened.config.publicUrl ?? url
        const pages = {
          docs: `${publicUrl}/docs`,
          console: `${publicUrl}/console`,
          ...(setUpUrl && { setUp: setUpUrl }),
        }
        const line = { event: 'listening', url, ...pages, data: opened.config.dataDir, version: VERSION }
        process.stdout.write(`${JSON.stringify(line)}\n`)
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
  program.addCommand(routeCommands())
  program.addCommand(issueCommands())
  program.addCommand(queueCommand())
  program.addCommand(templateCommands())
  program.addCommand(webhookCommands())
  program.addCommand(operatorCommands())
  program.addCommand(auditCommands())
  program.addCommand(backupCommand())
  return program
}

function settingsHelp(): string {
  return describeSettings()
    .map(({ name, byDefault, meaning }) => `  ${name.padEnd(42)} ${meaning}${byDefault && ` (${byDefault})`}`)
    .join('\n')
}
