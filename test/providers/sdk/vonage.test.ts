/** Vonage's own SDK: @vonage/sms, @vonage/voice and @vonage/jwt. */
import { expect, test } from 'bun:test'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { AlgorithmTypes } from '@vonage/auth'
import { tokenGenerate, verifySignature } from '@vonage/jwt'
import { SMS, TypeEnum } from '@vonage/sms'
import { MachineDetectionBehavior, NCCOActions, Voice } from '@vonage/voice'
import { SignJWT } from 'jose'
import { vonage } from '../../../src/providers/descriptions/vonage'
import { vonageVoice } from '../../../src/providers/descriptions/vonage-voice'
import { NOW } from '../../domain/sample'
import { REPORT_URL, reported, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { asTexts, caught, meaningOf } from './caught'

const ACCOUNT = { apiKey: 'abcd1234', apiSecret: 'abcdef0123456789' }
const SECRET = 'the-signature-secret-of-vonage'
const REPORT_SECRET = 'a-report-secret-of-24-ch'
const SETTINGS = { ...ACCOUNT, from: 'AcmeInc', signatureSecret: SECRET, reportSecret: REPORT_SECRET }
const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }

test('a text is the same request', async () => {
  const answer = { 'message-count': '1', messages: [{ status: '0', 'message-id': '0C000000217B7F02' }] }
  const { request: theirs, result } = await caught(answer, (base) =>
    new SMS(ACCOUNT, { restHost: base }).send({
      from: 'AcmeInc',
      to: TO.slice(1),
      text: TEXT,
      type: TypeEnum.UNICODE,
      ttl: 180_000,
      callback: `${REPORT_URL}?token=${REPORT_SECRET}`,
      clientRef: '019ca91c-4e00-7000-8000-0000000000aa',
      entityId: dlt.entityId,
      contentId: dlt.templateId,
    }),
  )
  const carrier = vendorOf(vonage, { ...SETTINGS, apiBase: new URL(theirs.url).origin })
  const ours = meaningOf(await carrier.request({ dlt }))
  const { api_key, api_secret, ...body } = ours.body
  // The SMS API takes JSON and forms, and the credentials as Basic or among the fields: developer.vonage.com/en/api/sms.
  const headers: typeof ours.headers = { authorization: `Basic ${btoa(`${api_key}:${api_secret}`)}` }
  const sdks = meaningOf(theirs)
  expect({ ...ours, body, type: 'application/json', headers }).toEqual({ ...sdks, body: asTexts(sdks.body) })
  expect(await carrier.outcome(answered(200, answer))).toEqual({
    kind: 'accepted',
    carrierMessageId: result.messages[0]?.messageId,
  } as never)
})

test('reports of texts are signed as the SDK verifies', () => {
  const fields: Record<string, string> = {
    msisdn: TO.slice(1),
    messageId: '0A0000001234567B',
    status: 'delivered',
    'err-code': '0',
    // The SDK writes both as an underscore.
    'client-ref': 'a&b=c',
    timestamp: String(NOW / 1_000),
    nonce: 'ec11dd3e',
  }
  const carrier = vendorOf(vonage, SETTINGS)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const accepts = (sig: string, given = fields) => {
    const read = carrier.read(new URLSearchParams({ ...given, sig }).toString(), form)
    const theirs = new SMS(ACCOUNT).verifySignature(sig, given, SECRET, AlgorithmTypes.sha256hmac)
    expect(read !== undefined).toBe(theirs)
    return read
  }
  const text = Object.keys(fields)
    .toSorted()
    .map((name) => `&${name}=${fields[name]?.replace(/[&=]/g, '_')}`)
  const signature = new Bun.CryptoHasher('sha256', SECRET).update(text.join('')).digest('hex')
  expect(accepts(signature.toUpperCase())).toEqual(
    reported('a&b=c', 'delivered', undefined, { carrierMessageId: '0A0000001234567B' }),
  )
  expect(accepts(signature, { ...fields, status: 'failed' })).toBeUndefined()
  expect(accepts(signature.replace(/^./, (first) => (first === '0' ? '1' : '0')))).toBeUndefined()
})

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const APPLICATION = 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab'
const CALLER = { applicationId: APPLICATION, privateKey: PEM, signatureSecret: SECRET, from: '+14155550100' }
const CALL = { channel: 'voice', locale: 'ko' } as const
const claimsOf = (authorization = '') =>
  JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString())

test('a call is the same request', async () => {
  const answer = { uuid: '63f61863-4a51-4f6b-86e1-46edebcf9356', status: 'started', direction: 'outbound' }
  const { request: theirs, result } = await caught(answer, (base) =>
    new Voice({ applicationId: APPLICATION, privateKey: PEM }, { apiHost: base }).createOutboundCall({
      to: [{ type: 'phone', number: TO.slice(1) }],
      from: { type: 'phone', number: '14155550100' },
      ncco: [
        { action: NCCOActions.TALK, text: '인증번호는 4, 8, 2, 9, 1, 3 입니다.', language: 'ko-KR' as never, loop: 2 },
      ],
      eventUrl: [REPORT_URL],
      eventMethod: 'POST' as never,
      machineDetection: MachineDetectionBehavior.HANGUP,
      ringingTimer: 30,
      lengthTimer: 60,
    }),
  )
  const carrier = vendorOf(vonageVoice, { ...CALLER, apiBase: new URL(theirs.url).origin })
  const [ours, sdks] = [await carrier.request(CALL), theirs].map((one) => meaningOf(one))
  const [ourToken, theirToken] = [ours?.headers.authorization, sdks?.headers.authorization]
  expect({ ...ours, headers: {} }).toEqual({ ...sdks, headers: {} })
  // A token without `exp` is good for 15 minutes: developer.vonage.com/en/getting-started/concepts/authentication.
  expect(Object.keys(claimsOf(theirToken)).filter((name) => name !== 'exp')).toEqual(
    expect.arrayContaining(Object.keys(claimsOf(ourToken))),
  )
  expect(claimsOf(ourToken).application_id).toBe(claimsOf(theirToken).application_id)
  expect(await carrier.outcome(answered(201, answer), CALL)).toEqual({
    kind: 'accepted',
    carrierMessageId: result.uuid,
  })
})

test('its token is one that the SDK verifies', async () => {
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const { headers } = await vendorOf(vonageVoice, CALLER).request(CALL)
  const token = headers.authorization?.replace('Bearer ', '') ?? ''
  expect(verifySignature(token, pem)).toBe(true)
  expect(verifySignature(tokenGenerate(APPLICATION, PEM), pem)).toBe(true)
  expect(verifySignature(token.replace(/.{5}$/, 'AAAAA'), pem)).toBe(false)
})

test('reports of calls have a token that the SDK verifies', async () => {
  const body = JSON.stringify({ uuid: '63f61863-4a51-4f6b-86e1-46edebcf9356', status: 'completed' })
  const carrier = vendorOf(vonageVoice, CALLER)
  const token = await new SignJWT({ payload_hash: createHash('sha256').update(body).digest('hex') })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(NOW / 1_000)
    .sign(Buffer.from(SECRET))
  for (const [shown, isGenuine] of [
    [token, true],
    [token.replace(/.{5}$/, 'AAAAA'), false],
  ] as const) {
    expect(verifySignature(shown, SECRET)).toBe(isGenuine)
    expect((await carrier.read(body, { authorization: `Bearer ${shown}` })) !== undefined).toBe(isGenuine)
  }
  // The SDK leaves the body to its user; the documentation wants its hash compared.
  expect(await carrier.read(body.replace('completed', 'busy'), { authorization: `Bearer ${token}` })).toBeUndefined()
})
