/** Calls by Twilio, held against the documentation of its Call resource. */
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { describedType } from '../../src/providers/described'
import { KEY_PROMPTS, PHRASES, VOICES } from '../../src/providers/descriptions/spoken-codes'
import { twilioVoice as described } from '../../src/providers/descriptions/twilio-voice'
import { NOW } from '../domain/sample'
import { HTTP_ONLY } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'
import { aCallback } from './fake-vendor-korean'
import {
  anOutbound,
  answered,
  CODE,
  connect,
  expectHarmless,
  FakeVendor,
  TO,
  WITHOUT_ANSWER,
} from './fake-vendor-twilio-aligo'

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

test('calls, and Twilio fetches what the call says: the code is not in the request', async () => {
  const { outcome, request } = await send()
  expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: CALL })
  expect(request.url).toBe(`https://api.twilio.com/2010-04-01/Accounts/${SID}/Calls.json`)
  expect(request.headers.authorization).toBe(`Basic ${btoa(`${SID}:twilio-auth-token`)}`)
  expect(request.body).not.toContain(CODE)
  expect(request.form).toEqual({
    To: TO,
    From: '+15005550006',
    Url: expect.stringMatching(/^https:\/\/otp\.example\.com\/provider-reports\/kr\?answer=[\w-]{100,}$/),
    Timeout: '30',
    TimeLimit: '60',
    MachineDetection: 'Enable',
    StatusCallback: REPORT_URL,
  })
})

/** A call that was made, and its document as Twilio fetches it. */
async function placed({ locale = 'ko', settings = {}, type = twilioVoice } = {}) {
  const clock = new VirtualClock(NOW)
  const { vendor, provider } = connect(type, { ...CONFIG, ...settings }, { reportUrl: REPORT_URL, clock })
  vendor.answer = TAKEN
  await provider.send(anOutbound({ channel: 'voice', locale: locale || undefined }))
  const url = vendor.only().form.Url ?? ''
  return { provider, clock, url, fetched: (fields = {}, how = {}) => fetched(provider, url, fields, how) }
}

function fetched(
  { answerCall }: ReturnType<typeof connect>['provider'],
  url: string,
  fields: Record<string, string> = {},
  { token = CONFIG.authToken, signedUrl = url } = {},
) {
  const all = { AccountSid: SID, CallSid: CALL, CallStatus: 'in-progress', To: TO, ...fields }
  return answerCall?.(
    aCallback(new URLSearchParams(all).toString(), signatureOf(signedUrl, all, token), new URL(url).search),
  )
}

function signatureOf(url: string, fields: Record<string, string>, token: string) {
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const signed = url + sorted.flat().join('')
  return { 'x-twilio-signature': createHmac('sha1', token).update(signed).digest('base64') }
}

const HANGS_UP = { document: '<Response><Hangup/></Response>', contentType: 'text/xml' }

describe('what a call says', () => {
  test.each([{ AnsweredBy: 'human' }, { AnsweredBy: 'unknown' }, {}])('the code, twice, to %p', async (by) => {
    const say = '<Say language="ko-KR">인증번호는 4, 8, 2, 9, 1, 3 입니다.</Say>'
    expect(await (await placed()).fetched(by)).toEqual({
      document: `<Response><Pause length="1"/>${say}<Pause length="1"/>${say}</Response>`,
      contentType: 'text/xml',
    })
  })

  test.each(['machine_start', 'machine_end_beep', 'fax'])('nothing to %s', async (AnsweredBy) => {
    expect(await (await placed()).fetched({ AnsweredBy })).toEqual(HANGS_UP)
    const { fetched } = await placed({ settings: { pressKey: 'yes' } })
    expect(await fetched({ AnsweredBy })).toEqual(HANGS_UP)
    expect(await fetched({ AnsweredBy, Digits: '1' })).toEqual(HANGS_UP)
  })

  test('a call of which nobody can be told who answered is not made', async () => {
    const { vendor, provider } = connect(twilioVoice, CONFIG)
    const outcome = await provider.send(anOutbound({ channel: 'voice' }))
    expect(outcome).toEqual({ kind: 'refused', retry: 'elsewhere', code: 'NO_PUBLIC_URL' })
    expect(twilioVoice.explain('NO_PUBLIC_URL')).toContain('WATCHWORD_PUBLIC_URL')
    expect(vendor.requests).toEqual([])
  })

  test('the code only once a key was pressed, where the operator wants that', async () => {
    const { fetched, url } = await placed({ settings: { pressKey: 'yes' } })
    const asks = await fetched({ AnsweredBy: 'human' })
    const prompt = '<Say language="ko-KR">인증번호를 들으시려면 아무 번호나 눌러 주세요.</Say>'
    expect(asks?.document).toBe(
      `<Response><Pause length="1"/><Gather numDigits="1" finishOnKey="" timeout="10" action="${url}">${prompt}<Pause length="1"/>${prompt}</Gather><Hangup/></Response>`,
    )
    expect((await fetched({ AnsweredBy: 'human', Digits: '' }))?.document).toBe(asks?.document)
    expect((await fetched({ AnsweredBy: 'human', Digits: '#' }))?.document).toContain('4, 8, 2, 9, 1, 3')
  })

  test('is told to Twilio alone: the signature is of the URL and what stands in it', async () => {
    const { fetched, url } = await placed()
    expect(await fetched({}, { token: 'another-token' })).toBeUndefined()
    expect(await fetched({}, { signedUrl: REPORT_URL })).toBeUndefined()
    const { provider } = await placed()
    expect(await provider.answerCall?.(aCallback('', {}, new URL(url).search))).toBeUndefined()
  })

  test('is told while the code lives', async () => {
    const { fetched, clock } = await placed()
    clock.step(179_999)
    expect(await fetched()).toBeDefined()
    clock.step(1)
    expect(await fetched()).toBeUndefined()
  })

  test('is told by the carrier that makes the call', async () => {
    const { url } = await placed()
    const other = twilioVoice.create(
      { name: 'other', type: 'any', channels: ['voice'], config: CONFIG, createdAt: NOW },
      {
        ...HTTP_ONLY,
        ...{ transport: new FakeVendor(), random: seededRandom(1), clock: new VirtualClock(NOW) },
        ...{ timeoutMs: 4_000, reportUrl: REPORT_URL },
      },
    )
    expect(await fetched(other, url)).toBeUndefined()
    expect(await fetched((await placed()).provider, url)).toBeDefined()
    for (const answer of ['', 'AAAA', `${new URL(url).searchParams.get('answer')}AA`])
      expect(await fetched((await placed()).provider, `${REPORT_URL}?answer=${answer}`)).toBeUndefined()
  })
})

test('a description whose calls nobody signs, or that say what is not sealed, is refused', () => {
  expect(() => describedType({ ...described, reports: { isForm: true } })).toThrow('need reports with a signature')
  const calls = { contentType: 'text/xml', documents: [{ document: '<Say>{{code}}</Say>' }] }
  expect(() => describedType({ ...described, calls })).toThrow('no such placeholder: {{code}}')
})

describe('languages', () => {
  test.each([
    ['en-GB', 'en-GB', 'Your code is', 'Press any key'],
    ['en', 'en-US', 'Your code is', 'Press any key'],
    ['fr-CA', 'fr-FR', 'Votre code est', 'Appuyez'],
    ['zh-TW', 'zh-TW', '您的驗證碼是', '請按任意鍵'],
    ['tlh', 'en-US', 'Your code is', 'Press any key'],
    [undefined, 'en-US', 'Your code is', 'Press any key'],
  ])('%s is spoken by %s', async (locale, voice, phrase, prompt) => {
    const { fetched } = await placed({ locale: locale ?? '', settings: { pressKey: 'yes' } })
    expect((await fetched())?.document).toContain(`<Say language="${voice}">${prompt}`)
    expect((await fetched({ Digits: '1' }))?.document).toContain(`<Say language="${voice}">${phrase}`)
  })

  test('each voice has a phrase and a request of its language', () => {
    const known = new Set(Object.keys(PHRASES))
    for (const tag of Object.keys(VOICES)) expect(known.has(tag) || known.has(tag.split('-')[0] ?? '')).toBe(true)
    for (const tag of known) expect(VOICES).toHaveProperty([tag])
    expect(Object.keys(KEY_PROMPTS)).toEqual([...known])
  })

  test('what is said cannot break out of the XML', async () => {
    const phrases = { '*': 'A & B <Dial>"1"</Dial> {{code|spoken}}' }
    const { fetched } = await placed({ type: describedType({ ...described, phrases }) })
    expect((await fetched())?.document).toContain(
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
    return provider.readReports?.(aCallback(new URLSearchParams(all).toString(), signatureOf(REPORT_URL, all, token)))
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
