/** When a data folder is a new service, when it is a mistake, and when it is a loss. */
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program'
import { createDatabase } from '../../src/store/sqlite/open'
import { HANGS_AFTER_MS } from '../support/until'
import { runHere } from './in-process'
import { newFolder, type Program, programIn, run, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const undo: Array<() => unknown> = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

interface Place {
  program: Program
  data: string
}

function newPlace(env: Record<string, string> = {}): Place {
  const { path, remove } = newFolder()
  undo.push(remove)
  return { program: programIn(path, env), data: join(path, 'watchword-data') }
}

const SECRET: Record<string, string> = { WATCHWORD_SECRET: 'a secret of at least thirty-two characters' }
const DATABASE = ['watchword.db', 'watchword.db-wal', 'watchword.db-shm']

const LOST = /^There is a key file in .* no database of it.*restore FILE.*--new/

/** A service that has an app, and has lost its database. */
async function newLoss(): Promise<Place> {
  const place = newPlace()
  await runJson(place.program, 'app', 'create', 'shop')
  for (const name of DATABASE) rmSync(join(place.data, name), { force: true })
  return place
}

async function refusal(program: Program, ...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(program, ...args)
  expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 1, stdout: '' })
  // A server that cannot start says so in its log.
  return stderr.startsWith('{') ? JSON.parse(stderr).msg : stderr
}

async function starts({ program }: Place, ...args: string[]): Promise<void> {
  const server = await Server.start(program, ...args)
  expect(await server.stop()).toBe(0)
}

describe('a key file without its database', () => {
  test('is a loss: nothing starts, nothing is made, and it is said how to go on', async () => {
    const { program, data } = await newLoss()
    const before = readdirSync(data)
    for (const args of [['serve'], ['quickstart'], ['app', 'create', 'other'], ['app', 'list']])
      expect(await refusal(program, ...args)).toMatch(LOST)
    expect(JSON.parse((await run(program, 'app', 'list', '--json')).stderr).error.code).toBe('lost_database')
    expect(readdirSync(data)).toEqual(before)
  })

  test('or with an empty one, is a loss too, also where a secret is set', async () => {
    const { program, data } = await newLoss()
    const withSecret = { ...program, env: SECRET }
    expect(await refusal(withSecret, 'serve')).toMatch(LOST)
    writeFileSync(join(data, 'watchword.db'), '')
    expect(await refusal(program, 'serve')).toMatch(LOST)
    const withoutTables = new Database(join(data, 'watchword.db'))
    withoutTables.run('PRAGMA user_version = 0')
    withoutTables.run('VACUUM')
    withoutTables.close()
    expect(await refusal(program, 'serve')).toMatch(LOST)
  })

  test('is a new service where --new says so, once, under the same key file', async () => {
    const place = await newLoss()
    const secret = readFileSync(join(place.data, 'watchword.secret'), 'utf8')
    await starts(place, '--new')
    expect(readFileSync(join(place.data, 'watchword.secret'), 'utf8')).toBe(secret)
    expect(await runJson(place.program, 'app', 'list')).toEqual({ apps: [] })
    await starts(place)
    expect(await refusal(place.program, 'serve', '--new')).toMatch(/^--new is for a folder without a database/)
  })

  test('takes a backup back', async () => {
    const { program, data } = newPlace()
    await runJson(program, 'app', 'create', 'shop')
    const { name } = await runJson(program, 'backup')
    for (const file of DATABASE) rmSync(join(data, file), { force: true })
    await runJson(program, 'restore', join(data, 'backups', name), '--yes')
    expect((await runJson(program, 'app', 'list')).apps).toMatchObject([{ name: 'shop' }])
  })
})

describe('a first start', () => {
  test('is one in a folder that is not there, or empty, with a secret in the environment and without', async () => {
    for (const env of [{}, SECRET]) {
      for (const isThere of [false, true]) {
        const place = newPlace(env)
        if (isThere) mkdirSync(place.data)
        await starts(place)
        await starts(place)
      }
    }
  })

  test('that was killed before its key file was made, or after, is taken up by the next', async () => {
    for (const hasKeyFile of [false, true]) {
      const place = newPlace()
      mkdirSync(place.data)
      createDatabase(join(place.data, 'watchword.db'))
      const keyFile = join(place.data, 'watchword.secret')
      if (hasKeyFile) writeFileSync(keyFile, SECRET.WATCHWORD_SECRET ?? '', { mode: 0o600 })
      await starts(place)
      await starts(place)
    }
  })

  test('whose database cannot be made has made no key file, which would look like a loss', async () => {
    const { program, data } = newPlace()
    mkdirSync(data)
    symlinkSync('/nowhere/at/all.db', join(data, 'watchword.db'))
    expect((await run(program, 'serve')).exitCode).toBe(1)
    expect(readdirSync(data)).toEqual(['watchword.db'])
  })
})

const everyCommand = await createProgram({ isJson: false })

/** Every command on a data folder, by its words, with something for each argument and option that it wants. */
function commandsOnData(): string[][] {
  const all = (command: Command, words: string[]): string[][] =>
    command.commands.length > 0
      ? command.commands.flatMap((child) => all(child, [...words, child.name()]))
      : command.options.some(({ long }) => long === '--data')
        ? [[...words, ...command.registeredArguments.filter(({ required }) => required).map(given), ...wanted(command)]]
        : []
  return all(everyCommand, [])
}

const VALUES: Record<string, string> = {
  amount: '1',
  limit: '1',
  kind: 'sk',
  mode: 'test',
  channel: 'sms',
  type: 'http',
  role: 'viewer',
  source: 'plain',
  by: 'slack',
  url: 'https://a.example/',
  events: 'otp.sent',
  to: '010-1234-5678',
  scopes: 'apps:read',
}

const given = (argument: { name(): string }) => VALUES[argument.name()] ?? 'something'

/** Of options of which one or another is wanted, which none alone is. */
const CHOSEN: Record<string, readonly string[]> = { 'credit refund': ['--app', 'something', '--issue', 'something'] }

const wanted = (command: Command) =>
  command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap((option) => [option.long ?? '', VALUES[option.attributeName()] ?? 'something'])
    .concat(CHOSEN[`${command.parent?.name()} ${command.name()}`] ?? [])

/** So manyeth of what would take a program each is asked of the program. */
const SOME = 8

describe('a folder without a database', () => {
  const MAKERS = ['serve', 'quickstart', 'app create', 'apply']
  const isMaker = (words: string[]) => MAKERS.some((maker) => words.join(' ').startsWith(maker))
  const others = commandsOnData().filter((words) => !isMaker(words) && words[0] !== 'doctor' && words[0] !== 'restore')

  test('is an error to every command that does not begin an installation, and stays as it is', async () => {
    const { program } = newPlace()
    expect(others.length).toBeGreaterThan(30)
    const codes: Array<[string, string]> = []
    for (const [n, words] of others.entries()) {
      // Some by the program itself, and those that read from their input.
      const isByProgram = n % SOME === 0 || words[0] === 'privacy'
      const codeOf = async () => JSON.parse((await run(program, ...words, '--json')).stderr).error.code
      codes.push([words.join(' '), isByProgram ? await codeOf() : (await runHere(program, ...words)).code])
    }
    expect(codes.filter(([, code]) => code !== 'no_database')).toEqual([])
    expect(readdirSync(program.cwd)).toEqual([])
  })

  test('is where an installation may begin with its first app', async () => {
    const { program } = newPlace()
    const { appId } = await runJson(program, 'app', 'create', 'shop')
    expect((await runJson(program, 'app', 'list')).apps).toMatchObject([{ appId }])
  })
})
