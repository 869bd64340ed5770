/**
 * Runs the tests and closes with one line that says how many: `N passed, N failed`. Above it stand the names of those that
 * failed, each with the command that repeats it alone.
 *
 *   bun test/run.ts [--fast | --nightly] [--seed N] [--stress ROUNDS] [--update-timings]
 */
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { spawn, spawnSync } from 'bun'
import { BUILT } from './binary/support'
import { ROOT, testFiles } from './runner/files'
import { type Failure, type Lane, type Result, runLane, timingsOf } from './runner/lane'
import { stress } from './runner/stress'
import { EVIDENCE, tellEvidence } from './support/evidence'
import { Postgres, STARTED } from './support/postgres'

const { values } = parseArgs({
  options: {
    fast: { type: 'boolean', default: false },
    nightly: { type: 'boolean', default: false },
    seed: { type: 'string' },
    stress: { type: 'string', default: '0' },
    'update-timings': { type: 'boolean', default: false },
  },
})

/** Two more than the two cores that a check is promised for: some wait for a page, a program or a database. More gain nothing. */
const AT_ONCE = { sqlite: 3, postgres: 1 } as const
/** They wait for nothing. Each process compiles all that it runs often, so one more costs a tenth of the processor's time. */
const FAST_AT_ONCE = 2

/** A commit is checked with the same random input every time, and another commit with other input. */
const seedOfCommit = () =>
  Number.parseInt(spawnSync(['git', 'rev-parse', '--short=7', 'HEAD'], { cwd: ROOT }).stdout.toString(), 16) || 1

/** Builds the binary while the tests that do without it run; those that need it wait until the file is there. */
function buildBinary(): string {
  const folder = join(ROOT, 'dist/tested')
  const [path, building] = [join(folder, 'watchword'), join(folder, 'building/watchword')]
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'building'), { recursive: true })
  const build = spawn([process.execPath, 'build.ts', '--outfile', building], { cwd: ROOT, stdout: 'ignore' })
  void build.exited.then((exitCode) => {
    if (exitCode === 0) return renameSync(building, path)
    process.stdout.write('The binary could not be built.\n0 passed, 1 failed\n')
    process.exit(1)
  })
  return path
}

/** What runs beside each other, and then what comes after that. */
function lanes(): Lane[][] {
  const { quick, memory, simulated, withProcesses, overPostgres, realTime } = testFiles(values.nightly)
  const measured: Lane = { files: memory, atOnce: 1, store: 'sqlite' }
  if (values.fast) return [[measured, { files: quick, atOnce: FAST_AT_ONCE, store: 'sqlite' }]]
  return [
    [
      measured,
      { files: [...quick, ...simulated, ...withProcesses], atOnce: AT_ONCE.sqlite, store: 'sqlite' },
      { files: overPostgres, atOnce: AT_ONCE.postgres, store: 'postgres' },
    ],
    // Nothing runs beside a test whose subject is real time.
    [{ files: realTime, atOnce: 1, store: 'sqlite' }],
  ]
}

async function runAll(seed: number): Promise<Result> {
  const settings = { seed, isNightly: values.nightly, updatesTimings: values['update-timings'] }
  const total: Result = { passed: 0, failures: [] }
  for (const together of lanes()) {
    const results = await Promise.all(together.map((lane) => runLane(lane, { ...settings, shared: sharedIn(lane) })))
    for (const { passed, failures } of results) {
      total.passed += passed
      total.failures.push(...failures)
    }
  }
  return total
}

/** One line for each test that failed, with the command that repeats it alone; the counts come last. */
function summary({ passed, failures }: Result, seed: number, tookMs: number): string {
  const took = `${Math.floor(tookMs / 60_000)} min ${Math.round((tookMs % 60_000) / 1_000)} s, seed ${seed}`
  return [...failures.map(repeat), took, `${passed} passed, ${failures.length} failed`].join('\n')
}
const repeat = ({ file, name, command }: Failure) => `failed: ${file}: ${name}\n  ${command}`

/** What the parts of a nightly run see is kept for docs/evidence.md. */
const EVIDENCE_FILE = join(ROOT, 'dist/evidence.jsonl')
if (values.nightly) {
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  rmSync(EVIDENCE_FILE, { force: true })
  process.env[EVIDENCE] = EVIDENCE_FILE
}
const startedAt = performance.now()
const seed = Number(values.seed ?? seedOfCommit())
const startServers = (count: number) => Promise.all(Array.from({ length: count }, () => Postgres.start()))
const servers = values.fast
  ? { sqlite: [], postgres: [] }
  : { sqlite: await startServers(AT_ONCE.sqlite), postgres: await startServers(AT_ONCE.postgres) }
/** Most fast tests end before the slowest compiler of the engine has repaid its work: without it they need 15 % less of the processor. */
const QUICK_COMPILERS = { BUN_JSC_useFTLJIT: '0' }
const forAll: Record<string, string> = values.fast ? QUICK_COMPILERS : { [BUILT]: buildBinary() }
/** What its tests find: the binary, and a server of PostgreSQL for each file that runs at a time. */
const sharedIn = ({ store }: Lane): Record<string, string> => ({
  ...forAll,
  [STARTED]: JSON.stringify(servers[store].map(({ port, folder }) => ({ port, folder }))),
})
const rounds = Number(values.stress)
const failed = rounds > 0 ? await stress({ rounds, seed, run: runAll }) : await runOnce()
for (const server of [...servers.sqlite, ...servers.postgres]) await server.stop()
process.exit(failed ? 1 : 0)

/** From the tables that are kept to those that are measured, or back. */
function copyTimings(isMeasured: boolean): void {
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  for (const store of ['sqlite', 'postgres'] as const)
    copyFileSync(join(ROOT, timingsOf(store, !isMeasured)), join(ROOT, timingsOf(store, isMeasured)))
}

async function runOnce(): Promise<boolean> {
  if (values['update-timings']) copyTimings(true)
  const result = await runAll(seed)
  if (values['update-timings']) copyTimings(false)
  process.stdout.write(`${summary(result, seed, performance.now() - startedAt)}\n`)
  const hasFailed = result.failures.length > 0
  if (values.nightly && hasFailed) rmSync(EVIDENCE_FILE, { force: true })
  if (values.nightly && !hasFailed) tellEvidence('tests', result.passed)
  return hasFailed
}
