/** Reports of an `http` carrier that signs them: nobody else is believed, and nothing but what was signed. */
import { describe, expect, test } from 'bun:test'
import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { SignJWT } from 'jose'
import { http } from '../../src/providers/http'
import { HTTP_ONLY } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const SEC = Math.floor(NOW / 1_000)
const SECRET = 'a-report-secret-of-tests'
const KEY = 'a-signing-key-that-the-carrier-gave'
const URL = 'https://otp.example.com/provider-reports/p?id=a&status=delivered'
const BODY = '{"id":"a","status":"delivered","note":"한글"}'
const REPORTED = [{ messageId: 'a', status: 'delivered', code: undefined }] as const

const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString()
const ed = generateKeyPairSync('ed25519')
const otherEd = generateKeyPairSync('ed25519')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const rawOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).subarray(-32)

async function read(signature: object, headers: Record<string, string>, text = BODY, url = URL) {
  const { readReports } = http.create(
    {
      ...{ name: 'p', type: 'http', channels: ['sms'], createdAt: 0 },
      config: { url: 'https://carrier.test/send', reportSecret: SECRET, report: { signature } },
    },
    {
      ...HTTP_ONLY,
      transport: { request: () => Promise.reject(new Error('nothing is sent')) },
      ...{ clock: new VirtualClock(NOW), random: seededRandom(1), timeoutMs: 1_000, reportUrl: undefined },
    },
  )
  return readReports?.({ url, headers: new Headers(headers), query: new globalThis.URL(url).searchParams, text })
}

describe('an HMAC in a header', () => {
  const macOf = (text: string, algorithm = 'sha256', encoding: 'hex' | 'base64' = 'hex', key = KEY) =>
    createHmac(algorithm, key).update(text).digest(encoding)
  const github = { type: 'hmac', header: 'X-Hub-Signature-256', prefix: 'sha256=', secret: KEY }

  test.each<[string, object, Record<string, string>]>([
    ['SHA-256 in hex, with a prefix', github, { 'x-hub-signature-256': `sha256=${macOf(BODY)}` }],
    ['the same in capitals', github, { 'x-hub-signature-256': `sha256=${macOf(BODY).toUpperCase()}` }],
    [
      'SHA-1 in base64',
      { type: 'hmac', header: 'x-sign', secret: KEY, algorithm: 'sha1', encoding: 'base64' },
      { 'x-sign': macOf(BODY, 'sha1', 'base64') },
    ],
    [
      'over URL and body',
      { type: 'hmac', header: 'x-sign', secret: KEY, algorithm: 'sha512', signed: '{{url}}{{body}}' },
      { 'x-sign': macOf(URL + BODY, 'sha512') },
    ],
    [
      'over time and body',
      { type: 'hmac', header: 'x-sign', secret: KEY, signed: '{{timestamp}}.{{body}}', timestampHeader: 'x-time' },
      { 'x-sign': macOf(`${SEC}.${BODY}`), 'x-time': String(SEC) },
    ],
  ])('is believed: %s', async (_, signature, headers) => {
    expect(await read(signature, headers)).toEqual([...REPORTED])
  })

  test.each<[string, Record<string, string>, string?]>([
    ['no signature', {}],
    ['an empty one', { 'x-hub-signature-256': '' }],
    ['one without its prefix', { 'x-hub-signature-256': macOf(BODY) }],
    ['one by another key', { 'x-hub-signature-256': `sha256=${macOf(BODY, 'sha256', 'hex', 'another-key')}` }],
    ['one of another body', { 'x-hub-signature-256': `sha256=${macOf(BODY)}` }, BODY.replace('"a"', '"b"')],
    ['the secret of reports that are not signed', { authorization: `Bearer ${SECRET}` }],
  ])('is refused: %s', async (_, headers, text) => {
    expect(await read(github, headers, text)).toBeUndefined()
  })

  test('over nothing proves nothing of an address', async () => {
    expect(await read(github, { 'x-hub-signature-256': `sha256=${macOf('')}` }, '')).toBeUndefined()
    const ofUrl = { ...github, signed: '{{url}}{{body}}' }
    const headers = { 'x-hub-signature-256': `sha256=${macOf(URL)}` }
    expect(await read(ofUrl, headers, '')).toEqual([...REPORTED])
    expect(await read(ofUrl, headers, '', URL.replace('id=a', 'id=b'))).toBeUndefined()
  })

  test.each([
    [SEC - 300, true],
    [SEC - 301, false],
    [SEC + 300, true],
    [SEC + 301, false],
    [NOW, true],
    ['2026-03-01T12:04:00Z', true],
    ['yesterday', false],
    ['', false],
  ])('of the time %p is of now: %p', async (time, isNow) => {
    const signature = { ...github, signed: '{{timestamp}}{{body}}', timestampHeader: 'x-time' }
    const headers = { 'x-hub-signature-256': `sha256=${macOf(`${time}${BODY}`)}`, 'x-time': String(time) }
    expect((await read(signature, headers)) !== undefined).toBe(isNow)
  })
})

describe('an Ed25519 signature', () => {
  const signed = (text: string, key = ed.privateKey) => sign(null, Buffer.from(text), key)
  const telnyx = {
    ...{ type: 'ed25519', header: 'telnyx-signature-ed25519', signed: '{{timestamp}}|{{body}}' },
    timestampHeader: 'telnyx-timestamp',
  }
  const headers = (signature: string) => ({
    'telnyx-signature-ed25519': signature,
    'telnyx-timestamp': String(SEC),
  })

  test.each([
    ['PEM', pem(ed.publicKey)],
    ['base64', rawOf(ed.publicKey).toString('base64')],
    ['hex', rawOf(ed.publicKey).toString('hex')],
  ])('is believed by a key in %s', async (_, publicKey) => {
    const signature = signed(`${SEC}|${BODY}`).toString('base64')
    expect(await read({ ...telnyx, publicKey }, headers(signature))).toEqual([...REPORTED])
  })

  test.each([
    ['by another key', signed(`${SEC}|${BODY}`, otherEd.privateKey).toString('base64')],
    ['of another time', signed(`${SEC - 1}|${BODY}`).toString('base64')],
    ['that is none', 'c2hvcnQ='],
    ['that is empty', ''],
  ])('%s is refused', async (_, signature) => {
    expect(await read({ ...telnyx, publicKey: pem(ed.publicKey) }, headers(signature))).toBeUndefined()
  })

  test('may be in hex, over the body alone', async () => {
    const signature = { type: 'ed25519', header: 'x-sign', encoding: 'hex', publicKey: pem(ed.publicKey) }
    expect(await read(signature, { 'x-sign': signed(BODY).toString('hex') })).toEqual([...REPORTED])
  })
})

describe('a JWT', () => {
  const hs = { type: 'jwt', algorithm: 'HS256', key: KEY }
  const rs = { type: 'jwt', algorithm: 'RS256', key: pem(rsa.publicKey) }
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
  const token = (alg: string, claims: object = {}, key: KeyObject | Uint8Array = rsa.privateKey) =>
    new SignJWT({ iat: SEC, exp: SEC + 60, payload_hash: hashOf(BODY), ...claims })
      .setProtectedHeader({ alg })
      .sign(key)
  const keyed = new TextEncoder().encode(KEY)
  const bearer = async (jwt: Promise<string>) => ({ authorization: `Bearer ${await jwt}` })

  test('by HS256 or RS256 is believed of the body whose hash it has', async () => {
    expect(await read(hs, await bearer(token('HS256', {}, keyed)))).toEqual([...REPORTED])
    expect(await read(rs, await bearer(token('RS256')))).toEqual([...REPORTED])
    const named = { ...rs, header: 'x-signature-jwt', bodyHash: 'sha' }
    expect(await read(named, { 'x-signature-jwt': await token('RS256', { sha: hashOf(BODY) }) })).toEqual([...REPORTED])
    const ofNoBody = { ...rs, bodyHash: null }
    expect(await read(ofNoBody, await bearer(token('RS256', { payload_hash: undefined })))).toEqual([...REPORTED])
  })

  test('is refused by another key, by another algorithm, of another body, without a hash, of no body, and when it has ended', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const none = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ payload_hash: hashOf(BODY) }))}.`.replaceAll(
      '=',
      '',
    )
    const confused = token('HS256', {}, new TextEncoder().encode(rs.key))
    for (const jwt of [token('RS256', {}, other), confused, Promise.resolve(none), Promise.resolve('junk')])
      expect(await read(rs, await bearer(jwt))).toBeUndefined()
    expect(await read(hs, await bearer(token('HS256', {}, new TextEncoder().encode('another-key'))))).toBeUndefined()
    expect(await read(hs, await bearer(token('HS512', {}, keyed)))).toBeUndefined()
    expect(await read(rs, await bearer(token('RS256')), `${BODY} `)).toBeUndefined()
    expect(await read(rs, await bearer(token('RS256', { payload_hash: undefined })))).toBeUndefined()
    expect(await read(rs, await bearer(token('RS256', { payload_hash: hashOf('') })), '')).toBeUndefined()
    expect(await read(rs, await bearer(token('RS256', { exp: SEC - 301 })))).toBeUndefined()
    expect(await read(rs, {})).toBeUndefined()
  })
})

describe('a field over the others in order', () => {
  const signature = { type: 'sortedFields', secret: KEY, field: 'sig', timestampField: 'timestamp' }
  const FIELDS = `status=delivered&id=a&note=1%3D2%26&timestamp=${SEC}`
  const SIG = createHmac('sha256', KEY).update(`&id=a&note=1_2_&status=delivered&timestamp=${SEC}`).digest('hex')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const of = (text: string, url = URL) => read(signature, form, text, url)
  const asJson = { status: 'delivered', id: 'a', note: '1=2&', timestamp: SEC, sig: SIG.toUpperCase() }

  test('in a form, a query and JSON', async () => {
    expect(await of(`${FIELDS}&sig=${SIG}`)).toEqual([...REPORTED])
    expect(await of('', `https://otp.example.com/provider-reports/p?${FIELDS}&sig=${SIG}`)).toEqual([...REPORTED])
    expect(await read(signature, {}, JSON.stringify(asJson))).toEqual([...REPORTED])
  })

  test.each([
    ['none', FIELDS],
    ['another', `${FIELDS}&sig=${SIG.replace(/^./, 'x')}`],
    ['another status', `${FIELDS.replace('delivered', 'failed')}&sig=${SIG}`],
    ['a field twice', `${FIELDS}&sig=${SIG}&status=failed`],
    ['an old one', `${FIELDS.replace(String(SEC), String(SEC - 301))}&sig=${SIG}`],
  ])('%s is not believed', async (_, text) => {
    expect(await of(text)).toBeUndefined()
  })
})

describe('a token with the hash of the address', () => {
  const signature = { type: 'jwt', algorithm: 'HS256', key: KEY, header: 'x-jwt', urlHash: 'url_hash' }
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const tokenOf = (claims: Record<string, string>) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(SEC + 60)
      .sign(new TextEncoder().encode(KEY))

  test('proves a report without a body, and a body only by its own hash', async () => {
    const ofUrl = await tokenOf({ url_hash: hash(URL) })
    expect(await read(signature, { 'x-jwt': ofUrl }, '')).toEqual([...REPORTED])
    expect(await read(signature, { 'x-jwt': ofUrl }, '', `${URL}&more=1`)).toBeUndefined()
    expect(await read(signature, { 'x-jwt': ofUrl })).toBeUndefined()
    const ofBoth = await tokenOf({ url_hash: hash(URL), payload_hash: hash(BODY) })
    expect(await read(signature, { 'x-jwt': ofBoth })).toEqual([...REPORTED])
    expect(await read(signature, { 'x-jwt': await tokenOf({ payload_hash: hash(BODY) }) })).toBeUndefined()
  })
})
