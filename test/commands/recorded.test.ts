/**
 * Every command that administers, as it answered before it was made from data: `recorded.txt` has the lines, and what each
 * printed. Clock and random source are pinned, so that the answers are the same to the letter.
 *
 * To record: write the new line into the file, and run this test with WATCHWORD_RECORD=1. In a new line `@keyId` is what a
 * line above answered under that name.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, setSystemTime, spyOn, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { complete } from '../../src/cli/completion'
import { open } from '../../src/cli/open'
import { endingOf } from '../../src/cli/output'
import { createProgram } from '../../src/cli/program'
import { systemPasswords } from '../../src/system/passwords'
import { systemRandom } from '../../src/system/vault'
import { invite, join as joinPeople } from '../../src/usecases/people'
import { APP, attemptOf, NOW, SECRET, settled, uuidAt } from '../store/sample'
import { scratch } from '../support/laid-out'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const FILE = join(import.meta.dir, 'recorded.txt')
const isRecording = process.env.WATCHWORD_RECORD !== undefined

/** Groups that are made from data. */
const GROUPS = [
  ...[
    'app',
    'key',
    'credit',
    'provider',
    'route',
    'plan',
    'incident',
    'template',
    'webhook',
    'operator',
    'audit',
    'privacy',
    'issue',
    'queue',
  ],
]

interface Call {
  section: string
  line: string
  said: string
}

/** `# section`, `$ line`, and below a line what it printed. */
function readCalls(text: string): Call[] {
  const calls: Call[] = []
  let section = ''
  for (const line of text.split('\n')) {
    const last = calls.at(-1)
    if (line.startsWith('# ')) section = line.slice(2)
    else if (line.startsWith('$ ')) calls.push({ section, line: line.slice(2), said: '' })
    else if (last && line !== '') last.said += `${line}\n`
  }
  return calls
}

const writeCalls = (calls: readonly Call[]) =>
  [...new Set(calls.map(({ section }) => section))]
    .map((section) => {
      const own = calls.filter((call) => call.section === section)
      return `# ${section}\n\n${own.map(({ line, said }) => `$ ${line}\n${said}`).join('\n')}`
    })
    .join('\n')

const folder = mkdtempSync(join(scratch, 'watchword-recorded-'))
const before = { ...process.env }
const terminals = [process.stdin, process.stdout].map((stream) => ({ stream, isTTY: stream.isTTY }))
const carrier = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ id: 'message-1' }) })

/** What is another one at each run, by the words that stand for it in the file. */
const PLACES = { '{dir}': folder, '{carrier}': carrier.url.origin, '{host}': carrier.url.host }

function withPlaces(line: string): string {
  return Object.entries(PLACES).reduce((text, [word, place]) => text.replaceAll(word, place), line)
}

function withoutPlaces(text: string): string {
  const named = Object.entries(PLACES).reduce((all, [word, place]) => all.replaceAll(place, word), text)
  return named
    .replace(/"latencyMs":\d+/g, '"latencyMs":0')
    .replace(/after \d+ ms/g, 'after 0 ms')
    .replace(/\b[0-9a-f]{16,}\b/g, '(hash)')
}

/** Bytes that follow from a text; each text has its own. */
function pinRandom(seed: string): void {
  let drawn = 0
  const bytes = (length: number) => {
    const block = () => createHash('sha512').update(`${seed} ${drawn++}`).digest()
    return Buffer.concat(Array.from({ length: Math.ceil(length / 64) }, block)).subarray(0, length)
  }
  spyOn(systemRandom, 'bytes').mockImplementation(bytes)
  spyOn(systemRandom, 'below').mockImplementation((max) => bytes(6).readUIntBE(0, 6) % max)
  spyOn(systemRandom, 'uuid').mockImplementation((now) => uuidAt(now, bytes(6).readUIntBE(0, 6)))
}

beforeAll(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('WATCHWORD_')) delete process.env[name]
  Object.assign(process.env, { WATCHWORD_DATA: join(folder, 'data'), WATCHWORD_SECRET: SECRET, NO_COLOR: '1' })
  for (const { stream } of terminals) Object.defineProperty(stream, 'isTTY', { value: false, configurable: true })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  setSystemTime(NOW)
  pinRandom('beginning')
  await furnishAll()
})
afterAll(async () => {
  for (const { stream, isTTY } of terminals)
    Object.defineProperty(stream, 'isTTY', { value: isTTY, configurable: true })
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  process.exitCode = 0
  setSystemTime()
  for (const method of ['bytes', 'below', 'uuid'] as const) spyOn(systemRandom, method).mockRestore()
  await carrier.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

/** What lines read. */
const FILES: Readonly<Record<string, string>> = {
  'number.txt': '+82 10-1234-5678\n',
  'empty.txt': '\n',
  'long.txt': '1'.repeat(2_000),
  'vendor.secret': 'secret-at-the-vendor\n',
  'body.txt': 'From a file: #{code}\n',
  'hook.json': '{"text":"{{type}}: {{data.id}}"}',
  'carrier.json': '{"accountSid":"AC0123456789abcdef0123456789abcdef","authToken":"token","from":"+15005550006"}',
  'key.json': '{"headers":{"X-Api-Key":"new"}}',
  'list.json': '[1]',
  'broken.json': '{',
}

/** An app with two charged issues of which nobody knows whether they arrived, an incident, and an operator. */
async function furnishAll(): Promise<void> {
  const opened = await open({ LOG_LEVEL: 'warn' }, { makes: true })
  const { store, vault, clock } = opened
  const people = { store, vault, clock, random: systemRandom, passwords: systemPasswords }
  await store.transaction(async (tx) => {
    await tx.apps.organizationId({ organizationId: APP.organizationId, name: 'Default' })
    await tx.apps.add(APP)
    for (const n of [1, 2, 3]) {
      const issue = settled(n, { purpose: 'signup', ...(n < 3 && { providerOutcomeAmbiguous: true }) })
      await tx.issues.add(issue)
      await tx.attempts.add(attemptOf(issue, 1))
    }
    for (const [n, country] of [
      [7, 'GB'],
      [8, ''],
    ] as const)
      await tx.traffic.saveIncident({
        ...{ incidentId: uuidAt(NOW, n), appId: APP.appId, kind: 'pk', country, since: NOW, lastAt: NOW + 1 },
        ...{
          endedAt: undefined,
          isBlocked: true,
          refused: 3,
          rules: ['cap', 'country_unverified'],
          pausedUntil: NOW + 900_000,
        },
        ...{ pauses: 1, cost: 4, refunded: undefined },
      })
  })
  const { token } = await invite(people, { name: 'cli' }, { role: 'owner' })
  const ann = { token, name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
  await joinPeople(people, {}, ann)
  await store.close()
}

const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** What a line prints, as the program itself does it; then what it says on standard error, and how it exits. */
async function say(line: string): Promise<string> {
  const words = wordsOf(withPlaces(line))
  const isJson = words.includes('--json')
  const printed = { stdout: '', stderr: '' }
  const writings = (['stdout', 'stderr'] as const).map((name) =>
    spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += text
      return true
    }),
  )
  process.exitCode = 0
  let exitCode = 0
  try {
    if (words[0] === 'complete') printed.stdout += await completed(words.slice(1))
    else await (await createProgram({ isJson, words })).parseAsync(words, { from: 'user' })
    exitCode = Number(process.exitCode)
  } catch (error) {
    const { exitCode: code, code: kind, message, hint } = endingOf(error)
    exitCode = code
    if (code > 0) printed.stderr += isJson ? `${kind}: ${message}` : [message, hint].filter(Boolean).join('\n')
  } finally {
    for (const writing of writings) writing.mockRestore()
    process.exitCode = 0
  }
  const { stdout, stderr } = printed
  return withoutPlaces(
    [stdout, stderr && `stderr: ${stderr}`, exitCode > 0 && `exit: ${exitCode}`].filter(Boolean).join('\n'),
  )
    .split('\n')
    .filter((said) => said.trim() !== '')
    .map((said) => `  ${said}\n`)
    .join('')
}

async function completed(words: string[]): Promise<string> {
  const found = await complete(await createProgram({ isJson: false }), words)
  return typeof found === 'string' ? found : found.map(({ id }) => id).join(' ')
}

/** In a line that is to be recorded: what was answered above. */
const answered: Record<string, string> = {}
function withAnswers(line: string): string {
  return line.replace(/(?<= )@(\w+)/g, (word, name: string) => answered[name] ?? word)
}
function remember(said: string): void {
  const json = said.split('\n').find((line) => line.startsWith('  {'))
  if (json?.endsWith('}')) Object.assign(answered, JSON.parse(json))
}

const recorded = existsSync(FILE) ? readCalls(readFileSync(FILE, 'utf8')) : []
const now: Call[] = []

beforeAll(async () => {
  const times = new Map<string, number>()
  for (const [index, { section, line: written }] of recorded.entries()) {
    setSystemTime(NOW + 10_000 * (index + 1))
    const line = isRecording ? withAnswers(written) : written
    const time = (times.get(line) ?? 0) + 1
    times.set(line, time)
    pinRandom(`${line} ${time}`)
    const said = await say(line)
    now.push({ section, line, said })
    if (isRecording) remember(said)
  }
  if (isRecording) writeFileSync(FILE, writeCalls(now))
})

describe.skipIf(isRecording)('as it was recorded', () => {
  const sections = [...new Set(recorded.map(({ section }) => section))]
  const of = (calls: readonly Call[], section: string) =>
    calls.filter((call) => call.section === section).map(({ line, said }) => `$ ${line}\n${said}`)

  test.each(sections.map((section) => [section] as const))('%s', (section) => {
    expect(of(now, section)).toEqual(of(recorded, section))
  })
})

/** Options that say which installation is meant. */
const WHERE = ['--data', '--server', '--token-file']

test.skipIf(isRecording)(
  'every command of the groups is recorded: with an answer, with JSON, with a mistake and with its help',
  async () => {
    const program = await createProgram({ isJson: false })
    const leaves = program.commands.filter((command) => GROUPS.includes(command.name())).flatMap(leavesOf)
    expect(leaves.length).toBeGreaterThan(50)
    for (const { path, command } of leaves) {
      const calls = recorded.filter(({ line }) => `${line} `.startsWith(`${path} `))
      const isHelp = ({ line }: Call) => line.endsWith(' --help')
      const isWrong = ({ said }: Call) => said.includes('exit: ')
      const isAnswer = (call: Call) => !isHelp(call) && !isWrong(call)
      const isJson = ({ line }: Call) => line.includes(' --json')
      const unseen = command.options.filter(({ long }) => !calls.some(({ line }) => `${line} `.includes(` ${long} `)))
      expect({
        path,
        help: calls.some(isHelp),
        wrong: calls.some(isWrong),
        json: calls.some((call) => isAnswer(call) && isJson(call)),
        human: calls.some((call) => isAnswer(call) && !isJson(call)),
        unseen: unseen.map(({ long }) => long).filter((long) => !WHERE.includes(long ?? '')),
      }).toEqual({ path, help: true, wrong: true, json: true, human: true, unseen: [] })
    }
  },
)

const leavesOf = (command: Command): Array<{ path: string; command: Command }> =>
  command.commands.length === 0
    ? [{ path: pathOf(command), command }]
    : command.commands.filter((one) => one.name() !== 'help').flatMap(leavesOf)

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
