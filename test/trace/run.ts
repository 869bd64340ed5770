/**
 * Prints which functions of which files one request enters until it is answered, in order of first entry. A file that is only loaded
 * is not listed.
 *
 *   bun run trace issue | verify | status [--live]
 *
 * `--live` has a live key, credit, and a carrier of a described type. With WATCHWORD_DATABASE_URL it is traced over PostgreSQL.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { until } from '../support/until'
import { instrument, startTrace, type Trace } from './instrument'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { live: { type: 'boolean', default: false } },
})
const REQUESTS = ['issue', 'verify', 'status'] as const
const request = REQUESTS.find((one) => one === positionals[0])
if (!request) throw new Error('Say which request to trace: bun run trace issue | verify | status [--live]')

instrument()
const { open, adminOf } = await import('../../src/cli/open')
const { serve } = await import('../../src/cli/serve')
const administer = await import('../../src/usecases/administer')

const data = mkdtempSync(join(tmpdir(), 'watchword-trace-'))
process.on('exit', () => rmSync(data, { recursive: true }))
const place = process.env.WATCHWORD_DATABASE_URL ? {} : { DATA: data }
const opened = await open({ ...place, PORT: '0', LOG_LEVEL: 'error', LEAVING_MS: '0' }, { makes: true, serves: true })
const { url, drain } = await serve(opened)
const admin = adminOf(opened)
const { appId } = await administer.createApp(admin, { name: 'trace', region: 'KR' })
/** Texts as the carrier got them, of which the last holds the last code. */
const sent: string[] = []
/** What comes of its answer is no part of the request. */
let isAnswered = Promise.resolve()
const carrier = Bun.serve({
  ...{ port: 0, hostname: '127.0.0.1' },
  async fetch(asked) {
    sent.push(await asked.text())
    await isAnswered
    return Response.json({
      groupInfo: { groupId: 'G' },
      messageList: [{ messageId: `M${sent.length}`, statusCode: '2000' }],
    })
  },
})
const key = values.live ? await liveKey() : await administer.standingTestKey(admin, appId, 'sk')

async function liveKey(): Promise<string> {
  await administer.addCredit(admin, { appId, amount: 100, reference: 'trace' })
  await administer.setCarrier(admin, {
    ...{ name: 'main', type: 'solapi', channels: ['sms'] },
    config: { apiKey: 'key', apiSecret: 'secret', from: '0212345678', apiBase: carrier.url.origin },
  })
  return (await administer.createKey(admin, { appId, kind: 'sk', mode: 'live' })).key
}

async function ask(path: string, body?: object, idempotencyKey?: string): Promise<Record<string, string>> {
  const answer = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

const issue = (number: number) =>
  ask(
    '/v1/issue',
    { phoneNumber: values.live ? `010-2345-100${number}` : '010-0000-0000', purpose: `p${number}` },
    `trace-${number}`,
  )

const SENT = new Set(['sent', 'delivered'])

/** What the request needs is there before, and nothing of it is under way. */
async function traced(number: number): Promise<Trace> {
  const { issueId } = request === 'issue' ? {} : await issue(number)
  if (issueId)
    await until(async () => SENT.has((await ask(`/v1/issues/${issueId}`)).deliveryStatus ?? ''), 'the message')
  const code = values.live ? (/\b\d{6}\b/.exec(sent.at(-1) ?? '')?.[0] ?? '') : '000000'
  const { promise, resolve } = Promise.withResolvers<void>()
  isAnswered = promise
  const endTrace = startTrace()
  if (request === 'issue') await issue(number)
  if (request === 'verify') await ask('/v1/verify', { issueId, code })
  if (request === 'status') await ask(`/v1/issues/${issueId}`)
  const ended = endTrace()
  resolve()
  return ended
}

// They load what a server loads when it is first asked.
for (const path of ['/readyz', '/v1/nothing']) await fetch(url + path)

/** A timer may fire during one request, but not during each of these. */
const TIMES = 5
const trace = await traced(1)
for (let number = 2; number <= TIMES; number++) {
  const other = await traced(number)
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
await carrier.stop(true)
