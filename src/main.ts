#!/usr/bin/env bun
/** The program: arguments in, exit codes out. */
import { CommanderError } from 'commander'
import { createProgram } from './cli/program'

/** Mistakes of the operator and of the environment are told in a line; only a defect shows where it happened. */
const isReadable = (error: Error) =>
  [
    'Refusal',
    'ConfigError',
    'WrongSecretError',
    'NewerDatabaseError',
    'ForeignDatabaseError',
    'AlreadyServedError',
    'SQLiteError',
  ].includes(error.name) ||
  error instanceof CommanderError ||
  'code' in error

// Whatever this program writes is nobody else's business.
process.umask(0o077)

try {
  await createProgram().parseAsync()
} catch (error) {
  if (!(error instanceof Error)) throw error
  process.stderr.write(`${isReadable(error) ? error.message : error.stack}\n`)
  process.exit(1)
}
