import { spawn } from 'bun'

/** Runs every test and closes with one line that says how many: `N passed, N failed`. */
const run = spawn([process.execPath, 'test', '--only-failures', ...process.argv.slice(2)], {
  stdout: 'inherit',
  stderr: 'pipe',
})
const count = { pass: 0, fail: 0 }
const decoder = new TextDecoder()
let summary = ''
for await (const chunk of run.stderr) {
  process.stderr.write(chunk)
  summary = (summary + decoder.decode(chunk, { stream: true })).slice(-2_000)
}
for (const [, number, what] of summary.matchAll(/^\s*(\d+) (pass|fail)$/gm))
  count[what as 'pass' | 'fail'] = Number(number)
const exitCode = await run.exited
process.stdout.write(`${count.pass} passed, ${count.fail} failed\n`)
process.exit(count.pass === 0 ? 1 : exitCode)
