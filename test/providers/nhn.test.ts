/** The NHN Cloud adapter, SMS and AlimTalk, against its documented answers. */
import { describe, expect, test } from 'bun:test'
import type { TransportResult } from '../../src/ports/network'
import { describedType } from '../../src/providers/described'
import { nhn as described } from '../../src/providers/descriptions/nhn'
import {
  aCallback,
  anAlimtalk,
  anAwaited,
  anSms,
  answered,
  CODE,
  codesOf,
  expectDiscreet,
  FAILURES,
  FakeVendor,
  MESSAGE_ID,
  REPORT_SECRET,
  TEXT,
} from './fake-vendor-korean'
import { outcomeOf } from './vendor-answers'

const nhn = describedType(described)
const NHN_SMS_CODES = codesOf(described, 'SMS_')
const NHN_ALIMTALK_CODES = codesOf(described, 'AT_')

const REQUEST_ID = '20180810100630ReZQ6KZzAH0'
const sms = { appKey: 'smsAppKey', secretKey: 'smsSecretKey', from: '1544-6859' }
const alimtalk = { appKey: 'atAppKey', secretKey: 'atSecretKey', senderKey: 'theSenderKey' }
const config = { sms, alimtalk, reportSecret: REPORT_SECRET }
const SECRETS = ['smsSecretKey', 'atSecretKey', 'theSenderKey', 'AppKey']

const SUCCESS = { isSuccessful: true, resultCode: 0, resultMessage: 'SUCCESS' }
const refusal = (resultCode: unknown) => ({ isSuccessful: false, resultCode, resultMessage: TEXT })
const recipient = (resultCode: unknown) => ({ recipientNo: '01012345678', resultCode, recipientSeq: 1 })

interface Product {
  name: string
  message: ReturnType<typeof anSms>
  id: string
  family: string
  codes: typeof NHN_SMS_CODES
  taken: (recipientCode?: unknown, header?: object, requestId?: unknown) => TransportResult
}

const smsTaken: Product['taken'] = (recipientCode = 0, header = SUCCESS, requestId = REQUEST_ID) =>
  answered(200, { header, body: { data: { requestId, statusCode: '2', sendResultList: [recipient(recipientCode)] } } })

const atTaken: Product['taken'] = (recipientCode = 0, header = SUCCESS, requestId = REQUEST_ID) =>
  answered(200, { header, message: { requestId, sendResults: [recipient(recipientCode)] } })

const PRODUCTS: readonly Product[] = [
  {
    name: 'SMS',
    message: anSms(),
    id: `sms:${REQUEST_ID}:1`,
    family: 'SMS',
    codes: NHN_SMS_CODES,
    taken: smsTaken,
  },
  {
    name: 'LMS',
    message: anSms({ messageType: 'LMS' }),
    id: `mms:${REQUEST_ID}:1`,
    family: 'SMS',
    codes: NHN_SMS_CODES,
    taken: smsTaken,
  },
  {
    name: 'AlimTalk',
    message: anAlimtalk(),
    id: `at:${REQUEST_ID}:1`,
    family: 'AT',
    codes: NHN_ALIMTALK_CODES,
    taken: atTaken,
  },
]

async function send(answer: TransportResult, message = anSms(), changes: object = {}) {
  const vendor = new FakeVendor()
  vendor.answer = answer
  const outcome = await vendor.provider(nhn, { ...config, ...changes }).send(message)
  expectDiscreet(outcome, SECRETS)
  return { outcome, vendor }
}

describe('the request', () => {
  test('an SMS on the lane for verification codes', async () => {
    const { vendor } = await send(smsTaken())
    const { method, url, headers, json } = vendor.only()
    expect([method, url]).toEqual([
      'POST',
      'https://sms.api.nhncloudservice.com/sms/v3.0/appKeys/smsAppKey/sender/auth/sms',
    ])
    expect(headers).toEqual({
      'x-secret-key': 'smsSecretKey',
      accept: 'application/json',
      'content-type': 'application/json;charset=UTF-8',
    })
    expect(json).toEqual({
      body: TEXT,
      sendNo: '15446859',
      recipientList: [{ recipientNo: '01012345678', countryCode: '82', recipientGroupingKey: MESSAGE_ID }],
    })
  })

  test('an LMS, which needs a title and has no such lane', async () => {
    const { vendor } = await send(smsTaken(), anSms({ messageType: 'LMS' }))
    const { url, json } = vendor.only()
    expect(url).toBe('https://sms.api.nhncloudservice.com/sms/v3.0/appKeys/smsAppKey/sender/mms')
    expect(json).toMatchObject({ title: '인증번호', body: TEXT, sendNo: '15446859' })
  })

  test('the sender of the message before the configured one', async () => {
    const { vendor } = await send(smsTaken(), anSms({ from: '+821087654321' }))
    expect(vendor.only().json.sendNo).toBe('01087654321')
  })

  test('another country in a field of its own', async () => {
    const { vendor } = await send(smsTaken(), anSms({ to: '+12015550123' }))
    expect(vendor.only().json.recipientList[0]).toMatchObject({ recipientNo: '2015550123', countryCode: '1' })
  })

  test('an AlimTalk, with a key against duplicates and never its own fallback', async () => {
    const { vendor } = await send(atTaken(), anAlimtalk())
    const { method, url, headers, json } = vendor.only()
    expect([method, url]).toEqual([
      'POST',
      'https://kakaotalk-bizmessage.api.nhncloudservice.com/alimtalk/v2.3/appkeys/atAppKey/auth/messages',
    ])
    expect(headers).toEqual({
      'x-secret-key': 'atSecretKey',
      'x-nc-api-idempotency-key': MESSAGE_ID,
      accept: 'application/json',
      'content-type': 'application/json;charset=UTF-8',
    })
    expect(json).toEqual({
      senderKey: 'theSenderKey',
      templateCode: 'OTP_KR',
      recipientList: [
        {
          recipientNo: '01012345678',
          templateParameter: { code: CODE, minutes: '3' },
          resendParameter: { isResend: false },
          recipientGroupingKey: MESSAGE_ID,
        },
      ],
    })
  })

  test('other base URLs', async () => {
    const bases = {
      sms: { ...sms, apiBase: 'http://127.0.0.1:9/' },
      alimtalk: { ...alimtalk, apiBase: 'http://127.0.0.1:8' },
    }
    expect((await send(smsTaken(), anSms(), bases)).vendor.only().url).toStartWith('http://127.0.0.1:9/sms/v3.0/')
    expect((await send(atTaken(), anAlimtalk(), bases)).vendor.only().url).toStartWith(
      'http://127.0.0.1:8/alimtalk/v2.3/',
    )
  })

  test.each([
    ['an SMS without its section', anSms(), { sms: undefined }, 'elsewhere', 'NO_SMS_CONFIG'],
    ['an AlimTalk without its section', anAlimtalk(), { alimtalk: undefined }, 'elsewhere', 'NO_ALIMTALK_CONFIG'],
    ['an AlimTalk to another country', anAlimtalk({ to: '+12015550123' }), {}, 'elsewhere', 'ALIMTALK_ABROAD'],
    ['what is no number', anSms({ to: 'nobody' }), {}, 'never', 'NOT_E164'],
  ])('nothing is sent: %s', async (_, message, changes, retry, code) => {
    const { outcome, vendor } = await send(smsTaken(), message, changes)
    expect(outcome as object).toEqual({ kind: 'refused', retry, code })
    expect(vendor.requests).toEqual([])
  })
})

for (const { name, message, id, family, codes, taken } of PRODUCTS) {
  describe(`the outcome: ${name}`, () => {
    test('accepted; the id tells request, recipient and API', async () => {
      const { outcome } = await send(taken(), message)
      const reportAfterMs = message.channel === 'alimtalk' ? 5_000 : 30_000
      expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: id, reportAfterMs })
    })

    for (const [given, [verdict, sentence]] of codes) {
      const code = `${family}_${given}`
      const expected = outcomeOf(verdict, code)

      test(`${given} is ${verdict}: ${sentence}`, async () => {
        const header = refusal(/^-?\d+$/.test(given) ? Number(given) : given)
        for (const status of [200, 400, 500]) {
          expect((await send(answered(status, { header }), message)).outcome).toEqual(expected)
        }
        // The recipient's own code, under a request that succeeded as such.
        expect((await send(taken(given), message)).outcome).toEqual(expected)
      })
    }

    for (const [what, answer, expected] of FAILURES) {
      test(what, async () => {
        expect((await send(answer, message)).outcome).toEqual(expected)
      })
    }

    test.each([
      ['a new code', answered(200, { header: refusal(-7777) }), { kind: 'refused', retry: 'elsewhere', code: '-7777' }],
      ['a new code of the recipient', taken(-7777), { kind: 'refused', retry: 'elsewhere', code: '-7777' }],
      ['a new code of a server', answered(503, { header: refusal(-7777) }), { kind: 'ambiguous', code: '-7777' }],
      [
        'a new code at a rate limit',
        answered(429, { header: refusal(-7777) }),
        { kind: 'refused', retry: 'later', code: '-7777' },
      ],
      [
        'the code of the recipient before that of the request',
        taken(-7777, refusal(-9999)),
        { kind: 'refused', retry: 'elsewhere', code: '-7777' },
      ],
    ])('%s', async (_, answer, expected) => {
      const { outcome } = await send(answer, message)
      expect(outcome as object).toEqual({ ...expected, code: `${family}_${expected.code}` })
    })

    test.each([
      ['no recipient', answered(200, { header: SUCCESS }), 'HTTP_200_UNREADABLE'],
      ['a refusal without a code', answered(200, { header: { isSuccessful: false } }), 'HTTP_200_UNREADABLE'],
      [
        'a success with a code of failure',
        answered(200, { header: { ...SUCCESS, resultCode: -1000 } }),
        'HTTP_200_UNREADABLE',
      ],
      ['a code that quotes the message', answered(200, { header: refusal(TEXT) }), 'HTTP_200_UNREADABLE'],
      ['a code that is a number', answered(200, { header: refusal(1012345678) }), 'HTTP_200_UNREADABLE'],
      ['no request id', taken(0, SUCCESS, null), 'HTTP_200_WITHOUT_ID'],
      ['a request id that is none', taken(0, SUCCESS, '../..'), 'HTTP_200_WITHOUT_ID'],
    ])('%s may be out', async (_, answer, code) => {
      const { outcome } = await send(answer, message)
      expect(outcome).toEqual({ kind: 'ambiguous', code })
    })
  })
}

test('the documented classes', () => {
  const smsRetry = (code: string) => NHN_SMS_CODES.get(code)?.[0]
  for (const code of ['-2312', '-2313', '-2046', '-8000', '3019']) expect(smsRetry(code)).toBe('elsewhere')
  for (const code of ['3001', '3003', '3012']) expect(smsRetry(code)).toBe('never')
  for (const code of ['1001', '2003', '2005']) expect(smsRetry(code)).toBe('later')
  for (const code of ['-9999', '-2021']) expect(smsRetry(code)).toBe('ambiguous')
  const atRetry = (code: string) => NHN_ALIMTALK_CODES.get(code)?.[0]
  for (const code of ['3018', '3019', '3020']) expect(atRetry(code)).toBe('never')
  for (const code of ['3015', '3016', '3027']) expect(atRetry(code)).toBe('elsewhere')
  for (const code of ['-1005', '3005']) expect(atRetry(code)).toBe('ambiguous')
})

describe('query', () => {
  const smsResult = (changes: object) =>
    answered(200, {
      header: SUCCESS,
      body: { data: { requestId: REQUEST_ID, recipientNo: '01012345678', ...changes } },
    })
  const atResult = (changes: object) =>
    answered(200, { header: SUCCESS, message: { requestId: REQUEST_ID, content: TEXT, ...changes } })

  async function query(id: string | undefined, answer: TransportResult, ageMs = 0, changes: object = {}) {
    const vendor = new FakeVendor()
    vendor.answer = answer
    vendor.clock.step(ageMs)
    const report = await vendor.provider(nhn, { ...config, ...changes }).query?.(anAwaited(id))
    return { report, vendor }
  }

  test.each([
    [
      'sms',
      'https://sms.api.nhncloudservice.com/sms/v3.0/appKeys/smsAppKey/sender/auth/sms/R1?recipientSeq=2',
      'smsSecretKey',
    ],
    [
      'mms',
      'https://sms.api.nhncloudservice.com/sms/v3.0/appKeys/smsAppKey/sender/mms/R1?recipientSeq=2',
      'smsSecretKey',
    ],
    [
      'at',
      'https://kakaotalk-bizmessage.api.nhncloudservice.com/alimtalk/v2.3/appkeys/atAppKey/auth/messages/R1/2',
      'atSecretKey',
    ],
  ])('asks the API the message went through: %s', async (api, url, secret) => {
    const { vendor } = await query(`${api}:R1:2`, answered(200, ''))
    const { method, url: asked, headers, body } = vendor.only()
    expect([method, asked, headers['x-secret-key'], body]).toEqual(['GET', url, secret, undefined])
  })

  test.each([
    ['SMS delivered', 'sms', smsResult({ msgStatus: '3', resultCode: '1000' }), 'delivered', 'SMS_1000'],
    ['LMS delivered', 'mms', smsResult({ msgStatus: '3', resultCode: '1000' }), 'delivered', 'SMS_1000'],
    ['SMS failed', 'sms', smsResult({ msgStatus: '0', resultCode: '3001' }), 'failed', 'SMS_3001'],
    ['SMS over, and failed', 'sms', smsResult({ msgStatus: '3', resultCode: '2003' }), 'failed', 'SMS_2003'],
    ['SMS failed with a new code', 'sms', smsResult({ msgStatus: '0', resultCode: '3777' }), 'failed', 'SMS_3777'],
    ['SMS failed without a code', 'sms', smsResult({ msgStatus: '0', resultCode: null }), 'failed', 'SMS_ENDED_0'],
    ['SMS cancelled', 'sms', smsResult({ msgStatus: '4' }), 'failed', 'SMS_ENDED_4'],
    ['AlimTalk delivered', 'at', atResult({ messageStatus: 'COMPLETED', resultCode: '1000' }), 'delivered', 'AT_1000'],
    ['no KakaoTalk user', 'at', atResult({ messageStatus: 'COMPLETED', resultCode: '3019' }), 'failed', 'AT_3019'],
    ['blocked AlimTalk', 'at', atResult({ messageStatus: 'FAILED', resultCode: '3020' }), 'failed', 'AT_3020'],
    ['inactive user', 'at', atResult({ messageStatus: 'FAILED', resultCode: 3018 }), 'failed', 'AT_3018'],
    ['template problem', 'at', atResult({ messageStatus: 'FAILED', resultCode: '3016' }), 'failed', 'AT_3016'],
    ['AlimTalk failed without a code', 'at', atResult({ messageStatus: 'FAILED' }), 'failed', 'AT_ENDED_FAILED'],
    ['AlimTalk cancelled', 'at', atResult({ messageStatus: 'CANCEL' }), 'failed', 'AT_ENDED_CANCEL'],
  ])('%s', async (_, api, answer, status, code) => {
    const { report } = await query(`${api}:R1:2`, answer)
    expect(report as object).toEqual({ status, code })
    expect(nhn.explain(code)).toBeString()
  })

  test.each([
    ['SMS requested', 'sms', smsResult({ msgStatus: '1' })],
    ['SMS in progress', 'sms', smsResult({ msgStatus: '2', resultCode: '3001' })],
    ['SMS without a state', 'sms', smsResult({ resultCode: '1000' })],
    ['SMS duplicate', 'sms', smsResult({ msgStatus: '5', resultCode: 'E915' })],
    ['SMS over with a new code', 'sms', smsResult({ msgStatus: '3', resultCode: '3777' })],
    ['AlimTalk in progress', 'at', atResult({ messageStatus: 'REQUESTED', resultCode: null })],
    ['AlimTalk sent, receipt unconfirmed', 'at', atResult({ messageStatus: 'COMPLETED', resultCode: '3005' })],
    ['AlimTalk called failed, receipt unconfirmed', 'at', atResult({ messageStatus: 'FAILED', resultCode: '3005' })],
    ['the answer of the other product', 'at', smsResult({ msgStatus: '3', resultCode: '1000' })],
    ['refused', 'sms', answered(200, { header: refusal(-2008) })],
    ['404', 'at', answered(404, '')],
    ['500', 'sms', answered(500, 'oops')],
    ['garbage', 'at', answered(200, '<html>')],
    ['empty', 'sms', answered(200, '')],
    ['timeout', 'sms', { kind: 'unknown', reason: 'TimeoutError' } as const],
    ['no connection', 'at', { kind: 'not_sent', reason: 'ConnectionRefused' } as const],
  ])('%s: undecided', async (_, api, answer) => {
    expect((await query(`${api}:R1:2`, answer)).report).toEqual({ askAgainMs: 5_000 })
  })

  test('is asked more seldom as the message ages', async () => {
    const pending = smsResult({ msgStatus: '2' })
    expect((await query('sms:R1:2', pending, 60_000)).report).toEqual({ askAgainMs: 30_000 })
    expect((await query('sms:R1:2', pending, 20 * 3_600_000)).report).toEqual({ askAgainMs: 1_800_000 })
  })

  test('nothing to ask by', async () => {
    const delivered = smsResult({ msgStatus: '3', resultCode: '1000' })
    for (const id of [undefined, 'R1', 'sms:R1', 'push:R1:2', 'sms:../x:2', 'at:R1:2']) {
      const { report, vendor } = await query(id, delivered, 0, { alimtalk: undefined })
      expect(report).toEqual({ askAgainMs: 5_000 })
      expect(vendor.requests).toEqual([])
    }
  })
})

describe('reports', () => {
  const provider = new FakeVendor().provider(nhn, config)
  const SIGNED = { 'x-toast-webhook-signature': REPORT_SECRET }
  const read = (body: unknown, headers: Record<string, string> = SIGNED, search = '') =>
    provider.readReports?.(aCallback(body, headers, search))
  const callback = (...hooks: unknown[]) => ({ event: 'MESSAGE_RESULT_UPDATE', appKey: 'atAppKey', hooks })
  const hook = (resultCode: unknown, changes: object = {}) => ({
    kakaoMessageType: 'ALIMTALK_AUTH',
    requestId: REQUEST_ID,
    recipientSeq: 1,
    recipientNo: '01012345678',
    recipientGroupingKey: MESSAGE_ID,
    resultCode,
    ...changes,
  })

  test('are expected', () => {
    expect(provider.reports).toBe(true)
  })

  test('must be asked for before they count, under our own id', () => {
    const carrierMessageId = `at:${REQUEST_ID}:1`
    expect(read(callback(hook('1000'), hook('3019')))).toEqual([
      { messageId: MESSAGE_ID, carrierMessageId, status: 'delivered', code: 'AT_1000', mustAsk: true },
      { messageId: MESSAGE_ID, carrierMessageId, status: 'failed', code: 'AT_3019', mustAsk: true },
    ])
  })

  test.each([
    [{ kakaoMessageType: 'ALIMTALK_AUTH' }, `at:${REQUEST_ID}:1`, 'AT_1000'],
    [{ kakaoMessageType: undefined, messageType: 'AUTH' }, `sms:${REQUEST_ID}:1`, 'SMS_1000'],
    [{ kakaoMessageType: undefined, messageType: 'LMS' }, `mms:${REQUEST_ID}:1`, 'SMS_1000'],
    [{ kakaoMessageType: undefined, messageType: 'MMS', recipientSeq: '1' }, `mms:${REQUEST_ID}:1`, 'SMS_1000'],
  ])('under the id of NHN where ours is missing: %p', (changes, messageId, code) => {
    expect(read(callback(hook('1000', { ...changes, recipientGroupingKey: null })))).toEqual([
      { messageId, status: 'delivered', code, mustAsk: true },
    ])
  })

  test.each([
    ['the signature', SIGNED, ''],
    ['a bearer token', { authorization: `Bearer ${REPORT_SECRET}` }, ''],
    ['a token in the URL', {}, `?token=${REPORT_SECRET}`],
  ])('are heard with %s', (_, headers, search) => {
    expect(read(callback(hook('1000')), headers as Record<string, string>, search)).toHaveLength(1)
  })

  test.each([
    ['nothing', {}, ''],
    ['another signature', { 'x-toast-webhook-signature': 'another' }, ''],
    ['another signature and a good token', { 'x-toast-webhook-signature': 'another' }, `?token=${REPORT_SECRET}`],
    ['an empty token', {}, '?token='],
  ])('are forged with %s', (_, headers, search) => {
    expect(read(callback(hook('1000')), headers as Record<string, string>, search)).toBeUndefined()
  })

  test('what decides nothing, or is no report, is passed over', () => {
    const ids = { recipientGroupingKey: null, requestId: '../..' }
    expect(read(callback(hook('3005'), hook('3777'), hook(null), hook('1000', ids), 7, null, {}))).toEqual([])
    expect(read({ ...callback(hook('1000')), event: 'TEMPLATE_STATUS_UPDATE' })).toEqual([])
    expect(read([])).toEqual([])
    expect(read({ event: 'MESSAGE_RESULT_UPDATE' })).toEqual([])
  })

  test('what is no JSON is invalid', () => {
    expect(() => read('<html>')).toThrow('not valid JSON')
  })
})

describe('the type', () => {
  test('explains every code it gives', () => {
    for (const { family, codes } of PRODUCTS) {
      for (const [code, [, sentence]] of codes) {
        expect(sentence.length).toBeGreaterThan(5)
        expect(nhn.explain(`${family}_${code}`)).toBe(sentence)
      }
    }
    for (const [, , outcome] of FAILURES) expect(nhn.explain(outcome.code ?? '')).toBeString()
    const ours = [
      'NO_SMS_CONFIG',
      'NO_ALIMTALK_CONFIG',
      'ALIMTALK_ABROAD',
      'NOT_E164',
      'HTTP_200_WITHOUT_ID',
      'AT_-7777',
    ]
    for (const code of ours) expect(nhn.explain(code)).toBeString()
    expect(nhn.explain('CODE_NO_LONGER_ACTIVE')).toBeUndefined()
  })

  test('wants one product at least, and nothing more', () => {
    expect(nhn.config.safeParse(config).success).toBe(true)
    expect(nhn.config.safeParse({ ...config, sms: undefined }).success).toBe(true)
    expect(nhn.config.safeParse({ ...config, alimtalk: undefined }).success).toBe(true)
    const neither = nhn.config.safeParse({ reportSecret: REPORT_SECRET })
    expect(neither.error?.issues[0]?.message).toBe('configure sms, alimtalk or both')
    for (const wrong of [
      { sms: { ...sms, more: 1 } },
      { sms: { appKey: 'a' } },
      { reportSecret: 'short' },
      { more: 1 },
    ]) {
      expect(nhn.config.safeParse({ ...config, ...wrong }).success).toBe(false)
    }
  })
})
