/** Numbers, codes, keys and secrets of a busy day are searched for in everything the program leaves behind. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Collector } from '../support/collector'
import { HANGS_AFTER_MS, until } from '../support/until'
import {
  type Json,
  newFolder,
  type Program,
  programIn,
  type Received,
  run,
  runJson,
  Server,
  StubCarrier,
} from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const HEADER_SECRET = 'Hdr-secret-5f2d9c-of-the-carrier'
const URL_SECRET = 'Url-secret-77ab31-of-the-carrier'
const VENDOR_SECRET = 'Vnd-secret-31c0f7-of-the-vendor'
const TOKEN = 'Tok-en-99ab10-of-the-widget'
const VARIABLE = 'Gildong-the-customer'
const ORIGIN = 'https://shop.example.com'
const METRICS_TOKEN = 'Met-ric-41cc07-of-the-operator'
const COLLECTOR_TOKEN = 'Col-lect-8e02d1-of-the-operator'

/** Everything that must not be found, by kind. */
const secrets: Record<string, Set<string>> = {
  'phone number': new Set(),
  code: new Set(),
  'API key': new Set(),
  proof: new Set(),
  'idempotency key': new Set(),
  'secret of a carrier': new Set([HEADER_SECRET, URL_SECRET]),
  'secret or token of a vendor of challenges': new Set([VENDOR_SECRET, TOKEN]),
  'value of a template variable': new Set([VARIABLE]),
  'token of metrics or of the collector': new Set([METRICS_TOKEN, COLLECTOR_TOKEN]),
  'number or code that a report quotes': new Set(),
  "number that is the carrier's id of the text": new Set(),
}
const note = (kind: string, ...values: string[]) => {
  for (const value of values) secrets[kind]?.add(value)
}

/** What was left behind, by where it lies. */
const remains: Array<{ where: string; text: string }> = []

/** Random identifiers may hold any six digits by chance. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const OF_TRACE = /\b(?:[0-9a-f]{32}|[0-9a-f]{16})\b/g
const leave = (where: string, text: string) =>
  remains.push({ where, text: text.replace(UUID, '<uuid>').replace(OF_TRACE, '<trace>') })

const carrier = new StubCarrier()
const collector = new Collector()
const folder = newFolder()
const program: Program = programIn(folder.path, {
  WATCHWORD_LOG_LEVEL: 'debug',
  WATCHWORD_METRICS_TOKEN: METRICS_TOKEN,
  WATCHWORD_TRACES_URL: collector.url,
  WATCHWORD_TRACES_HEADERS: `authorization=Bearer ${COLLECTOR_TOKEN}`,
})
let appId = ''

/** Copies the database as a backup or a thief would, while it is in use. */
function copyDatabase(when: string): void {
  const data = join(folder.path, 'watchword-data')
  for (const name of ['watchword.db', 'watchword.db-wal', 'watchword.db-shm']) {
    if (!existsSync(join(data, name))) continue
    const copy = join(folder.path, `${when}-${name}`)
    copyFileSync(join(data, name), copy)
    leave(`${name} ${when}`, readFileSync(copy, 'latin1'))
  }
}

/** A Korean mobile number in the ways people write it. */
function phoneNumber(n: number, kind = 'phone number'): { e164: string; spellings: [string, string, ...string[]] } {
  const [first, second] = [String(4_321 + n * 7), String(8_765 - n * 11)]
  const e164 = `+8210${first}${second}`
  note(kind, e164, e164.slice(1), `10${first}${second}`, `10-${first}-${second}`, `10 ${first} ${second}`)
  return { e164, spellings: [`010-${first}-${second}`, `010${first}${second}`, e164, `+82 10-${first}-${second}`] }
}

/** Ways in which a carrier answers with what it must not; the number and the code come back in all of them. */
const ECHOES: Array<(message: Received, code: string) => Response> = [
  ({ to }) => Response.json({ code: to }, { status: 400 }),
  ({ to }) => Response.json({ code: `BAD_${to.slice(1)}` }, { status: 422 }),
  ({ to }) => Response.json({ code: `0${to.slice(3)}` }, { status: 400 }),
  ({ to }) => Response.json({ code: `(0${to.slice(3, 5)}) ${to.slice(5, 9)}-${to.slice(9)}` }, { status: 400 }),
  ({ to }) => Response.json({ code: Number(to.slice(1)) }, { status: 400 }),
  (_, code) => Response.json({ code }, { status: 400 }),
  (_, code) => Response.json({ code: `REJECTED:${code}` }, { status: 500 }),
  ({ text }) => Response.json({ code: text }, { status: 400 }),
  ({ to, text }) => Response.json({ error: to, message: text }, { status: 400 }),
  ({ to, text }) => Response.json({ error: to, message: text }, { status: 503 }),
  ({ to, text }) => new Response(`${to} ${text}`, { status: 400 }),
  ({ to, text }) => new Response(`${to} ${text}`, { status: 500 }),
  ({ to, text }) => new Response(`<html>${to} ${text}</html>`),
  ({ to, text }) => Response.json([to, text]),
  ({ to, text }) => new Response(`{"id": "${to}", "text": "${text}`),
  (message) => Response.json({ id: `taken-${carrier.received.indexOf(message)}`, echo: message }),
]

beforeAll(async () => {
  ;({ appId } = await runJson(program, 'app', 'create', 'demo'))
  const newKey = async (...args: string[]): Promise<string> => {
    const { key } = await runJson(program, 'key', 'create', '--app', appId, ...args)
    note('API key', key, key.slice(key.lastIndexOf('_') + 1))
    return key
  }
  const sk = await newKey('--kind', 'sk', '--mode', 'live')
  const pk = await newKey('--kind', 'pk', '--mode', 'live', '--origin', ORIGIN)
  const testSk = await newKey('--kind', 'sk', '--mode', 'test')
  const testPk = await newKey('--kind', 'pk', '--mode', 'test')
  const revoked = await newKey('--kind', 'sk', '--mode', 'live')
  const { keys } = await runJson(program, 'key', 'list', '--app', appId)
  await runJson(program, 'key', 'revoke', keys.find((row: Json) => revoked.endsWith(row.lastFour)).keyId)
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '1000')
  const secretFile = join(folder.path, 'vendor.secret')
  writeFileSync(secretFile, VENDOR_SECRET)
  await runJson(program, 'app', 'challenge', appId, '--vendor', 'turnstile', '--secret-file', secretFile)
  const template = ['template', 'set', 'named', '--app', appId, '--body', '#{name}: #{code}', '--variable', 'name']
  await runJson(program, ...template, '--channel', 'sms,alimtalk')
  const provider = async (name: string, channel: string) => {
    const target = ['--url', `${carrier.url}?token=${URL_SECRET}`, '--header', `X-Api-Key: ${HEADER_SECRET}`]
    const args = ['provider', 'set', name, '--type', 'http', '--channel', channel, '--reports', ...target]
    const { reportSecret } = await runJson(program, ...args)
    note('secret of a carrier', reportSecret)
    return reportSecret as string
  }
  const reportSecret = await provider('main', 'sms')
  await provider('kakao', 'alimtalk')

  const server = await Server.start(program)
  const codeOf = ({ text }: Received) => /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? ''

  /** Over REST and over RPC in turn. */
  let calls = 0
  const call = async (operation: 'issue' | 'verify', key: string, input: object, headers = {}): Promise<Json> => {
    const isRpc = calls++ % 2 === 0
    const path = isRpc ? `/v1/rpc/otp/${operation}` : `/v1/${operation}`
    const { body } = await server.call('POST', path, key, isRpc ? { json: input } : input, headers)
    return isRpc ? body.json : body
  }
  const issue = (key: string, phoneNumber: string, input: object = {}, headers = {}) => {
    const idempotencyKey = `order-${crypto.randomUUID()}`
    note('idempotency key', idempotencyKey)
    return call('issue', key, { phoneNumber, purpose: 'purchase', idempotencyKey, challenge: TOKEN, ...input }, headers)
  }

  const numbers = ECHOES.map((_, index) => phoneNumber(index))
  carrier.answer = (message) => {
    const code = codeOf(message)
    note('code', code)
    const index = numbers.findIndex(({ e164 }) => e164 === message.to)
    return ECHOES[index]?.(message, code) ?? Response.json({ id: `taken-${carrier.received.length}` })
  }

  const busy = phoneNumber(50)
  // Each number once, in some spelling; by SMS, by AlimTalk that falls back, and with a variable.
  for (const [index, { e164, spellings }] of numbers.entries()) {
    const spelling = spellings[index % spellings.length] ?? e164
    const named = index % 3 === 1 && { templateId: 'named', templateVariables: { name: VARIABLE } }
    const { issueId } = await issue(sk, spelling, { ...named, channel: index % 3 === 2 ? 'alimtalk' : 'sms' })
    await until(() => carrier.codeFor(e164), `a text to ${e164}`)
    await call('verify', sk, { issueId, code: '918273' })
    note('code', '918273')
    if (index % 2 !== 0) continue
    const phoneNumber = index % 4 === 0 ? spelling : busy.e164
    const { verified, proof } = await call('verify', sk, { issueId, code: carrier.codeFor(e164), phoneNumber })
    expect([verified, proof !== undefined]).toEqual([true, index % 4 === 0])
    if (proof) note('proof', proof, ...proof.split('.').slice(1))
  }

  // A carrier that first has no time, and then reports with what it must not say.
  let isBusy = true
  carrier.answer = (message) => {
    note('code', codeOf(message))
    if (!isBusy) return Response.json({ id: 'taken-at-last' })
    isBusy = false
    return Response.json({ code: `BUSY ${message.to} ${codeOf(message)}` }, { status: 429 })
  }
  await issue(sk, busy.spellings[0])
  await until(() => carrier.received.filter(({ to }) => to === busy.e164).length === 2, 'the second try')

  // Waiting to be sent: the number and the text lie sealed in the outbox.
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  carrier.answer = async (message) => {
    note('code', codeOf(message))
    await released
    return Response.json({ id: `taken-${message.messageId}` })
  }
  const waiting = phoneNumber(51)
  await issue(pk, waiting.spellings[1], {}, { origin: ORIGIN })
  await until(() => carrier.codeFor(waiting.e164), 'the slow text')
  copyDatabase('while a text is being sent')
  release()

  // Reports, right and wrong.
  const report = (body: object, secret = reportSecret, path = '/provider-reports/main') =>
    server.call('POST', path, secret, body)
  const messageId = carrier.received.find(({ to }) => to === waiting.e164)?.messageId ?? ''
  await report({ messageId, status: 'delivered', code: '0000' }, 'sk_wrong')
  await report({ messageId: 'taken-at-last', status: 'delivered', number: busy.e164 })
  await report({ messageId, status: 'delivered', code: '0000' }, '', `/provider-reports/main?token=${reportSecret}`)
  await report({ messageId: waiting.e164, status: 'failed', text: carrier.codeFor(waiting.e164) })

  const quoted = phoneNumber(60, 'number or code that a report quotes')
  const named = phoneNumber(61, "number that is the carrier's id of the text")
  carrier.answer = ({ to, messageId }) => Response.json({ id: to === named.e164 ? to.slice(1) : messageId })
  for (const { e164, spellings } of [quoted, named]) {
    await issue(sk, spellings[0])
    await until(() => carrier.codeFor(e164), `a text to ${e164}`)
  }
  note('number or code that a report quotes', carrier.codeFor(quoted.e164))
  note('code', carrier.codeFor(named.e164))
  const reportQuoting = async (code: string) => {
    const { messageId } = carrier.received.findLast(({ to }) => to === quoted.e164) ?? {}
    const isHeard = async () => (await report({ messageId, status: 'failed', code })).body.recorded === 1
    await until(isHeard, 'a report to be heard')
  }
  await reportQuoting(`ABSENT ${quoted.e164}`)
  await issue(sk, quoted.spellings[1], { purpose: 'purchase again' })
  await until(() => carrier.received.filter(({ to }) => to === quoted.e164).length === 2, 'a second text')
  note('number or code that a report quotes', carrier.codeFor(quoted.e164))
  await reportQuoting(`UNREAD ${carrier.codeFor(quoted.e164)}`)

  // Test mode.
  for (const phone of ['010-0000-0000', '+44 7700 900003', '+1 212 555 0110', '010-0000-0007', '010-1357-9246']) {
    note('phone number', phone, phone.replace(/\D/g, ''), `+${phone.replace(/\D/g, '')}`)
    const { issueId } = await issue(testSk, phone)
    if (issueId !== undefined) await call('verify', testSk, { issueId, code: '000000' })
    await issue(testPk, phone, {}, { origin: 'http://localhost:3000' })
  }

  // In all the wrong places.
  const { e164, spellings } = phoneNumber(52)
  const key = `key-${crypto.randomUUID()}`
  note('idempotency key', key)
  const wrong: Array<[string, string, Record<string, string>?]> = [
    ['GET', `/v1/balance?key=${sk}&phoneNumber=${spellings[1]}`],
    ['GET', `/v1/status?issueId=${encodeURIComponent(e164)}`],
    ['GET', `/v1/issues/${spellings[0]}`],
    ['GET', `/v1/issues/${encodeURIComponent(e164)}`],
    ['GET', `/v1/issues?cursor=${sk}`],
    ['GET', `/v1/templates/${testSk}`],
    ['GET', `/v1/${e164}`],
    ['POST', `/v1/rpc/otp/${sk}`],
    ['POST', `/v1/rpc/otp/issue/${spellings[1]}`],
    ['POST', `/provider-reports/${e164}?token=${reportSecret}`],
    ['GET', `/provider-reports/main?token=${reportSecret}`],
    ['GET', `/docs/${sk}`],
    ['GET', `/${sk}/${e164}`],
    ['OPTIONS', `/v1/issue?phone=${spellings[1]}`, { origin: `https://${spellings[1]}.example.com` }],
    ['PUT', `/v1/issue?key=${sk}`],
    ['GET', '/v1/balance', { authorization: `Basic ${btoa(`${sk}:`)}` }],
    ['GET', '/v1/balance', { authorization: `Basic ${sk}` }],
    ['GET', '/v1/balance', { authorization: sk }],
    ['GET', '/v1/balance', { authorization: `Bearer ${sk}x` }],
    ['GET', '/v1/balance', { authorization: `Bearer ${revoked}` }],
    ['GET', '/v1/balance', { authorization: `Bearer ${e164}` }],
    ['GET', '/v1/balance', { 'x-api-key': sk, 'user-agent': e164, 'x-forwarded-for': e164, referer: `http://${sk}/` }],
    ['GET', '/v1/balance', { 'x-request-id': `${e164} ${sk}` }],
    ['GET', '/v1/balance', { authorization: `Bearer ${testPk}`, origin: `https://${spellings[0]}` }],
  ]
  for (const [method, path, headers] of wrong) {
    await server.call(method, path, headers?.authorization ? undefined : sk, undefined, headers)
  }
  const bodies: unknown[] = [
    `{"phoneNumber":"${e164}","phoneNumber":"${e164}"}`,
    `{"phoneNumber":"${e164}`,
    { [spellings[1]]: sk, [sk]: e164 },
    { phoneNumber: `${e164}${sk}`, purpose: 'x', idempotencyKey: key },
    { phoneNumber: e164, purpose: 'x', idempotencyKey: `${key} ` },
    { phoneNumber: e164, purpose: 'x', channel: e164, messageType: sk, expiresInSec: e164 },
    { phoneNumber: e164, purpose: 'x', challenge: `${TOKEN} ` },
    {
      phoneNumber: e164,
      purpose: 'x',
      templateId: 'named',
      templateVariables: { [e164]: VARIABLE },
      idempotencyKey: key,
    },
  ]
  for (const body of bodies) {
    await server.call('POST', '/v1/issue', sk, body, { 'idempotency-key': key })
    await server.call('POST', '/v1/rpc/otp/issue', sk, typeof body === 'string' ? `{"json":${body}}` : { json: body })
    await server.call('POST', '/v1/verify', sk, body)
  }
  const typo = await run(program, 'key', 'revoke', sk)
  note('API key', sk)
  expect(typo.exitCode).toBe(1)

  await until(
    async () => (await server.call('GET', '/v1/issues?limit=100', sk)).body.items.every(isSettled),
    'all texts to be answered for',
  )
  const numberFile = join(folder.path, 'number.txt')
  writeFileSync(numberFile, quoted.e164)
  const erased = await run(program, 'privacy', 'erase', '--phone-file', numberFile, '--yes')
  expect(erased).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Erased: 2 issues') })
  leave('what an erasure prints', erased.stdout + erased.stderr)
  leave('watchword.erased', readFileSync(join(folder.path, 'watchword-data', 'watchword.erased'), 'utf8'))
  copyDatabase('while the server runs')
  const scraped = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  // Numbers of their own may have any digits.
  leave('metrics', (await scraped.text()).replace(/ [0-9.e+-]+$/gm, ''))
  expect(await server.stop()).toBe(0)
  leave('traces', JSON.stringify(collector.spans.map(({ name, attributes }) => ({ name, attributes }))))
  copyDatabase('after the server has stopped')
  leave('standard output', server.stdout)
  leave('the log', server.stderr)
  expect(readdirSync(join(folder.path, 'watchword-data'))).toContain('watchword.db')
})

const isSettled = ({ deliveryStatus }: Json) => deliveryStatus !== 'queued'

afterAll(async () => {
  await carrier.stop()
  await collector.stop()
  folder.remove()
})

describe('the database, its write-ahead log and the logs hold', () => {
  test('what they should, so that the search below would find what they should not', () => {
    const where = (needle: string) => remains.filter(({ text }) => text.includes(needle)).map((place) => place.where)
    expect(where('purchase')).toContain('watchword.db after the server has stopped')
    expect(where('purchase')).toContain('watchword.db-wal while a text is being sent')
    expect(where('taken-at-last')).toContain('watchword.db while the server runs')
    expect(where(appId)).toContain('the log')
    expect(where('"event":"listening"')).toContain('standard output')
    expect(where('watchword_attempts_total')).toContain('metrics')
    expect(where('POST /v1/issue')).toContain('traces')
    expect(collector.headers[0]?.get('authorization')).toBe(`Bearer ${COLLECTOR_TOKEN}`)
    expect(carrier.received.length).toBeGreaterThan(ECHOES.length)
    expect(carrier.headers[0]?.get('x-api-key')).toBe(HEADER_SECRET)
    expect(carrier.received.some(({ text }) => text.includes(VARIABLE))).toBe(true)
    for (const [kind, values] of Object.entries(secrets)) expect([kind, values.size > 0]).toEqual([kind, true])
    expect(secrets.code?.size).toBeGreaterThan(ECHOES.length)
  })

  test.each(Object.keys(secrets))('no %s', (kind) => {
    const found = [...(secrets[kind] ?? [])].flatMap((value) =>
      remains
        .filter(({ text }) => text.includes(value))
        .map(({ where, text }) => {
          const at = text.indexOf(value)
          return `${value} in ${where}: ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 60))}`
        }),
    )
    expect(found).toEqual([])
  })
})
