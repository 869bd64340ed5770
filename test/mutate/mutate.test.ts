/** The maker of mutants: what it changes, and that it tells a test that bites from one that does not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../support/random'
import { applied, isParsed, parse, sitesOf } from './changes'
import { draw, filesOf } from './mutant'
import { mutate } from './mutate'

const ROOT = join(import.meta.dir, '../..')

/** Every line that one change can make of this one. */
const changesOf = (code: string) =>
  sitesOf(parse('x.ts', code))
    .flat()
    .map((change) => applied(code, change))

describe('a change', () => {
  test.each([
    ['a < b', ['a <= b']],
    ['a === b', ['a !== b']],
    ['a && b', ['a || b']],
    ['a - b', ['a + b']],
    ['a ?? b', ['a']],
    ['!a', ['a']],
    ['a = true', ['a = false']],
    ['a = 3', ['a = 4', 'a = 6', 'a = 0']],
    ['a ? b : c', ['a ? c : b']],
    ['a = b.some(c)', ['a = b.every(c)']],
    ['a = b.filter(c)', ['a = b']],
    ['a = Math.min(b, c)', ['a = Math.max(b, c)']],
    ['await a()', [';']],
    ['if (a) b = c', ['if (!(a)) b = c']],
    [
      'const f = () => { if (a !== b) return c\nreturn d }',
      expect.arrayContaining([expect.stringContaining(') ;\nreturn d')]),
    ],
    ['a = { b: c, d }', ['a = { d }', 'a = { b: c,  }']],
    ['a = { b, c, }', ['a = { c, }', 'a = { b,  }']],
  ])('of %p', (code, changed) => {
    expect(changesOf(code)).toEqual(changed)
  })

  test.each([
    ["import { a } from 'b'"],
    ['type A = { b: true; c: 3 }'],
    ['let a: 1 | 2'],
    ["a = 'b'"],
    ["a = { description: 'b' + (c + 1) }"],
    ['app.log.info({ a: 1 })'],
    ["a = new RangeError('below ' + (b + 1))"],
    ['a = { 1: b }.toString()'],
  ])('is not made of %p beyond its members', (code) => {
    expect(changesOf(code).filter((changed) => changed !== 'a = {  }.toString()')).toEqual([])
  })

  test('leaves code that can be read, wherever in the product it is made', () => {
    const random = seededRandom(1)
    const files = ['domain', 'usecases', 'http', 'console', 'root'].flatMap((room) => filesOf(ROOT, room))
    const broken = files.flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      const sites = sitesOf(parse(path, text))
      const changes = sites.length === 0 ? [] : Array.from({ length: 2 }, () => random.pick(random.pick(sites)))
      return changes
        .filter((change) => !isParsed(parse(path, applied(text, change))))
        .map(({ start, end }) => `${path}: ${text.slice(start, end)}`)
    })
    expect(broken).toEqual([])
  })
})

describe('in a small project', () => {
  const project = {
    'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src"] }',
    'src/domain/age.ts': [
      'export const isAdult = (age: number) => age > 17',
      'export const isChild = (age: number) => age < 12',
      'export const doubled = (age: number): string => String(age) + age',
    ].join('\n'),
    'test/simulation/run.ts': '',
    'test/domain/age.test.ts': [
      "import { expect, test } from 'bun:test'",
      "import { isAdult, isChild } from '../../src/domain/age'",
      "test('an adult is eighteen', () => expect([isAdult(17), isAdult(18)]).toEqual([false, true]))",
      "test('a child is small', () => expect([isChild(3), isChild(40)]).toEqual([true, false]))",
    ].join('\n'),
  }
  let root: string
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'watchword-mutate-test-'))
    for (const [path, text] of Object.entries(project)) await Bun.write(join(root, path), text)
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  })
  afterAll(() => rmSync(root, { recursive: true }))
  const of = (seed: number, count = 3) => ({ root, room: 'domain', seed, count })

  test('the same seed makes the same mutants, another seed others', () => {
    expect(draw(of(7))).toEqual(draw(of(7)))
    expect(draw(of(7))).not.toEqual(draw(of(8)))
  })

  test('what the compiler refuses is not drawn, nor what is known to change nothing', () => {
    const drawn = draw(of(1, 100))
    expect(drawn.map(({ line }) => line).toSorted()).toEqual([1, 1, 2, 2])
    const [{ was = '', is = '' } = {}] = drawn
    const equivalents = [{ file: 'src/domain/age.ts', was, is, because: 'a test says so' }]
    expect(draw({ ...of(1, 100), equivalents }).some((mutant) => mutant.is === is)).toBe(false)
  })

  test('an edge that a test holds fast is killed, by that test; one that none holds survives, and the project stays as it is', async () => {
    const said: string[] = []
    const verdicts = await mutate({ ...of(1, 100), tell: (line) => said.push(line) })
    const of17 = verdicts.find(({ mutant }) => mutant.is.endsWith('>= 17'))
    expect(of17?.killedBy).toBe('test/domain/age.test.ts: an adult is eighteen')
    expect(verdicts.find(({ mutant }) => mutant.is.endsWith('<= 12'))?.killedBy).toBeUndefined()
    expect(said.join('\n')).toContain(
      '-export const isChild = (age: number) => age < 12\n+export const isChild = (age: number) => age <= 12',
    )
    expect(await Bun.file(join(root, 'src/domain/age.ts')).text()).toBe(project['src/domain/age.ts'])
  })
})
