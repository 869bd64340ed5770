/** One run of `bun test` over some files, and what it tells of them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'bun'
import { XMLParser } from 'fast-xml-parser'
import { HANGS_AFTER_MS } from '../support/until'
import { ROOT } from './files'

export interface Lane {
  files: readonly string[]
  /** How many files run at a time. */
  atOnce: number
  store: 'sqlite' | 'postgres'
}

export interface Settings {
  /** What random input is drawn from. */
  seed: number
  isNightly: boolean
  /** Where what tests share is found: the compiled binary, servers of PostgreSQL. */
  shared: Record<string, string>
  /** Whether the table of how long each file takes is written anew. */
  updatesTimings: boolean
}

/** How long each file takes. While it is measured it is written elsewhere: a tree that changes is no release. */
export const timingsOf = (store: Lane['store'], isMeasured: boolean): string =>
  join(isMeasured ? 'dist' : 'test/runner', `timings.${store}.json`)

export interface Failure {
  file: string
  name: string
  /** Repeats it alone. */
  command: string
}

export interface Result {
  passed: number
  failures: Failure[]
}

export async function runLane({ files, atOnce, store }: Lane, settings: Settings): Promise<Result> {
  const { seed, isNightly, shared, updatesTimings } = settings
  const folder = mkdtempSync(join(tmpdir(), 'watchword-tests-'))
  const report = join(folder, 'report.xml')
  const env = {
    TEST_SEED: String(seed),
    ...(store === 'postgres' && { TEST_STORE: store }),
    ...(isNightly && { TEST_DEPTH: 'nightly' }),
  }
  const options = [
    ...['--only-failures', `--timeout=${HANGS_AFTER_MS}`, '--reporter=junit', `--reporter-outfile=${report}`],
    // The longest file begins first; the table says which that is.
    ...[`--parallel=${atOnce}`, `--timings=${timingsOf(store, updatesTimings)}`],
    // Files share what they have imported and laid out: compiling it anew for each took a third of the time.
    '--no-isolate',
    ...(updatesTimings ? ['--update-timings'] : []),
  ]
  const run = spawn([process.execPath, 'test', ...options, ...files.map((file) => `./${file}`)], {
    cwd: ROOT,
    env: { ...process.env, ...env, ...shared },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exitCode = await run.exited
  try {
    const result = resultOf(readFileSync(report, 'utf8'), files, env)
    // What fails beside the tests of a file, such as an error that nobody awaits, stands in no report.
    if (exitCode !== 0 && result.failures.length === 0) result.failures.push(beside(files, env))
    return result
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface TestCase {
  name: string
  /** The groups around it, from the inside. */
  classname: string
  failure?: unknown
  skipped?: unknown
}

interface TestSuite {
  file: string
  testsuite?: TestSuite[]
  testcase?: TestCase[]
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  isArray: (name) => name === 'testsuite' || name === 'testcase',
})

function resultOf(report: string, files: readonly string[], env: Record<string, string>): Result {
  const suites: TestSuite[] = parser.parse(report).testsuites?.testsuite ?? []
  const cases = suites.flatMap((suite) => casesIn(suite).map((one) => ({ file: suite.file, ...one })))
  const told = new Set(suites.map(({ file }) => file))
  const failures = [
    ...cases.filter(({ failure }) => failure !== undefined).map(({ file, ...one }) => ({ file, name: nameOf(one) })),
    ...files.filter((file) => !told.has(file)).map((file) => ({ file, name: '' })),
  ]
  return {
    passed: cases.filter(({ failure, skipped }) => failure === undefined && skipped === undefined).length,
    failures: failures.map(({ file, name }) => ({ file, name, command: commandFor(file, name, env) })),
  }
}

const casesIn = ({ testsuite = [], testcase = [] }: TestSuite): TestCase[] => [
  ...testcase,
  ...testsuite.flatMap(casesIn),
]

const nameOf = ({ name, classname }: TestCase) =>
  // What fails around the tests of a file, and not in one, has no name.
  name.startsWith('(') ? '' : [...classname.split(' > ').reverse(), name].filter(Boolean).join(' ')

function commandFor(file: string, name: string, env: Record<string, string>): string {
  const settings = Object.entries(env).map((pair) => pair.join('='))
  const only = name === '' ? [] : ['-t', quoted(name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))]
  return [...settings, 'bun', 'test', `--timeout=${HANGS_AFTER_MS}`, `./${file}`, ...only].join(' ')
}

const beside = (files: readonly string[], env: Record<string, string>): Failure => ({
  file: 'bun test',
  name: 'an error beside the tests, which stands above',
  command: commandFor(files.join(' ./'), '', env),
})

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
