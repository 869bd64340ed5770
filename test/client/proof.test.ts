/** What a backend believes of what a browser brings: the real service's proofs, and everything that looks like one. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createProofVerifier, type Proof, ProofError, type ProofOptions } from '../../client/server'
import { createVault } from '../../src/system/vault'
import { prove } from '../../src/usecases/prove-verification'
import { anIssue } from '../domain/sample'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const BASE_URL = 'http://localhost/v1'
const PHONE = '010-1234-5678'
const MINUTE_MS = 60_000
const STRANGERS_SECRET = Buffer.from('another master secret, 32+ characters long')

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

let world: World
let keys: Furnished
/** How often the keys were fetched. */
let looks: number
let answering: (request: Request) => Promise<Response>
let made = 0

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  looks = 0
  answering = (request) => world.app.fetch(request, '127.0.0.1')
})
afterEach(() => world.stop())

const verifierWith = (options: Partial<ProofOptions> = {}) =>
  createProofVerifier({
    ...{ baseUrl: BASE_URL, appId: keys.appId, purpose: 'signup', now: () => world.clock.now() },
    fetch: (request) => {
      looks++
      return answering(request)
    },
    ...options,
  })

async function proven({ purpose = 'signup', key = keys.live, phoneNumber = PHONE } = {}): Promise<string> {
  const order = { phoneNumber, purpose, idempotencyKey: `k${made++}` }
  const { issueId } = (await world.call('rest', 'issue', order, { key })).body
  await world.settle()
  const code = key === keys.test ? '000000' : world.sms.lastCode()
  return (await world.call('rest', 'verify', { issueId, code, phoneNumber }, { key })).body.proof
}

const parts = (proof: string) => proof.split('.') as [string, string, string]
const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

async function refused(proof: unknown, verify = verifierWith()) {
  const error = await verify(proof).catch((thrown: unknown) => thrown)
  return error instanceof ProofError ? error.reason : error
}

test('a proof says what was proven', async () => {
  const proof = await proven()
  const believed = await verifierWith()(proof)
  expect(believed).toEqual({
    issueId: decoded(parts(proof)[1]).sub,
    ...{ phoneNumber: '+821012345678', purpose: 'signup', mode: 'live', metadata: {} },
    verifiedAt: new Date(world.clock.now()),
    expiresAt: new Date(world.clock.now() + 10 * MINUTE_MS),
  })
})

describe('is refused', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no text', 12],
    ['an empty text', ''],
    ['an issue', '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'],
    ['three dots', '...'],
    ['no JSON', `YWJj.YWJj.${'A'.repeat(86)}`],
    ['a list', `W10.W10.${'A'.repeat(86)}`],
    [
      'more than any proof is long',
      `${encoded({ alg: 'EdDSA', kid: 'k', more: 'A'.repeat(15_000) })}.YWJj.${'A'.repeat(86)}`,
    ],
  ])('%s', async (_, proof) => {
    expect([await refused(proof), looks]).toEqual(['malformed', 0])
  })

  test('a proof without its signature, or with another way to sign', async () => {
    const [head, body, signature] = parts(await proven())
    const { kid } = decoded(head)
    for (const alg of ['none', 'HS256', 'ES256', 'eddsa', undefined])
      expect(await refused(`${encoded({ alg, typ: 'JWT', kid })}.${body}.${signature}`)).toBe('malformed')
    expect(await refused(`${encoded({ alg: 'EdDSA', crit: ['exp'], kid })}.${body}.${signature}`)).toBe('malformed')
    expect(await refused(`${encoded({ alg: 'EdDSA' })}.${body}.${signature}`)).toBe('malformed')
    expect(await refused(`${head}.${body}.`)).toBe('malformed')
  })

  test('what was changed in any part', async () => {
    const [head, body, signature] = parts(await proven())
    const forged = encoded({ ...decoded(body), phone_number: '+821099999999' })
    const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
    expect(await refused(`${head}.${forged}.${signature}`)).toBe('bad_signature')
    expect(await refused(`${head}.${body}.${other}`)).toBe('bad_signature')
  })

  test('what a service with another secret has signed, also under the name of a key of ours', async () => {
    const stranger = { vault: createVault(STRANGERS_SECRET), proofs: { issuer: undefined, lifetimeMs: MINUTE_MS } }
    const issue = anIssue({ appId: keys.appId, purpose: 'signup' })
    const forged = prove(stranger, { verification: issue, to: '+821012345678', app: undefined, at: world.clock.now() })
    expect(await refused(forged)).toBe('bad_signature')
    const [, body, signature] = parts(forged)
    const [head] = parts(await proven())
    expect(await refused(`${head}.${body}.${signature}`)).toBe('bad_signature')
  })

  test('what is over, but not for clocks that differ a little', async () => {
    const [proof, later] = [await proven(), await proven({ purpose: 'login' })]
    world.clock.step(10 * MINUTE_MS + 29_000)
    expect((await verifierWith()(proof)).issueId).toBeString()
    world.clock.step(1_000)
    expect(await refused(later, verifierWith({ purpose: 'login' }))).toBe('expired')
  })

  test('what is of another app', async () => {
    const proof = await proven()
    expect(await refused(proof, verifierWith({ appId: 'another' }))).toBe('other_app')
  })

  test('what is for something else', async () => {
    const proof = await proven({ purpose: 'newsletter' })
    expect(await refused(proof)).toBe('other_purpose')
    expect((await verifierWith({ purpose: ['signup', 'newsletter'] })(proof)).purpose).toBe('newsletter')
  })

  test('what is of test mode, where nobody has asked for it', async () => {
    const proof = await proven({ key: keys.test, phoneNumber: '010-0000-0000' })
    expect(await refused(proof)).toBe('test_mode')
    expect(await verifierWith({ allowTestMode: true })(proof)).toMatchObject({
      mode: 'test',
      phoneNumber: '+821000000000',
    })
  })

  test('what was used, also at the same time; and what is shown to be used by a store of one’s own', async () => {
    const proof = await proven()
    const verify = verifierWith()
    const both = await Promise.allSettled([verify(proof), verify(proof)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await refused(proof, verify)).toBe('used')
    world.clock.step(10 * MINUTE_MS + 25_000)
    expect(await refused(proof, verify)).toBe('used')

    const seen: Proof[] = []
    const isFirstUse = async (one: Proof) => seen.push(one) === 1
    const shared = await proven()
    await verifierWith({ isFirstUse })(shared)
    expect(await refused(shared, verifierWith({ isFirstUse }))).toBe('used')
  })

  test('a proof that nobody may believe is not remembered as used', async () => {
    const proof = await proven()
    const isFirstUse = () => {
      throw new Error('not to be asked')
    }
    expect(await refused(proof, verifierWith({ purpose: 'login', isFirstUse }))).toBe('other_purpose')
  })
})

describe('the keys of the service', () => {
  test('are fetched once for an hour, and by all who wait together', async () => {
    const verify = verifierWith()
    const proofs = [await proven(), await proven(), await proven()]
    await Promise.all(proofs.map(verify))
    expect(looks).toBe(1)
    world.clock.step(59 * MINUTE_MS)
    await verify(await proven())
    expect(looks).toBe(1)
    world.clock.step(2 * MINUTE_MS)
    await verify(await proven())
    expect(looks).toBe(2)
  })

  test('are not fetched for each name that a stranger makes up', async () => {
    const verify = verifierWith()
    const [, body, signature] = parts(await proven())
    for (let n = 0; n < 20; n++)
      expect(await refused(`${encoded({ alg: 'EdDSA', kid: `k${n}` })}.${body}.${signature}`, verify)).toBe(
        'bad_signature',
      )
    expect(looks).toBe(1)
    world.clock.step(31_000)
    await refused(`${encoded({ alg: 'EdDSA', kid: 'another' })}.${body}.${signature}`, verify)
    expect(looks).toBe(2)
  })

  test('that are known stay good while the service cannot be asked; without any nothing is believed', async () => {
    const verify = verifierWith()
    await verify(await proven())
    answering = () => Promise.reject(new Error('down'))
    world.clock.step(2 * 60 * MINUTE_MS)
    expect((await verify(await proven())).phoneNumber).toBe('+821012345678')
    const proof = await proven()
    for (const answer of [
      answering,
      async () => new Response('busy', { status: 503 }),
      async () => new Response('{}'),
    ]) {
      answering = answer
      expect(await refused(proof, verifierWith())).toBeInstanceOf(TypeError)
    }
    answering = (request) => world.app.fetch(request, '127.0.0.1')
    expect(await refused(proof, verifierWith())).toMatchObject({ phoneNumber: '+821012345678' })
  })

  test('of a later period are found when they come', async () => {
    const verify = verifierWith()
    await verify(await proven())
    world.clock.step(90 * 24 * 60 * MINUTE_MS)
    expect((await verify(await proven())).purpose).toBe('signup')
  })
})

test('who says not for what, or for whom, is told so at once', () => {
  expect(() => verifierWith({ appId: '' })).toThrow(TypeError)
  expect(() => verifierWith({ purpose: [] })).toThrow(TypeError)
  expect(() => verifierWith({ purpose: '' })).toThrow(TypeError)
})
