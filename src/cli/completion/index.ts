/**
 * Completion by the command tree itself. The shells' scripts ask the hidden command `complete`, which knows commands,
 * options and choices, and reads ids from the database.
 */
import { join } from 'node:path'
import { Argument, Command, type Option } from 'commander'
import { CHANNELS, HOOK_EVENT_TYPES } from '../../../contract/constants'
import { SCOPES } from '../../../contract/scope'
import { type Config, readConfig } from '../../config'
import type { Name, NamedKind } from '../../store/names'
import { readNames as namesAt } from '../../store/postgres/inspect'
import { readNames as namesIn } from '../../store/sqlite/inspect'
import { systemClock } from '../../system/clock'
import { command } from '../command'
import { DATABASE_FILE } from '../open'
import { print } from '../output'
import bash from './watchword.bash' with { type: 'text' }
import fish from './watchword.fish' with { type: 'text' }
import zsh from './watchword.zsh' with { type: 'text' }

const SCRIPTS = { bash, zsh, fish }

export const completionCommand = (): Command =>
  command(
    'completion',
    'print the script with which a shell completes commands, options and ids',
    'completion bash >> ~/.bashrc',
    "completion zsh > ~/.zfunc/_watchword   # a folder of zsh's fpath",
    'completion fish > ~/.config/fish/completions/watchword.fish',
  )
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => {
      void print(SCRIPTS[shell])
    })

/** Called by the scripts with the words of the line; the last word is the one to complete. */
export const completeCommand = (program: Command): Command =>
  new Command('complete').argument('[words...]').action(async (words: string[]) => {
    const found = await complete(program, words)
    const lines = found === FILES ? [FILES] : found.map(({ id, about }) => `${id}\t${about.split('\n')[0]}`)
    void print(lines.map((line) => `${line}\n`).join(''))
  })

/** Returned instead of candidates, so that the shell completes file names. */
const FILES = ':files'

type Completions = Name[] | typeof FILES

/** Candidates for the last word. */
export async function complete(program: Command, words: readonly string[]): Promise<Completions> {
  const typed = words.at(-1) ?? ''
  const line = readLine(program, words.slice(0, -1))
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? []
  if (flag !== undefined && value !== undefined) {
    const found = await valuesOf(optionOf(line.command, flag), line)
    return found === FILES ? found : startingWith(value, found).map(({ id, about }) => ({ id: `${flag}=${id}`, about }))
  }
  const found = await (line.open ? valuesOf(line.open, line) : typed.startsWith('-') ? optionsOf(line) : wordsOf(line))
  return found === FILES ? found : startingWith(typed, found)
}

const startingWith = (typed: string, found: readonly Name[]) => found.filter(({ id }) => id.startsWith(typed))

interface TypedLine {
  command: Command
  /** Number of arguments before the last word. */
  given: number
  /** Options and values typed so far. */
  options: Map<string, string>
  /** An option that still waits for its value. */
  open: Option | undefined
}

function readLine(program: Command, words: readonly string[]): TypedLine {
  const line: TypedLine = { command: program, given: 0, options: new Map(), open: undefined }
  for (const word of words) {
    const child = line.command.commands.find((one) => one.name() === word)
    if (line.open) {
      line.options.set(line.open.attributeName(), word)
      line.open = undefined
    } else if (word.startsWith('-')) {
      const [flag = '', value] = word.split('=', 2)
      const option = optionOf(line.command, flag)
      if (option) line.options.set(option.attributeName(), value ?? '')
      if (option?.required && value === undefined) line.open = option
    } else if (child && line.given === 0) line.command = child
    else line.given++
  }
  return line
}

const optionOf = (command: Command, flag: string) =>
  command.options.find(({ long, short }) => long === flag || short === flag)

/** Options that are not used yet, or may repeat. */
const optionsOf = ({ command, options }: TypedLine): Name[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !options.has(option.attributeName()) || option.description.includes('repeatable'))
    .flatMap(({ long, description }) => (long ? [{ id: long, about: description }] : []))

function wordsOf(line: TypedLine): Completions | Promise<Completions> {
  const { command, given } = line
  if (command.commands.length > 0) {
    const children = command.createHelp().visibleCommands(command)
    return children.map((child) => ({ id: child.name(), about: child.description() }))
  }
  const argument = command.registeredArguments[given]
  if (argument?.name() === 'file') return FILES
  return argument ? valuesNamed(argument.name(), argument.argChoices, line) : []
}

function valuesOf(option: Option | undefined, line: TypedLine): Completions | Promise<Completions> {
  if (!option) return []
  return OF_FILES.test(option.flags) ? FILES : valuesNamed(option.attributeName(), option.argChoices, line)
}

const OF_FILES = /<(dir|file)/

/** Arguments and options with the same name complete in the same way. */
const NAMED: Readonly<Record<string, NamedKind>> = {
  app: 'apps',
  appId: 'apps',
  keyId: 'keys',
  endpointId: 'webhooks',
  templateId: 'templates',
  carrier: 'carriers',
  carriers: 'carriers',
  email: 'operators',
}
const FIXED: Readonly<Record<string, readonly string[]>> = {
  channel: CHANNELS,
  scope: SCOPES,
  events: HOOK_EVENT_TYPES,
}

function valuesNamed(
  name: string,
  choices: readonly string[] | undefined,
  { options }: TypedLine,
): Name[] | Promise<Name[]> {
  const fixed = choices ?? FIXED[name]
  if (fixed) return fixed.map((id) => ({ id, about: '' }))
  const named = NAMED[name]
  return named ? readNames(named, options) : []
}

/** Completion cannot report a wrong configuration, so it then offers no ids. */
function readNames(what: NamedKind, options: TypedLine['options']): Name[] | Promise<Name[]> {
  const config = configOf(options.get('data'))
  if (!config) return []
  const [{ database, dataDir }, appId] = [config, options.get('app')]
  return database
    ? namesAt({ url: database.url, clock: systemClock }, what, appId)
    : namesIn(join(dataDir, DATABASE_FILE), what, appId)
}

function configOf(data: string | undefined): Config | undefined {
  try {
    return readConfig(process.env, { DATA: data })
  } catch {
    return undefined
  }
}
