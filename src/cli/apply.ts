/** `apply` and `export`: the configuration of an installation as a file. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ORPCError } from '@orpc/client'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parse, stringify, YAMLParseError } from 'yaml'
import { z } from 'zod'
import type { AdminClient } from '../admin/client'
import { type ConfigurationStep, configurationOf, stepsTo } from '../admin/file/apply'
import { type Configuration, configuration } from '../admin/file/configuration'
import { administrationAt, administrationOf } from './administration'
import { type CommonOptions, type Confirmable, confirm, onData, onDataCommand, onDataOrNew, yesOption } from './command'
import { Failure, type Output, outputFor, styled } from './output'

interface InstallationOptions extends CommonOptions {
  server?: string
  tokenFile?: string
}

const withPlace = (made: Command): Command =>
  made
    .addOption(new Option('--server <url>', 'a server far away, by its management API'))
    .addOption(new Option('--token-file <file>', 'file with the token for --server'))

async function at(
  options: InstallationOptions,
  makes: boolean,
  work: (client: AdminClient, output: Output) => Promise<void>,
) {
  const { server, tokenFile } = options
  if (server === undefined)
    return (makes ? onDataOrNew : onData)(options, (opened, output) => work(administrationOf(opened), output))
  if (tokenFile === undefined) throw new InvalidArgumentError('--server needs --token-file')
  try {
    await work(administrationAt(server, tokenFile), outputFor(options.json))
  } catch (error) {
    if (error instanceof ORPCError) throw new Failure(error.code.toLowerCase(), error.message)
    if (error instanceof TypeError || (error instanceof Error && 'code' in error))
      throw new Failure('unreachable', `${server} does not answer: ${error.message}`)
    throw error
  }
}

export const applyCommand = () =>
  withPlace(
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
        const wanted = withSecrets(read(options.file), options.file)
        return at(options, options.dryRun !== true, async (client, output) => {
          const steps = await stepsTo(client, wanted, options.prune ?? false)
          const told = steps.map(({ sign, what, details }) => ({ sign, what, details }))
          if (options.dryRun) return output({ steps: told, applied: false }, linesOf(steps, 'would change'))
          const removed = steps.filter(({ sign }) => sign === '-').map(({ what }) => what)
          if (removed.length > 0) await confirm(options, `Remove ${removed.join(', ')}?`)
          const shown = []
          for (const step of steps) shown.push(...(await taken(step)))
          output({ steps: told, applied: true, shown }, [
            ...linesOf(steps, 'changed'),
            ...(shown.length > 0
              ? ['', 'Shown only now:', ...shown.map(({ what, value }) => `  ${what}: ${value}`)]
              : []),
          ])
        })
      },
    )

export const exportCommand = () =>
  withPlace(
    onDataCommand(
      'export',
      'print the configuration as a file for `apply`, with references in place of secrets',
      'export > watchword.yaml',
    ),
  ).action((options: InstallationOptions) =>
    at(options, false, async (client, output) => {
      const found = await configurationOf(client)
      output(found, [stringify(JSON.parse(JSON.stringify(found))).trimEnd()])
    }),
  )

/** Names the step that a refusal belongs to: those before it are done. */
async function taken(step: ConfigurationStep): ReturnType<ConfigurationStep['take']> {
  try {
    return await step.take()
  } catch (error) {
    if (error instanceof Error)
      error.message = `${step.what}: ${error.message}. What stands before it in the file is done.`
    throw error
  }
}

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
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  let document: unknown
  try {
    document = parse(text)
  } catch (error) {
    if (error instanceof YAMLParseError) throw new Failure('invalid', `${file}: ${error.message}`)
    throw error
  }
  const read = configuration.safeParse(document ?? {})
  if (read.success) return read.data
  const mistakes = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`)
  throw new Failure('invalid', [`${file} is not right:`, ...mistakes].join('\n  '))
}

/** Puts in what `env:NAME` and `file:PATH` refer to. */
function withSecrets({ carriers, apps, ...others }: Configuration, file: string): Configuration {
  const folder = file === '-' ? '.' : dirname(file)
  const referred = (text: string): string => {
    const [, kind, name = ''] = /^(env|file):(.+)$/.exec(text) ?? []
    if (kind === 'file') return readFileSync(resolve(folder, name), 'utf8').trimEnd()
    if (kind === undefined) return text
    const value = process.env[name]
    if (value === undefined) throw new Failure('invalid', `${file} refers to env:${name}, which is not set`)
    return value
  }
  const all = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, referred(text)]))
  return {
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
}
