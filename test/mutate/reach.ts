/**
 * Which tests matter to a line: each quick test file is run once over the code as it is, measured, and remembered beside the
 * machine's temporary files for as long as neither the code nor the test changes.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { CryptoHasher, Glob, Transpiler } from 'bun'
import type { Copy } from './copy'
import type { Mutant } from './mutant'

/** What one test file runs through. */
export interface Reach {
  test: string
  ms: number
  isGreen: boolean
  /** Every file of `src/` it loads, with the lines it never comes to. */
  missed: Record<string, number[]>
}

/** Folders of `test/` whose files run the code in their own process. The others are slow, and nothing measures a child. */
const FOLDERS = [
  'domain',
  'store',
  'jobs',
  'runtime',
  'providers',
  'system',
  'contract',
  'compat',
  'relay',
  'console',
  'client',
  'commands',
]
/** Who imports one of these starts a process or a browser all the same. */
const STARTS_PROCESSES = [
  'test/binary/support.ts',
  'test/binary/compiled.ts',
  'test/console/support.ts',
  'test/support/postgres.ts',
]
const MEASURED_WITHIN_MS = 60_000

export async function measure(copy: Copy, tell: (line: string) => void): Promise<Reach[]> {
  const code = digestOf(copy, [...new Glob('{src,contract,client,migrations,test}/**/*').scanSync({ cwd: copy.path })])
  const reaches: Reach[] = []
  for (const test of quickTests(copy)) {
    const kept = join(tmpdir(), `watchword-reach-${digestOf(copy, [test], code)}.json`)
    const isKnown = existsSync(kept)
    const reach: Reach = isKnown ? JSON.parse(readFileSync(kept, 'utf8')) : await measureOne(copy, test)
    if (!reach.isGreen) {
      tell(`${test} fails without any mutant and is left out`)
      continue
    }
    if (!isKnown) await Bun.write(kept, JSON.stringify(reach))
    reaches.push(reach)
  }
  return reaches
}

/** Of everything that is no test of its own, or of `paths` alone on top of `before`. */
function digestOf({ path: root }: Copy, paths: string[], before?: string): string {
  const hash = new CryptoHasher('sha256').update(before ?? '')
  const counts = (path: string) => before !== undefined || !/\.test\.ts$|^test\/mutate\//.test(path)
  for (const path of paths.toSorted()) if (counts(path)) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 24)
}

function quickTests({ path: root }: Copy): string[] {
  const files = [...new Glob(`test/{${FOLDERS.join()}}/**/*.test.ts`).scanSync({ cwd: root })]
  return files.filter((file) => !importsOf(root, file).some((path) => STARTS_PROCESSES.includes(path))).toSorted()
}

const transpiler = new Transpiler({ loader: 'ts' })

/** Of this repository, directly. */
const importsOf = (root: string, file: string) =>
  transpiler
    .scanImports(readFileSync(join(root, file)))
    .flatMap(({ path }) => (path.startsWith('.') ? [`${join(dirname(file), path)}.ts`] : []))

async function measureOne(copy: Copy, test: string): Promise<Reach> {
  const coverage = join(copy.path, 'coverage')
  const options = [
    '--coverage',
    '--coverage-reporter=lcov',
    `--coverage-dir=${coverage}`,
    `--timeout=${MEASURED_WITHIN_MS}`,
  ]
  const { exitCode, ms } = await copy.run(['test', ...options, `./${test}`], MEASURED_WITHIN_MS)
  const report = join(coverage, 'lcov.info')
  const missed = existsSync(report) ? missedIn(readFileSync(report, 'utf8')) : {}
  rmSync(coverage, { recursive: true, force: true })
  return { test, ms, isGreen: exitCode === 0, missed }
}

function missedIn(lcov: string): Reach['missed'] {
  const missed: Reach['missed'] = {}
  for (const [, path = '', lines = ''] of lcov.matchAll(/^SF:(src\/.*)$([\s\S]*?)^end_of_record$/gm))
    missed[path] = [...lines.matchAll(/^DA:(\d+),0$/gm)].map(([, line]) => Number(line))
  return missed
}

/** Those that come to the line: first what bears the file's name, then what is quick. */
export function testsOf({ path }: Copy, mutant: Mutant, reaches: readonly Reach[]): Reach[] {
  const wordsOf = (file: string) => basename(file).replace(/\..*/, '').split('-')
  const words = wordsOf(mutant.path)
  const isNamesake = ({ test }: Reach) =>
    wordsOf(test).some((word) => words.some((other) => word.startsWith(other) || other.startsWith(word)))
  const { name } = mutant
  const concerns = name === undefined ? [mutant] : usesOf(path, name, mutant)
  return reaches
    .filter(({ test, missed }) => {
      if (!missed[mutant.path]) return false
      if (name && names(readFileSync(join(path, test), 'utf8'), name)) return true
      return concerns.some((place) => missed[place.path]?.includes(place.line) === false)
    })
    .toSorted((a, b) => Number(isNamesake(b)) - Number(isNamesake(a)) || a.ms - b.ms)
}

type Place = Pick<Mutant, 'path' | 'line'>

const names = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text)

/** Every line of the code that names it, but the one that makes it and those that only fetch it. */
const usesOf = (root: string, name: string, made: Place): Place[] =>
  [...new Glob('src/**/*.ts').scanSync({ cwd: root })].flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((text, index) => {
        const place = { path, line: index + 1 }
        const isItself = place.path === made.path && place.line === made.line
        return !isItself && !/^(import|export) .* from /.test(text) && names(text, name) ? [place] : []
      }),
  )
