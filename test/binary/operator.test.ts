import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { HANGS_AFTER_MS, until } from '../support/until'
import { newFolder, type Program, programIn, run, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const PHONE = '010-1234-5678'
const folder = newFolder()
const data = join(folder.path, 'data')
const program: Program = programIn(folder.path)
const admin = (...args: string[]) => runJson(program, ...args, '--data', data)
let server: Server
let carrier: StubCarrier
let appId: string
let issueId: string

beforeAll(async () => {
  carrier = new StubCarrier()
  server = await Server.start(program, '--data', data)
  appId = (await admin('app', 'create', 'ops')).appId
  await admin('credit', 'add', '--app', appId, '--amount', '10')
  await admin('provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  const { key } = await admin('key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
  const issued = await server.call('POST', '/v1/issue', key, {
    phoneNumber: PHONE,
    purpose: 'ops',
    idempotencyKey: 'ops',
  })
  issueId = issued.body.issueId
  await until(async () => (await admin('issue', 'show', issueId)).billingStatus === 'debited', 'the debit')
})
afterAll(async () => {
  await server.stop()
  carrier.stop()
  folder.remove()
})

test('`issue show` tells the story of one issue, without number, code or text', async () => {
  const story = await admin('issue', 'show', issueId)
  expect(story).toMatchObject({
    issueId,
    overallStatus: 'in_progress',
    deliveryStatus: 'sent',
    billingStatus: 'debited',
  })
  expect(story.attempts).toHaveLength(1)
  expect(story.attempts[0]).toMatchObject({ number: 1, leg: 'sms', provider: 'main', outcome: 'accepted' })
  expect(story.attempts[0].latencyMs).toBeGreaterThanOrEqual(0)
  expect(story.ledger).toMatchObject([{ entryType: 'debit', amountDelta: -1, balanceAfter: 9 }])

  const { stdout } = await run(program, 'issue', 'show', issueId, '--data', data)
  expect(stdout).toContain('attempt 1: accepted after')
  for (const text of [JSON.stringify(story), stdout]) {
    for (const secret of ['1012345678', '12345678', carrier.codeFor('+821012345678')])
      expect(text).not.toContain(secret)
  }
})

test('an unknown issue is refused readably', async () => {
  const { exitCode, stderr } = await run(program, 'issue', 'show', 'nope', '--data', data)
  expect(exitCode).toBe(1)
  expect(stderr).toBe('No such issue: nope\n')
})

test('`queue` shows what waits', async () => {
  expect(await admin('queue')).toEqual({ queue: [], carriers: [] })
})

test('`credit refund` gives back once, `credit clawback` takes once', async () => {
  for (let time = 0; time < 2; time++) {
    expect(await admin('credit', 'refund', '--app', appId, '--issue', issueId)).toEqual({
      appId,
      issueId,
      amount: 1,
      balance: 10,
    })
  }
  for (let time = 0; time < 2; time++) {
    const answer = await admin('credit', 'clawback', '--app', appId, '--amount', '4', '--reference', 'chargeback-1')
    expect(answer).toEqual({ appId, amount: 4, balance: 6 })
  }
})

test('`provider test` sends one marked message, shows what the carrier answered and exits 1 unless it took it', async () => {
  const before = carrier.received.length
  const answer = await admin('provider', 'test', 'main', '--to', '010-9999-0001')
  expect(answer).toMatchObject({ name: 'main', kind: 'accepted' })
  expect(carrier.received).toHaveLength(before + 1)
  expect(carrier.received.at(-1)).toMatchObject({ to: '+821099990001', channel: 'sms' })
  expect(carrier.received.at(-1)?.text).toContain('test')

  const takes = carrier.answer
  carrier.answer = () => Response.json({}, { status: 401 })
  const test = ['provider', 'test', 'main', '--to', '010-9999-0001', '--data', data] as const
  const refused = await run(program, ...test, '--json')
  carrier.answer = takes
  expect(refused.exitCode).toBe(1)
  expect(JSON.parse(refused.stdout)).toMatchObject({
    kind: 'refused',
    retry: 'unfit',
    code: 'HTTP_401',
    explanation: expect.stringContaining('credentials'),
  })
  const told = async (response: () => Response) => {
    carrier.answer = response
    const { stdout } = await run(program, ...test)
    carrier.answer = takes
    return stdout
  }
  expect(await told(() => Response.json({ id: 'msg-7' }))).toMatch(
    /^main: accepted after \d+ ms\nThe carrier calls it msg-7\.\n$/,
  )
  expect(await told(() => Response.json({}, { status: 401 }))).toContain('the circuit breaker would open')
  expect(await told(() => Response.json({}, { status: 400 }))).toContain('no other carrier would be tried.\n')
  expect(await told(() => Response.json({}, { status: 500 }))).toContain('never be sent again.\n')
  const { exitCode, stderr } = await run(program, 'provider', 'test', 'nope', '--to', '010-9999-0001', '--data', data)
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'No such provider: nope\n' })
})

test('`provider set --config FILE` reads settings, which are never shown again', async () => {
  const file = join(folder.path, 'carrier.json')
  await Bun.write(file, JSON.stringify({ url: carrier.url, headers: { 'x-api-key': 'carrier-credential-1' } }))
  const set = await admin('provider', 'set', 'filed', '--type', 'http', '--channel', 'sms', '--config', file)
  expect(set).toMatchObject({ name: 'filed', type: 'http', channels: ['sms'] })
  expect(JSON.stringify([set, await admin('provider', 'list')])).not.toContain('carrier-credential-1')
  await admin('provider', 'test', 'filed', '--to', '010-9999-0001')
  expect(carrier.headers.at(-1)?.get('x-api-key')).toBe('carrier-credential-1')
  for (const [text, message, code] of [
    ['{', 'not valid JSON', 2],
    ['[]', 'must hold a JSON object', 2],
    ['{"url":"ftp://x"}', 'url', 1],
    ['{"url":"http://x","more":1}', 'more', 1],
  ] as const) {
    await Bun.write(file, text)
    const flags = ['--type', 'http', '--channel', 'sms', '--config', file, '--replace']
    const { exitCode, stderr } = await run(program, 'provider', 'set', 'filed', ...flags, '--data', data)
    expect(exitCode).toBe(code)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  }
})

test('`provider set` asks before a name goes to another URL; without a terminal it needs --replace', async () => {
  const set = (url: string, ...more: string[]) => {
    const flags = ['--type', 'http', '--channel', 'sms', '--url', url, ...more]
    return run(program, 'provider', 'set', 'taken', ...flags, '--data', data)
  }
  const other = 'https://carrier.example.com/send'
  expect((await set(carrier.url)).exitCode).toBe(0)
  // The same URL again is a change of its other settings.
  expect((await set(carrier.url, '--header', 'X-Api-Key: second')).exitCode).toBe(0)
  const refused = await set(other)
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('The carrier taken is there already')
  expect(refused.stderr).toContain('add --replace')
  expect(refused.stderr.trim().split('\n')).toHaveLength(1)
  await admin('provider', 'test', 'taken', '--to', '010-9999-0001')
  expect(carrier.headers.at(-1)?.get('x-api-key')).toBe('second')
  expect((await set(other, '--replace')).exitCode).toBe(0)
  await admin('provider', 'remove', 'taken', '--yes')
})

test('`provider set` makes and prints a report secret only where reports are believed by it', async () => {
  const files: Record<string, object> = {
    smpp: { host: '127.0.0.1', systemId: 'ours', password: 'secret' },
    twilio: { accountSid: `AC${'0'.repeat(32)}`, authToken: 'token', from: '+12025550123' },
    aligo: { apiKey: 'key', userId: 'user', from: '02-1234-5678' },
  }
  for (const [type, config] of Object.entries(files)) {
    const file = join(folder.path, `${type}.json`)
    await Bun.write(file, JSON.stringify(config))
    const words = ['provider', 'set', 'quiet', '--type', type, '--channel', 'sms', '--config', file, '--replace']
    const { stdout, exitCode } = await run(program, ...words, '--data', data)
    // Twilio signs its reports: their URL is told, and no secret.
    const url = type === 'twilio' ? 'Delivery reports: POST /provider-reports/quiet\n' : ''
    expect([type, exitCode, stdout]).toEqual([type, 0, `Provider quiet (${type}) serves sms.\n${url}`])
    expect(await admin(...words)).not.toHaveProperty('reportSecret')
  }
  const http = ['provider', 'set', 'quiet', '--type', 'http', '--channel', 'sms', '--url', carrier.url, '--replace']
  expect(await admin(...http)).toMatchObject({ reportSecret: expect.stringMatching(/^\S{16,}$/) })
  expect(await admin(...http)).not.toHaveProperty('reportSecret')
  await admin('provider', 'remove', 'quiet', '--yes')
})

test('`route set` orders carriers, `route list` shows them, `route remove` forgets them', async () => {
  expect(await admin('route', 'set', 'sms', 'filed,main')).toMatchObject({
    channel: 'sms',
    providers: ['filed', 'main'],
  })
  await admin('route', 'set', 'sms', 'main', '--country', 'GB')
  expect((await admin('route', 'list')).routes).toHaveLength(2)
  await admin('route', 'remove', 'sms', '--country', 'GB', '--yes')
  expect((await admin('route', 'list')).routes).toEqual([{ channel: 'sms', providers: ['filed', 'main'] }])
  const { exitCode, stderr } = await run(program, 'route', 'set', 'sms', 'nope', '--data', data)
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'No such provider: nope\n' })
})
