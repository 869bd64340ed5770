/** Reads a file of configuration, with what it refers to. */
import { dirname, resolve } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import { type Configuration, configuration } from '../admin/file/configuration'
import { readText } from './administration'
import { Failure } from './output'

/** `file`: its path, which references are beside; - is standard input. `env`: the variables that it may refer to. */
interface FileOrigin {
  file: string
  env: Readonly<Record<string, string | undefined>>
}

/**
 * YAML 1.2, where NO is Norway, with merge keys. `hidden`: values that came by reference, which are never printed. Throws `Failure`,
 * naming each mistake.
 */
export function readConfiguration(
  text: string,
  origin: FileOrigin,
): { wanted: Configuration; hidden: ReadonlySet<string> } {
  const { file } = origin
  let document: unknown
  try {
    document = parse(text, { merge: true })
  } catch (error) {
    if (error instanceof YAMLParseError) throw new Failure('invalid', `${file}: ${error.message}`)
    throw error
  }
  const read = configuration.safeParse(document ?? {})
  if (read.success) return withSecrets(read.data, origin)
  const mistakes = read.error.issues.map((issue) => {
    const what = issue.code === 'unrecognized_keys' ? `unknown field ${issue.keys.join(', ')}` : issue.message
    const hint = issue.code === 'invalid_type' && issue.expected === 'string' ? ': put it in quotes' : ''
    return `${issue.path.join('.') || 'the file'}: ${what}${hint}`
  })
  throw new Failure('invalid', [`${file} is not right:`, ...mistakes].join('\n  '))
}

/** Puts in what `env:NAME` and `file:PATH` refer to: as it is, but for the line end that files and secrets often have. */
function withSecrets({ carriers, apps, ...others }: Configuration, { file, env }: FileOrigin) {
  const hidden = new Set<string>()
  const folder = file === '-' ? '.' : dirname(file)
  const referred = (text: string): string => {
    const [, kind, name = ''] = /^(env|file):(.+)$/.exec(text) ?? []
    if (kind === undefined) return text
    const given = kind === 'file' ? readText(resolve(folder, name), `${file} refers to ${text}`) : env[name]
    const value = given?.replace(/\r?\n$/, '')
    if (!value)
      throw new Failure('invalid', `${file} refers to ${text}, which is ${value === '' ? 'empty' : 'not set'}`)
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
