/** Output and exit codes of commands: results and failures, as lines for people or as JSON. */
import type { styleText } from 'node:util'
import { CommanderError } from 'commander'
import { ConfigError } from '../config'
import { errorFields, Refusal } from '../domain/shared/error'
import { MoveError } from '../store/moved'
import { COMMAND_LINE } from '../usecases/shared/write-audit'

export type Output = (value: object, lines: string[]) => void

export const outputFor =
  (json: boolean | undefined): Output =>
  (value, lines) =>
    void print(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n').replace(CONTROL, '?')}\n`)

/** All but line ends, tabs and the colours of `styled`: a stored text must not write to the terminal what it likes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is sought
const CONTROL = /\x1b(?!\[\d+m)|[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g

/** Writes a piece of output, and waits where its reader is slow. */
export function print(piece: string): Promise<void> | undefined {
  const { stdout } = process
  if (!stdout.listeners('error').includes(unread)) stdout.on('error', unread)
  return stdout.write(piece) ? undefined : new Promise((goOn) => void stdout.once('drain', goOn))
}

/** `head` or a pager closes the pipe early, which is not an error. */
const unread = ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1)

/** A stored instant as people read it. */
export const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** The creator as people read it, where that was the command line. */
export const creatorInWords = (name: string) => (name === COMMAND_LINE ? 'command line' : name)

/** Styles text only on a terminal and without `NO_COLOR`. */
export const styled = (style: Parameters<typeof styleText>[0], text: string) =>
  process.getBuiltinModule('node:util').styleText(style, text, { stream: process.stdout })

type Cell = string | number | undefined

/** A table for people. If it is empty, prints what is missing and how to create it. */
export function table(headers: readonly string[], rows: ReadonlyArray<readonly Cell[]>, nothing: string): string[] {
  if (rows.length === 0) return [nothing]
  const texts = rows.map((row) => row.map((cell) => String(cell ?? '–').replaceAll('\n', ' ⏎ ')))
  const widths = headers.map((header, column) =>
    Math.max(...[header, ...texts.map((row) => row[column] ?? '')].map((text) => Bun.stringWidth(text))),
  )
  const line = (cells: readonly string[]) => cells.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join('  ')
  return [styled('bold', line(headers).trimEnd()), ...texts.map((row) => line(row).trimEnd())]
}

/** Pads to a display width: Korean characters take two columns, style codes none. */
const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))

/** A failure of the command line itself. */
export class Failure extends Error {
  override name = 'Failure'
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** Failure of a command that works on data folders only; `instead` says what to do on PostgreSQL. */
export const notEmbedded = (what: string, instead: string) =>
  new Failure('not_embedded', `${what}; WATCHWORD_DATABASE_URL names a PostgreSQL: ${instead}.`)

/** Exit words by the name of the error. A `Refusal` has its own kind. */
const CODES: Readonly<Record<string, string>> = {
  ConfigError: 'config',
  KeyFileError: 'config',
  WrongSecretError: 'wrong_secret',
  NewerDatabaseError: 'newer_database',
  ForeignDatabaseError: 'foreign_database',
  ChangedMigrationError: 'changed_migration',
  DamagedDatabaseError: 'damaged_database',
  AlreadyServedError: 'already_served',
  MovedError: 'moved',
  SQLiteError: 'database',
  PostgresError: 'database',
  OldServerError: 'old_database',
  UnreachableError: 'database',
  InheritedSocketError: 'socket',
}

export interface Ending {
  exitCode: 0 | 1 | 2
  code: string
  message: string
  /** A hint for people, added to the message. */
  hint: string
}

const HINT = '(add --help for what is possible)'

/**
 * The end of a command that did not succeed: exit code 2 for a wrong command line, 1 for a refusal or failure. Scripts
 * get a stable word, and people a line.
 */
export function endingOf(error: unknown): Ending {
  if (error instanceof CommanderError) return usage(error)
  if (error instanceof ConfigError && error.isUsage) return { ...failed('usage', error.message), exitCode: 2 }
  if (error instanceof Refusal) return failed(error.kind, error.message)
  if (error instanceof Failure || error instanceof MoveError) return failed(error.code, error.message)
  if (!(error instanceof Error)) return failed('defect', String(error))
  const code = CODES[error.name] ?? ('code' in error ? 'system' : undefined)
  // Operator and environment errors print one line. Only a defect prints a stack trace.
  return code === undefined ? failed('defect', error.stack ?? error.message) : failed(code, error.message)
}

const failed = (code: string, message: string): Ending => ({ exitCode: 1, code, message, hint: '' })

function usage({ code, exitCode, message }: CommanderError): Ending {
  // Commander has already printed the help or the version.
  if (exitCode === 0) return { exitCode: 0, code: '', message: '', hint: '' }
  if (code === 'commander.help') return { exitCode: 2, code: 'usage', message: 'a command is missing', hint: '' }
  // If commander could not parse the line, the command is unknown.
  const [, said] = /^error: (.*)$/s.exec(message) ?? []
  return { exitCode: 2, code: 'usage', message: said ?? message, hint: said === undefined ? '' : HINT }
}

/** The failure as a log line. */
export async function logEnding(error: unknown, { code, message }: Ending): Promise<void> {
  const { createLog } = await import('../system/log')
  const log = createLog('error')
  const { err, sqlState } = errorFields(error)
  log.error({ err, code, ...(sqlState && { sqlState }) }, message)
  await log.end()
}
