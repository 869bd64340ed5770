/** The SOLAPI adapter against its documented answers. */
import { describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import type { TransportResult } from '../../src/ports/network'
import { describedType } from '../../src/providers/described'
import { solapi as described } from '../../src/providers/descriptions/solapi'
import { NOW } from '../domain/sample'
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

const solapi = describedType(described)
const SOLAPI_CODES = codesOf(described)

const API_KEY = 'NCSAYU7YDBXYORXC'
const API_SECRET = 'KJHGFDSAQWERTYUIOPZXCVBNMLKJHGFD'
const ID = 'M4V20200909142323TVYRX0MQPPPXD3W'
const config = {
  apiKey: API_KEY,
  apiSecret: API_SECRET,
  from: '02-930-2266',
  pfId: 'KA01PF1',
  reportSecret: REPORT_SECRET,
}

const taken = (changes: object = {}) =>
  answered(200, { messageId: ID, statusCode: '2000', to: '01012345678', text: TEXT, ...changes })

async function send(answer: TransportResult, message = anSms(), changes: object = {}) {
  const vendor = new FakeVendor()
  vendor.answer = answer
  const outcome = await vendor.provider(solapi, { ...config, ...changes }).send(message)
  expectDiscreet(outcome, [API_KEY, API_SECRET, 'KA01PF1'])
  return { outcome, vendor }
}

describe('the request', () => {
  test('an SMS, signed', async () => {
    const { vendor } = await send(taken())
    const { method, url, headers, json } = vendor.only()
    expect([method, url]).toEqual(['POST', 'https://api.solapi.com/messages/v4/send'])
    expect(headers['content-type']).toBe('application/json')
    expect(json).toEqual({
      message: {
        to: '01012345678',
        country: '82',
        from: '029302266',
        text: TEXT,
        type: 'SMS',
        customFields: { messageId: MESSAGE_ID },
      },
    })
    const signed = /^HMAC-SHA256 apiKey=(\S+), date=(\S+), salt=([0-9a-f]{32}), signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
    const [, apiKey, date, salt, signature] = signed ?? []
    expect([apiKey, date]).toEqual([API_KEY, new Date(NOW).toISOString()])
    expect(signature).toBe(createHmac('sha256', API_SECRET).update(`${date}${salt}`).digest('hex'))
  })

  test('no signature is used twice, not within one millisecond', async () => {
    const vendor = new FakeVendor()
    vendor.answer = taken()
    const provider = vendor.provider(solapi, config)
    await provider.send(anSms())
    await provider.send(anSms())
    expect(new Set(vendor.requests.map(({ headers }) => headers.authorization)).size).toBe(2)
  })

  test('an LMS, and the sender of the message before the configured one', async () => {
    const { vendor } = await send(taken(), anSms({ messageType: 'LMS', from: '+82215446859' }))
    expect(vendor.only().json.message).toMatchObject({ type: 'LMS', from: '0215446859' })
  })

  test('an AlimTalk: variables as Kakao writes them, no text, and never its own fallback', async () => {
    const { vendor } = await send(taken(), anAlimtalk())
    const { message } = vendor.only().json
    expect(message).toMatchObject({ type: 'ATA', to: '01012345678', customFields: { messageId: MESSAGE_ID } })
    expect(message.text).toBeUndefined()
    expect(message.kakaoOptions).toEqual({
      pfId: 'KA01PF1',
      templateId: 'OTP_KR',
      variables: { '#{code}': CODE, '#{minutes}': '3' },
      disableSms: true,
    })
  })

  test('another country in a field of its own', async () => {
    const { vendor } = await send(taken(), anSms({ to: '+12015550123' }))
    expect(vendor.only().json.message).toMatchObject({ to: '2015550123', country: '1' })
  })

  test('a call that says the code twice once a key was pressed, to Korean numbers alone', async () => {
    const { vendor } = await send(taken(), anSms({ channel: 'voice', messageType: undefined }))
    const said = `인증번호는 ${CODE.split('').join(', ')} 입니다.`
    expect(vendor.only().json.message).toEqual({
      to: '01012345678',
      country: '82',
      from: expect.any(String),
      customFields: { messageId: MESSAGE_ID },
      type: 'VOICE',
      text: `${said} ${said}`,
      voiceOptions: { voiceType: 'FEMALE', headerMessage: '인증번호를 들으시려면 아무 번호나 눌러 주세요.' },
    })
    const abroad = await send(taken(), anSms({ channel: 'voice', to: '+12015550123' }))
    expect(abroad.outcome).toEqual({ kind: 'refused', retry: 'elsewhere', code: 'NOT_KOREAN' })
    expect(abroad.vendor.requests).toHaveLength(0)
  })

  test('another base URL', async () => {
    const { vendor } = await send(taken(), anSms(), { apiBase: 'http://127.0.0.1:9/solapi/' })
    expect(vendor.only().url).toBe('http://127.0.0.1:9/solapi/messages/v4/send')
  })

  test('nothing is sent for an AlimTalk without a channel, nor to what is no number', async () => {
    const withoutChannel = await send(taken(), anAlimtalk(), { pfId: undefined })
    expect(withoutChannel.outcome).toEqual({ kind: 'refused', retry: 'elsewhere', code: 'NO_PF_ID' })
    const withoutNumber = await send(taken(), anSms({ to: 'nobody' }))
    expect(withoutNumber.outcome).toEqual({ kind: 'refused', retry: 'never', code: 'NOT_E164' })
    expect([...withoutChannel.vendor.requests, ...withoutNumber.vendor.requests]).toEqual([])
  })
})

describe('the outcome', () => {
  for (const statusCode of ['2000', 2000, '2001', '3000', '4000']) {
    test(`${typeof statusCode} ${statusCode} is accepted`, async () => {
      const { outcome } = await send(taken({ statusCode }))
      expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: ID, reportAfterMs: 30_000 })
    })
  }

  test('an AlimTalk is asked for sooner: a fallback may wait', async () => {
    const { outcome } = await send(taken(), anAlimtalk())
    expect(outcome).toMatchObject({ kind: 'accepted', reportAfterMs: 5_000 })
  })

  for (const [code, [verdict, sentence]] of SOLAPI_CODES) {
    const expected = outcomeOf(verdict, code)

    test(`${code} is ${verdict}: ${sentence}`, async () => {
      expect((await send(answered(400, { errorCode: code, errorMessage: TEXT }))).outcome).toEqual(expected)
      expect((await send(answered(500, { errorCode: code, errorMessage: TEXT }))).outcome).toEqual(expected)
      if (/^\d/.test(code)) expect((await send(taken({ statusCode: code }))).outcome).toEqual(expected)
    })
  }

  test('the documented classes', () => {
    const retryOf = (code: string) => SOLAPI_CODES.get(code)?.[0]
    for (const code of ['1062', '2062', '1043']) expect(retryOf(code)).toBe('elsewhere')
    for (const code of ['1020', '1030', '2230', 'InvalidAPIKey']) expect(retryOf(code)).toBe('unfit')
    for (const code of ['1060', '3032', '3104', '3107']) expect(retryOf(code)).toBe('never')
    for (const code of ['1024', '3040', '3041', '3042', '3043', '3053']) expect(retryOf(code)).toBe('later')
  })

  for (const [what, answer, expected] of FAILURES) {
    test(what, async () => {
      const { outcome } = await send(answer)
      expect(outcome).toEqual(expected)
    })
  }

  test.each([
    ['a new 1xxx was not taken', taken({ statusCode: '1999' }), { kind: 'refused', retry: 'elsewhere', code: '1999' }],
    ['a new 3xxx may be out', taken({ statusCode: '3999' }), { kind: 'ambiguous', code: '3999' }],
    [
      'a new error with a status that refuses',
      answered(403, { errorCode: 'SomethingNew' }),
      { kind: 'refused', retry: 'elsewhere', code: 'SomethingNew' },
    ],
    [
      'a new error of a server',
      answered(503, { errorCode: 'InternalError' }),
      { kind: 'ambiguous', code: 'InternalError' },
    ],
    [
      'an error that quotes the message',
      answered(400, { errorCode: `bad ${TEXT}` }),
      { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' },
    ],
    ['no id', taken({ messageId: undefined }), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
    ['an id that is none', taken({ messageId: '메시지' }), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
    ['an id and no code', taken({ statusCode: undefined }), { kind: 'ambiguous', code: 'HTTP_200_UNREADABLE' }],
  ])('%s', async (_, answer, expected) => {
    const { outcome } = await send(answer)
    expect(outcome as object).toEqual(expected)
  })
})

describe('query', () => {
  const listed = (statusCode: unknown, messageId = ID) =>
    answered(200, { messageList: { [messageId]: { messageId, statusCode, to: '01012345678', text: TEXT } } })

  async function query(answer: TransportResult, ageMs = 0, id: string | undefined = ID) {
    const vendor = new FakeVendor()
    vendor.answer = answer
    vendor.clock.step(ageMs)
    const report = await vendor.provider(solapi, config).query?.(anAwaited(id))
    return { report, vendor }
  }

  test('asks for the message, signed', async () => {
    const { vendor } = await query(listed('3000'))
    const { method, url, headers, body } = vendor.only()
    expect([method, url, body]).toEqual(['GET', `https://api.solapi.com/messages/v4/list?messageId=${ID}`, undefined])
    expect(headers.authorization).toStartWith(`HMAC-SHA256 apiKey=${API_KEY}, `)
  })

  test('delivered', async () => {
    const { report } = await query(listed('4000'))
    expect(report).toEqual({ status: 'delivered', code: '4000' })
  })

  test('a list of messages is read as an object of them is', async () => {
    const { report } = await query(answered(200, { messageList: [{ messageId: ID, statusCode: '3032' }] }))
    expect(report).toEqual({ status: 'failed', code: '3032' })
  })

  for (const code of ['3104', '3107', '3040', '3032', '2230', '1062', '3999']) {
    test(`${code} is failed`, async () => {
      const { report } = await query(listed(code))
      expect(report).toEqual({ status: 'failed', code })
    })
  }

  test.each([
    ['accepted', listed('2000')],
    ['at the carrier', listed('3000')],
    ['unknown to the carrier', listed('3014')],
    ['a code that is none', listed('TEST1000')],
    ['no code', listed(null)],
    ['another message', listed('4000', 'M4VOTHER')],
    ['not found yet', answered(200, { messageList: {} })],
    ['an array of nulls', answered(200, { messageList: [null] })],
    ['no list', answered(200, {})],
    ['garbage', answered(200, '<html>')],
    ['403', answered(403, { errorCode: 'InvalidAPIKey' })],
    ['500', answered(500, '')],
    ['timeout', { kind: 'unknown', reason: 'TimeoutError' } as const],
    ['no connection', { kind: 'not_sent', reason: 'ConnectionRefused' } as const],
  ])('%s: undecided', async (_, answer) => {
    expect((await query(answer)).report).toEqual({ askAgainMs: 5_000 })
  })

  test('is asked more seldom as the message ages', async () => {
    expect((await query(listed('3000'), 60_000)).report).toEqual({ askAgainMs: 30_000 })
    expect((await query(listed('3000'), 20 * 3_600_000)).report).toEqual({ askAgainMs: 1_800_000 })
  })

  test('nothing to ask by', async () => {
    const vendor = new FakeVendor()
    expect(await vendor.provider(solapi, config).query?.(anAwaited(undefined))).toEqual({ askAgainMs: 5_000 })
    expect(vendor.requests).toEqual([])
  })
})

describe('reports', () => {
  const provider = new FakeVendor().provider(solapi, config)
  const read = (body: unknown, headers: Record<string, string> = { 'x-solapi-secret': REPORT_SECRET }, search = '') =>
    provider.readReports?.(aCallback(body, headers, search))
  const report = (statusCode: unknown, customFields: unknown = { messageId: MESSAGE_ID }) => ({
    messageId: ID,
    statusCode,
    customFields,
  })

  test('are expected', () => {
    expect(provider.reports).toBe(true)
  })

  test('must be asked for before they count, under our own id', () => {
    expect(read([report('4000'), report('3104')])).toEqual([
      { messageId: MESSAGE_ID, carrierMessageId: ID, status: 'delivered', code: '4000', mustAsk: true },
      { messageId: MESSAGE_ID, carrierMessageId: ID, status: 'failed', code: '3104', mustAsk: true },
    ])
  })

  test('under the id of SOLAPI where ours is missing', () => {
    for (const fields of [null, {}, 'x', { messageId: '' }]) {
      expect(read(report('4000', fields))).toEqual([
        { messageId: ID, status: 'delivered', code: '4000', mustAsk: true },
      ])
    }
  })

  test.each([
    ['the secret itself', { 'x-solapi-secret': REPORT_SECRET }, ''],
    ['its SHA-1', { 'x-solapi-secret': createHash('sha1').update(REPORT_SECRET).digest('hex') }, ''],
    ['a bearer token', { authorization: `Bearer ${REPORT_SECRET}` }, ''],
    ['a token in the URL', {}, `?token=${REPORT_SECRET}`],
  ])('are heard with %s', (_, headers, search) => {
    expect(read([report('4000')], headers as Record<string, string>, search)).toHaveLength(1)
  })

  test.each([
    ['nothing', {}, ''],
    ['another secret', { 'x-solapi-secret': 'another' }, ''],
    ['another secret and a good token', { 'x-solapi-secret': 'another' }, `?token=${REPORT_SECRET}`],
    ['another token', { authorization: 'Bearer another' }, ''],
    ['an empty token', {}, '?token='],
  ])('are forged with %s', (_, headers, search) => {
    expect(read([report('4000')], headers as Record<string, string>, search)).toBeUndefined()
  })

  test('what decides nothing, or is no report, is passed over', () => {
    expect(read([report('2000'), report('3000'), report('3014'), report('x'), report(null), 7, null, {}])).toEqual([])
  })

  test('what is no JSON is invalid', () => {
    expect(() => read('<html>')).toThrow('not valid JSON')
  })
})

describe('the type', () => {
  test('explains every code it gives', () => {
    for (const [code, [, sentence]] of SOLAPI_CODES) {
      expect(sentence.length).toBeGreaterThan(5)
      expect(solapi.explain(code)).toBe(sentence)
    }
    for (const [, , outcome] of FAILURES) expect(solapi.explain(outcome.code ?? '')).toBeString()
    for (const code of ['NO_PF_ID', 'NOT_E164', 'HTTP_200_WITHOUT_ID', '1999', '3999', '4000', 'SomethingNew']) {
      expect(solapi.explain(code)).toBeString()
    }
    expect(solapi.explain('CODE_NO_LONGER_ACTIVE')).toBeUndefined()
  })

  test('wants a whole configuration, and nothing more', () => {
    expect(solapi.config.safeParse(config).success).toBe(true)
    for (const wrong of [
      { apiKey: 'a b' },
      { apiSecret: '' },
      { from: 'me' },
      { reportSecret: 'short' },
      { more: 1 },
    ]) {
      expect(solapi.config.safeParse({ ...config, ...wrong }).success).toBe(false)
    }
  })
})
