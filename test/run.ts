/**
 * Runs every test and closes with one line that says how many: `N passed, N failed`. Two runs side by side: what starts
 * processes and browsers, and what only computes.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'

/** No test is late because the machine is slow: this only ends one that hangs. */
const HANGS_AFTER_MS = 60_000
const WITH_PROCESSES = ['binary', 'client', 'console', 'docs', 'fuzz', 'system']
const folders = readdirSync(import.meta.dir, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)
const halves = [WITH_PROCESSES, folders.filter((name) => !WITH_PROCESSES.includes(name))]

async function runTests(names: string[]): Promise<{ pass: number; fail: number; exitCode: number }> {
  const paths = names.map((name) => join(import.meta.dir, name))
  const options = ['--only-failures', `--timeout=${HANGS_AFTER_MS}`, ...process.argv.slice(2)]
  const run = spawn([process.execPath, 'test', ...options, ...paths], {
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

const results = await Promise.all(halves.map(runTests))
const sum = (what: 'pass' | 'fail') => results.reduce((total, result) => total + result[what], 0)
process.stdout.write(`${sum('pass')} passed, ${sum('fail')} failed\n`)
const isWhole = results.every(({ pass, exitCode }) => pass > 0 && exitCode === 0)
process.exit(isWhole ? 0 : 1)
