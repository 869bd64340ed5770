/** Requests are signed by the service's own signing code and by the `standardwebhooks` package. */
import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, type WebhookFailure, type WebhookRequest, WebhookVerificationError } from '../../client/index'
import { verifyWebhookSignature } from '../../client/webhook'
import { EVENT_TYPES, type OtpEvent, sampleEvent } from '../../contract/event'
import { newSecret, signatureHeaders } from '../../src/domain/webhooks/signature'
import { errorOf } from '../support/error-of'
import fc from '../support/property'

const SECRET = newSecret(Buffer.alloc(32, 7))
const OLDER = newSecret(Buffer.alloc(32, 8))
const STRANGER = newSecret(Buffer.alloc(32, 9))
const NOW_SEC = 1_768_469_400
const now = NOW_SEC * 1_000
const EVENT = sampleEvent('otp.verified')
const BODY = JSON.stringify(EVENT)

type SignedHeaders = ReturnType<typeof signatureHeaders>
type Changes = Partial<Record<keyof SignedHeaders, string | undefined>>

/** What the service sends. */
const sign = (body: string | Uint8Array = BODY, secrets: [string, ...string[]] = [SECRET], timestampSec = NOW_SEC) =>
  signatureHeaders({ eventId: EVENT.id, body, secrets, timestampSec })

const without = (headers: SignedHeaders, prefix: string) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith(prefix)))

/** The request of a service that knows ours only, and of one that knows Standard Webhooks only. */
const own = (headers: SignedHeaders) => without(headers, 'webhook-')
const standard = (headers: SignedHeaders) => without(headers, 'x-watchword-')

const verify = (request: Partial<WebhookRequest> = {}) =>
  verifyWebhook({ body: BODY, headers: sign(), secret: SECRET, now, ...request })

/** Why a request is refused; undefined where it is not. */
async function refusal(request: Partial<WebhookRequest>): Promise<WebhookFailure | undefined> {
  try {
    await verify(request)
    return undefined
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason
    throw error
  }
}

describe('a request of the service', () => {
  test.each([...EVENT_TYPES])('is its event, typed: %s', async (type) => {
    const event: OtpEvent = sampleEvent(type)
    const body = JSON.stringify(event)
    expect(await verify({ body, headers: sign(body) })).toEqual(event)
    expect(await verify({ body, headers: own(sign(body)) })).toEqual(event)
    expect(await verify({ body, headers: standard(sign(body)) })).toEqual(event)
  })

  test('is verified over the bytes that came, not over what they mean', async () => {
    const spaced = `{ "metadata": "확인 \\u00e9", ${BODY.slice(1, -1)} }\n`
    const bytes = Buffer.from(`before${spaced}after`).subarray(6, -5)
    expect(await verify({ body: spaced, headers: sign(spaced) })).toMatchObject(EVENT)
    expect(await verify({ body: bytes, headers: sign(spaced) })).toMatchObject(EVENT)
    expect(await refusal({ body: JSON.stringify(JSON.parse(spaced)), headers: sign(spaced) })).toBe('bad_signature')
  })

  test('whose event type or fields are newer than this client passes', async () => {
    const body = JSON.stringify({ id: 'e', type: 'otp.imagined', created: 1, data: { id: 'i' }, more: true })
    expect(await verify({ body, headers: sign(body) })).toEqual(JSON.parse(body))
  })

  test('is checked against the clock when no other is given', async () => {
    const nowSec = Math.floor(Date.now() / 1_000)
    const request = { body: BODY, secret: SECRET }
    expect(await verifyWebhook({ ...request, headers: sign(BODY, [SECRET], nowSec) })).toEqual(EVENT)
    const old = verifyWebhook({ ...request, headers: sign(BODY, [SECRET], nowSec - 400) })
    expect(await errorOf(old)).toMatchObject({ name: 'WebhookVerificationError', reason: 'expired' })
  })
})

describe.each([
  ['ours', own, 'X-Watchword-Timestamp', 'X-Watchword-Signature'],
  ['Standard Webhooks', standard, 'webhook-timestamp', 'webhook-signature'],
  ['both', (headers: SignedHeaders) => headers, 'X-Watchword-Timestamp', 'X-Watchword-Signature'],
] as const)('with the headers of %s', (_, kept, timestampHeader, signatureHeader) => {
  const changed = (changes: Changes, headers = sign()) => kept({ ...headers, ...changes } as SignedHeaders)

  test.each([
    [timestampHeader, 'missing_header'],
    [signatureHeader, 'missing_header'],
  ] as const)('a request without %s is refused', async (name, reason) => {
    expect(await refusal({ headers: changed({ [name]: undefined }) })).toBe(reason)
  })

  test.each(['', 'now', '12.5', '-1', '1e9', '0x10', ' 1768469400', `${NOW_SEC}, ${NOW_SEC}`, '9'.repeat(16)])(
    'a timestamp that is no number of seconds is refused: %j',
    async (timestamp) => {
      expect(await refusal({ headers: changed({ [timestampHeader]: timestamp }) })).toBe('bad_timestamp')
    },
  )

  test.each([
    [300, undefined, undefined],
    [301, undefined, 'expired'],
    [-300, undefined, undefined],
    [-301, undefined, 'expired'],
    [10, 10, undefined],
    [11, 10, 'expired'],
    [0, 0, undefined],
    [1, 0, 'expired'],
    [0, Number.NaN, 'expired'],
  ] as const)('signed %d s ago, with a tolerance of %p: %p', async (ageSec, toleranceSec, reason) => {
    const headers = kept(sign(BODY, [SECRET], NOW_SEC - ageSec))
    const tolerance = toleranceSec === undefined ? {} : { toleranceSec }
    // The clock is read in whole seconds, as the timestamp is.
    expect(await refusal({ headers, ...tolerance })).toBe(reason)
    expect(await refusal({ headers, ...tolerance, now: now + 999 })).toBe(reason)
  })

  test('a timestamp in milliseconds is far from the clock', async () => {
    expect(await refusal({ headers: changed({ [timestampHeader]: `${now}` }) })).toBe('expired')
  })

  test('a timestamp other than the signed one is refused', async () => {
    expect(await refusal({ headers: changed({ [timestampHeader]: `${NOW_SEC + 1}` }) })).toBe('bad_signature')
    expect(await refusal({ headers: changed({ [timestampHeader]: `0${NOW_SEC}` }) })).toBe('bad_signature')
  })

  test('a body with any byte changed, left out or added is refused', async () => {
    const headers = kept(sign())
    const bytes = Buffer.from(BODY)
    const anywhere = fc.nat(bytes.length - 1)
    const tampered = fc
      .oneof(
        fc.tuple(anywhere, fc.integer({ min: 1, max: 255 })).map(([at, bits]) => {
          const other = Buffer.from(bytes)
          other[at] = (bytes[at] as number) ^ bits
          return other
        }),
        anywhere.map((at) => bytes.subarray(0, at)),
        fc
          .tuple(anywhere, fc.nat(255))
          .map(([at, byte]) => Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at)])),
      )
      .filter((other) => !other.equals(bytes))
    await fc.assert(
      fc.asyncProperty(tampered, async (body) => expect(await refusal({ body, headers })).toBe('bad_signature')),
      { seed: 20_260_301, numRuns: 200 },
    )
  })

  test('a signature with any character changed is refused', async () => {
    const signature = sign()[signatureHeader]
    // The last character of base64 before `=` has bits that mean nothing; it is left out.
    const positions = [...signature].flatMap((character, at) => (/[0-9A-Za-z+/]/.test(character) ? [at] : []))
    for (const at of positions.slice(0, -1)) {
      const other = signature[at] === '0' ? '1' : '0'
      const forged = signature.slice(0, at) + other + signature.slice(at + 1)
      expect(await refusal({ headers: changed({ [signatureHeader]: forged }) })).toBe('bad_signature')
    }
  })

  test.each(['', 'v1,', 'v1', ',', '=', 'zz', '0'.repeat(63), '0'.repeat(64), 'v1,!', 'sha256=', 'v1a,AAAA', '확인'])(
    'what is no signature is refused: %j',
    async (signature) => {
      expect(await refusal({ headers: changed({ [signatureHeader]: signature }) })).toBe('bad_signature')
    },
  )

  test('a part of the signature, or more than it, is refused', async () => {
    const signature = sign()[signatureHeader]
    expect(await refusal({ headers: changed({ [signatureHeader]: signature.slice(0, -2) }) })).toBe('bad_signature')
    expect(await refusal({ headers: changed({ [signatureHeader]: signature + signature }) })).toBe('bad_signature')
    expect(await refusal({ headers: changed({ [signatureHeader]: `${signature}0` }) })).toBe('bad_signature')
  })

  test('what a stranger signed is refused', async () => {
    expect(await refusal({ headers: kept(sign(BODY, [STRANGER])) })).toBe('bad_signature')
  })

  test('a receiver may have several secrets', async () => {
    const headers = kept(sign(BODY, [SECRET]))
    expect(await refusal({ headers, secret: [OLDER, SECRET] })).toBeUndefined()
    expect(await refusal({ headers, secret: [OLDER, STRANGER] })).toBe('bad_signature')
  })

  test.each(['', 'no JSON', '[]', 'null', '"text"', '{}', JSON.stringify({ ...EVENT, id: 1 })])(
    'a signed body that is no event is refused: %s',
    async (body) => {
      expect(await refusal({ body, headers: kept(sign(body)) })).toBe('bad_body')
    },
  )

  test.each([
    ['type', 7],
    ['created', '1768469400'],
    ['created', 1.5],
    ['data', []],
    ['data', null],
  ])('a signed body whose %s is %j is refused', async (field, value) => {
    const body = JSON.stringify({ ...EVENT, [field]: value })
    expect(await refusal({ body, headers: kept(sign(body)) })).toBe('bad_body')
  })

  test('a signed body that is not UTF-8 is refused', async () => {
    const body = Buffer.from(BODY.replace('verified', 'verified\xff'), 'latin1')
    expect(await refusal({ body, headers: kept(sign(body)) })).toBe('bad_body')
  })

  test('the signature alone can be verified, where a payload template makes the body', async () => {
    const body = 'anything: its template made it'
    const request = { headers: kept(sign(body)), secret: SECRET, now }
    expect(await verifyWebhookSignature({ ...request, body })).toBeUndefined()
    const tampered = verifyWebhookSignature({ ...request, body: `${body}!` })
    expect(await errorOf(tampered)).toMatchObject({ reason: 'bad_signature' })
  })

  describe('which may be', () => {
    const each = (write: (name: string) => string) =>
      Object.fromEntries(Object.entries(kept(sign())).map(([name, value]) => [write(name), value]))

    test.each<[string, () => WebhookRequest['headers']]>([
      ['Headers', () => new Headers(each(String))],
      ['the Headers of a request', () => new Request('http://127.0.0.1', { headers: each(String) }).headers],
      ['a Map', () => new Map(Object.entries(each((name) => name.toLowerCase()))) as never],
      ['a record', () => each(String)],
      ['a record in lower case', () => each((name) => name.toLowerCase())],
      ['a record in upper case', () => each((name) => name.toUpperCase())],
      ['a record of lists', () => Object.fromEntries(Object.entries(each(String)).map(([k, v]) => [k, [v]]))],
      ['a record without a prototype', () => Object.assign(Object.create(null), each(String))],
      ['a record with more', () => ({ host: 'a', 'set-cookie': ['b', 'c'], 'x-none': undefined, ...each(String) })],
    ])('%s', async (_, headers) => {
      expect(await verify({ headers: headers() })).toEqual(EVENT)
    })

    test('not a header twice, which could be read two ways', async () => {
      const twice = Object.entries(each(String)).map(([name, value]) => [name, [value, value]])
      expect(await refusal({ headers: Object.fromEntries(twice) })).toBe('bad_timestamp')
    })
  })
})

describe('which signature counts', () => {
  test('none at all is refused', async () => {
    expect(await refusal({ headers: {} })).toBe('missing_header')
    expect(await refusal({ headers: new Headers() })).toBe('missing_header')
    expect(await refusal({ headers: { 'webhook-signature': sign()['webhook-signature'] } })).toBe('missing_header')
  })

  test('ours, where it is there: that of Standard Webhooks does not make up for it', async () => {
    const forged = { ...sign(BODY, [STRANGER]), ...standard(sign()) }
    expect(await refusal({ headers: forged })).toBe('bad_signature')
    expect(await refusal({ headers: standard(forged as SignedHeaders) })).toBeUndefined()
  })

  test('while the service rotates its secret, a receiver with either one goes on', async () => {
    const headers = sign(BODY, [SECRET, OLDER])
    expect(await refusal({ headers, secret: SECRET })).toBeUndefined()
    expect(await refusal({ headers, secret: OLDER })).toBeUndefined()
    expect(await refusal({ headers, secret: STRANGER })).toBe('bad_signature')
    expect(await refusal({ headers, secret: OLDER, body: `${BODY} ` })).toBe('bad_signature')
    expect(await refusal({ headers: own(headers), secret: OLDER })).toBe('bad_signature')
  })

  test('ours cannot come twice, however it is spelled', async () => {
    const headers = own(sign())
    const { 'X-Watchword-Signature': right } = sign()
    for (const other of ['0'.repeat(64), right]) {
      expect(await refusal({ headers: { ...headers, 'x-watchword-signature': other } })).toBe('bad_signature')
      expect(await refusal({ headers: { ...headers, 'X-Watchword-Signature': [right, other] } })).toBe('bad_signature')
    }
  })

  test('the first few: a stranger cannot have a body hashed hundreds of times', async () => {
    const { 'webhook-signature': right } = sign()
    const wrong = sign(BODY, [STRANGER])['webhook-signature']
    const among = (before: number) =>
      standard({ ...sign(), 'webhook-signature': [...Array(before).fill(wrong), right].join(' ') })
    expect(await refusal({ headers: among(7) })).toBeUndefined()
    expect(await refusal({ headers: among(8) })).toBe('bad_signature')
  })

  test('one of a version to come is passed over', async () => {
    const { 'webhook-signature': right } = sign()
    expect(await refusal({ headers: standard({ ...sign(), 'webhook-signature': `v2,AAAA ${right}` }) })).toBeUndefined()
    const unknown = standard({ ...sign(), 'webhook-signature': right.replace('v1,', 'v2,') })
    expect(await refusal({ headers: unknown })).toBe('bad_signature')
  })

  test('the event id is part of that of Standard Webhooks', async () => {
    expect(await refusal({ headers: standard({ ...sign(), 'webhook-id': 'another' }) })).toBe('bad_signature')
  })

  test('a secret that is no base64 verifies ours, and none of Standard Webhooks', async () => {
    const secret = 'chosen by hand!'
    expect(await refusal({ headers: own(sign(BODY, [secret])), secret })).toBeUndefined()
    expect(await refusal({ headers: standard(sign(BODY, [secret])), secret })).toBe('bad_signature')
  })

  test('nothing verifies by the key of no bytes that a cut secret leaves', async () => {
    const secret = 'whsec_'
    expect(await refusal({ headers: standard(sign(BODY, [secret])), secret })).toBe('bad_signature')
  })
})

describe('a receiver set up wrongly is told so, and not as if the request were forged', () => {
  test.each<[string, WebhookRequest['secret']]>([
    ['no secret', ''],
    ['no secrets', []],
    ['an empty one among the secrets', [SECRET, '']],
    ['an unset one', undefined as never],
  ])('%s', async (_, secret) => {
    // A key of no bytes is one that everybody can sign with.
    expect(await errorOf(verify({ secret }))).toBeInstanceOf(TypeError)
    expect((await errorOf(verify({ secret }))).message).toContain('the webhook secret is not set')
  })

  test.each<[string, unknown]>([
    ['a body that was parsed before', EVENT],
    ['no body', undefined],
    ['null', null],
  ])('%s', async (_, body) => {
    expect(await errorOf(verify({ body: body as string }))).toBeInstanceOf(TypeError)
    expect((await errorOf(verify({ body: body as string }))).message).toContain('raw body')
  })
})

describe('the standardwebhooks package', () => {
  const nowSec = () => Math.floor(Date.now() / 1_000)

  test('verifies what the service signs, by either secret of a rotation', () => {
    const headers = sign(BODY, [SECRET, OLDER], nowSec())
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(EVENT)
    expect(new Webhook(OLDER).verify(BODY, headers)).toEqual(EVENT)
    expect(() => new Webhook(STRANGER).verify(BODY, headers)).toThrow('No matching signature')
    expect(() => new Webhook(SECRET).verify(`${BODY} `, headers)).toThrow('No matching signature')
    expect(() => new Webhook(SECRET).verify(BODY, sign(BODY, [SECRET], nowSec() - 400))).toThrow('too old')
  })

  test('signs what this client verifies', async () => {
    const sentAt = new Date(now)
    const signature = new Webhook(SECRET).sign('evt_1', sentAt, BODY)
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': `${NOW_SEC}`, 'webhook-signature': signature }
    expect(await verify({ headers })).toEqual(EVENT)
    expect(await refusal({ headers, secret: STRANGER })).toBe('bad_signature')
    expect(await refusal({ headers, body: `${BODY} ` })).toBe('bad_signature')
  })
})
