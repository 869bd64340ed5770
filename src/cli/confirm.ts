/** What cannot be undone is asked about first. */
import { InvalidArgumentError, Option } from 'commander'
import { Failure } from './failure'

export interface Confirmable {
  yes?: boolean
}

export const YES = 'do not ask; needed where there is no terminal to ask on'
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
