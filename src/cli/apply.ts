/** `apply` and `export`: the configuration of an installation as a file. */
import { Option } from 'commander'
import { stringify } from 'yaml'
import { z } from 'zod'
import { type ConfigurationStep, configurationOf, type Shown, stepsTo } from '../admin/file/apply'
import { configuration } from '../admin/file/configuration'
import { administer, type InstallationOptions, readText, serverOptions } from './administration'
import { type Confirmable, confirm, onDataCommand, yesOption } from './command'
import { readConfiguration } from './configuration-file'
import { outputFor, styled } from './output'

export const applyCommand = () =>
  serverOptions(
    onDataCommand(
      'apply',
      'bring the configuration to what a file says; what the file does not say stays',
      'apply -f watchword.yaml --dry-run',
      'apply -f watchword.yaml --server https://otp.example.com --token-file token',
    ),
  )
    .addOption(new Option('-f, --file <file>', 'YAML or JSON; - reads standard input').default('watchword.yaml'))
    .addOption(new Option('--dry-run', 'show what would change, and change nothing'))
    .addOption(new Option('--prune', 'also remove what the sections of the file do not name'))
    .addOption(new Option('--schema', 'print the JSON schema of the file, for editors'))
    .addOption(yesOption())
    .action(
      (options: InstallationOptions & Confirmable & { file: string; dryRun?: true; prune?: true; schema?: true }) => {
        if (options.schema) return outputFor(true)(z.toJSONSchema(configuration, { io: 'input' }), [])
        const { wanted, hidden } = readConfiguration(readText(options.file, '--file'), {
          file: options.file,
          env: process.env,
        })
        return administer(options, options.dryRun !== true, async (client, output) => {
          const steps = await stepsTo(client, wanted, { prunes: options.prune ?? false, hidden })
          const told = (done: readonly ConfigurationStep[]) =>
            done.map(({ sign, what, details }) => ({ sign, what, details }))
          if (options.dryRun) return output({ steps: told(steps), applied: false }, linesOf(steps, 'would change'))
          const removed = steps.filter(({ sign }) => sign === '-').map(({ what }) => what)
          if (removed.length > 0) await confirm(options, `Remove ${removed.join(', ')}?`)
          const done: ConfigurationStep[] = []
          const shown: Shown[] = []
          const tell = (isAll: boolean) =>
            output({ steps: told(done), applied: isAll, shown }, [
              ...linesOf(done, 'changed'),
              ...(shown.length > 0
                ? ['', 'Shown only now:', ...shown.map(({ what, value }) => `  ${what}: ${value}`)]
                : []),
            ])
          for (const step of steps) {
            try {
              shown.push(...(await step.take()))
            } catch (error) {
              // The steps that were taken are told: their secrets are shown only now.
              if (done.length > 0) tell(false)
              if (error instanceof Error) error.message = `${step.what}: ${error.message}`
              throw error
            }
            done.push(step)
          }
          tell(true)
        })
      },
    )

export const exportCommand = () =>
  serverOptions(
    onDataCommand(
      'export',
      'print the configuration as a file for `apply`, with references in place of secrets',
      'export > watchword.yaml',
    ),
  ).action((options: InstallationOptions) =>
    administer(options, false, async (client, output) => {
      const found = await configurationOf(client)
      output(found, [stringify(JSON.parse(JSON.stringify(found))).trimEnd()])
    }),
  )

const STYLES = { '+': 'green', '~': 'yellow', '-': 'red' } as const

const linesOf = (steps: readonly ConfigurationStep[], verb: string): string[] =>
  steps.length === 0
    ? ['Nothing differs from the file.']
    : [
        ...steps.flatMap(({ sign, what, details }) => [
          `${styled(STYLES[sign], sign)} ${what}`,
          ...details.map((detail) => `    ${detail}`),
        ]),
        `${steps.length} ${steps.length === 1 ? 'thing' : 'things'} ${verb}.`,
      ]
