/** Where the master secret comes from, and what is refused before anything is opened by it. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SecretSource } from '../../src/ports/vault'
import {
  exposedKeyFile,
  KeyFileError,
  keyFileIn,
  masterSecret,
  nextKeyFile,
  placeNextKeyFile,
} from '../../src/system/secret'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const SECRET = 'what is in the file, and long enough for it'
const folder = mkdtempSync(join(tmpdir(), 'watchword-secret-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const logged: object[] = []
const log = { warn: (fields: object) => void logged.push(fields) }

const secretOf = (source: SecretSource | undefined, withinMs = HANGS_AFTER_MS) =>
  Buffer.from(masterSecret(folder, source, { isNew: false, log, withinMs })).toString()

function refusalOf(source: SecretSource | undefined, withinMs?: number): string {
  try {
    return secretOf(source, withinMs)
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error
    return error.message
  }
}

const program = (...command: string[]): SecretSource => ({ setting: 'WATCHWORD_SECRET_COMMAND', command })
const bun = (script: string) => program(process.execPath, '-e', script)

describe('a program', () => {
  test('prints it, and what it is given means nothing to a shell', () => {
    expect(secretOf(program('printf', '%s\n', SECRET))).toBe(SECRET)
    expect(secretOf(program('printf', '%s', `$HOME; echo '${SECRET}' | cat`))).toBe(`$HOME; echo '${SECRET}' | cat`)
  })

  test.each([
    ['is not there', program('no-such-program-anywhere'), 'cannot be run (ENOENT)'],
    ['fails, whatever it has printed', bun(`console.log('${SECRET}'); process.exit(3)`), 'has failed (3)'],
    ['prints too little', program('echo', 'short'), 'less than 32 characters'],
    ['prints without end', program('yes', SECRET), 'cannot be run (ENOBUFS)'],
  ])('is refused that %s, and nothing of it is told', (_, source, said) => {
    const refusal = refusalOf(source)
    expect(refusal).toContain(`WATCHWORD_SECRET_COMMAND: `)
    expect(refusal).toContain(said)
    expect(refusal).not.toContain(SECRET)
  })

  test('is not waited for without end', () => {
    expect(refusalOf(program('sleep', '3600'), 50)).toContain('has printed nothing in time')
  })
})

const modes = (file: string, of: number[], see: () => unknown) =>
  of.map((mode) => {
    chmodSync(file, mode)
    return see()
  })

describe('a file that is given', () => {
  const file = join(folder, 'mounted')
  const source: SecretSource = { setting: 'WATCHWORD_SECRET_FILE', file }

  test('is read without its line end', () => {
    writeFileSync(file, `${SECRET}\n`)
    expect(secretOf(source)).toBe(SECRET)
    writeFileSync(file, 'short\n')
    expect(refusalOf(source)).toBe(`WATCHWORD_SECRET_FILE: the file ${file} holds less than 32 characters`)
    expect(refusalOf({ ...source, file: `${file}-elsewhere` })).toContain('cannot be read')
  })

  test('may be as containers mount it; where everybody can change it, it is refused', () => {
    writeFileSync(file, SECRET)
    expect(modes(file, [0o400, 0o440, 0o444, 0o660], () => refusalOf(source))).toEqual(Array(4).fill(SECRET))
    expect(modes(file, [0o666, 0o602], () => refusalOf(source))).toEqual(
      Array(2).fill(`Everybody can change the key file: ${file}; chmod 600 ${file}`),
    )
    const exposed = () => exposedKeyFile(folder, source) !== undefined
    expect(modes(file, [0o400, 0o440, 0o444], exposed)).toEqual([false, false, true])
  })
})

test('the key file of the data folder is for its owner; a volume may give it to a group', () => {
  const file = keyFileIn(folder)
  writeFileSync(file, SECRET)
  expect(modes(file, [0o600, 0o640, 0o660], () => refusalOf(undefined))).toEqual(Array(3).fill(SECRET))
  expect(modes(file, [0o604, 0o644], () => refusalOf(undefined))).toEqual(
    Array(2).fill(`Everybody can read the key file: ${file}; chmod 600 ${file}`),
  )
  expect(modes(file, [0o600, 0o640], () => exposedKeyFile(folder, undefined))).toEqual([undefined, file])
  expect(exposedKeyFile(folder, program('any'))).toBeUndefined()
  expect(logged).toEqual([])
})

test('of two that put the next key file in place one does, and the other is told', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-next-'))
  const next = nextKeyFile(folder)
  expect(nextKeyFile(folder)).toEqual(next)
  expect([placeNextKeyFile(folder), placeNextKeyFile(folder)]).toEqual([true, false])
  rmSync(folder, { recursive: true })
})
