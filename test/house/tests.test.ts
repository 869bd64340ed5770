/** How tests are written: none of them waits for real time but those whose subject it is. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** They play the part of something that lives in real time: a load, a carrier, a proxy, a database. The list may only shrink. */
const LIVE_IN_REAL_TIME = [
  'test/binary/deploy/',
  'test/binary/torture/',
  'test/fuzz/',
  'test/runner/stress.ts',
  'test/simulation/nodes/engine.ts',
  'test/support/counting-wire.ts',
  'test/support/haproxy.ts',
  'test/support/patroni.ts',
  'test/support/pgbouncer.ts',
  'test/support/postgres.ts',
  'test/support/raw.ts',
  'test/support/until.ts',
]

const all = [...new Glob('test/**/*.{ts,tsx}').scanSync(ROOT)]
  .filter((path) => path !== 'test/house/tests.test.ts')
  .sort()

const files = all
  .filter((path) => !path.endsWith('.realtime.test.ts'))
  .filter((path) => !LIVE_IN_REAL_TIME.some((start) => path.startsWith(start)))

/** Lines of the files that a pattern finds, comments aside. */
const linesWith = (pattern: RegExp, paths = files) =>
  paths.flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, index) =>
        !/^\s*(\/\/|\*|\/\*)/.test(line) && pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  )

describe('outside of *.realtime.test.ts', () => {
  test('nothing waits for a time', () => {
    expect(linesWith(/\b(?:setTimeout|setInterval|sleep|sleepSync|waitForTimeout)\(/)).toEqual([])
  })

  test('nothing reads how long something took', () => {
    const tests = files.filter((path) => path.endsWith('.test.ts'))
    expect(linesWith(/\bperformance\.now\(\)/, tests)).toEqual([])
  })

  test('no expectation holds the real clock, or a latency, against a number', () => {
    expect(
      linesWith(/\bexpect\(.*(?:\bDate\.now\(\)|\b(?:latency|took|elapsed|waited)Ms\b).*\.to\w+\(.*\d{2}/),
    ).toEqual([])
  })

  test('no test has a time limit of its own', () => {
    expect(linesWith(/^\s*\},? \d[\d_]*\)?,?\)$|setDefaultTimeout\(\d|^ {2,4}\d[\d_]{3,},$/)).toEqual([])
  })
})

test('an error is awaited by errorOf, not by rejects, which holds up the turns of everything else', () => {
  expect(linesWith(/\.(?:rejects|resolves)\b/, all)).toEqual([])
})

test('no test is skipped, preferred or tried again', () => {
  expect(linesWith(/\b(?:test|it|describe)\.(?:skip|only|todo)\b|\bretry: \d/, all)).toEqual([])
})

test('CONTRIBUTING names commands that are there, and all of them', () => {
  const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts)
  const named = [...textOf('CONTRIBUTING.md').matchAll(/`([a-z:-]+)(?: [^`]*)?`/g)].map(([, name = '']) => name)
  const usual = ['start', 'quickstart', 'test', 'test:ci', 'format']
  expect(scripts.filter((name) => !usual.includes(name) && !named.includes(name))).toEqual([])
})

test('files of tests share a process, so none decides once and for all by which of them is run', () => {
  expect(linesWith(/^(?:export )?const \w+ = (?!\(\) =>).*\bBun\.main\b/)).toEqual([])
})

test('what is held in memory is measured in *.memory.test.ts alone, which have a process of their own', () => {
  const measuring = files.filter((path) => !path.endsWith('.memory.test.ts') && path.endsWith('.test.ts'))
  expect(linesWith(/\bsupport\/memory'/, measuring)).toEqual([])
})
