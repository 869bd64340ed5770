/** Calls by Twilio, held against the documentation of its Call resource. */
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { describedType } from '../../src/providers/described'
import { PHRASES, VOICES } from '../../src/providers/descriptions/spoken-codes'
import { twilioVoice as described } from '../../src/providers/descriptions/twilio-voice'
import { aCallback } from './fake-vendor-korean'
import { anOutbound, answered, connect, expectHarmless, TO, WITHOUT_ANSWER } from './fake-vendor-twilio-aligo'

const twilioVoice = describedType(described)
const SID = `AC${'0123456789abcdef'.repeat(2)}`
const CALL = `CA${'0a'.repeat(16)}`
const CONFIG = { accountSid: SID, authToken: 'twilio-auth-token', from: '+15005550006' }
const REPORT_URL = 'https://otp.example.com/provider-reports/kr'
const TAKEN = answered(201, { sid: CALL, status: 'queued', direction: 'outbound-api', to: TO })

async function send(answer = TAKEN, locale: string | undefined = 'ko') {
  const { vendor, provider } = connect(twilioVoice, twilioVoice.config.parse(CONFIG) as typeof CONFIG, {
    reportUrl: REPORT_URL,
  })
  vendor.answer = answer
  return { outcome: await provider.send(anOutbound({ channel: 'voice', locale })), request: vendor.only() }
}

test('calls and says the code twice, digit by digit, in the language of the message', async () => {
  const { outcome, request } = await send()
  expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: CALL })
  expect(request.url).toBe(`https://api.twilio.com/2010-04-01/Accounts/${SID}/Calls.json`)
  expect(request.headers.authorization).toBe(`Basic ${btoa(`${SID}:twilio-auth-token`)}`)
  const say = '<Say language="ko-KR">인증번호는 4, 8, 2, 9, 1, 3 입니다.</Say>'
  expect(request.form).toEqual({
    To: TO,
    From: '+15005550006',
    Twiml: `<Response><Pause length="1"/>${say}<Pause length="1"/>${say}</Response>`,
    Timeout: '30',
    TimeLimit: '60',
    MachineDetection: 'Enable',
    StatusCallback: REPORT_URL,
  })
})

describe('languages', () => {
  test.each([
    ['en-GB', 'en-GB', 'Your code is'],
    ['en', 'en-US', 'Your code is'],
    ['fr-CA', 'fr-FR', 'Votre code est'],
    ['zh-TW', 'zh-TW', '您的驗證碼是'],
    ['tlh', 'en-US', 'Your code is'],
    [undefined, 'en-US', 'Your code is'],
  ])('%s is spoken by %s', async (locale, voice, phrase) => {
    const { vendor, provider } = connect(twilioVoice, CONFIG)
    vendor.answer = TAKEN
    await provider.send(anOutbound({ channel: 'voice', locale }))
    expect(vendor.only().form.Twiml).toContain(`<Say language="${voice}">${phrase}`)
  })

  test('each voice has a phrase of its language', () => {
    const known = new Set(Object.keys(PHRASES))
    for (const tag of Object.keys(VOICES)) expect(known.has(tag) || known.has(tag.split('-')[0] ?? '')).toBe(true)
    for (const tag of known) expect(VOICES).toHaveProperty([tag])
  })

  test('what is said cannot break out of the XML', async () => {
    const phrases = { '*': 'A & B <Dial>"1"</Dial> {{code|spoken}}' }
    const { vendor, provider } = connect(describedType({ ...described, phrases }), CONFIG)
    vendor.answer = TAKEN
    await provider.send(anOutbound({ channel: 'voice' }))
    expect(vendor.only().form.Twiml).toContain(
      '>A &#38; B &#60;Dial&#62;&#34;1&#34;&#60;/Dial&#62; 4, 8, 2, 9, 1, 3</Say>',
    )
  })
})

test.each([
  ['never', [13223, 13224, 13225, 21201, 21211, 21214, 21217]],
  ['unfit', [10001, 10003, 20003, 20005, 20008, 20404]],
  ['elsewhere', [10002, 13227, 21205, 21210, 21212, 21213, 21215, 21216, 21219, 21609, 21299]],
  ['later', [10004, 20429]],
  ['ambiguous', [20500, 20503]],
] as const)('%s: %p', async (says, codes) => {
  for (const code of codes) {
    const { outcome } = await send(answered(400, { code, message: `no ${TO}`, status: 400 }))
    expectHarmless(outcome, [CONFIG.authToken, SID])
    expect(outcome.kind === 'refused' ? outcome.retry : outcome.kind).toBe(says)
    expect(twilioVoice.explain(String(code))).toBeDefined()
  }
})

test.each([
  ...WITHOUT_ANSWER,
  ['garbage', answered(200, '<html>'), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
  ['500', answered(500, ''), { kind: 'ambiguous', code: 'HTTP_500' }],
] as typeof WITHOUT_ANSWER)('%s', async (_, answer, expected) => {
  expect((await send(answer)).outcome).toEqual(expected)
})

describe('reports', () => {
  const { provider } = connect(twilioVoice, CONFIG)
  const read = (fields: Record<string, string>, token = CONFIG.authToken) => {
    const all = { AccountSid: SID, ApiVersion: '2010-04-01', CallSid: CALL, To: TO, ...fields }
    const signed = Object.entries(all)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flat()
      .join('')
    const signature = createHmac('sha1', token)
      .update(REPORT_URL + signed)
      .digest('base64')
    return provider.readReports?.(aCallback(new URLSearchParams(all).toString(), { 'x-twilio-signature': signature }))
  }
  const about = { messageId: CALL }

  test.each([
    [{ CallStatus: 'completed', AnsweredBy: 'human' }, { status: 'delivered' }],
    [{ CallStatus: 'completed', AnsweredBy: 'unknown' }, { status: 'delivered' }],
    [{ CallStatus: 'completed' }, { status: 'delivered' }],
    [
      { CallStatus: 'completed', AnsweredBy: 'machine_start' },
      { status: 'failed', code: 'ANSWERING_MACHINE' },
    ],
    [
      { CallStatus: 'completed', AnsweredBy: 'fax' },
      { status: 'failed', code: 'ANSWERING_MACHINE' },
    ],
    [{ CallStatus: 'busy' }, { status: 'failed', code: 'BUSY' }],
    [{ CallStatus: 'no-answer' }, { status: 'failed', code: 'NO-ANSWER' }],
    [{ CallStatus: 'failed' }, { status: 'failed', code: 'FAILED' }],
    [{ CallStatus: 'canceled' }, { status: 'failed', code: 'CANCELED' }],
  ] as const)('%p means %p', (fields, report) => {
    expect(read(fields)).toEqual([{ ...about, ...report }] as never)
    if ('code' in report) expect(twilioVoice.explain(report.code)).toBeDefined()
  })

  test('on the way say nothing, and forged ones are not believed', () => {
    expect(read({ CallStatus: 'ringing' })).toEqual([])
    expect(read({ CallStatus: 'in-progress' })).toEqual([])
    expect(read({ CallStatus: 'completed' }, 'another-token')).toBeUndefined()
  })
})
