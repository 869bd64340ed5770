/** better-auth's plugin `phoneNumber` with codes of Watchword: the real plugin, against the real service. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { betterAuth, type SecondaryStorage } from 'better-auth'
import { type MemoryDB, memoryAdapter } from 'better-auth/adapters/memory'
import { phoneNumber } from 'better-auth/plugins/phone-number'
import { createOtpClient } from '../../client'
import type { WatchwordError } from '../../client/error'
import { type WatchwordPhoneNumberOptions, watchwordPhoneNumber } from '../../client/server'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const PHONE = '+821012345678'
const OTHER = '+821099998888'
const ADDRESS = '203.0.113.7'
const PASSWORD = 'correct horse battery staple'

let world: World
let keys: Furnished
/** What the processes of the app share. */
let db: MemoryDB
let auth: Auth
/** What the service was asked, from whom. */
let asked: Array<{ address: string | null; input: Record<string, unknown> }>
/** Stands between the app and the service. */
let onTheWay: (answer: Promise<Response>) => Promise<Response>
let errors: WatchwordError[]

const clientWith = (apiKey: string) =>
  createOtpClient({
    ...{ baseUrl: 'http://localhost/v1', apiKey, retries: { attempts: 2, baseDelayMs: 1 } },
    fetch: async (request) => {
      const { json } = await request.clone().json()
      asked.push({ address: request.headers.get('x-watchword-client-ip'), input: json })
      return onTheWay(world.app.fetch(request, '127.0.0.1'))
    },
  })

/** A process of the app. */
function process(options: Partial<WatchwordPhoneNumberOptions> = {}, secondaryStorage?: SecondaryStorage) {
  return betterAuth({
    database: memoryAdapter(db),
    ...(secondaryStorage && { secondaryStorage }),
    ...{ baseURL: 'http://localhost', secret: 'a secret of the app, 32+ characters long' },
    ...{ rateLimit: { enabled: false }, telemetry: { enabled: false }, logger: { disabled: true } },
    emailAndPassword: { enabled: true },
    plugins: [
      phoneNumber({
        ...watchwordPhoneNumber({
          ...{ otp: clientWith(keys.live), purpose: 'sign-in' },
          clientIp: (headers) => headers.get('x-real-ip'),
          onError: (error) => void errors.push(error),
          ...options,
        }),
        signUpOnVerification: { getTempEmail: (number) => `${number.slice(1)}@phone.example` },
      }),
    ],
  })
}
type Auth = ReturnType<typeof process>

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  ;[asked, errors, onTheWay] = [[], [], (answer) => answer]
  db = { user: [], session: [], account: [], verification: [] }
  auth = process()
})
afterEach(() => world.stop())

interface Said {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared, not used
  body: any
}

async function post(path: string, body: object, headers: Record<string, string> = {}, to = auth): Promise<Said> {
  const answer = await to.handler(
    new Request(`http://localhost/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-real-ip': ADDRESS, ...headers },
      body: JSON.stringify(body),
    }),
  )
  return { status: answer.status, headers: answer.headers, body: await answer.json().catch(() => undefined) }
}

const send = (number = PHONE, headers: Record<string, string> = {}, to = auth) =>
  post('/phone-number/send-otp', { phoneNumber: number }, headers, to)
const verify = (code: string, number = PHONE, more: object = {}, to = auth) =>
  post('/phone-number/verify', { phoneNumber: number, code, ...more }, {}, to)

/** As Redis keeps what processes share. */
function keyValueStore(): SecondaryStorage {
  const kept = new Map<string, string>()
  return {
    get: (key) => kept.get(key),
    set: (key, value) => void kept.set(key, value),
    delete: (key) => void kept.delete(key),
    getAndDelete(key) {
      const value = kept.get(key)
      kept.delete(key)
      return value
    },
    increment(key) {
      const count = Number(kept.get(key) ?? 0) + 1
      kept.set(key, String(count))
      return count
    },
  }
}

/** The code that the phone has last got. */
async function received(): Promise<string> {
  await world.settle()
  return world.sms.lastCode()
}

const otherThan = (code: string) => (code === '111111' ? '222222' : '111111')
const refusalOf = ({ status, body }: Said) => [status, body.code]

describe('whoever has the phone', () => {
  test('is signed up, and signed in the next time; better-auth’s own code is good for nothing', async () => {
    expect(await send()).toMatchObject({ status: 200, body: { message: 'code sent' } })
    const [own = ''] = db.verification?.flatMap(({ value }) => /^(\d{6}):0$/.exec(value)?.[1] ?? []) ?? []
    expect(own).toHaveLength(6)
    const code = await received()
    if (own !== code) expect(refusalOf(await verify(own))).toEqual([400, 'INVALID_OTP'])
    const signedUp = await verify(code)
    expect(signedUp).toMatchObject({ status: 200, body: { user: { phoneNumber: PHONE, phoneNumberVerified: true } } })
    expect(signedUp.headers.get('set-cookie')).toContain('session_token')

    await send()
    const signedIn = await verify(await received())
    expect(signedIn.body.user.id).toBe(signedUp.body.user.id)
    expect([db.user?.length, db.session?.length, world.sms.accepted.length]).toEqual([1, 2, 2])
    expect(new Set(asked.map(({ address }) => address))).toEqual(new Set([ADDRESS]))
    expect(errors).toEqual([])
  })

  test('is asked by one process of the app, and answers another', async () => {
    const another = process()
    await send()
    expect((await verify(await received(), PHONE, {}, another)).status).toBe(200)
  })

  test('may be called from the app itself, without a request', async () => {
    await auth.api.sendPhoneNumberOTP({ body: { phoneNumber: PHONE } })
    const { user } = await auth.api.verifyPhoneNumber({ body: { phoneNumber: PHONE, code: await received() } })
    expect([user?.phoneNumber, asked[0]?.address]).toEqual([PHONE, null])
  })

  test('gets what the app asks for: a challenge of the page, a template', async () => {
    auth = process({
      input: ({ headers }) => ({ challenge: headers?.get('x-captcha-response') ?? '', expiresInSec: 60 }),
    })
    await send(PHONE, { 'x-captcha-response': 'a-token' })
    expect(asked[0]?.input).toMatchObject({
      phoneNumber: PHONE,
      challenge: 'a-token',
      expiresInSec: 60,
      purpose: 'sign-in',
    })
  })
})

describe('whoever has it not', () => {
  test('is told of a wrong code, and locked after five', async () => {
    await send()
    const code = await received()
    const wrong = otherThan(code)
    for (let n = 0; n < 4; n++) expect(refusalOf(await verify(wrong))).toEqual([400, 'INVALID_OTP'])
    expect(refusalOf(await verify(wrong))).toEqual([403, 'TOO_MANY_ATTEMPTS'])
    expect(refusalOf(await verify(code))).toEqual([403, 'TOO_MANY_ATTEMPTS'])
    expect(db.user).toEqual([])
  })

  test('is told that it is no code', async () => {
    await send()
    expect(refusalOf(await verify('12345'))).toEqual([400, 'INVALID_OTP'])
  })

  test('is too late', async () => {
    await send()
    const code = await received()
    world.clock.step(10 * 60_000)
    expect(refusalOf(await verify(code))).toEqual([400, 'OTP_EXPIRED'])
  })

  test('says that it was another number', async () => {
    await send()
    const code = await received()
    expect(refusalOf(await verify(code, OTHER))).toEqual([400, 'OTP_NOT_FOUND'])
    await send(OTHER)
    expect(refusalOf(await verify(otherThan(await received()), OTHER))).toEqual([400, 'INVALID_OTP'])
    expect(db.user).toEqual([])
    expect((await verify(code)).status).toBe(200)
  })

  test('has a code that was believed before', async () => {
    await send()
    const code = await received()
    await verify(code)
    expect(refusalOf(await verify(code))).toEqual([400, 'OTP_NOT_FOUND'])
  })

  test('sends the right code twice at once', async () => {
    await send()
    const code = await received()
    const answers = await Promise.all([verify(code), verify(code, PHONE, {}, process())])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect([db.user?.length, db.session?.length]).toEqual([1, 1])
  })

  test('has put an issue of another number, or purpose, where the app looks for its own', async () => {
    for (const [number, purpose] of [
      [OTHER, 'sign-in'],
      [PHONE, 'newsletter'],
    ]) {
      const order = { phoneNumber: number, purpose, idempotencyKey: `theirs of ${number}`.replaceAll(' ', '-') }
      const { issueId } = (await world.call('rest', 'issue', order, { key: keys.live })).body
      const expiresAt = new Date(Date.now() + 60_000)
      const planted = { identifier: `watchword-sign-in-${PHONE}`, value: issueId, expiresAt }
      await (await auth.$context).internalAdapter.createVerificationValue(planted)
      expect(refusalOf(await verify(await received()))).toEqual([400, 'INVALID_PHONE_NUMBER'])
    }
    expect(db.user).toEqual([])
  })
})

describe('another code', () => {
  test('replaces the one before', async () => {
    await send()
    const first = await received()
    world.clock.step(1)
    await send()
    const second = await received()
    if (first !== second) expect(refusalOf(await verify(first))).toEqual([400, 'INVALID_OTP'])
    expect((await verify(second)).status).toBe(200)
  })

  test.each([
    ['a database', undefined],
    ['a store without order', keyValueStore()],
  ])('asked for at the same time is the one that is good, whichever answer comes first: %s', async (_, store) => {
    const [one, another] = [process({}, store), process({}, store)]
    const [isAnswered, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    onTheWay = async (answer) => {
      const first = await answer
      isAnswered.resolve()
      await hold.promise
      return first
    }
    const first = send(PHONE, {}, one)
    await isAnswered.promise
    onTheWay = (answer) => answer
    world.clock.step(1)
    await send(PHONE, {}, another)
    const code = await received()
    hold.resolve()
    expect((await first).status).toBe(200)
    expect((await verify(code, PHONE, {}, one)).status).toBe(200)
  })

  test('is not sent where the same was asked twice, or its answer was lost', async () => {
    let isLost = true
    onTheWay = async (answer) => {
      const whole = await answer
      if (!isLost) return whole
      isLost = false
      throw new TypeError('the line is dead')
    }
    const key = { 'idempotency-key': 'one-click' }
    expect((await send(PHONE, key)).status).toBe(200)
    expect((await send(PHONE, key)).status).toBe(200)
    expect([asked.length, world.sms.accepted.length]).toEqual([3, 1])
    expect((await verify(await received())).status).toBe(200)
  })

  test('is not sent for another number with the same key', async () => {
    const key = { 'idempotency-key': 'one-click' }
    await send(PHONE, key)
    expect(refusalOf(await send(OTHER, key))).toEqual([409, 'CONFLICT'])
  })
})

describe('what the service refuses is an error of better-auth’s', () => {
  test('429, with the time to wait', async () => {
    for (let n = 0; n < 5; n++) expect((await send()).status).toBe(200)
    auth = process({ otp: createOtpClient({ ...serviceAlone(), apiKey: keys.live }) })
    const limited = await send()
    expect(refusalOf(limited)).toEqual([429, 'TOO_MANY_REQUESTS'])
    const seconds = Math.ceil(limited.body.data.retryAfterMs / 1_000)
    expect([limited.body.data.limit, Number(limited.headers.get('retry-after'))]).toEqual(['perPhone', seconds])
  })

  test('a number that is none, or that is not written in full', async () => {
    for (const number of ['010-1234-5678', '01012345678', '+82 10 1234 5678', '+8210123456789', 'me', '+'])
      expect(refusalOf(await send(number))).toEqual([400, 'INVALID_PHONE_NUMBER'])
    expect(world.sms.accepted).toEqual([])
  })

  test('a number that could be written shorter makes no second account', async () => {
    await send('+8201012345678')
    expect(refusalOf(await verify(await received(), '+8201012345678'))).toEqual([400, 'INVALID_PHONE_NUMBER'])
    expect(db.user).toEqual([])
  })

  test('what is wrong with the app is told to nobody but the app', async () => {
    auth = process({ otp: clientWith(`${keys.live.slice(0, -1)}x`) })
    const answer = await send()
    expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
    expect(JSON.stringify(answer.body)).not.toContain('key')
    expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }])
  })

  test('no answer to a code is no answer, and is not asked again', async () => {
    await send()
    const code = await received()
    const before = asked.length
    onTheWay = async (answer) => {
      await answer
      throw new TypeError('the line is dead')
    }
    expect(refusalOf(await verify(code))).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect([asked.length - before, db.user]).toEqual([1, []])
  })

  const serviceAlone = () => ({
    baseUrl: 'http://localhost/v1',
    fetch: (request: Request) => world.app.fetch(request, '127.0.0.1'),
  })
})

describe('resetting a password', () => {
  const reset = (code: string) =>
    post('/phone-number/reset-password', { phoneNumber: PHONE, otp: code, newPassword: PASSWORD })
  const signIn = () => post('/sign-in/phone-number', { phoneNumber: PHONE, password: PASSWORD })

  beforeEach(async () => {
    await send()
    await verify(await received())
    world.clock.step(60_000)
  })

  test('takes a code of its own, which signs nobody in', async () => {
    auth = process({ resetPurpose: 'password' })
    expect((await post('/phone-number/request-password-reset', { phoneNumber: PHONE })).status).toBe(200)
    const code = await received()
    expect(asked.at(-1)?.input).toMatchObject({ phoneNumber: PHONE, purpose: 'password' })
    expect(refusalOf(await verify(code))).toEqual([400, 'OTP_NOT_FOUND'])
    expect((await reset(code)).status).toBe(200)
    expect((await signIn()).status).toBe(200)
  })

  test.each([undefined, 'password'])('is not done with a code to sign in; reset purpose: %s', async (resetPurpose) => {
    auth = process(resetPurpose === undefined ? {} : { resetPurpose })
    await send()
    expect((await reset(await received())).status).toBe(400)
    expect((await signIn()).status).toBe(401)
  })

  test('sends nothing to whom the app does not know, and says the same', async () => {
    auth = process({ resetPurpose: 'password' })
    const sent = world.sms.accepted.length
    const answer = await post('/phone-number/request-password-reset', { phoneNumber: OTHER })
    await world.settle()
    expect([answer.status, world.sms.accepted.length]).toEqual([200, sent])
  })
})

test('an older better-auth, which says nothing of its context, is told so', async () => {
  const { sendOTP } = watchwordPhoneNumber({
    otp: clientWith(keys.live),
    purpose: 'sign-in',
    clientIp: () => undefined,
  })
  expect(await errorOf(sendOTP({ phoneNumber: PHONE }))).toBeInstanceOf(TypeError)
})
