/** Shared by all commands: help, options, parsers, confirmation, and opening and closing the database. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { CHANNELS, type Channel, isChannel, isLeg, LEGS, type Leg } from '../domain/shared/value'
import { type Beginning, type Opened, open } from './open'
import { Failure, type Output, outputFor } from './output'

export interface CommonOptions {
  data?: string
  json?: boolean
}

export const collect = (value: string, all: string[] = []) => [...all, value]

export function wholeNumber(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('must be a whole number')
  return Number(text)
}

export function oneOrMore(text: string): number {
  const number = wholeNumber(text)
  if (number < 1) throw new InvalidArgumentError('must be 1 or more')
  return number
}

export function instant(text: string): number {
  const at = Date.parse(text)
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at))
    throw new InvalidArgumentError('must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z')
  return at
}

type CommandWork = (opened: Opened, output: Output) => Promise<void>

/** Runs one command on the opened data folder or PostgreSQL and closes it. It creates no database. */
export const onData = (options: CommonOptions, run: CommandWork): Promise<void> => work(options, run, {})

/** The same for commands that may create the installation before a server has run. */
export const onDataOrNew = (options: CommonOptions, run: CommandWork): Promise<void> =>
  work(options, run, { makes: true })

async function work({ data, json }: CommonOptions, run: CommandWork, beginning: Beginning): Promise<void> {
  const opened = await open({ DATA: data, LOG_LEVEL: 'warn' }, beginning)
  try {
    await run(opened, outputFor(json))
  } finally {
    await opened.store.close()
  }
}

export const dataOption = () =>
  new Option(
    '--data <dir>',
    'data folder, where WATCHWORD_DATABASE_URL is not set (default: WATCHWORD_DATA or ./watchword-data)',
  )
export const newOption = () =>
  new Option('--new', 'begin anew where a key file has lost its database; what it held is given up')
export const jsonOption = () => new Option('--json', 'answer with one JSON object')

/** A command whose help ends with examples. */
export const command = (name: string, summary: string, ...examples: readonly string[]) =>
  new Command(name)
    .description(summary)
    .addHelpText('after', ['\nExample:', ...examples.map((example) => `  $ watchword ${example}`)].join('\n'))

/** A command that works on the data folder. */
export const onDataCommand = (name: string, summary: string, ...examples: readonly string[]) =>
  command(name, summary, ...examples)
    .addOption(dataOption())
    .addOption(jsonOption())

/** A command that asks before it removes something. */
export const removalCommand = (name: string, summary: string, ...examples: readonly string[]) =>
  onDataCommand(name, summary, ...examples).addOption(yesOption())

export function asChannel(text: string): Channel {
  if (!isChannel(text)) throw new InvalidArgumentError(`--channel: must be ${CHANNELS.join(' or ')}: ${text}`)
  return text
}

export function asLeg(text: string): Leg {
  if (!isLeg(text)) throw new InvalidArgumentError(`--channel: must be one of ${LEGS.join(', ')}: ${text}`)
  return text
}

/** `Name: value`, as curl takes it. */
export function headersOf(lines: string[] = []): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      if (at < 1) throw new InvalidArgumentError(`--header: must be "Name: value": ${line}`)
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

export interface Confirmable {
  yes?: boolean
}

export const YES = 'do not ask; needed where there is no terminal to ask on'
/** Asks for confirmation, because the command cannot be undone. */
export const yesOption = () => new Option('--yes', YES)

/**
 * Asks on the terminal; the question says what will change. `flag` is the option that answers it beforehand. Throws where
 * the answer is not yes, and where nobody can be asked.
 */
export async function confirm({ yes }: Confirmable, question: string, flag = '--yes'): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY) throw new InvalidArgumentError(`${question} There is no terminal to ask on: add ${flag}`)
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close())
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('declined', 'Nothing was changed.')
}
