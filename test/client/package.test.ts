import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleEvent } from '../../contract/event'
import { newSecret, signatureHeaders } from '../../src/domain/webhook-signature'
import { fromSource, newFolder, ROOT, run, runJson, Server } from '../binary/support'

const folder = newFolder()
let server: Server

beforeAll(async () => {
  const built = await run({
    command: [process.execPath, 'run', 'build:client'],
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '' },
  })
  expect(built.stderr).not.toContain('error')
  expect(built.exitCode).toBe(0)
  server = await Server.start(fromSource(folder.path), '--data', join(folder.path, 'data'))
}, 60_000)
afterAll(async () => {
  await server.stop()
  folder.remove()
})

test('the built client runs in Node', async () => {
  const program = fromSource(folder.path)
  const data = join(folder.path, 'data')
  const { appId } = await runJson(program, 'app', 'create', 'node', '--data', data)
  const { key } = await runJson(
    program,
    'key',
    'create',
    '--app',
    appId,
    '--kind',
    'sk',
    '--mode',
    'test',
    '--data',
    data,
  )
  const script = `
    import { createOtpClient, newIdempotencyKey } from ${JSON.stringify(join(ROOT, 'dist/client/index.js'))}
    const otp = createOtpClient({ baseUrl: ${JSON.stringify(`${server.url}/v1`)}, apiKey: ${JSON.stringify(key)} })
    const { issueId } = await otp.issue({ phoneNumber: '010-0000-0000', purpose: 'node', idempotencyKey: newIdempotencyKey() })
    console.log(JSON.stringify(await otp.verify({ issueId, code: '000000' })))`
  const node = {
    command: ['node', '--input-type=module', '-e', script],
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '' },
  }
  const { exitCode, stdout, stderr } = await run(node)
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ verified: true, mode: 'test' })
}, 120_000)

const SECRET = newSecret(Buffer.alloc(32, 7))
const EVENT = sampleEvent('otp.verified')
const BODY = JSON.stringify(EVENT)
const sign = (timestampSec = Math.floor(Date.now() / 1_000)) =>
  signatureHeaders({ eventId: EVENT.id, body: BODY, secrets: [SECRET], timestampSec })

test('verifying webhooks is one file that imports nothing and needs no runtime but the web platform', async () => {
  const built = await Bun.file(join(ROOT, 'dist/client/webhook.js')).text()
  const { imports, exports } = new Bun.Transpiler({ loader: 'js' }).scan(built)
  expect(imports).toEqual([])
  expect(exports.sort()).toEqual(['WebhookVerificationError', 'verifyWebhook', 'verifyWebhookSignature'])
  expect(built).not.toMatch(/\b(Buffer|process|require|Bun|Deno|globalThis|window)\b/)
})

test('webhooks are verified in Node, from either entry, with one error class', async () => {
  const headers = sign()
  const [own, standard] = ['X-', 'webhook-'].map((prefix) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix))),
  )
  const requests = [
    { headers: own, body: BODY },
    { headers: standard, body: BODY },
    { headers, body: `${BODY} ` },
    { headers: standard, body: `${BODY} ` },
    { headers: sign(1_768_469_400), body: BODY },
    { headers: { ...headers, 'X-Watchword-Timestamp': 'now' }, body: BODY },
    { headers: {}, body: BODY },
  ]
  const script = `
    import { verifyWebhook } from ${JSON.stringify(join(ROOT, 'dist/client/index.js'))}
    import { WebhookVerificationError } from ${JSON.stringify(join(ROOT, 'dist/client/webhook.js'))}
    const why = (error) => error instanceof WebhookVerificationError ? error.reason : String(error)
    const outcomes = ${JSON.stringify(requests)}.map(({ headers, body }) =>
      verifyWebhook({ headers: new Headers(headers), body: Buffer.from(body), secret: ${JSON.stringify(SECRET)} }).catch(why))
    console.log(JSON.stringify(await Promise.all(outcomes)))`
  const node = {
    command: ['node', '--input-type=module', '-e', script],
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '' },
  }
  const { stdout, stderr } = await run(node)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual([
    EVENT,
    EVENT,
    'bad_signature',
    'bad_signature',
    'expired',
    'bad_timestamp',
    'missing_header',
  ])
})

test.each([
  ['esnext', 'bundler', '@watchword/client', '@watchword/client/webhook'],
  ['nodenext', 'nodenext', '@watchword/client', '@watchword/client/webhook'],
  ['esnext', 'bundler', join(ROOT, 'dist/client/index.js'), join(ROOT, 'dist/client/webhook.js')],
  ['esnext', 'bundler', '@watchword/client', '@watchword/client'],
])(
  'its types are those of the contract, and catch mistakes: %s, %s, %s, %s',
  async (module, resolution, specifier, webhookSpecifier) => {
    const consumer = join(folder.path, 'consumer')
    rmSync(join(consumer, 'node_modules'), { recursive: true, force: true })
    mkdirSync(join(consumer, 'node_modules/@watchword'), { recursive: true })
    symlinkSync(join(ROOT, 'dist/client'), join(consumer, 'node_modules/@watchword/client'))
    writeFileSync(join(consumer, 'package.json'), '{"type":"module"}')
    writeFileSync(
      join(consumer, 'app.ts'),
      `import { createOtpClient } from '${specifier}'
     const otp = createOtpClient({ baseUrl: 'x', apiKey: 'y' })
     const issued = await otp.issue({ phoneNumber: '1', purpose: 'p', idempotencyKey: 'k', channel: 'alimtalk' })
     const id: string = issued.issueId
     const verdict = await otp.verify({ issueId: id, code: '000000' })
     const reason: 'MISMATCH' | 'EXPIRED' | 'NOT_FOUND' | 'REPLACED' | 'MAX_ATTEMPTS' | 'ALREADY_VERIFIED' | undefined = verdict.reasonCode
     // @ts-expect-error an idempotency key is required
     await otp.issue({ phoneNumber: '1', purpose: 'p' })
     // @ts-expect-error no such channel
     await otp.issue({ phoneNumber: '1', purpose: 'p', idempotencyKey: 'k', channel: 'pigeon' })
     export { reason }`,
    )
    writeFileSync(
      join(consumer, 'receiver.ts'),
      `import { type OtpEvent, verifyWebhook, WebhookVerificationError } from '${webhookSpecifier}'
     const event: OtpEvent = await verifyWebhook({ body: new Uint8Array(1), headers: new Headers(), secret: ['a', 'b'] })
     if (event.type === 'otp.verified') {
       const attempts: number = event.data.attempts
       // @ts-expect-error not in this event
       event.data.to
       console.log(attempts)
     }
     if (event.type === 'otp.failed') console.log(event.data.error.code.toUpperCase())
     // @ts-expect-error no such event
     if (event.type === 'otp.imagined') console.log(event)
     // @ts-expect-error a parsed body
     await verifyWebhook({ body: { id: 'e' }, headers: { 'x-a': ['b'], c: undefined }, secret: '' })
     const reason: 'missing_header' | 'bad_timestamp' | 'expired' | 'bad_signature' | 'bad_body' =
       new WebhookVerificationError('bad_body', '').reason
     export { reason }`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      module,
      '--moduleResolution',
      resolution,
      '--target',
      'esnext',
      '--skipLibCheck',
    ]
    const tsc = {
      command: [join(ROOT, 'node_modules/.bin/tsc'), ...options, '--types', '', 'app.ts', 'receiver.ts'],
      cwd: consumer,
      env: { PATH: process.env.PATH ?? '' },
    }
    const { exitCode, stdout } = await run(tsc)
    expect(stdout).toBe('')
    expect(exitCode).toBe(0)
  },
  30_000,
)
