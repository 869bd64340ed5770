/**
 * Runs every test, the contract over both stores, and closes with one line that says how many: `N passed, N failed`. Two
 * runs side by side, each of a part of the folders: tests that start processes and browsers wait as much as they compute;
 * with more of them at a time each is late for the others.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { BUILT, compile } from './binary/compiled'

/** No test is late because the machine is slow: this only ends one that hangs. */
const HANGS_AFTER_MS = 120_000
const AT_ONCE = 2

const listed = (folder = '') => readdirSync(join(import.meta.dir, folder), { withFileTypes: true })
const folders = listed().flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
const filesOf = (folder: string) =>
  listed(folder).flatMap(({ name }) => (name.endsWith('.test.ts') ? [join(folder, name)] : []))

const WITH_PROCESSES = ['binary', 'client', 'console', 'docs', 'examples', 'fuzz', 'release', 'system']
const SIMULATED = ['simulation', 'abuse']

interface Part {
  names: string[]
  env?: Record<string, string>
}

/** What is promised to callers, to the console's pages, and of what an attack costs. */
const OVER_POSTGRES = ['contract', 'console/rpc.test.ts', 'abuse/product.test.ts', 'abuse/guessing.test.ts']

/** What takes long comes first. */
const parts: Part[] = [
  { names: ['binary'] },
  { names: ['console/layout'] },
  { names: [...filesOf('console'), 'fuzz'] },
  { names: ['simulation'] },
  { names: ['abuse'] },
  { names: folders.filter((name) => ![...WITH_PROCESSES, ...SIMULATED].includes(name)) },
  { names: OVER_POSTGRES, env: { WATCHWORD_TEST_STORE: 'postgres' } },
  { names: ['docs', 'client', 'examples', 'release', 'system'] },
]

async function runTests({ names, env }: Part): Promise<{ pass: number; fail: number; exitCode: number }> {
  const paths = names.map((name) => join(import.meta.dir, name))
  const options = ['--only-failures', `--timeout=${HANGS_AFTER_MS}`, ...process.argv.slice(2)]
  const run = spawn([process.execPath, 'test', ...options, ...paths], {
    env: { ...process.env, ...env, [BUILT]: binary },
    stdout: 'inherit',
    stderr: 'pipe',
  })
  const said = await new Response(run.stderr).text()
  process.stderr.write(said)
  const count = { pass: 0, fail: 0 }
  for (const [, number, what] of said.slice(-2_000).matchAll(/^\s*(\d+) (pass|fail)$/gm))
    count[what as 'pass' | 'fail'] = Number(number)
  return { ...count, exitCode: await run.exited }
}

const binary = await compile()
const waiting = parts.values()
const results: Array<Awaited<ReturnType<typeof runTests>>> = []
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    // Each takes what is next.
    for (const part of waiting) results.push(await runTests(part))
  }),
)
const sum = (what: 'pass' | 'fail') => results.reduce((total, result) => total + result[what], 0)
process.stdout.write(`${sum('pass')} passed, ${sum('fail')} failed\n`)
const isWhole = results.every(({ pass, exitCode }) => pass > 0 && exitCode === 0)
process.exit(isWhole ? 0 : 1)
