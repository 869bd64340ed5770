/**
 * Commands that run in the process of the test: what a test begins with, and lists of mistakes, where each would start a
 * program. That the program itself ends and prints in this way is tested with some of each list.
 */
import { spyOn } from 'bun:test'
import { join } from 'node:path'
import { endingOf } from '../../src/cli/output'
import { createProgram } from '../../src/cli/program'
import type { Ended, Json, Program } from './support'

type EndedHere = Ended & { code: string }

/** What is printed and the environment are of the whole process, so that tests take turns. */
let turn: Promise<unknown> = Promise.resolve()

/** As `run` with `--json` and the data folder alone, but that `stderr` holds only the message. */
export function runHere({ cwd }: Program, ...args: string[]): Promise<EndedHere> {
  const ended = turn.then(() => perform(join(cwd, 'watchword-data'), [...args, '--json']))
  turn = ended
  return ended
}

/** The one JSON object that a command answers. */
export async function jsonHere(program: Program, ...args: string[]): Promise<Json> {
  const { exitCode, stdout, stderr } = await runHere(program, ...args)
  if (exitCode !== 0) throw new Error(`${args.join(' ')} exited with ${exitCode}: ${stderr}`)
  return JSON.parse(stdout)
}

async function perform(dataFolder: string, words: string[]): Promise<EndedHere> {
  let stdout = ''
  const writing = spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text
    return true
  })
  const before = process.env.WATCHWORD_DATA
  process.env.WATCHWORD_DATA = dataFolder
  try {
    const program = await createProgram({ isJson: true, words })
    await program.parseAsync(words, { from: 'user' })
    return { exitCode: 0, code: '', stdout, stderr: '' }
  } catch (error) {
    const { exitCode, code, message } = endingOf(error)
    return { exitCode, code, stdout, stderr: message }
  } finally {
    writing.mockRestore()
    if (before === undefined) delete process.env.WATCHWORD_DATA
    else process.env.WATCHWORD_DATA = before
  }
}
