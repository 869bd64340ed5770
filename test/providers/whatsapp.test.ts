/** WhatsApp by Meta's Cloud API, held against the documentation of Meta. */
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { presentableCode, type SendOutcome } from '../../src/domain/delivery/delivery'
import { withoutSecrets } from '../../src/domain/message/rendered-message'
import type { SendVerdict } from '../../src/providers/answer'
import { describedType } from '../../src/providers/described'
import { whatsapp as described } from '../../src/providers/descriptions/whatsapp'
import { aCallback } from './fake-vendor-korean'
import { anOutbound, answered, CODE, connect, expectHarmless, TO, WITHOUT_ANSWER } from './fake-vendor-twilio-aligo'

const whatsapp = describedType(described)

const APP_SECRET = '0123456789abcdef0123456789abcdef'
const REPORT_SECRET = 'the-verify-token-of-the-webhook'
const CONFIG = {
  phoneNumberId: '106540352242922',
  accessToken: 'EAAJ-access-token',
  appSecret: APP_SECRET,
  reportSecret: REPORT_SECRET,
}
const MESSAGE = anOutbound({ channel: 'whatsapp', locale: 'ko' })
/** As Meta makes them: the number is in it, in Base64. */
const WAMID = `wamid.${Buffer.from(`\x1c\x18\x0c${TO.slice(1)}\x15\x02\x00\x11\x18\x12`, 'latin1').toString('base64')}`

const TAKEN = answered(200, {
  messaging_product: 'whatsapp',
  contacts: [{ input: TO.slice(1), wa_id: TO.slice(1) }],
  messages: [{ id: WAMID, message_status: 'accepted' }],
})

const errorBody = (code: number) => ({
  error: {
    message: `(#${code}) about ${TO} and ${CODE}`,
    type: 'OAuthException',
    code,
    error_data: { messaging_product: 'whatsapp', details: `to ${TO}` },
    fbtrace_id: 'Az8or2yhqkZfEZ-_4Qn_Bam',
  },
})

async function send(answer = TAKEN, message = MESSAGE, config: object = {}) {
  const { vendor, provider } = connect(whatsapp, whatsapp.config.parse({ ...CONFIG, ...config }) as typeof CONFIG)
  vendor.answer = answer
  return { outcome: await provider.send(message), request: vendor.only() }
}

test('sends an authentication template with the code twice', async () => {
  const { outcome, request } = await send()
  expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: WAMID })
  expect(request.method).toBe('POST')
  expect(request.url).toBe('https://graph.facebook.com/v22.0/106540352242922/messages')
  expect(request.headers).toMatchObject({
    authorization: 'Bearer EAAJ-access-token',
    'content-type': 'application/json',
  })
  expect(JSON.parse(request.body ?? '')).toEqual({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '821012345678',
    biz_opaque_callback_data: MESSAGE.messageId,
    type: 'template',
    template: {
      name: 'otp_code',
      language: { policy: 'deterministic', code: 'ko' },
      components: [
        { type: 'body', parameters: [{ type: 'text', text: CODE }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: CODE }] },
      ],
    },
  })
})

test('does not keep the id, which has the number in it', async () => {
  const { outcome } = await send()
  const rendered = { to: TO, code: CODE } as Parameters<typeof withoutSecrets>[1]
  expect(withoutSecrets(outcome, rendered)).toEqual({ kind: 'accepted', carrierMessageId: undefined })
  const other: SendOutcome = { kind: 'accepted', carrierMessageId: 'wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYA' }
  expect(withoutSecrets(other, rendered)).toEqual(other)
})

describe('languages', () => {
  const languageOf = async (locale: string | undefined, languages?: string) => {
    const { request } = await send(TAKEN, { ...MESSAGE, locale }, languages === undefined ? {} : { languages })
    return JSON.parse(request.body ?? '').template.language.code
  }

  test.each([
    ['ko', 'ko'],
    ['ko-KR', 'ko'],
    ['en', 'en_US'],
    ['en-AU', 'en_US'],
    ['en-GB', 'en_GB'],
    ['pt', 'pt_BR'],
    ['pt-PT', 'pt_PT'],
    ['zh-TW', 'zh_TW'],
    ['zh-Hant', 'zh_TW'],
    ['zh', 'zh_CN'],
    ['tlh', 'en_US'],
    [undefined, 'en_US'],
  ])('%s is %s at Meta', async (locale, code) => {
    expect(await languageOf(locale)).toBe(code)
  })

  test("the operator's go before", async () => {
    expect(await languageOf('en', 'en = en_GB, *=ko')).toBe('en_GB')
    expect(await languageOf('fr', 'en=en_GB, *=ko')).toBe('ko')
    expect(await languageOf(undefined, 'en=en_GB, *=ko')).toBe('ko')
    expect(await languageOf('fr', 'en=en_GB')).toBe('fr')
    expect(whatsapp.config.safeParse({ ...CONFIG, languages: 'en' }).success).toBe(false)
  })
})

/** By the reader of Meta's documentation, not by the table under test. */
const SAYS: Array<[SendVerdict, number[]]> = [
  ['never', [130472, 131026, 131021, 131049]],
  ['later', [4, 80007, 130429, 131056, 131048, 131016, 133004, 131057]],
  ['unfit', [0, 10, 190, 200, 210, 219, 131005, 131042, 134011]],
  [
    'elsewhere',
    [
      33, 100, 368, 130497, 131008, 131009, 131031, 131037, 131045, 131051, 132000, 132001, 132005, 132007, 132012,
      132015, 132016, 133010, 135000,
    ],
  ],
  ['ambiguous', [1, 2, 131000]],
]

test.each(SAYS.flatMap(([says, codes]) => codes.map((code): [number, SendVerdict] => [code, says])))(
  'error %i means %s, in words that may be kept',
  async (code, says) => {
    for (const status of [200, 400, 500]) {
      const { outcome } = await send(answered(status, errorBody(code)))
      expectHarmless(outcome, [CONFIG.accessToken, APP_SECRET])
      if (outcome.kind === 'accepted') throw new Error('taken')
      expect(outcome.kind === 'refused' ? outcome.retry : outcome.kind).toBe(says)
      expect(presentableCode(outcome.code)).toBe(outcome.code)
      const why = whatsapp.explain(outcome.code) ?? ''
      expect(why).not.toBe('')
      if (code > 99_999) expect(why).toEndWith(`(WhatsApp: ${code})`)
    }
  },
)

test.each([
  [answered(400, errorBody(131999)), { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
  [answered(400, errorBody(Number(CODE))), { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
  [answered(401, ''), { kind: 'refused', retry: 'unfit', code: 'HTTP_401' }],
  [answered(429, ''), { kind: 'refused', retry: 'later', code: 'HTTP_429' }],
  [answered(500, 'oops'), { kind: 'ambiguous', code: 'HTTP_500' }],
  [answered(200, '<html>'), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
  [answered(200, { messages: [] }), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
] as const)('%o means %o', async (answer, expected) => {
  expect((await send(answer)).outcome).toEqual(expected)
})

test.each(WITHOUT_ANSWER)('%s', async (_, answer, expected) => {
  expect((await send(answer)).outcome).toEqual(expected)
})

describe('reports', () => {
  const { provider } = connect(whatsapp, whatsapp.config.parse(CONFIG) as typeof CONFIG)
  const OURS = MESSAGE.messageId
  const OTHER = '019ca91c-4e00-7000-8000-0000000000bb'
  const status = (status: string, more: object = {}) => ({
    id: WAMID,
    status,
    timestamp: '1772323200',
    recipient_id: TO.slice(1),
    biz_opaque_callback_data: OURS,
    pricing: { billable: true, pricing_model: 'PMP', category: 'authentication' },
    ...more,
  })
  const bodyOf = (...statuses: object[]) =>
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '102290129340398',
          changes: [
            {
              field: 'messages',
              value: {
                messaging_product: 'whatsapp',
                metadata: { display_phone_number: '15550783881', phone_number_id: CONFIG.phoneNumberId },
                statuses,
              },
            },
          ],
        },
      ],
    })
  const signatureOf = (body: string) => `sha256=${createHmac('sha256', APP_SECRET).update(body).digest('hex')}`
  const read = (body: string, signature = signatureOf(body)) =>
    provider.readReports?.(aCallback(body, { 'x-hub-signature-256': signature, 'content-type': 'application/json' }))

  test('several in a body, in any order; what was read was delivered', () => {
    const undeliverable = { errors: [{ code: 131026, title: 'Message undeliverable', message: `to ${TO}` }] }
    const body = bodyOf(
      status('read'),
      status('sent'),
      status('delivered'),
      status('failed', { biz_opaque_callback_data: OTHER, ...undeliverable }),
    )
    const delivered = { messageId: OURS, carrierMessageId: WAMID, status: 'delivered', code: undefined }
    expect(read(body)).toEqual([
      delivered,
      delivered,
      { ...delivered, messageId: OTHER, status: 'failed', code: 'UNDELIVERABLE', absence: 'absent' },
    ] as never)
  })

  test('of something else are none', () => {
    const incoming = { object: 'whatsapp_business_account', entry: [{ changes: [{ value: { messages: [{}] } }] }] }
    expect(read(JSON.stringify(incoming))).toEqual([])
  })

  test('are believed by the signature of the raw body alone', () => {
    const body = bodyOf(status('delivered'))
    expect(read(body, signatureOf(`${body} `))).toBeUndefined()
    expect(read(body, signatureOf(body).replace('sha256=', ''))).toBeUndefined()
    expect(read(body, '')).toBeUndefined()
    expect(read(`${body}\n`, signatureOf(`${body}\n`))).toHaveLength(1)
    const bySecret = aCallback(body, { authorization: `Bearer ${REPORT_SECRET}` }, `?token=${REPORT_SECRET}`)
    expect(provider.readReports?.(bySecret)).toBeUndefined()
  })

  test('the address is tried with the verify token', () => {
    const challenge = { 'hub.mode': 'subscribe', 'hub.verify_token': REPORT_SECRET, 'hub.challenge': '1158201444' }
    const answer = (changes: object) =>
      provider.answerChallenge?.(new URLSearchParams({ ...challenge, ...changes } as Record<string, string>))
    expect(answer({})).toBe('1158201444')
    expect(answer({ 'hub.verify_token': 'another' })).toBeUndefined()
    expect(answer({ 'hub.mode': 'unsubscribe' })).toBeUndefined()
    expect(provider.answerChallenge?.(new URLSearchParams())).toBeUndefined()
    expect(whatsapp.reportsBySecret).toBe(true)
  })
})
