/** The proof of a verification, read by a library that is not ours. Decisions: "Proof of verification". */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import * as administer from '../../src/usecases/administer'
import { errorOf } from '../support/error-of'
import { type Furnished, WIRES, World } from '../support/world'

const DAY_MS = 86_400_000
const PERIOD_MS = 90 * DAY_MS
const ISSUER = 'https://otp.example.com'
const PHONE = '010-1234-5678'

describe.each(WIRES)('a proof over %s', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  async function start(options: Parameters<typeof World.start>[0] = {}) {
    world = await World.start({ env: { WATCHWORD_PUBLIC_URL: ISSUER }, ...options })
    keys = await world.furnish()
  }
  beforeEach(() => start())
  afterEach(() => world.stop())

  async function issued(input: object = {}) {
    const order = {
      phoneNumber: PHONE,
      purpose: 'login',
      idempotencyKey: `k${made++}`,
      metadata: { userId: 'u1' },
      ...input,
    }
    const { status, body } = await world.call(wire, 'issue', order, { key: keys.live })
    expect(status).toBe(200)
    await world.settle()
    return { issueId: body.issueId as string, code: world.sms.lastCode() }
  }
  const verify = (input: object, key = keys.live) => world.call(wire, 'verify', input, { key })
  const proofOf = async (input: object, key?: string) => (await verify(input, key)).body.proof as string | undefined
  async function published(): Promise<JSONWebKeySet> {
    const { status, body, headers } = await world.send('GET', '/.well-known/jwks.json', undefined)
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=3600'])
    return body
  }
  const read = async (proof: string) =>
    jwtVerify(proof, createLocalJWKSet(await published()), { currentDate: new Date(world.clock.now()) })
  const wrong = (code: string) => (code === '111111' ? '222222' : '111111')

  test('says whose number was verified, for what, in which app, for ten minutes, and nothing else', async () => {
    const { issueId, code } = await issued()
    const proof = await proofOf({ issueId, code, phoneNumber: PHONE })
    const { payload, protectedHeader } = await read(proof ?? '')
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: expect.stringMatching(/^[\w-]{43}$/) })
    expect(payload).toEqual({
      ...{ iss: ISSUER, sub: issueId, jti: issueId, aud: keys.appId },
      ...{ iat: world.clock.now() / 1_000, exp: world.clock.now() / 1_000 + 600 },
      ...{ phone_number: '+821012345678', phone_number_verified: true, purpose: 'login', mode: 'live' },
    })
  })

  test('says what the metadata of the issue is only where the app has it say so', async () => {
    const metadataOf = async (more: object = {}) => {
      const { issueId, code } = await issued(more)
      return (await read((await proofOf({ issueId, code, phoneNumber: PHONE })) ?? '')).payload.metadata
    }
    const decide = async (isSaid: boolean) => {
      await administer.setProvesMetadata(world.admin, keys.appId, isSaid)
      await world.advance(1_500)
    }
    expect(await metadataOf()).toBeUndefined()
    await decide(true)
    expect(await metadataOf()).toEqual({ userId: 'u1' })
    expect(await metadataOf({ metadata: {} })).toBeUndefined()
    await decide(false)
    expect(await metadataOf()).toBeUndefined()
  })

  test.each(['+82 10-1234-5678', '00821012345678', '０１０１２３４５６７８'])(
    'knows the number by any spelling: %s',
    async (phoneNumber) => {
      const { issueId, code } = await issued()
      const { payload } = await read((await proofOf({ issueId, code, phoneNumber })) ?? '')
      expect(payload.phone_number).toBe('+821012345678')
    },
  )

  test('is not given to who names no number, or another one; the code is right all the same', async () => {
    for (const claimed of [{}, { phoneNumber: '010-1234-5679' }]) {
      const { issueId, code } = await issued()
      const { body } = await verify({ issueId, code, ...claimed })
      expect([body.verified, 'proof' in body]).toEqual([true, false])
    }
  })

  test('a wrong code is answered alike whether the number is the right one or not', async () => {
    const answers = []
    for (const phoneNumber of [PHONE, '010-1234-5679', undefined]) {
      const { issueId, code } = await issued()
      const { body } = await verify({ issueId, code: wrong(code), ...(phoneNumber && { phoneNumber }) })
      answers.push({ ...body, issueId: undefined })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    expect(answers[0]).not.toContainKey('proof')
  })

  test('is given once: a code that was used proves nothing any more', async () => {
    const { issueId, code } = await issued()
    expect(await proofOf({ issueId, code, phoneNumber: PHONE })).toBeString()
    const { body } = await verify({ issueId, code, phoneNumber: PHONE })
    expect([body.reasonCode, 'proof' in body]).toEqual(['ALREADY_VERIFIED', false])
  })

  test('is not given for a code that came too late, or that was replaced', async () => {
    const late = await issued({ expiresInSec: 30 })
    await world.advance(30_000)
    expect((await verify({ issueId: late.issueId, code: late.code, phoneNumber: PHONE })).body).not.toContainKey(
      'proof',
    )
    const replaced = await issued()
    await issued()
    const { body } = await verify({ issueId: replaced.issueId, code: replaced.code, phoneNumber: PHONE })
    expect([body.reasonCode, 'proof' in body]).toEqual(['REPLACED', false])
  })

  test('what is no number is refused, and uses no attempt', async () => {
    const { issueId, code } = await issued({ maxAttempts: 1 })
    const refused = await verify({ issueId, code: wrong(code), phoneNumber: '12' })
    expect([refused.status, refused.body.data.param, refused.body.data.reason]).toEqual([
      ...[400, 'phoneNumber', 'invalid_phone_number'],
    ])
    expect(await proofOf({ issueId, code, phoneNumber: PHONE })).toBeString()
  })

  test('of a test code says so, and its numbers are magic ones', async () => {
    const order = { phoneNumber: '010-0000-0000', purpose: 'signup', idempotencyKey: 'k' }
    const { issueId } = (await world.call(wire, 'issue', order, { key: keys.test })).body
    const real = await verify({ issueId, code: '000000', phoneNumber: PHONE }, keys.test)
    expect([real.status, real.body.data.code]).toEqual([400, 'TEST_NUMBER_REQUIRED'])
    const proof = await proofOf({ issueId, code: '000000', phoneNumber: '01000000000' }, keys.test)
    expect((await read(proof ?? '')).payload).toMatchObject({ mode: 'test', phone_number: '+821000000000' })
  })

  test('is given to a browser key as well', async () => {
    const origin = 'https://app.example.com'
    const key = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [origin] })
    const options = { key, headers: { origin } }
    const order = { phoneNumber: PHONE, purpose: 'login', idempotencyKey: 'of-a-browser' }
    const { issueId } = (await world.call(wire, 'issue', order, options)).body
    await world.settle()
    const attempt = { issueId, code: world.sms.lastCode(), phoneNumber: PHONE }
    const { body } = await world.call(wire, 'verify', attempt, options)
    expect((await read(body.proof)).payload.phone_number).toBe('+821012345678')
  })

  test('lasts as long as the operator says', async () => {
    await world.stop()
    await start({ env: { WATCHWORD_PROOF_LIFETIME_SEC: '60' } })
    const { issueId, code } = await issued()
    const { payload } = await read((await proofOf({ issueId, code, phoneNumber: PHONE })) ?? '')
    expect([(payload.exp ?? 0) - (payload.iat ?? 0), 'iss' in payload]).toEqual([60, false])
    world.clock.step(60_000)
    const { issueId: second, code: typed } = await issued()
    const proof = (await proofOf({ issueId: second, code: typed, phoneNumber: PHONE })) ?? ''
    world.clock.step(60_000)
    expect((await errorOf(read(proof))).message).toContain('"exp" claim timestamp check failed')
  })

  test('is signed with another key every ninety days, which was published since ninety days before, and is for ninety after', async () => {
    const proven = async () => {
      const { issueId, code } = await issued()
      return (await proofOf({ issueId, code, phoneNumber: PHONE })) ?? ''
    }
    const kids = async () => (await published()).keys.map(({ kid }) => kid)
    const [before, first] = [await kids(), await proven()]
    const toTheEdge = PERIOD_MS - (world.clock.now() % PERIOD_MS)
    world.clock.step(toTheEdge - 1)
    const last = await proven()
    world.clock.step(1)
    const [after, next] = [await kids(), await proven()]
    const kidOf = (proof: string) => decodeProtectedHeader(proof).kid as string
    expect(kidOf(last)).toBe(kidOf(first))
    expect(kidOf(next)).not.toBe(kidOf(last))
    expect(before).toEqual([expect.any(String), kidOf(last), kidOf(next)])
    expect(after).toEqual([kidOf(last), kidOf(next), expect.any(String)])
    await read(last)
    await read(next)
  })
})

test('every server of one database publishes the same keys, and none of them says how to sign', async () => {
  const one = await World.start()
  const published = async (world: World) => (await world.send('GET', '/.well-known/jwks.json', undefined)).body
  const { keys } = await published(one)
  await one.run(one.app.stop())
  const other = await World.start({ place: one.place, clock: one.clock, seed: 2 })
  expect(await published(other)).toEqual({ keys })
  expect(keys).toHaveLength(3)
  for (const key of keys)
    expect(key).toEqual({
      ...{ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' },
      ...{ kid: expect.stringMatching(/^[\w-]{43}$/), x: expect.stringMatching(/^[\w-]{43}$/) },
    })
  expect((await other.send('POST', '/.well-known/jwks.json', {})).status).toBe(404)
  await other.stop()
})
