import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { DeliveryReport, SendOutcome } from '../../src/domain/delivery/delivery'
import type { ReportCallback, ReportedMessage } from '../../src/ports/carrier'
import type { TransportResult } from '../../src/ports/network'
import type { SendVerdict } from '../../src/providers/answer'
import { describedType } from '../../src/providers/described'
import { twilio as described } from '../../src/providers/descriptions/twilio'
import { NOW } from '../domain/sample'
import { VirtualClock } from '../support/clock'
import { checkLookup } from './described-vendor'
import {
  anAwaited,
  anOutbound,
  answered,
  CODE,
  connect,
  expectHarmless,
  TEXT,
  TO,
  WITHOUT_ANSWER,
} from './fake-vendor-twilio-aligo'
import { outcomeOf } from './vendor-answers'

const twilio = describedType(described)

const SID = `AC${'0123456789abcdef'.repeat(2)}`
const TOKEN = 'twilio-auth-token'
const MESSAGE = `SM${'abcdef0123456789'.repeat(2)}`
const SERVICE = `MG${'0a'.repeat(16)}`
const CONFIG = { accountSid: SID, authToken: TOKEN, from: '+15005550006', reportSecret: 'report-secret-of-16' }
const MESSAGES = `https://api.twilio.com/2010-04-01/Accounts/${SID}/Messages`
const BASIC = `Basic ${btoa(`${SID}:${TOKEN}`)}`
const REPORT_URL = 'https://otp.example.com/provider-reports/carrier'

const SECRETS = [TOKEN, SID, CONFIG.reportSecret, CONFIG.from]

const explain = (code: string) => twilio.explain(code, CONFIG)

/** What the documented codes of a send say, by the reader of the documentation, not by the table under test. */
const SEND_CODES: Record<SendVerdict | 'stopped', number[]> = {
  stopped: [21610],
  elsewhere: [
    10002, 20006, 20403, 21212, 21267, 21408, 21601, 21603, 21606, 21607, 21608, 21609, 21612, 21616, 21624, 21659,
    21660, 21661, 21701, 21703, 21704, 21705, 90007, 90014,
  ],
  unfit: [10001, 20003, 20005, 20008, 20404, 60728, 63038],
  never: [21211, 21265, 21266, 21602, 21604, 21605, 21614, 21617, 21619, 21635],
  later: [14107, 20429, 21611, 21730, 63017],
  ambiguous: [20500, 20503, 20504],
}
const EVERY_SEND_CODE = (Object.keys(SEND_CODES) as Array<keyof typeof SEND_CODES>).flatMap((says) =>
  SEND_CODES[says].map((code) => [code, says] as const),
)

const DELIVERY_CODES = [
  30001, 30002, 30003, 30004, 30005, 30006, 30007, 30008, 30010, 30011, 30017, 30018, 30019, 30021, 30022, 30023, 30024,
  30032, 30034, 30035, 30036, 30040, 30410, 30450, 30453, 30454, 30500,
]

const errorBody = (code: number, status: number) => ({
  code,
  message: `The number ${TO} cannot be reached: ${TEXT}`,
  more_info: `https://www.twilio.com/docs/errors/${code}`,
  status,
})

describe('configuration', () => {
  test('needs account, token and sender, and nothing else', () => {
    expect(twilio.config.safeParse(CONFIG).success).toBe(true)
    for (const field of ['accountSid', 'authToken', 'from']) {
      expect(twilio.config.safeParse({ ...CONFIG, [field]: undefined }).success).toBe(false)
    }
    expect(twilio.config.safeParse({ ...CONFIG, accountSid: 'SK123' }).success).toBe(false)
    expect(twilio.config.safeParse({ ...CONFIG, surplus: 1 }).success).toBe(false)
  })
})

describe('what is sent', () => {
  test('one form, with basic auth', async () => {
    const { vendor, provider } = connect(twilio, CONFIG, { reportUrl: REPORT_URL })
    await provider.send(anOutbound())
    const { form, ...request } = vendor.only()
    expect(request).toMatchObject({
      method: 'POST',
      url: `${MESSAGES}.json`,
      headers: {
        authorization: BASIC,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      timeoutMs: 4_000,
    })
    expect(form).toEqual({
      To: TO,
      From: '+15005550006',
      Body: TEXT,
      StatusCallback: REPORT_URL,
      ValidityPeriod: '180',
    })
  })

  test('without a public URL there is no callback', async () => {
    const { vendor, provider } = connect(twilio, CONFIG)
    await provider.send(anOutbound())
    expect(vendor.only().form).not.toHaveProperty('StatusCallback')
  })

  test.each<[string, string | undefined, Record<string, string>]>([
    ['+15005550006', 'ACME', { From: 'ACME' }],
    [SERVICE, undefined, { MessagingServiceSid: SERVICE }],
    [SERVICE, '+15005550001', { From: '+15005550001' }],
    ['+15005550006', SERVICE, { MessagingServiceSid: SERVICE }],
  ])('configured %s, asked for %s', async (configured, asked, expected) => {
    const { vendor, provider } = connect(twilio, { ...CONFIG, from: configured })
    await provider.send(anOutbound(asked === undefined ? {} : { from: asked }))
    const { From, MessagingServiceSid } = vendor.only().form
    expect(JSON.parse(JSON.stringify({ From, MessagingServiceSid }))).toEqual(expected)
  })

  test.each<[number, string]>([
    [-1, '1'],
    [999, '1'],
    [59_999, '59'],
    [36_000_000, '36000'],
    [86_400_000, '36000'],
  ])('a code that lives %d ms more is valid for %s s', async (leftMs, validity) => {
    const { vendor, provider } = connect(twilio, CONFIG)
    await provider.send(anOutbound({ expiresAt: NOW + leftMs }))
    expect(vendor.only().form.ValidityPeriod).toBe(validity)
  })

  test('the API base may be another', async () => {
    const { vendor, provider } = connect(twilio, { ...CONFIG, apiBase: 'http://localhost:4010/' })
    await provider.send(anOutbound())
    expect(vendor.only().url).toBe(`http://localhost:4010/2010-04-01/Accounts/${SID}/Messages.json`)
  })
})

describe('what Twilio answers to a send', () => {
  const send = async ({ result, reportUrl }: { result: TransportResult; reportUrl?: string }) => {
    const { vendor, provider } = connect(twilio, CONFIG, { reportUrl })
    vendor.answer = result
    const outcome = await provider.send(anOutbound())
    expect(vendor.requests).toHaveLength(1)
    expectHarmless(outcome, SECRETS)
    return outcome
  }

  test('201 with a SID is accepted; without a callback it is asked for sooner', async () => {
    const result = answered(201, { sid: MESSAGE, status: 'queued', error_code: null })
    expect(await send({ result, reportUrl: REPORT_URL })).toEqual({
      kind: 'accepted',
      carrierMessageId: MESSAGE,
      reportAfterMs: 60_000,
    })
    expect(await send({ result })).toMatchObject({ kind: 'accepted', reportAfterMs: 10_000 })
  })

  test.each(WITHOUT_ANSWER)('%s', async (_, result, expected) => {
    const outcome = await send({ result })
    expect(outcome).toEqual(expected)
    expect(explain(expected.code ?? '')).toBeString()
  })

  test.each(EVERY_SEND_CODE)('code %d: %s', async (code, says) => {
    expect(await send({ result: answered(400, errorBody(code, 400)) })).toEqual(outcomeOf(says, String(code)))
    expect(explain(String(code))).toMatch(/\w{3}/)
  })

  test.each<[number, unknown, SendOutcome]>([
    [400, errorBody(21999, 400), { kind: 'refused', retry: 'elsewhere', code: '21999' }],
    [307, '', { kind: 'refused', retry: 'elsewhere', code: 'HTTP_307' }],
    [401, '', { kind: 'refused', retry: 'unfit', code: 'HTTP_401' }],
    [404, '<html>', { kind: 'refused', retry: 'elsewhere', code: 'HTTP_404' }],
    [429, '', { kind: 'refused', retry: 'later', code: 'HTTP_429' }],
    [429, errorBody(20429, 429), { kind: 'refused', retry: 'later', code: '20429' }],
    [408, '', { kind: 'ambiguous', code: 'HTTP_408' }],
    [500, errorBody(20500, 500), { kind: 'ambiguous', code: '20500' }],
    [500, errorBody(21999, 500), { kind: 'ambiguous', code: '21999' }],
    [502, '<html>bad gateway</html>', { kind: 'ambiguous', code: 'HTTP_502' }],
    [503, '', { kind: 'ambiguous', code: 'HTTP_503' }],
    [503, errorBody(20429, 503), { kind: 'refused', retry: 'later', code: '20429' }],
    [200, '', { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
    [201, '{"sid"', { kind: 'ambiguous', code: 'HTTP_201_WITHOUT_ID' }],
    [201, 'null', { kind: 'ambiguous', code: 'HTTP_201_WITHOUT_ID' }],
    [201, { sid: TO }, { kind: 'ambiguous', code: 'HTTP_201_WITHOUT_ID' }],
    // What is no code of Twilio does not become one.
    [400, { code: Number(CODE) }, { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
    [400, { code: TEXT }, { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
    [400, { code: 'constructor' }, { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
  ])('HTTP %d %j', async (status, body, expected) => {
    expect(await send({ result: answered(status, body) })).toEqual(expected)
    expect(explain(expected.code ?? '')).toMatch(/\w{3}/)
  })
})

describe('report callbacks', () => {
  const { provider } = connect(twilio, CONFIG, { reportUrl: REPORT_URL })
  const read = (callback: ReportCallback) => provider.readReports?.(callback)

  const callbackOf = (text: string, signature: string | undefined, url = REPORT_URL): ReportCallback => ({
    url,
    headers: new Headers(signature === undefined ? {} : { 'X-Twilio-Signature': signature }),
    query: new URL(url).searchParams,
    text,
  })

  const sign = (fields: Record<string, string>, url = REPORT_URL, token = TOKEN) => {
    const signed = Object.keys(fields)
      .sort()
      .reduce((text, key) => text + key + fields[key], url)
    return createHmac('sha1', token).update(signed).digest('base64')
  }

  const reported = (fields: Record<string, string>) =>
    read(callbackOf(new URLSearchParams(fields).toString(), sign(fields)))

  const status = (MessageStatus: string, more: Record<string, string> = {}) => ({
    MessageSid: MESSAGE,
    MessageStatus,
    To: TO,
    From: CONFIG.from,
    ApiVersion: '2010-04-01',
    ...more,
  })

  test("the signature is Twilio's own: its published example", () => {
    const example = connect(twilio, { ...CONFIG, authToken: '12345' }).provider
    const text = new URLSearchParams({
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
      From: '+14158675309',
      To: '+18005551212',
    }).toString()
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
    expect(example.readReports?.(callbackOf(text, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', url))).toEqual([])
  })

  test.each<[string, Record<string, string>, ReportedMessage[]]>([
    ['delivered', {}, [{ messageId: MESSAGE, status: 'delivered' }]],
    ['read', {}, [{ messageId: MESSAGE, status: 'delivered' }]],
    ['undelivered', { ErrorCode: '30003' }, [{ messageId: MESSAGE, status: 'failed', code: '30003' }]],
    ['failed', { ErrorCode: '30036' }, [{ messageId: MESSAGE, status: 'failed', code: '30036' }]],
    ['failed', {}, [{ messageId: MESSAGE, status: 'failed', code: 'FAILED' }]],
    ['failed', { ErrorCode: TO }, [{ messageId: MESSAGE, status: 'failed', code: 'FAILED' }]],
    ['canceled', {}, [{ messageId: MESSAGE, status: 'failed', code: 'CANCELED' }]],
    ['accepted', {}, []],
    ['scheduled', {}, []],
    ['queued', {}, []],
    ['sending', {}, []],
    ['sent', {}, []],
    ['teleported', {}, []],
  ])('%s %j', (word, more, expected) => {
    expect(reported(status(word, more))).toEqual(expected)
  })

  test('the same report twice says the same', () => {
    expect(reported(status('delivered'))).toEqual(reported(status('delivered')))
  })

  test('a signed callback about something else reports nothing', () => {
    expect(reported({ CallSid: 'CA1' })).toEqual([])
    expect(reported({ MessageSid: TO, MessageStatus: 'delivered' })).toEqual([])
    expect(reported({})).toEqual([])
  })

  test('a field that comes twice is signed by each of its values, and once by equal ones', () => {
    const signature = createHmac('sha1', TOKEN).update(`${REPORT_URL}AaAbBx`).digest('base64')
    expect(read(callbackOf('B=x&A=b&A=a&A=b', signature))).toEqual([])
  })

  const form = new URLSearchParams(status('delivered')).toString()
  test.each<[string, ReportCallback]>([
    ['no signature', callbackOf(form, undefined)],
    ['an empty one', callbackOf(form, '')],
    ['not base64', callbackOf(form, '%%%')],
    ['a short one', callbackOf(form, sign(status('delivered')).slice(0, 8))],
    ['the token of another', callbackOf(form, sign(status('delivered'), REPORT_URL, 'other'))],
    ['another URL', callbackOf(form, sign(status('delivered'), 'https://elsewhere.example.com/'))],
    ['another status', callbackOf(form, sign(status('failed')))],
    ['a field more', callbackOf(`${form}&ErrorCode=30003`, sign(status('delivered')))],
  ])('%s is not believed', (_, callback) => {
    expect(read(callback)).toBeUndefined()
  })
})

describe('asking for a message', () => {
  const ask = async (result: TransportResult, ageMs = 0, carrierMessageId: string | undefined = MESSAGE) => {
    const { vendor, provider } = connect(twilio, CONFIG, { clock: new VirtualClock(NOW + ageMs) })
    vendor.answer = result
    return { vendor, fate: await provider.query?.(anAwaited({ carrierMessageId })) }
  }

  test('one GET with basic auth', async () => {
    const { vendor } = await ask(answered(200, { status: 'delivered' }))
    expect(vendor.requests).toEqual([
      {
        method: 'GET',
        url: `${MESSAGES}/${MESSAGE}.json`,
        headers: { authorization: BASIC, accept: 'application/json' },
        timeoutMs: 4_000,
      },
    ])
  })

  test.each<[object, DeliveryReport | { askAgainMs: number }]>([
    [{ status: 'delivered', error_code: null }, { status: 'delivered' }],
    [{ status: 'read', error_code: null }, { status: 'delivered' }],
    [
      { status: 'undelivered', error_code: 30005 },
      { status: 'failed', code: '30005' },
    ],
    [
      { status: 'failed', error_code: null },
      { status: 'failed', code: 'FAILED' },
    ],
    [{ status: 'canceled' }, { status: 'failed', code: 'CANCELED' }],
    [{ status: 'sent' }, { askAgainMs: 15_000 }],
    [{ status: 'queued' }, { askAgainMs: 15_000 }],
    [{ status: 'teleported' }, { askAgainMs: 15_000 }],
    [{}, { askAgainMs: 15_000 }],
  ])('%j', async (body, expected) => {
    expect((await ask(answered(200, body))).fate).toEqual(expected)
  })

  test.each<[TransportResult]>([
    [answered(404, errorBody(20404, 404))],
    [answered(500, { status: 'delivered' })],
    [answered(200, '<html>')],
    [answered(200, '')],
    [{ kind: 'not_sent', reason: 'ENOTFOUND' }],
    [{ kind: 'unknown', reason: 'TimeoutError' }],
  ])('an error decides nothing: %j', async (result) => {
    expect((await ask(result)).fate).toEqual({ askAgainMs: 15_000 })
  })

  test.each<[number, number]>([
    [0, 15_000],
    [119_999, 15_000],
    [120_000, 60_000],
    [900_000, 900_000],
  ])('after %d ms it is asked again in %d ms', async (ageMs, askAgainMs) => {
    expect((await ask(answered(200, { status: 'sent' }), ageMs)).fate).toEqual({ askAgainMs })
  })

  test('what is no message SID is not put into a URL', async () => {
    const { vendor, fate } = await ask(answered(200, { status: 'delivered' }), 0, '../Calls')
    expect(fate).toEqual({ askAgainMs: 15_000 })
    expect(vendor.requests).toEqual([])
  })
})

describe('explanations', () => {
  test.each(DELIVERY_CODES)('%d', (code) => {
    expect(explain(String(code))).not.toBe(explain('39999'))
  })

  test('a code that is not listed is looked up at Twilio; what is none has no explanation', () => {
    expect(explain('39999')).toContain('error dictionary')
    for (const code of ['CANCELED', 'FAILED', 'UNDELIVERED']) expect(explain(code)).toBeString()
    for (const code of ['', 'constructor', 'NOPE', '0']) expect(explain(code)).toBeUndefined()
  })
})

describe('Lookup v2', () => {
  const kind = (type: string | null) => ({
    calling_country_code: '82',
    country_code: 'KR',
    phone_number: TO,
    valid: true,
    line_type_intelligence: { carrier_name: 'SK Telecom', error_code: null, mobile_country_code: '450', type },
  })
  checkLookup(
    described,
    CONFIG,
    {
      url: 'https://lookups.twilio.com/v2/PhoneNumbers/%2B821012345678?Fields=line_type_intelligence',
      authorization: BASIC,
    },
    [
      ['LANDLINE', kind('landline')],
      ['VOIP', kind('fixedVoip')],
      ['VOIP', kind('nonFixedVoip')],
      ['PREMIUM', kind('premium')],
      ['PREMIUM', kind('sharedCost')],
      [undefined, kind('mobile')],
      [undefined, kind('unknown')],
      [undefined, kind(null)],
      [undefined, { ...kind(null), line_type_intelligence: null }],
    ],
  )
})
