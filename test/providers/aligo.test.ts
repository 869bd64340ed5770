import { describe, expect, test } from 'bun:test'
import type { SendOutcome } from '../../src/domain/delivery/delivery'
import type { OutboundMessage } from '../../src/domain/message/rendered-message'
import type { TransportResult } from '../../src/ports/network'
import { describedType } from '../../src/providers/described'
import { aligo as described } from '../../src/providers/descriptions/aligo'
import { NOW } from '../domain/sample'
import { VirtualClock } from '../support/clock'
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

const aligo = describedType(described)

const CONFIG = {
  apiKey: 'aligo-api-key',
  userId: 'aligo-user',
  senderKey: 'aligo-sender-key',
  from: '02-511-4560',
  reportSecret: 'report-secret-of-16',
}
const SECRETS = [CONFIG.apiKey, CONFIG.userId, CONFIG.senderKey, CONFIG.reportSecret, '025114560']

const explain = (code: string) => aligo.explain(code, CONFIG)

const alimtalkMessage = (changes: Partial<OutboundMessage> = {}) =>
  anOutbound({ channel: 'alimtalk', templateCode: 'TK_1234', variables: { code: CODE }, ...changes })

/** Every code a send may be refused with, all for another provider to try; and those that leave it open. */
const SMS_UNFIT = ['-101', '-104', '-201']
const SMS_REFUSALS = ['-102', '-103', '-105', '-301', '-302', '-401', '-804']
const SMS_AMBIGUOUS = ['-501']
const ALIMTALK_UNFIT = ['-101', '-102', '-201', '501']
const ALIMTALK_REFUSALS = ['-99', '-103', '-104', '-105', '-301', '509', '510', '520']
const ALIMTALK_FAILURES = [...'1289abcdefkpqtABCDEFGHIJLMUV']

describe('configuration', () => {
  test('needs key, user and sender, and nothing else', () => {
    expect(aligo.config.safeParse(CONFIG).success).toBe(true)
    for (const field of ['apiKey', 'userId', 'from']) {
      expect(aligo.config.safeParse({ ...CONFIG, [field]: undefined }).success).toBe(false)
    }
    expect(aligo.config.safeParse({ ...CONFIG, senderKey: undefined }).success).toBe(true)
    expect(aligo.config.safeParse({ ...CONFIG, from: 'ACME' }).success).toBe(false)
    expect(aligo.config.safeParse({ ...CONFIG, surplus: 1 }).success).toBe(false)
  })
})

describe('what is sent', () => {
  const HEADERS = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }

  test.each<[Partial<OutboundMessage>, string]>([
    [{ messageType: 'SMS' }, 'SMS'],
    [{ messageType: 'LMS' }, 'LMS'],
    [{}, 'SMS'],
  ])('a text: %j', async (changes, type) => {
    const { vendor, provider } = connect(aligo, CONFIG)
    await provider.send(anOutbound(changes))
    const { form, body: _, ...request } = vendor.only()
    expect(request).toEqual({ method: 'POST', url: 'https://apis.aligo.in/send/', headers: HEADERS, timeoutMs: 4_000 })
    expect(form).toEqual({
      key: 'aligo-api-key',
      user_id: 'aligo-user',
      sender: '025114560',
      receiver: '01012345678',
      msg: TEXT,
      msg_type: type,
    })
  })

  test('an AlimTalk', async () => {
    const { vendor, provider } = connect(aligo, CONFIG)
    await provider.send(alimtalkMessage())
    const { form, body: _, ...request } = vendor.only()
    expect(request).toEqual({
      method: 'POST',
      url: 'https://kakaoapi.aligo.in/akv10/alimtalk/send/',
      headers: HEADERS,
      timeoutMs: 4_000,
    })
    expect(form).toEqual({
      apikey: 'aligo-api-key',
      userid: 'aligo-user',
      senderkey: 'aligo-sender-key',
      tpl_code: 'TK_1234',
      sender: '025114560',
      receiver_1: '01012345678',
      subject_1: '인증번호',
      message_1: TEXT,
      failover: 'N',
    })
  })

  test.each([
    ['+8215881234', '015881234'],
    ['1588-1234', '15881234'],
    ['+82 10-1111-2222', '01011112222'],
  ])('the sender of the message goes before the configured one: %s as %s', async (from, sender) => {
    const { vendor, provider } = connect(aligo, CONFIG)
    await provider.send(anOutbound({ from }))
    expect(vendor.only().form.sender).toBe(sender)
  })

  test('both hosts may be others', async () => {
    const config = { ...CONFIG, apiBase: 'http://localhost:1/', kakaoApiBase: 'http://localhost:2' }
    const { vendor, provider } = connect(aligo, config)
    await provider.send(anOutbound())
    await provider.send(alimtalkMessage())
    expect(vendor.requests.map(({ url }) => url)).toEqual([
      'http://localhost:1/send/',
      'http://localhost:2/akv10/alimtalk/send/',
    ])
  })
})

describe('what is not even tried', () => {
  test.each(['+15005550006', '+447700900123', '+81312345678', '+821', '+8201012345678', '01012345678'])(
    'a number that is not Korean: %s',
    async (to) => {
      const { vendor, provider } = connect(aligo, CONFIG)
      const outcome = await provider.send(anOutbound({ to }))
      expect(outcome).toEqual({ kind: 'refused', retry: 'elsewhere', code: 'NOT_KOREAN' })
      expect(vendor.requests).toEqual([])
    },
  )

  test('an AlimTalk without a Kakao channel or without a template', async () => {
    const expected: SendOutcome = { kind: 'refused', retry: 'elsewhere', code: 'NO_SENDER_KEY_OR_TEMPLATE' }
    const { senderKey: _, ...withoutChannel } = CONFIG
    const first = connect(aligo, withoutChannel)
    expect(await first.provider.send(alimtalkMessage())).toEqual(expected)
    const second = connect(aligo, CONFIG)
    const { templateCode: __, ...withoutTemplate } = alimtalkMessage()
    expect(await second.provider.send(withoutTemplate)).toEqual(expected)
    expect([...first.vendor.requests, ...second.vendor.requests]).toEqual([])
  })
})

async function send(message: OutboundMessage, answer: TransportResult): Promise<SendOutcome> {
  const { vendor, provider } = connect(aligo, CONFIG)
  vendor.answer = answer
  const outcome = await provider.send(message)
  expect(vendor.requests).toHaveLength(1)
  expectHarmless(outcome, SECRETS)
  if (outcome.kind !== 'accepted') expect(explain(outcome.code)).toMatch(/\w{3}/)
  return outcome
}

const elsewhere = (code: string): SendOutcome => ({ kind: 'refused', retry: 'elsewhere', code })
const unfit = (code: string): SendOutcome => ({ kind: 'refused', retry: 'unfit', code })
const ambiguous = (code: string): SendOutcome => ({ kind: 'ambiguous', code })

describe('what Aligo answers to a text', () => {
  const sendText = (answer: TransportResult) => send(anOutbound(), answer)
  const refusal = (code: unknown) => answered(200, { result_code: code, message: `인증오류입니다. ${TO} ${TEXT}` })

  test.each<[string | number, string | number]>([
    ['1', '123456789'],
    [1, 123456789],
  ])('%j is accepted', async (result_code, msg_id) => {
    const body = { result_code, message: 'success', msg_id, success_cnt: 1, error_cnt: 0, msg_type: 'SMS' }
    expect(await sendText(answered(200, body))).toEqual({
      kind: 'accepted',
      carrierMessageId: 'sms:123456789',
      reportAfterMs: 5_000,
    })
  })

  test.each(WITHOUT_ANSWER)('%s', async (_, answer, expected) => {
    expect(await sendText(answer)).toEqual(expected)
  })

  test.each(SMS_REFUSALS)('%s', async (code) => {
    expect(await sendText(refusal(code))).toEqual(elsewhere(`sms:${code}`))
    expect(await sendText(refusal(Number(code)))).toEqual(elsewhere(`sms:${code}`))
    expect(explain(`sms:${code}`)).not.toBe(explain('sms:-99999'))
  })

  test.each(SMS_UNFIT)('%s is a refusal of every message', async (code) => {
    expect(await sendText(refusal(code))).toEqual(unfit(`sms:${code}`))
    expect(explain(`sms:${code}`)).not.toBe(explain('sms:-99999'))
  })

  test.each(SMS_AMBIGUOUS)('%s', async (code) => {
    expect(await sendText(refusal(code))).toEqual(ambiguous(`sms:${code}`))
    expect(explain(`sms:${code}`)).not.toBe(explain('sms:-99999'))
  })

  test.each<[number, unknown, SendOutcome]>([
    // Any negative code is a rejection; any other says nothing that is documented.
    [200, { result_code: -77 }, elsewhere('sms:-77')],
    [200, { result_code: 0 }, ambiguous('sms:0')],
    [200, { result_code: 2 }, ambiguous('sms:2')],
    [200, { result_code: Number(CODE) }, ambiguous('HTTP_200')],
    [200, { result_code: TEXT }, ambiguous('HTTP_200')],
    [200, { result_code: 'constructor' }, ambiguous('HTTP_200')],
    [200, { result_code: 1 }, ambiguous('HTTP_200_WITHOUT_ID')],
    [200, { result_code: 1, msg_id: TEXT }, ambiguous('HTTP_200_WITHOUT_ID')],
    [200, { result_code: 1, msg_id: 5, success_cnt: 0, error_cnt: 1 }, elsewhere('sms:RECIPIENT_REFUSED')],
    [200, '', ambiguous('HTTP_200')],
    [200, '<html>', ambiguous('HTTP_200')],
    [200, 'null', ambiguous('HTTP_200')],
    [302, '', elsewhere('HTTP_302')],
    [400, { result_code: -77 }, elsewhere('sms:-77')],
    [403, '', elsewhere('HTTP_403')],
    [429, '', { kind: 'refused', retry: 'later', code: 'HTTP_429' }],
    [408, '', ambiguous('HTTP_408')],
    [500, '', ambiguous('HTTP_500')],
    [500, { result_code: 1, msg_id: 5 }, ambiguous('HTTP_500')],
    [500, { result_code: -77 }, ambiguous('sms:-77')],
    [500, { result_code: -201 }, unfit('sms:-201')],
    [502, '<html>', ambiguous('HTTP_502')],
  ])('HTTP %d %j', async (status, body, expected) => {
    expect(await sendText(answered(status, body))).toEqual(expected)
  })
})

describe('what Aligo answers to an AlimTalk', () => {
  const sendAlimtalk = (answer: TransportResult) => send(alimtalkMessage(), answer)
  const refusal = (code: unknown) => answered(200, { code, message: `포인트가 부족합니다. ${TO} ${TEXT}` })

  test('code 0 is accepted', async () => {
    const info = { type: 'AT', mid: 456789, current: '100.0', unit: 6.5, total: 6.5, scnt: 1, fcnt: 0 }
    expect(await sendAlimtalk(answered(200, { code: 0, message: '성공', info }))).toEqual({
      kind: 'accepted',
      carrierMessageId: 'at:456789',
      reportAfterMs: 5_000,
    })
  })

  test.each(WITHOUT_ANSWER)('%s', async (_, answer, expected) => {
    expect(await sendAlimtalk(answer)).toEqual(expected)
  })

  test.each(ALIMTALK_UNFIT)('%s is a refusal of every message', async (code) => {
    expect(await sendAlimtalk(refusal(Number(code)))).toEqual(unfit(`at:${code}`))
    expect(explain(`at:${code}`)).not.toBe(explain('at:-99999'))
  })

  test.each(ALIMTALK_REFUSALS)('%s', async (code) => {
    expect(await sendAlimtalk(refusal(Number(code)))).toEqual(elsewhere(`at:${code}`))
    expect(explain(`at:${code}`)).not.toBe(explain('at:-99999'))
  })

  test.each<[number, unknown, SendOutcome]>([
    [200, { code: 777 }, elsewhere('at:777')],
    [200, { code: Number(CODE) }, ambiguous('HTTP_200')],
    [200, { code: 0 }, ambiguous('HTTP_200_WITHOUT_ID')],
    [200, { code: 0, info: { mid: TO } }, ambiguous('HTTP_200_WITHOUT_ID')],
    [200, { code: 0, info: 'none' }, ambiguous('HTTP_200_WITHOUT_ID')],
    [200, { code: 0, info: { mid: 5, scnt: '0', fcnt: '1' } }, elsewhere('at:RECIPIENT_REFUSED')],
    [200, { result_code: 1, msg_id: 5 }, ambiguous('HTTP_200')],
    [200, '', ambiguous('HTTP_200')],
    [200, '[', ambiguous('HTTP_200')],
    [404, '', elsewhere('HTTP_404')],
    [429, { code: 777 }, { kind: 'refused', retry: 'later', code: 'at:777' }],
    [500, { code: 0, info: { mid: 5 } }, ambiguous('HTTP_500')],
    [503, '', ambiguous('HTTP_503')],
  ])('HTTP %d %j', async (status, body, expected) => {
    expect(await sendAlimtalk(answered(status, body))).toEqual(expected)
  })
})

describe('asking for a message', () => {
  const UNDECIDED = { askAgainMs: 5_000 }

  const ask = async (carrierMessageId: string | undefined, answer: TransportResult, ageMs = 0) => {
    const { vendor, provider } = connect(aligo, CONFIG, { clock: new VirtualClock(NOW + ageMs) })
    vendor.answer = answer
    return { vendor, fate: await provider.query?.(anAwaited({ carrierMessageId })) }
  }
  const smsList = (item: object) => answered(200, { result_code: 1, list: [{ mdid: '1', receiver: '010', ...item }] })
  const history = (item: object) => answered(200, { code: 0, list: [{ msgid: '1', phone: '010', ...item }] })

  test('a text is asked for at the text API, an AlimTalk at the other', async () => {
    const text = (await ask('sms:123', smsList({}))).vendor.only()
    expect(text.url).toBe('https://apis.aligo.in/sms_list/')
    expect(text.form).toEqual({ key: 'aligo-api-key', user_id: 'aligo-user', mid: '123' })
    const alimtalk = (await ask('at:456', history({}))).vendor.only()
    expect(alimtalk.url).toBe('https://kakaoapi.aligo.in/akv10/history/detail/')
    expect(alimtalk.form).toEqual({ apikey: 'aligo-api-key', userid: 'aligo-user', mid: '456' })
  })

  test.each(['성공', '발송성공', '전송성공', '발송완료', '전송완료', '발송 완료'])('a text: %s', async (sms_state) => {
    expect((await ask('sms:1', smsList({ sms_state }))).fate).toEqual({ status: 'delivered' })
  })

  test.each(['발송실패', '전송 실패', '결번', '수신거부', '번호오류', '스팸차단'])('a text: %s', async (sms_state) => {
    expect((await ask('sms:1', smsList({ sms_state }))).fate).toEqual({ status: 'failed', code: 'sms:FAILED' })
  })

  test.each(['', '발송중', '전송중', '대기중', '예약대기', '접수완료', '처리중', '모름', undefined])(
    'a text: %s decides nothing',
    async (sms_state) => {
      expect((await ask('sms:1', smsList({ sms_state }))).fate).toEqual(UNDECIDED)
    },
  )

  test.each(['0', 0])('an AlimTalk: %j', async (rslt) => {
    expect((await ask('at:1', history({ rslt }))).fate).toEqual({ status: 'delivered' })
  })

  test.each(ALIMTALK_FAILURES)('an AlimTalk: %s', async (rslt) => {
    expect((await ask('at:1', history({ rslt, rslt_message: TEXT }))).fate).toEqual({
      status: 'failed',
      code: `rslt:${rslt}`,
    })
    expect(explain(`rslt:${rslt}`)).toMatch(/\w{3}/)
  })

  // Nobody knows whether 5, 6 and o arrived; what P and S mean, Aligo does not say.
  test.each(['', '5', '6', 'o', 'P', 'S', 'constructor', null, undefined])(
    'an AlimTalk: %j decides nothing',
    async (rslt) => {
      expect((await ask('at:1', history({ rslt }))).fate).toEqual(UNDECIDED)
    },
  )

  test.each<[TransportResult]>([
    [answered(200, { result_code: -101, list: [{ sms_state: '발송완료' }] })],
    [answered(200, { result_code: 1, list: [] })],
    [answered(200, { result_code: 1, list: 'none' })],
    [answered(200, { result_code: 1 })],
    [answered(500, { result_code: 1, list: [{ sms_state: '발송완료' }] })],
    [answered(200, '<html>')],
    [answered(200, '')],
    [{ kind: 'not_sent', reason: 'ENOTFOUND' }],
    [{ kind: 'unknown', reason: 'TimeoutError' }],
  ])('an error decides nothing: %j', async (answer) => {
    expect((await ask('sms:1', answer)).fate).toEqual(UNDECIDED)
  })

  test.each<[number, number]>([
    [0, 5_000],
    [59_999, 5_000],
    [60_000, 30_000],
    [600_000, 600_000],
  ])('after %d ms it is asked again in %d ms', async (ageMs, askAgainMs) => {
    expect((await ask('at:1', history({}), ageMs)).fate).toEqual({ askAgainMs })
  })

  test.each([undefined, '123', 'mms:1', 'sms:', 'at:1x'])('an id that is not ours asks for nothing: %s', async (id) => {
    const { vendor, fate } = await ask(id, smsList({ sms_state: '발송완료' }))
    expect(fate).toEqual(UNDECIDED)
    expect(vendor.requests).toEqual([])
  })
})

describe('reports and explanations', () => {
  test('nobody calls us back', () => {
    expect(connect(aligo, CONFIG).provider.readReports).toBeUndefined()
  })

  test('our own codes are explained; what is none is not', () => {
    for (const code of ['NOT_KOREAN', 'NO_SENDER_KEY_OR_TEMPLATE', 'sms:FAILED', 'at:RECIPIENT_REFUSED']) {
      expect(explain(code)).toBeString()
    }
    expect(explain('sms:-99999')).toContain('does not publish')
    for (const code of ['', 'NOPE', 'rslt:0', 'rslt:constructor', 'constructor:1', 'sms:constructor']) {
      expect(explain(code)).toBeUndefined()
    }
  })
})
