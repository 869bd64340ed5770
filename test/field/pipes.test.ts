/**
 * Commands whose reader goes away, as with `| head`: oven-sh/bun#7251, nicknisi/sessions#44, vercel/vercel#17528. Right: what POSIX
 * says of SIGPIPE, that the writer ends, and quietly.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, programIn, run, runJson } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
const numberFile = join(folder.path, 'number.txt')

beforeAll(async () => {
  await runJson(program, 'app', 'create', 'demo')
  writeFileSync(numberFile, '+821012345678\n')
})
afterAll(folder.remove)

test.each([
  ['privacy', 'export', '--phone-file', numberFile],
  ['provider', 'types', '--json'],
  ['audit', 'list'],
  ['completion', 'bash'],
])('%s %s ends when nobody reads it', async (...words) => {
  const line = [...program.command, ...words].map((word) => `'${word}'`).join(' ')
  const script = `{ ${line}; echo "ended with $?" >&2; } | true`
  const { stderr } = await run({ ...program, command: ['sh', '-c', script] })
  expect(stderr.replace(/^\{.*\n/gm, '')).toBe('ended with 0\n')
})
