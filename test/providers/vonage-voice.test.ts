/** Calls by Vonage, held against the documentation of its Voice API. */
import { describe, expect, test } from 'bun:test'
import { createHash, createVerify, generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describedType } from '../../src/providers/described'
import { vonageVoice as described } from '../../src/providers/descriptions/vonage-voice'
import { NOW } from '../domain/sample'
import { aCallback } from './fake-vendor-korean'
import { anOutbound, answered, CODE, connect, expectHarmless, TO, WITHOUT_ANSWER } from './fake-vendor-twilio-aligo'

const vonageVoice = describedType(described)
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const SIGNATURE_SECRET = 'signature-secret-of-the-account'
const CONFIG = {
  applicationId: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  signatureSecret: SIGNATURE_SECRET,
  from: '+14155550100',
  apiBase: 'https://api.nexmo.com',
}
const REPORT_URL = 'https://otp.example.com/provider-reports/kr'
const UUID = '63f61863-4a51-4f6b-86e1-46edebcf9356'
const TAKEN = answered(201, { uuid: UUID, status: 'started', direction: 'outbound', conversation_uuid: 'CON-f972836a' })

async function send(answer = TAKEN, { locale = 'ko', reportUrl }: { locale?: string; reportUrl?: string } = {}) {
  const { vendor, provider } = connect(vonageVoice, CONFIG, { reportUrl })
  vendor.answer = answer
  return { outcome: await provider.send(anOutbound({ channel: 'voice', locale })), request: vendor.only() }
}

test('calls and says the code twice, and never to a machine', async () => {
  const { outcome, request } = await send(TAKEN, { reportUrl: 'https://otp.example.com/provider-reports/kr' })
  expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: UUID })
  expect(request.url).toBe('https://api.nexmo.com/v1/calls')
  expect(JSON.parse(request.body ?? '')).toEqual({
    to: [{ type: 'phone', number: TO.slice(1) }],
    from: { type: 'phone', number: '14155550100' },
    ncco: [{ action: 'talk', text: '인증번호는 4, 8, 2, 9, 1, 3 입니다.', language: 'ko-KR', loop: 2 }],
    event_url: ['https://otp.example.com/provider-reports/kr'],
    event_method: 'POST',
    machine_detection: 'hangup',
    ringing_timer: 30,
    length_timer: 60,
  })
  const [head = '', claims = '', signature = ''] = (request.headers.authorization ?? '')
    .replace('Bearer ', '')
    .split('.')
  expect(createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url')).toBe(true)
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    application_id: CONFIG.applicationId,
    iat: NOW / 1_000,
    jti: expect.any(String),
  })
})

test('without a report URL the application decides where events go', async () => {
  expect(JSON.parse((await send()).request.body ?? '')).not.toHaveProperty('event_url')
})

test.each([
  ...WITHOUT_ANSWER,
  ['400', answered(400, { title: `no ${TO}` }), { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
  ['401', answered(401, ''), { kind: 'refused', retry: 'unfit', code: 'HTTP_401' }],
  ['402', answered(402, ''), { kind: 'refused', retry: 'unfit', code: 'HTTP_402' }],
  ['403', answered(403, ''), { kind: 'refused', retry: 'elsewhere', code: 'HTTP_403' }],
  ['429', answered(429, ''), { kind: 'refused', retry: 'later', code: 'HTTP_429' }],
  ['500', answered(500, ''), { kind: 'ambiguous', code: 'HTTP_500' }],
  ['garbage', answered(201, '<html>'), { kind: 'ambiguous', code: 'HTTP_201_WITHOUT_ID' }],
] as typeof WITHOUT_ANSWER)('%s', async (_, answer, expected) => {
  const { outcome } = await send(answer)
  expect(outcome).toEqual(expected)
  expectHarmless(outcome, [SIGNATURE_SECRET])
})

interface Signing {
  secret?: string
  /** Another body. */
  of?: string
}

/** A callback as Vonage signs it. */
async function aSigned(content: object, { secret = SIGNATURE_SECRET, of }: Signing = {}, search = '') {
  const body = JSON.stringify({ uuid: UUID, to: TO.slice(1), ...content })
  const claims = {
    api_key: 'abcd',
    payload_hash: createHash('sha256')
      .update(of ?? body)
      .digest('hex'),
  }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt(NOW / 1_000)
    .setIssuer('Vonage')
    .sign(new TextEncoder().encode(secret))
  return aCallback(body, { authorization: `Bearer ${token}` }, search)
}

describe('with a key to be pressed', () => {
  const connected = (reportUrl?: string) => {
    const { vendor, provider } = connect(vonageVoice, { ...CONFIG, pressKey: 'yes' }, { reportUrl })
    vendor.answer = TAKEN
    return { vendor, provider, send: () => provider.send(anOutbound({ channel: 'voice', locale: 'ko' })) }
  }
  const placed = async () => {
    const { vendor, provider, send } = connected(REPORT_URL)
    await send()
    const body = vendor.only().body ?? ''
    const { ncco, machine_detection } = JSON.parse(body)
    const { search } = new URL(ncco[1].eventUrl[0])
    const pressed = async (digits: string, how?: Signing) =>
      provider.answerCall?.(await aSigned({ dtmf: { digits, timed_out: digits === '' } }, how, search))
    return { body, ncco, machine_detection, pressed }
  }

  test('the call asks for it, without the code', async () => {
    const { body, ncco, machine_detection } = await placed()
    const text = '인증번호를 들으시려면 아무 번호나 눌러 주세요.'
    const answerUrl = expect.stringMatching(/^https:\/\/otp\.example\.com\/provider-reports\/kr\?answer=[\w-]{100,}$/)
    expect(ncco).toEqual([
      { action: 'talk', text, language: 'ko-KR', loop: 2, bargeIn: true },
      {
        action: 'input',
        type: ['dtmf'],
        dtmf: { maxDigits: 1, timeOut: 10 },
        eventUrl: [answerUrl],
        eventMethod: 'POST',
      },
    ])
    expect(machine_detection).toBe('hangup')
    for (const secret of [CODE, '4, 8, 2, 9, 1, 3']) expect(body).not.toContain(secret)
  })

  test('the code is said once it was pressed, and to Vonage alone', async () => {
    const { pressed } = await placed()
    const answer = await pressed('5')
    expect(answer?.contentType).toBe('application/json')
    expect(JSON.parse(answer?.document ?? '')).toEqual([
      { action: 'talk', text: '인증번호는 4, 8, 2, 9, 1, 3 입니다.', language: 'ko-KR', loop: 2 },
    ])
    expect((await pressed(''))?.document).toBe('[]')
    expect(await pressed('5', { secret: 'another-secret-of-others' })).toBeUndefined()
    expect(await pressed('5', { of: '{}' })).toBeUndefined()
  })

  test('no call is made where nobody could tell that it was', async () => {
    const { vendor, send } = connected()
    expect(await send()).toEqual({ kind: 'refused', retry: 'elsewhere', code: 'NO_PUBLIC_URL' })
    expect(vendor.requests).toEqual([])
    expect(vonageVoice.explain('NO_PUBLIC_URL')).toContain('WATCHWORD_PUBLIC_URL')
  })

  test('is a setting of one value', () => {
    expect(vonageVoice.config.safeParse({ ...CONFIG, pressKey: 'no' }).success).toBe(false)
  })
})

describe('reports', () => {
  const { provider } = connect(vonageVoice, CONFIG)
  const read = async (status: string, how?: Signing) =>
    provider.readReports?.(await aSigned({ status, direction: 'outbound' }, how))

  test('say whether a human heard it', async () => {
    expect(await read('completed')).toEqual([{ messageId: UUID, status: 'delivered' }] as never)
    for (const status of ['busy', 'cancelled', 'failed', 'rejected', 'timeout', 'unanswered', 'machine']) {
      expect(await read(status)).toEqual([{ messageId: UUID, status: 'failed', code: status.toUpperCase() }])
      expect(vonageVoice.explain(status.toUpperCase())).toBeDefined()
    }
    for (const status of ['started', 'ringing', 'answered', 'human']) expect(await read(status)).toEqual([])
  })

  test('are believed by their token alone', async () => {
    expect(await read('completed', { secret: 'another-secret-of-others' })).toBeUndefined()
    expect(await read('completed', { of: '{}' })).toBeUndefined()
    expect(await provider.readReports?.(aCallback('{"status":"completed"}'))).toBeUndefined()
  })
})
