/** Twilio Verify v2, answered by issue and verify. Each answer is held against the schemas that Twilio publishes. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { accountSid, serviceSid } from '../../src/http/compat/twilio-answer'
import { protectApp } from '../../src/usecases/abuse/set-protection'
import * as administer from '../../src/usecases/administer'
import { HANGS_AFTER_MS } from '../support/until'
import { type Answer, type Furnished, VOICE_URL, WHATSAPP_URL, World } from '../support/world'
import { assertTwilios } from './twilio-schemas'

setDefaultTimeout(HANGS_AFTER_MS)

const PHONE = '+821012345678'
const MAGIC = '+14155550100'

let world: World
let keys: Furnished
let user: string
let services: string

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  await administer.addTwilioPurpose(world.admin, keys.appId, 'signup')
  await administer.addTwilioPurpose(world.admin, keys.appId, 'payment')
  user = accountSid(keys.appId)
  services = serviceSid(keys.appId, 'signup')
})
afterEach(() => world.stop())

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
const FORM = 'application/x-www-form-urlencoded'

interface Sent {
  key?: string
  headers?: Record<string, string>
  service?: string
}

async function send(
  method: string,
  resource: string,
  form: Record<string, string> | string | undefined,
  sent: Sent = {},
) {
  const { key = keys.live, service = services } = sent
  const path = `/compat/twilio/v2/Services/${service}/${resource}`
  const headers = { authorization: basic(user, key), 'content-type': FORM, ...sent.headers }
  const body = typeof form === 'object' ? new URLSearchParams(form).toString() : form
  const answer = await world.send(method, path, body, { headers })
  assertTwilios(path, answer.status, answer.body)
  await world.settle()
  return answer
}
const post = (resource: string, form: Record<string, string> | string, sent?: Sent) =>
  send('POST', resource, form, sent)
const create = (form: Record<string, string> = {}, sent?: Sent) =>
  post('Verifications', { To: PHONE, Channel: 'sms', ...form }, sent)
const check = (form: Record<string, string>, sent?: Sent) => post('VerificationCheck', { To: PHONE, ...form }, sent)
const fetched = (id: string, sent?: Sent) => send('GET', `Verifications/${id}`, undefined, sent)

const said = ({ status, body }: Answer) => [status, body.code]
const sentCode = () => world.sms.lastCode()
const wrongCode = () => (sentCode() === '000001' ? '000002' : '000001')

test('a service can be read, a resource that is none is named, and so is a parameter that is ignored, once', async () => {
  const headers = { authorization: basic(user, keys.live), 'content-type': FORM }
  const get = (path: string) => world.send('GET', `/compat/twilio/v2/${path}`, undefined, { headers })
  const { status, body } = await get(`Services/${services}`)
  expect([status, body]).toMatchObject([
    200,
    { sid: services, account_sid: user, friendly_name: 'signup', code_length: 6, custom_code_enabled: false },
  ])
  expect(body.url).toBe(`http://localhost/compat/twilio/v2/Services/${services}`)
  expect((await get('Services/VA00000000000000000000000000000000')).status).toBe(404)
  for (const [path, name] of [
    [`Services/${services}/RateLimits`, 'RateLimits'],
    [`Services/${services}/Entities/me/Factors`, 'Factors'],
    ['Attempts', 'Attempts'],
  ] as const) {
    const { status, body } = await get(path)
    expect([status, body.code, body.message]).toEqual([404, 20404, expect.stringContaining(`the resource ${name},`)])
  }
  for (const To of [PHONE, '+821087654321']) await create({ To, TemplateSid: 'HJ1', AppHash: 'x' })
  const noted = world.logged.filter((line) => line.includes('a parameter of Twilio is ignored'))
  expect(noted.map((line) => JSON.parse(line).parameter)).toEqual(['TemplateSid', 'AppHash'])
})

describe('a verification', () => {
  test('is created, checked with a wrong and with the right code, and then gone', async () => {
    const created = await create()
    expect(created.status).toBe(201)
    const at = new Date(world.clock.now()).toISOString().replace('.000Z', 'Z')
    expect(created.body).toMatchObject({
      ...{ service_sid: services, account_sid: user, to: PHONE, channel: 'sms', status: 'pending', valid: false },
      ...{ lookup: { carrier: null }, amount: null, payee: null, sna: null, date_created: at, date_updated: at },
      url: `http://localhost/compat/twilio/v2/Services/${services}/Verifications/${created.body.sid}`,
    })
    const [attempt] = created.body.send_code_attempts
    expect(attempt).toEqual({ time: at, channel: 'SMS', attempt_sid: expect.stringMatching(/^VL[0-9a-f]{32}$/) })

    const wrong = await check({ Code: wrongCode() })
    expect(wrong).toMatchObject({ status: 200, body: { sid: created.body.sid, status: 'pending', valid: false } })
    const right = await check({ Code: sentCode() })
    expect(right).toMatchObject({
      status: 200,
      body: { sid: created.body.sid, status: 'approved', valid: true, to: PHONE, sna_attempts_error_codes: [] },
    })
    expect(said(await check({ Code: sentCode() }))).toEqual([404, 20404])
    expect(said(await fetched(created.body.sid))).toEqual([404, 20404])
  })

  test('is one issue of the service, which lives ten minutes and takes five attempts', async () => {
    const { sid } = (await create()).body
    const issueId = sid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    const status = await world.call('rest', 'status', { issueId }, { key: keys.live })
    expect(status.body).toMatchObject({ purpose: 'signup', verificationStatus: 'issued', maxAttempts: 5 })
    expect(Date.parse(status.body.expiresAt) - Date.parse(status.body.createdAt)).toBe(600_000)
  })

  test('that is checked too often is 60202, until it has expired', async () => {
    const { sid } = (await create()).body
    for (let n = 0; n < 5; n++)
      expect(await check({ Code: wrongCode() })).toMatchObject({ body: { status: 'pending' } })
    const refused = await check({ Code: sentCode() })
    expect(said(refused)).toEqual([429, 60202])
    expect(refused.headers.get('retry-after')).toBe('600')
    expect((await fetched(sid)).body.status).toBe('max_attempts_reached')
    await world.leap(600_000)
    expect(said(await check({ Code: sentCode() }))).toEqual([404, 20404])
    expect(said(await fetched(sid))).toEqual([404, 20404])
  })

  test('is named by its SID or by the number, and a wrong number beside the SID finds nothing', async () => {
    const { sid } = (await create()).body
    expect((await fetched(sid)).body).toMatchObject({ sid, to: null, status: 'pending' })
    for (const id of [PHONE, encodeURIComponent(PHONE)])
      expect((await fetched(id)).body).toMatchObject({ sid, to: PHONE })
    const wrong = { Code: sentCode(), VerificationSid: sid, To: '+821012345679' }
    expect(said(await post('VerificationCheck', wrong))).toEqual([404, 20404])
    const bySid = await post('VerificationCheck', { Code: sentCode(), VerificationSid: sid })
    expect(bySid.body).toMatchObject({ status: 'approved', to: null })
  })

  test.each(['canceled', 'approved'])('that is %s by its owner cannot be checked', async (Status) => {
    const { sid } = (await create()).body
    const updated = await post(`Verifications/${sid}`, { Status })
    expect(updated).toMatchObject({ status: 200, body: { sid, status: Status, valid: Status === 'approved' } })
    expect(said(await check({ Code: sentCode() }))).toEqual([404, 20404])
    expect(said(await post(`Verifications/${sid}`, { Status }))).toEqual([404, 20404])
    const again = await fetched(sid)
    if (Status === 'canceled') expect(again.body.status).toBe('canceled')
    else expect(said(again)).toEqual([404, 20404])
  })

  test('that is approved without a code ends the wrong ones in a row', async () => {
    await create()
    await check({ Code: wrongCode() })
    const inARow = async () => {
      const [row] = await world.rows<{ state: string }>('SELECT state FROM failures')
      return JSON.parse(row?.state ?? '{}').inARow
    }
    expect(await inARow()).toBe(1)
    await post(`Verifications/${PHONE}`, { Status: 'approved' })
    expect(await inARow()).toBe(0)
  })

  test('stays the same while it is pending: a create sends its code again, and wrong codes and life go on', async () => {
    const first = (await create()).body
    const code = sentCode()
    await check({ Code: wrongCode() })
    await world.leap(120_000)
    const [again, tapped] = await Promise.all([create(), create()])
    for (const { status, body } of [again, tapped])
      expect([status, body]).toMatchObject([
        201,
        { sid: first.sid, status: 'pending', date_created: first.date_created },
      ])
    expect(world.sms.requests).toHaveLength(3)
    expect(sentCode()).toBe(code)
    expect((await fetched(first.sid)).body).toMatchObject({ sid: first.sid, status: 'pending' })
    for (let n = 0; n < 3; n++) expect((await check({ Code: wrongCode() })).body.status).toBe('pending')
    expect((await check({ VerificationSid: first.sid, Code: code })).body).toMatchObject({
      ...{ sid: first.sid, status: 'approved' },
    })
    expect(said(await fetched(first.sid))).toEqual([404, 20404])
    expect((await create()).body.sid).not.toBe(first.sid)
  })

  test('is not what metadata of `/v1` says: neither its code nor its life and attempts are taken over', async () => {
    const { sid } = (await create()).body
    const [spent, firstIssueId] = [
      sentCode(),
      sid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    ]
    await check({ Code: spent })
    const forged = { phoneNumber: PHONE, purpose: 'signup', idempotencyKey: 'forged', metadata: { firstIssueId } }
    await world.call('rest', 'issue', { ...forged, maxAttempts: 1, expiresInSec: 30 }, { key: keys.live })
    await world.settle()
    const next = (await create()).body
    expect(next.sid).not.toBe(sid)
    expect(sentCode()).not.toBe(spent)
    await check({ Code: wrongCode() })
    await world.leap(60_000)
    expect((await check({ Code: sentCode() })).body).toMatchObject({ sid: next.sid, status: 'approved' })
  })

  test('is canceled once `/v1` has replaced it, and the next create begins another one', async () => {
    const { sid } = (await create()).body
    await world.call(
      'rest',
      'issue',
      { phoneNumber: PHONE, purpose: 'signup', idempotencyKey: 'web' },
      { key: keys.live },
    )
    await world.settle()
    expect((await fetched(sid)).body.status).toBe('canceled')
    expect((await create()).body.sid).not.toBe(sid)
    expect((await fetched(sid)).body.status).toBe('canceled')
  })

  test('of another service, another app or the other mode is not found', async () => {
    const { sid } = (await create()).body
    const payment = { service: serviceSid(keys.appId, 'payment') }
    expect(said(await fetched(sid, payment))).toEqual([404, 20404])
    expect(said(await check({ Code: sentCode() }, payment))).toEqual([404, 20404])
    expect(said(await fetched(sid, { key: keys.test }))).toEqual([404, 20404])
    expect(said(await fetched(sid, { service: serviceSid(keys.appId, 'login') }))).toEqual([404, 20404])
  })
})

describe('a channel', () => {
  beforeEach(async () => {
    await world.provide('meta', ['whatsapp'], WHATSAPP_URL)
    await administer.setPlan(world.admin, keys.appId, {
      ...{ channel: 'sms', country: undefined },
      legs: [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms' }],
    })
  })
  const starts = () => [world.whatsapp, world.sms, world.voice].map(({ requests }) => requests.length)

  test.each(['sms', 'auto'])('%s goes by the plan of the app', async (Channel) => {
    expect((await create({ Channel })).body).toMatchObject({ channel: 'whatsapp' })
    await world.advance(9_000)
    expect(starts()).toEqual([1, 1, 0])
  })

  test('whatsapp goes that way alone', async () => {
    expect((await create({ Channel: 'whatsapp' })).body).toMatchObject({
      ...{ channel: 'whatsapp', send_code_attempts: [{ channel: 'whatsapp' }] },
    })
    await world.advance(60_000)
    expect(starts()).toEqual([1, 0, 0])
  })

  test('call is disabled without a carrier, and calls with one', async () => {
    expect(said(await create({ Channel: 'call' }))).toEqual([400, 60223])
    await world.provide('caller', ['voice'], VOICE_URL)
    await administer.setRoute(world.admin, { channel: 'voice', country: 'KR', appId: undefined, carriers: ['caller'] })
    await world.advance(2_000)
    expect((await create({ Channel: 'call' })).body).toMatchObject({
      ...{ channel: 'call', send_code_attempts: [{ channel: 'CALL' }] },
    })
    expect(starts()).toEqual([0, 0, 1])
  })

  test.each([
    ['email', 60223],
    ['sna', 60223],
    ['pigeon', 60200],
    ['', 60200],
  ])('%p is %d', async (Channel, code) => {
    expect(said(await create({ Channel }))).toEqual([400, code])
  })
})

describe('a request is refused', () => {
  test.each([
    ['a number without plus', { To: '01012345678' }, 400, 60200],
    ['a number that does not exist', { To: '+8210' }, 400, 60200],
    ['no number', { To: '' }, 400, 60200],
    ['a magic number with a live key', { To: MAGIC }, 400, 60200],
    ['a fixed line', { To: '+8225310000' }, 403, 60205],
    ['a code of the caller', { CustomCode: '123456' }, 403, 60204],
    ['an amount', { Amount: '€39.99', Payee: 'Acme' }, 403, 60204],
    ['a language that is none', { Locale: '!' }, 400, 60200],
    ['an address that is none', { DeviceIp: 'localhost' }, 400, 60200],
    ['rate limits that are not JSON', { RateLimits: '{' }, 400, 60200],
  ])('%s', async (_, form, status, code) => {
    const answer = await create(form as Record<string, string>)
    expect(said(answer)).toEqual([status, code])
    expect(answer.body.more_info).toBe(`https://www.twilio.com/docs/errors/${code}`)
  })

  test.each([
    ['no code', {}, 60200],
    ['a code that is too short', { Code: '123' }, 60200],
    ['a code that is too long', { Code: '12345678901' }, 60200],
    ['neither number nor SID', { Code: '123456', To: '' }, 60200],
  ])('a check with %s', async (_, form, code) => {
    expect(said(await check(form as Record<string, string>))).toEqual([400, code])
  })

  test('a code of another length is a wrong code', async () => {
    await create()
    expect((await check({ Code: '1234' })).body.status).toBe('pending')
  })

  test.each([
    ['that is no form', '{}', { 'content-type': 'application/json' }],
    ['with broken encoding', 'To=%zz&Channel=sms', {}],
    ['with a parameter given twice', `To=%2B821012345678&To=%2B821012345678&Channel=sms`, {}],
    ['that is too large', `To=%2B821012345678&Channel=sms&Tags=${'t'.repeat(16 * 1024)}`, {}],
  ])('a body %s', async (_, body, headers) => {
    expect(said(await post('Verifications', body, { headers: headers as Record<string, string> }))).toEqual([
      400, 60200,
    ])
  })

  test('a body of 16 KiB is read', async () => {
    const body = `To=${encodeURIComponent(PHONE)}&Code=123456&Other=`.padEnd(16 * 1024, 'x')
    expect(said(await post('VerificationCheck', body))).toEqual([404, 20404])
  })

  test.each([
    ['POST', 'Verifications/VE1/x'],
    ['DELETE', 'Verifications'],
    ['GET', 'VerificationCheck'],
    ['GET', 'RateLimits'],
  ])('%s %s is 20404', async (method, resource) => {
    expect(said(await send(method, resource, undefined))).toEqual([404, 20404])
  })

  test.each(['VE', `VE${'0'.repeat(32)}`, `VE${'g'.repeat(32)}`, PHONE, '%ff'])(
    'the verification %s is none',
    async (id) => {
      const answer = await fetched(id)
      expect([404, 400]).toContain(answer.status)
    },
  )

  test('a status that cannot be set is 60200', async () => {
    const { sid } = (await create()).body
    expect(said(await post(`Verifications/${sid}`, { Status: 'pending' }))).toEqual([400, 60200])
  })
})

describe('who may call', () => {
  test('needs the SID of the app and one of its secret keys', async () => {
    const other = await administer.createApp(world.admin, { name: 'other' })
    const foreign = await world.key({ appId: other.appId, kind: 'sk', mode: 'live' })
    const pk = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: ['https://a.example'] })
    for (const authorization of [
      ...[
        '',
        'Basic',
        'Basic !',
        `Bearer ${keys.live}`,
        basic(user, ''),
        basic(user, 'sk_wrong'),
        basic('', keys.live),
      ],
      ...[basic(keys.live, user), basic(accountSid(other.appId), keys.live), basic(user, foreign), basic(user, '\n')],
    ])
      expect(said(await create({}, { headers: { authorization } }))).toEqual([401, 20003])
    const fromPage = { key: pk, headers: { origin: 'https://a.example' } }
    expect(said(await create({}, fromPage))).toEqual([403, 70051])
  })

  test('may leave out the underscores of the key, as the SDK for Go must', async () => {
    expect((await create({}, { key: keys.live.replaceAll('_', '') })).status).toBe(201)
    const magic = await create({ To: MAGIC }, { key: keys.test.replaceAll('_', '') })
    expect(magic.status).toBe(201)
  })

  test('needs the scope of the operation', async () => {
    const scoped = (scopes: string[]) => world.key({ appId: keys.appId, kind: 'sk', mode: 'live', scopes })
    const [issues, verifies] = [await scoped(['otp:issue']), await scoped(['otp:verify'])]
    expect(said(await create({}, { key: verifies }))).toEqual([403, 70051])
    const { sid } = (await create({}, { key: issues })).body
    expect(said(await check({ Code: sentCode() }, { key: issues }))).toEqual([403, 70051])
    expect(said(await fetched(sid, { key: issues }))).toEqual([403, 70051])
    expect((await check({ Code: sentCode() }, { key: verifies })).body.status).toBe('approved')
  })

  test('guesses of passwords have a limit', async () => {
    let last: Answer | undefined
    for (let n = 0; n < 601; n++) last = await create({}, { key: `sk_${n}` })
    expect(last && said(last)).toEqual([429, 20429])
  })
})

describe('a limit', () => {
  test('of sends to a phone is 60203', async () => {
    for (let n = 0; n < 5; n++) expect((await create()).status).toBe(201)
    const answer = await create()
    expect(said(answer)).toEqual([429, 60203])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('of a key is 20429', async () => {
    const limits = { issuesPerMin: 1 }
    const key = await world.key({ appId: keys.appId, kind: 'sk', mode: 'live', limits })
    expect((await create({}, { key })).status).toBe(201)
    expect(said(await create({}, { key }))).toEqual([429, 20429])
  })

  test('of credit is 20005', async () => {
    await administer.clawBackCredit(world.admin, { appId: keys.appId, amount: 1_000, reference: 'bill' })
    expect(said(await create())).toEqual([402, 20005])
  })

  test('of countries is 60605', async () => {
    await protectApp(world.admin, keys.appId, { closed: ['US'] })
    await world.advance(2_000)
    expect(said(await create({ To: '+14155552671' }))).toEqual([403, 60605])
  })

  test('of a pause between codes is 60203', async () => {
    await protectApp(world.admin, keys.appId, { resendMs: { sk: 30_000 } })
    await world.advance(2_000)
    expect((await create()).status).toBe(201)
    expect(said(await create())).toEqual([429, 60203])
  })
})

describe('with a test key', () => {
  const magic = (scenario: string, form: Record<string, string> = {}) =>
    create({ To: `+141555501${scenario}`, ...form }, { key: keys.test })

  test('a magic number takes 000000, and nothing is sent', async () => {
    expect((await magic('00')).body).toMatchObject({ to: MAGIC, status: 'pending' })
    const right = await check({ To: MAGIC, Code: '000000' }, { key: keys.test })
    expect(right.body).toMatchObject({ status: 'approved', to: MAGIC })
    expect([world.sms, world.kakao].map(({ requests }) => requests.length)).toEqual([0, 0])
  })

  test.each([
    ['06', 429, 60203],
    ['07', 402, 20005],
    ['09', 503, 20503],
  ])('scenario %s is %d %d', async (scenario, status, code) => {
    expect(said(await magic(scenario))).toEqual([status, code])
  })

  test('every channel has the simulator, and other numbers are 60200', async () => {
    for (const Channel of ['sms', 'call', 'whatsapp', 'auto']) expect((await magic('00', { Channel })).status).toBe(201)
    expect(said(await create({}, { key: keys.test }))).toEqual([400, 60200])
  })
})

describe('what is passed on', () => {
  test('the language of the text', async () => {
    const texts: string[] = []
    for (const Locale of ['ko', 'en']) {
      await create({ Locale })
      texts.push((world.sms.requests.at(-1)?.text ?? '').replace(/[0-9]/g, ''))
    }
    expect(new Set(texts).size).toBe(2)
  })

  test.each([
    ['DeviceIp', '203.0.113.9'],
    ['RateLimits', '{"end_user_ip_address":"203.0.113.9"}'],
  ])('the address of the end user in %s', async (name, value) => {
    await create({ [name]: value })
    const [row] = await world.rows<{ network: Uint8Array | null }>('SELECT network_hash AS network FROM issues')
    expect(row?.network).not.toBeNull()
  })

  test('no number and no code is in the log', async () => {
    await create()
    await check({ Code: wrongCode() })
    await fetched(PHONE)
    await check({ Code: sentCode() })
    const log = world.logged.join('\n')
    for (const secret of [PHONE, PHONE.slice(1), sentCode(), keys.live]) expect(log).not.toContain(secret)
    expect(log).toContain('twilio check')
  })
})
