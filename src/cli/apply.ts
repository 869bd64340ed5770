/** `apply` and `export`: the configuration of an installation as a file. */
import { dirname, resolve } from 'node:path'
import { Option } from 'commander'
import { parse, stringify, YAMLParseError } from 'yaml'
import { z } from 'zod'
import { type ConfigurationStep, configurationOf, type Shown, stepsTo } from '../admin/file/apply'
import { type Configuration, configuration } from '../admin/file/configuration'
import { administer, type InstallationOptions, readText, serverOptions } from './administration'
import { type Confirmable, confirm, onDataCommand, yesOption } from './command'
import { Failure, outputFor, styled } from './output'

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
        const { wanted, hidden } = withSecrets(read(options.file), options.file)
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
              // What was made is told: its secrets are shown only now.
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

function read(file: string): Configuration {
  const text = readText(file, '--file')
  let document: unknown
  try {
    document = parse(text)
  } catch (error) {
    if (error instanceof YAMLParseError) throw new Failure('invalid', `${file}: ${error.message}`)
    throw error
  }
  const read = configuration.safeParse(document ?? {})
  if (read.success) return read.data
  const mistakes = read.error.issues.map((issue) => {
    const what = issue.code === 'unrecognized_keys' ? `unknown field ${issue.keys.join(', ')}` : issue.message
    return `${issue.path.join('.') || 'the file'}: ${what}`
  })
  throw new Failure('invalid', [`${file} is not right:`, ...mistakes].join('\n  '))
}

/** Puts in what `env:NAME` and `file:PATH` refer to. `hidden`: those values, which are never printed. */
function withSecrets(
  { carriers, apps, ...others }: Configuration,
  file: string,
): { wanted: Configuration; hidden: ReadonlySet<string> } {
  const hidden = new Set<string>()
  const folder = file === '-' ? '.' : dirname(file)
  const referred = (text: string): string => {
    const [, kind, name = ''] = /^(env|file):(.+)$/.exec(text) ?? []
    if (kind === undefined) return text
    const value =
      kind === 'file' ? readText(resolve(folder, name), `${file} refers to ${text}`).trimEnd() : process.env[name]
    if (value === undefined) throw new Failure('invalid', `${file} refers to ${text}, which is not set`)
    hidden.add(value)
    return value
  }
  const all = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, referred(text)]))
  const wanted = {
    ...others,
    ...(carriers && { carriers: carriers.map((carrier) => ({ ...carrier, settings: all(carrier.settings) })) }),
    ...(apps && {
      apps: apps.map((app) => ({
        ...app,
        ...(app.webhooks && { webhooks: app.webhooks.map((hook) => ({ ...hook, headers: all(hook.headers ?? {}) })) }),
        ...(app.relays && {
          relays: app.relays.map(({ secret, ...relay }) => ({
            ...relay,
            ...(secret !== undefined && { secret: referred(secret) }),
          })),
        }),
      })),
    }),
  }
  return { wanted, hidden }
}
