/**
 * Prints which functions of which files one request enters, in order of first entry. A file that is only loaded is not listed.
 *
 *   bun run trace issue
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { instrument, startTrace, type Trace } from './instrument'

const [request] = process.argv.slice(2)
if (request !== 'issue') throw new Error('There is one request to trace: bun run trace issue')

instrument()
const { open, adminOf } = await import('../../src/cli/open')
const { serve } = await import('../../src/cli/serve')
const { createApp, standingTestKey } = await import('../../src/usecases/administer')

const data = mkdtempSync(join(tmpdir(), 'watchword-trace-'))
process.on('exit', () => rmSync(data, { recursive: true }))
const opened = await open({ DATA: data, PORT: '0', LOG_LEVEL: 'error', LEAVING_MS: '0' }, { makes: true, serves: true })
const { url, drain } = await serve(opened)
const { appId } = await createApp(adminOf(opened), { name: 'trace' })
const key = await standingTestKey(adminOf(opened), appId, 'sk')
// They load what a server loads when it is first asked.
for (const path of ['/readyz', '/v1/nothing']) await fetch(url + path)

async function traceIssue(number: number): Promise<Trace> {
  const endTrace = startTrace()
  const answer = await fetch(`${url}/v1/issue`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `trace-${number}`,
    },
    body: JSON.stringify({ phoneNumber: '010-0000-0000', purpose: `signup-${number}` }),
  })
  const trace = endTrace()
  if (!answer.ok) throw new Error(await answer.text())
  return trace
}

/** A timer may fire during one request, but not during each of these. */
const REQUESTS = 5
const trace = await traceIssue(1)
for (let number = 2; number <= REQUESTS; number++) {
  const other = await traceIssue(number)
  for (const [file, functions] of trace) {
    const inBoth = functions.intersection(other.get(file) ?? new Set())
    if (inBoth.size > 0) trace.set(file, inBoth)
    else trace.delete(file)
  }
}

for (const [file, functions] of trace) console.log(`${file}\n  ${[...functions].join(' ')}`)
const count = [...trace.values()].reduce((sum, functions) => sum + functions.size, 0)
console.log(`${trace.size} files, ${count} functions`)
await drain('traced')
