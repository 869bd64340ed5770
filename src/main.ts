#!/usr/bin/env bun
/** The program: arguments in, exit codes out. */
import { endingOf, logEnding } from './cli/output'
import { createProgram } from './cli/program'

// Files that this program writes are readable by its user only.
process.umask(0o077)

const isJson = process.argv.includes('--json')

try {
  const program = await createProgram({ isJson, words: process.argv.slice(2) })
  await program.parseAsync()
} catch (error) {
  const ending = endingOf(error)
  const { exitCode, code, message, hint } = ending
  // A failed start is a line of the server's log, so that log collectors can read it.
  if (exitCode === 1 && process.argv[2] === 'serve' && !process.stderr.isTTY) await logEnding(error, ending)
  else if (exitCode > 0) {
    const text = isJson ? JSON.stringify({ error: { code, message } }) : [message, hint].filter(Boolean).join('\n')
    process.stderr.write(`${text}\n`)
  }
  process.exit(exitCode)
}
