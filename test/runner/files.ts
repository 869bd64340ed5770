/** Which test files there are, and which of them start processes: that is read off what they import. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob, Transpiler } from 'bun'
import { changedFiles } from '../support/changed-files'

export const ROOT = join(import.meta.dir, '../..')
const TEST = join(ROOT, 'test')

export interface TestFiles {
  /** They need neither a process, a browser nor PostgreSQL, and simulate nothing. */
  quick: string[]
  /** They measure what is held in memory: in a process of theirs, what others hold is not collected again and again. */
  memory: string[]
  /** Days of attacks, and seeds that tell stories: they compute for long. */
  simulated: string[]
  withProcesses: string[]
  /** What is promised to callers, and what an attack costs, is promised on the other store, too. */
  overPostgres: string[]
  /** Their subject is real time: nothing runs beside them. */
  realTime: string[]
}

const SIMULATED = ['simulation/', 'abuse/']
const OVER_POSTGRES = ['contract/', 'compat/', 'console/rpc.test.ts', 'abuse/product.test.ts', 'abuse/guessing.test.ts']
/** The store has hardly a part in what they promise, or they cost much and others play it over PostgreSQL, too. */
const OVER_POSTGRES_BY_NIGHT = [
  'abuse/guessing.test.ts',
  'abuse/product.test.ts',
  'compat/twilio.test.ts',
  'contract/carriers.test.ts',
  'contract/challenge.test.ts',
  'contract/conformance.test.ts',
  'contract/cors.test.ts',
  'contract/headers.test.ts',
  'contract/limits.test.ts',
  'contract/openapi.test.ts',
  'contract/said-to-strangers.test.ts',
  'contract/telemetry.test.ts',
  'contract/texts.test.ts',
  'contract/webhooks-crowd.test.ts',
]

const CONSOLE = ['src/console/', 'test/console/']
/** What a page is answered by, too. */
const CONSOLE_AND_ANSWERS = [...CONSOLE, 'src/http/', 'client/', 'contract/']
const CLIENT = ['client/', 'contract/', 'test/client/']
const PAGES = ['README.md', 'docs/', 'client/', 'src/cli/', 'test/docs/']
const STORE = ['src/store/', 'src/ports/', 'src/domain/', 'migrations/', 'test/store/']
const STORE_AND_USE_CASES = [...STORE, 'src/usecases/', 'src/jobs/']
const SERVERS = ['src/store/', 'src/jobs/', 'src/runtime/', 'src/usecases/', 'migrations/', 'test/binary/']
/**
 * Tests that cost much, and what they look at. `ci` plays them where that has changed, `ci:nightly` always. What the
 * console is answered, its layout and a whole journey are played every time. So are the contract over PostgreSQL, a
 * simulation of several servers over it, the fuzz, and the torture of one server.
 */
export const WHERE_CHANGED: Readonly<Record<string, readonly string[]>> = {
  'console/attack.test.ts': CONSOLE_AND_ANSWERS,
  'console/codes.test.ts': CONSOLE,
  'console/deciding.test.ts': CONSOLE,
  'console/delivery.test.ts': CONSOLE,
  'console/doors.test.ts': CONSOLE_AND_ANSWERS,
  'console/figures.test.ts': CONSOLE,
  'console/frame.test.ts': CONSOLE,
  'console/parts.test.ts': CONSOLE,
  'console/people.test.ts': CONSOLE,
  'console/refusals.test.ts': CONSOLE,
  'console/relaying.test.ts': CONSOLE,
  'console/safety.test.ts': CONSOLE_AND_ANSWERS,
  'console/way-in.test.ts': CONSOLE,
  'client/browser.test.ts': CLIENT,
  'client/package.test.ts': CLIENT,
  'client/screens.test.ts': CLIENT,
  'docs/app.test.ts': PAGES,
  'docs/receivers.test.ts': PAGES,
  'docs/several-servers.test.ts': PAGES,
  'docs/sign-up.test.ts': PAGES,
  'docs/stories.test.ts': PAGES,
  'store/clock.test.ts': STORE_AND_USE_CASES,
  'store/hand-over.test.ts': STORE_AND_USE_CASES,
  'store/migrate-postgres.test.ts': STORE,
  'store/move.test.ts': STORE,
  'store/pipelined-transaction.test.ts': STORE,
  'store/postgres.test.ts': STORE,
  'store/replica.test.ts': STORE,
  'store/round-trips.test.ts': STORE_AND_USE_CASES,
  'store/transaction-runner.test.ts': STORE,
  'binary/deploy/deploy.realtime.test.ts': [...SERVERS, 'deploy/', 'src/cli/', 'src/http/'],
  'binary/plans.test.ts': [...SERVERS, 'src/domain/', 'src/providers/'],
  'binary/torture/nodes/nodes.realtime.test.ts': SERVERS,
  'deploy/workflows.test.ts': ['.github/', 'deploy/', 'test/deploy/'],
  'examples/express.test.ts': ['client/', 'examples/', 'test/examples/'],
  'fuzz/planted.test.ts': ['test/fuzz/'],
  'guide/browser.test.ts': ['src/guide/', 'docs/', 'test/guide/'],
  'mutate/mutate.test.ts': ['test/mutate/'],
  'recipes/recipes.test.ts': ['CONTRIBUTING.md', 'contract/', 'src/ports/', 'test/recipes/'],
  'simulation/nodes/planted.test.ts': ['src/', 'migrations/', 'test/simulation/'],
  'upgrade/upgrade.test.ts': [...STORE_AND_USE_CASES, 'src/cli/', 'test/upgrade/'],
}
/** They cost much over PostgreSQL, too: `ci` plays them there where these have changed, and on SQLite every time. */
export const OVER_POSTGRES_WHERE_CHANGED: typeof WHERE_CHANGED = {
  'console/rpc.test.ts': [...STORE, ...CONSOLE],
  'contract/abuse.test.ts': [...STORE, 'src/abuse/', 'src/usecases/abuse/', 'test/contract/abuse.test.ts'],
}
/** Whatever these bring may change everything. */
const EVERYWHERE = ['package.json', 'bun.lock', 'test/runner/', 'test/support/']

/** Whether a test is played where these files have changed; where nothing is known of them, it is. */
export function isPlayed(path: string, changed: readonly string[] | undefined, where = WHERE_CHANGED): boolean {
  const lookedAt = where[path]
  if (lookedAt === undefined || changed === undefined) return true
  return changed.some((file) => [...lookedAt, ...EVERYWHERE].some((start) => file.startsWith(start)))
}

/** Those named `*.nightly.test.ts` are for nightly alone. */
export function testFiles(isNightly: boolean): TestFiles {
  const changed = isNightly ? undefined : changedFiles()
  const all = [...new Glob('**/*.test.ts').scanSync(TEST)]
    .filter((path) => isNightly || (!path.endsWith('.nightly.test.ts') && isPlayed(path, changed)))
    .sort()
  const realTime = all.filter((path) => path.endsWith('.realtime.test.ts'))
  const memory = all.filter((path) => path.endsWith('.memory.test.ts'))
  const others = all.filter((path) => !realTime.includes(path) && !memory.includes(path))
  const simulated = others.filter((path) => SIMULATED.some((start) => path.startsWith(start)))
  const withProcesses = others.filter((path) => !simulated.includes(path) && startsProcesses(join(TEST, path)))
  const quick = others.filter((path) => !withProcesses.includes(path) && !simulated.includes(path))
  const overPostgres = others.filter(
    (path) =>
      OVER_POSTGRES.some((start) => path.startsWith(start)) &&
      (isNightly || !OVER_POSTGRES_BY_NIGHT.includes(path)) &&
      isPlayed(path, changed, OVER_POSTGRES_WHERE_CHANGED),
  )
  const named = (paths: string[]) => paths.map((path) => join('test', path))
  return {
    quick: named(quick),
    memory: named(memory),
    simulated: named(simulated),
    withProcesses: named(withProcesses),
    overPostgres: named(overPostgres),
    realTime: named(realTime),
  }
}

const STARTS = /\bspawn(?:Sync)?\(|from '(?:node:child_process|playwright-core)'/
const [ts, tsx] = (['ts', 'tsx'] as const).map((loader) => new Transpiler({ loader }))

/** Whether a file, or what it imports of the tests, starts a program. What it imports only when needed does not count. */
function startsProcesses(path: string): boolean {
  const found = new Set([path])
  // A set is gone through to its end, also by what is added meanwhile.
  for (const file of found) {
    const text = readFileSync(file, 'utf8')
    if (STARTS.test(text)) return true
    for (const name of importsOf(file, text)) found.add(name)
  }
  return false
}

function importsOf(file: string, text: string): string[] {
  const imports = (file.endsWith('x') ? tsx : ts)?.scanImports(text) ?? []
  return imports
    .filter(({ kind, path }) => kind === 'import-statement' && path.startsWith('.'))
    .map(({ path }) => join(dirname(file), path))
    .flatMap((name) => [`${name}.ts`, `${name}.tsx`].filter(existsSync))
    .filter((name) => name.startsWith(TEST))
}
