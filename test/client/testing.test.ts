/** What a test can do with test mode in memory, beside what the service does. */
import { describe, expect, test } from 'bun:test'
import { createOtpClient, newIdempotencyKey, WatchwordError } from '../../client'
import { createFlow } from '../../client/flow'
import { createProofVerifier, createVerificationHandler } from '../../client/server'
import { createTestClient, type FailureCode, type TestClientOptions } from '../../client/testing'

const NOON = Date.parse('2026-03-01T12:00:00.000Z')
const ORDER = { phoneNumber: '010-0000-0000', purpose: 'signup' }
const order = (idempotencyKey = newIdempotencyKey()) => ({ ...ORDER, idempotencyKey })
const opened = (options: TestClientOptions = {}) => createTestClient({ now: NOON, ...options })

async function thrownBy(work: Promise<unknown>): Promise<WatchwordError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof WatchwordError) return error
  throw new Error(`No WatchwordError, but ${error}`)
}

describe('its time', () => {
  test('stands still until the test lets it pass', async () => {
    const otp = opened()
    const { issueId, expiresAt, serverTime } = await otp.issue(order())
    expect({ expiresAt, serverTime }).toEqual({
      expiresAt: '2026-03-01T12:03:00.000Z',
      serverTime: '2026-03-01T12:00:00.000Z',
    })
    await otp.advance(180_000)
    expect(otp.now()).toBe(NOON + 180_000)
    expect(await otp.verify({ issueId, code: '000000' })).toMatchObject({
      reasonCode: 'EXPIRED',
      serverTime: '2026-03-01T12:03:00.000Z',
    })
    expect(await otp.status({ issueId })).toMatchObject({ updatedAt: expiresAt })
  })

  test.each<[string, TestClientOptions['now']]>([
    ['a number', NOON],
    ['a date', new Date(NOON)],
    ['a function', () => NOON],
  ])('begins with %s', async (_, now) => {
    expect((await createTestClient({ now }).issue(order())).queuedAt).toBe('2026-03-01T12:00:00.000Z')
  })

  test("is a clock of the test's own, where there is one", async () => {
    let now = NOON
    const otp = opened({ now: () => now })
    const { issueId } = await otp.issue(order())
    now += 2_000
    expect(await otp.status({ issueId })).toMatchObject({ deliveryStatus: 'delivered' })
    await otp.advance(178_000)
    expect(await otp.status({ issueId })).toMatchObject({ verificationStatus: 'expired' })
  })

  test('begins now, where the test says nothing', async () => {
    const before = Date.now()
    const at = createTestClient().now()
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThanOrEqual(Date.now())
  })

  test('is the time of a flow, too', async () => {
    const otp = opened({ resendAfterMs: 30_000 })
    const flow = createFlow({ transport: otp, purpose: 'signup', clock: otp.clock })
    const seen: string[] = []
    flow.subscribe(() => {
      const { status, text } = flow.getSnapshot()
      seen.push(`${status} ${text?.key}`)
    })
    await flow.send('010-0000-0000')
    expect(flow.getSnapshot()).toMatchObject({ expiresInMs: 180_000, resendInMs: 30_000, can: { resend: false } })
    await otp.advance(29_999)
    expect(flow.getSnapshot()).toMatchObject({ resendInMs: 1_000, can: { resend: false } })
    await otp.advance(1)
    expect(flow.getSnapshot()).toMatchObject({ expiresInMs: 150_000, resendInMs: 0, can: { resend: true } })
    await otp.advance(150_000)
    expect(flow.getSnapshot()).toMatchObject({ status: 'failed', reason: 'EXPIRED' })
    expect(seen.at(0)).toBe('sending sending')
    expect(seen.at(-1)).toBe('failed EXPIRED')
  })
})

describe('another code for the same phone', () => {
  test('is waited for where the test wants it, as with a browser key that is live', async () => {
    const otp = opened({ resendAfterMs: 30_000 })
    const first = await otp.issue(order())
    expect(first.resendAvailableAt).toBe('2026-03-01T12:00:30.000Z')
    await otp.advance(29_999)
    const error = await thrownBy(otp.issue(order()))
    expect(error).toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 429, retryAfterMs: 1_000, retryable: true })
    expect(error.data).toEqual({ limit: 'resend', policy: 'platform', retryAfterMs: 1 })
    await otp.issue({ ...order(), purpose: 'login' })
    await otp.advance(1)
    await otp.issue(order())
    expect(await otp.verify({ issueId: first.issueId, code: '000000' })).toMatchObject({ reasonCode: 'REPLACED' })
  })
})

test('a key may issue 5,000 codes a day; what is refused is none of them', async () => {
  const otp = opened({ resendAfterMs: 30_000 })
  await otp.issue(order())
  for (let made = 1; made < 5_000; made++) {
    if (made % 100 === 0) await otp.advance(60_000)
    await otp.issue({ ...order(), purpose: `purpose ${made}` })
    if (made === 1) for (let n = 0; n < 10; n++) await thrownBy(otp.issue(order()))
  }
  await otp.advance(60_000)
  const error = await thrownBy(otp.issue(order()))
  expect(error.data).toMatchObject({ limit: 'perKeyDaily', policy: 'platform' })
  await otp.advance(error.retryAfterMs ?? 0)
  expect(otp.now()).toBe(Date.parse('2026-03-02T00:00:00.000Z'))
  await otp.issue(order())
})

describe('the next call', () => {
  const INTERFACE: Array<[FailureCode, number, boolean]> = [
    ['UNAUTHORIZED', 401, false],
    ['PAYMENT_REQUIRED', 402, false],
    ['FORBIDDEN', 403, false],
    ['CONFLICT', 409, false],
    ['TOO_MANY_REQUESTS', 429, true],
    ['INTERNAL_SERVER_ERROR', 500, true],
    ['SERVICE_UNAVAILABLE', 503, true],
  ]

  test.each(INTERFACE)('is %s, and the one after it is not', async (code, status, retryable) => {
    const otp = opened()
    otp.failNext(code, { data: { limit: 'perIp' }, retryAfterMs: 1_500 })
    const error = await thrownBy(otp.issue(order()))
    expect(error).toMatchObject({ code, status, retryable, retryAfterMs: 2_000, data: { limit: 'perIp' } })
    expect(error.requestId).toMatch(/^[A-Za-z0-9._:-]{8,128}$/)
    expect((await otp.listIssues()).items).toEqual([])
    await otp.issue(order())
  })

  test.each<[FailureCode]>([['NETWORK_ERROR'], ['TIMEOUT']])('is %s: it never got there', async (code) => {
    const otp = opened()
    otp.failNext(code)
    expect(await thrownBy(otp.issue(order()))).toMatchObject({ code, status: 0, retryable: true, requestId: undefined })
    expect((await otp.listIssues()).items).toEqual([])
    const { issueId } = await otp.issue(order())
    otp.failNext(code)
    // Nobody knows whether it has used an attempt.
    expect(await thrownBy(otp.verify({ issueId, code: '999999' }))).toMatchObject({ code, retryable: false })
    expect(await otp.status({ issueId })).toMatchObject({ attemptsUsed: 0 })
  })

  test.each<[FailureCode]>([['NETWORK_ERROR'], ['TIMEOUT'], ['SERVICE_UNAVAILABLE']])(
    'is %s, and its answer was lost: repeated with its key it is the same issue',
    async (code) => {
      const otp = opened()
      const given = order()
      otp.failNext(code, { carriedOut: true })
      expect(await thrownBy(otp.issue(given))).toMatchObject({ code, retryable: true })
      const [made] = (await otp.listIssues()).items
      expect((await otp.issue(given)).issueId).toBe(made?.issueId ?? 'none')
      expect((await otp.listIssues()).items).toHaveLength(1)
    },
  )

  test.each<[FailureCode, () => Promise<Response>]>([
    ['NETWORK_ERROR', () => Promise.reject(new TypeError('fetch failed'))],
    ['TIMEOUT', () => new Promise(() => {})],
  ])('is %s in the words of the client', async (code, fetch) => {
    const real = createOtpClient({ baseUrl: 'http://localhost/v1', apiKey: 'sk_test_', timeoutMs: 1, fetch })
    const otp = opened()
    otp.failNext(code)
    const [said, given] = [await thrownBy(real.issue(order())), await thrownBy(otp.issue(order()))]
    expect({ ...given, message: given.message }).toEqual({ ...said, message: said.message })
  })

  test('fails once for each time that was asked for, in that order', async () => {
    const otp = opened()
    otp.failNext('NETWORK_ERROR')
    otp.failNext('SERVICE_UNAVAILABLE')
    expect(await thrownBy(otp.issue(order()))).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(await thrownBy(otp.issue(order()))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await otp.issue(order())
  })

  test('may be the next one of an operation', async () => {
    const otp = opened()
    otp.failNext('SERVICE_UNAVAILABLE', { operation: 'verify' })
    const { issueId } = await otp.issue(order())
    expect(await thrownBy(otp.verify({ issueId, code: '000000' }))).toMatchObject({ status: 503 })
    expect(await otp.verify({ issueId, code: '000000' })).toMatchObject({ verified: true })
  })

  test('takes its time', async () => {
    const otp = opened()
    otp.delayNext(5_000)
    let answer: { serverTime?: string | undefined } | undefined
    void otp.issue(order()).then((given) => {
      answer = given
    })
    await otp.advance(4_999)
    expect(answer).toBeUndefined()
    // The service has done it meanwhile.
    expect((await otp.listIssues()).items).toHaveLength(1)
    await otp.advance(1)
    expect(answer).toMatchObject({ serverTime: '2026-03-01T12:00:00.000Z' })
  })

  test('takes too long', async () => {
    const otp = opened()
    otp.delayNext(Number.POSITIVE_INFINITY, { operation: 'issue' })
    const failed = thrownBy(otp.issue(order()))
    await otp.advance(10_000)
    expect(await failed).toMatchObject({ code: 'TIMEOUT', retryable: true })
  })

  test('is given up by its caller', async () => {
    const otp = opened()
    const controller = new AbortController()
    otp.delayNext(5_000)
    const failed = thrownBy(otp.issue(order(), { signal: controller.signal }))
    controller.abort('no more')
    expect(await failed).toMatchObject({ code: 'ABORTED', cause: 'no more' })
    const before = await thrownBy(otp.issue(order(), { signal: controller.signal }))
    expect(before).toMatchObject({ code: 'ABORTED' })
    // The first got there, the second did not.
    expect((await otp.listIssues()).items).toHaveLength(1)
  })

  test('is repeated by the client, by its time', async () => {
    const otp = opened({ retries: { attempts: 3 } })
    otp.failNext('SERVICE_UNAVAILABLE', { retryAfterMs: 7_000 })
    otp.failNext('NETWORK_ERROR', { operation: 'issue', carriedOut: true })
    const issued = otp.issue(order())
    await otp.advance(6_999)
    expect((await otp.listIssues()).items).toEqual([])
    await otp.advance(2_000)
    expect((await issued).queuedAt).toBe('2026-03-01T12:00:07.000Z')
    expect((await otp.listIssues()).items).toHaveLength(1)
  })
})

describe('a proof', () => {
  const verifierOf = (otp: ReturnType<typeof opened>) =>
    createProofVerifier({
      ...{
        baseUrl: 'https://otp.example.com/v1',
        appId: 'test-app',
        purpose: 'signup',
        allowTestMode: true,
        now: otp.now,
      },
      fetch: async () => Response.json(await otp.jwks()),
    })

  test('is believed by a backend, while it is young, and only of the service that has made it', async () => {
    const otp = opened()
    const { issueId } = await otp.issue(order())
    const { proof } = await otp.verify({ issueId, code: '000000', phoneNumber: '010-0000-0000' })
    expect(await verifierOf(otp)(proof)).toMatchObject({ issueId, phoneNumber: '+821000000000', mode: 'test' })
    expect(await verifierOf(opened())(proof).catch(({ reason }) => reason)).toBe('bad_signature')
    await otp.advance(700_000)
    expect(await verifierOf(otp)(proof).catch(({ reason }) => reason)).toBe('expired')
  })

  test('is what a backend of a page needs, which can be tested so', async () => {
    const otp = opened()
    const verified: string[] = []
    const handle = createVerificationHandler({
      ...{ otp, purpose: 'signup' },
      onVerified: ({ phoneNumber }) => void verified.push(phoneNumber),
      clientIp: () => null,
    })
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await handle(request)).json()
    }
    const { issueId } = await post('/issue', order())
    await post('/verify', { issueId, code: '000000', phoneNumber: '010-0000-0000' })
    expect(verified).toEqual(['+821000000000'])
  })

  test('is there as soon as time goes on', async () => {
    const otp = opened()
    const { issueId } = await otp.issue(order())
    let proof: string | undefined
    void otp.verify({ issueId, code: '000000', phoneNumber: '010-0000-0000' }).then((answer) => {
      proof = answer.proof
    })
    await otp.advance(0)
    expect(proof).toBeString()
  })
})

describe('two of them', () => {
  test('know nothing of each other, and say the same', async () => {
    const told = await Promise.all(
      [opened(), opened()].map(async (otp) => [await otp.issue(order('k')), await otp.listIssues()]),
    )
    expect(told[0]).toEqual(told[1])
  })
})

test('the id of a request is the one it was given', async () => {
  const otp = opened()
  otp.failNext('FORBIDDEN')
  expect(await thrownBy(otp.issue(order(), { requestId: 'my-request' }))).toMatchObject({ requestId: 'my-request' })
})

test('a list is read page after page', async () => {
  const otp = opened()
  for (const purpose of ['a', 'b', 'c']) await otp.issue({ ...order(), purpose })
  const purposes: string[] = []
  for await (const { purpose } of otp.eachIssue({ limit: 2 })) purposes.push(purpose)
  expect(purposes).toEqual(['c', 'b', 'a'])
})

test('a template that is none is refused at once', () => {
  const variables = { required: [], properties: {}, additionalProperties: false as const }
  const template = { templateId: 't', name: 't', channelSupport: ['sms' as const], body: 'no code', variables }
  expect(() => opened({ templates: [template] })).toThrow('body: must contain #{code}')
})

test('numbers are read in the region of the app', async () => {
  const british = { ...order(), phoneNumber: '07700 900000' }
  expect(await thrownBy(opened().issue(british))).toMatchObject({ reason: 'test_number_required' })
  expect(await opened({ region: 'GB' }).issue(british)).toMatchObject({ mode: 'test' })
})
