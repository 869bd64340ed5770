import { afterAll, afterEach, beforeAll, describe, expect, jest, spyOn, test } from 'bun:test'
import { type Balance, createOtpClient, newIdempotencyKey, type OtpClientOptions, WatchwordError } from '../../client'
import { addCredit, createApp } from '../../src/usecases/administer'
import { until } from '../support/until'
import { type Furnished, World } from '../support/world'

const MAGIC = '010-0000-0000'

let world: World
let keys: Furnished

beforeAll(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterAll(() => world.stop())
afterEach(() => {
  jest.restoreAllMocks()
})

const throughApp = (request: Request) => world.app.fetch(request, '127.0.0.1')

const clientWith = (options: Partial<OtpClientOptions> = {}) =>
  createOtpClient({ baseUrl: 'http://localhost/v1', apiKey: keys.test, fetch: throughApp, ...options })

/** An app of its own, so that its lists hold only what the test put there. */
async function newApp() {
  const { appId, organizationId } = await createApp(world.admin, { name: 'alone' })
  return {
    appId,
    organizationId,
    live: await world.key({ appId, kind: 'sk', mode: 'live' }),
    test: await world.key({ appId, kind: 'sk', mode: 'test' }),
  }
}

async function failure(call: Promise<unknown>): Promise<WatchwordError> {
  const error = await call.then(
    (answer) => new Error(`answered ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof WatchwordError)) throw error
  return error
}

/** Never answers, and ends as the platform's `fetch` does when the request is given up. */
const neverAnswers = ({ signal }: Request) =>
  new Promise<Response>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const connectionFails = async (): Promise<Response> => {
  throw new TypeError('fetch failed')
}

/** A fetch that plays these in turn, the last one for all the rest, and keeps what it was asked. */
function playing(...plays: Array<(request: Request) => Promise<Response>>) {
  const requests: Array<{ path: string; input: Record<string, unknown>; headers: Headers }> = []
  const fetch = async (request: Request): Promise<Response> => {
    const { json = {} } = (await request.clone().json()) as { json?: Record<string, unknown> }
    requests.push({ path: new URL(request.url).pathname, input: json, headers: request.headers })
    const play = plays[Math.min(requests.length, plays.length) - 1]
    if (!play) throw new Error('nothing to play')
    return play(request)
  }
  return { fetch, requests }
}

const refusal =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  async () =>
    Response.json(
      { json: { defined: true, code, status, message: 'no' } },
      { status, headers: { 'x-request-id': 'request-of-the-test', ...headers } },
    )

const DATED = { date: 'Tue, 01 Dec 2026 03:00:00 GMT' }

/** Waits shorter than this are pauses between tries: they are recorded, and pass at once. */
const TIMEOUT_MS = 600_000
function recordPauses(): number[] {
  const pauses: number[] = []
  const original = globalThis.setTimeout
  const quick = (callback: () => void, ms = 0) => {
    if (ms < TIMEOUT_MS) pauses.push(ms)
    return original(callback, ms < TIMEOUT_MS ? 0 : ms)
  }
  spyOn(globalThis, 'setTimeout').mockImplementation(quick as typeof setTimeout)
  return pauses
}

/** Timers that fire only where a test says so. */
function holdTimers(): Array<{ ms: number; fire: () => void }> {
  const timers: Array<{ ms: number; fire: () => void }> = []
  const held = (fire: () => void, ms = 0) => {
    timers.push({ ms, fire })
    return 0
  }
  spyOn(globalThis, 'setTimeout').mockImplementation(held as unknown as typeof setTimeout)
  return timers
}

/** The first try is given up at once, all others have their time. */
function hurryFirstTimeout(): void {
  const original = globalThis.setTimeout
  let isFirst = true
  const hurried = (callback: () => void, ms = 0) => {
    const isHurried = ms === TIMEOUT_MS && isFirst
    if (isHurried) isFirst = false
    return original(callback, isHurried ? 0 : ms)
  }
  spyOn(globalThis, 'setTimeout').mockImplementation(hurried as typeof setTimeout)
}

describe('the nine calls', () => {
  test('issue, verify, status and getIssue tell the story of one code', async () => {
    const otp = clientWith()
    const issued = await otp.issue({ phoneNumber: MAGIC, purpose: 'story', idempotencyKey: newIdempotencyKey() })
    expect(issued).toMatchObject({ attemptsRemaining: 5, mode: 'test' })
    const { issueId } = issued

    expect(await otp.verify({ issueId, code: '123456' })).toMatchObject({
      verified: false,
      reasonCode: 'MISMATCH',
      attemptsRemaining: 4,
    })
    expect(await otp.status({ issueId })).toMatchObject({ issueId, verificationStatus: 'issued', attemptsUsed: 1 })
    expect(await otp.verify({ issueId, code: '000000' })).toMatchObject({ issueId, verified: true })
    expect(await otp.getIssue({ issueId })).toMatchObject({ issueId, verificationStatus: 'verified', purpose: 'story' })
  })

  test('a live code travels through the carrier and verifies', async () => {
    const otp = clientWith({ apiKey: keys.live })
    const { issueId } = await otp.issue({
      phoneNumber: '010-1234-5678',
      purpose: 'login',
      idempotencyKey: newIdempotencyKey(),
    })
    await world.advance(1_000)
    expect(await otp.verify({ issueId, code: world.sms.lastCode() })).toMatchObject({ verified: true, mode: 'live' })
  })

  test('listIssues takes filters, or nothing', async () => {
    const { test: apiKey } = await newApp()
    const otp = clientWith({ apiKey })
    const { issueId } = await otp.issue({ phoneNumber: MAGIC, purpose: 'list', idempotencyKey: newIdempotencyKey() })
    expect((await otp.listIssues()).items.map((item) => item.issueId)).toEqual([issueId])
    expect((await otp.listIssues({ verificationStatus: 'verified' })).items).toEqual([])
  })

  test('balance and listCreditLedger show the wallet', async () => {
    const { appId, organizationId, live } = await newApp()
    await addCredit(world.admin, { appId, amount: 7 })
    const otp = clientWith({ apiKey: live })
    expect(await otp.balance()).toMatchObject({
      appId,
      organizationId,
      balance: 7,
      currency: 'CREDIT',
      walletScope: 'app' satisfies Balance['walletScope'],
      mode: 'live',
    })
    expect((await otp.listCreditLedger()).items).toMatchObject([
      { appId, entryType: 'credit', amountDelta: 7, balanceAfter: 7 },
    ])
    expect((await otp.listCreditLedger({ entryType: 'debit' })).items).toEqual([])
  })

  test('listTemplates and getTemplate show the templates', async () => {
    const otp = clientWith()
    const { defaultTemplateId, templates } = await otp.listTemplates()
    expect(templates.map(({ templateId }) => templateId)).toContain(defaultTemplateId)
    expect(await otp.getTemplate({ templateId: defaultTemplateId })).toMatchObject({
      templateId: defaultTemplateId,
      body: expect.stringContaining('#{code}'),
    })
  })

  test('a base URL with a trailing slash is the same base URL', async () => {
    expect(await clientWith({ baseUrl: 'http://localhost/v1/' }).balance()).toMatchObject({ mode: 'test' })
  })
})

describe('idempotency', () => {
  test('the helper makes a different, valid key each time', async () => {
    const made = Array.from({ length: 100 }, newIdempotencyKey)
    expect(new Set(made).size).toBe(100)
    for (const key of made) expect(key).toMatch(/^[!-~]{1,128}$/)
  })

  test('the same key and request answer the same issue', async () => {
    const otp = clientWith()
    const input = { phoneNumber: MAGIC, purpose: 'again', idempotencyKey: newIdempotencyKey() }
    expect(await otp.issue(input)).toEqual(await otp.issue(input))
  })

  test('the types do not let an issue go without a key', async () => {
    // @ts-expect-error: `idempotencyKey` is missing
    const error = await failure(clientWith().issue({ phoneNumber: MAGIC, purpose: 'keyless' }))
    expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('idempotencyKey') })
  })
})

describe('errors', () => {
  const issue = (phoneNumber: string, options: Partial<OtpClientOptions> = {}, idempotencyKey = newIdempotencyKey()) =>
    clientWith(options).issue({ phoneNumber, purpose: 'errors', idempotencyKey })

  const conflict = async () => {
    const idempotencyKey = newIdempotencyKey()
    await issue(MAGIC, {}, idempotencyKey)
    return issue('010-0000-0001', {}, idempotencyKey)
  }
  const publicKeyWithoutOrigin = async () => {
    const { appId } = await newApp()
    return issue(MAGIC, { apiKey: await world.key({ appId, kind: 'pk', mode: 'test' }) })
  }
  const tooLarge = () =>
    clientWith().issue({
      phoneNumber: MAGIC,
      purpose: 'errors',
      idempotencyKey: newIdempotencyKey(),
      metadata: { note: 'x'.repeat(70_000) },
    })

  test.each([
    {
      status: 400,
      code: 'BAD_REQUEST',
      make: () => issue('010-1234-5678'),
      data: { param: 'phoneNumber', reason: 'test_number_required', code: 'TEST_NUMBER_REQUIRED' },
    },
    { status: 401, code: 'UNAUTHORIZED', make: () => issue(MAGIC, { apiKey: 'sk_test_unknown' }) },
    {
      status: 402,
      code: 'PAYMENT_REQUIRED',
      make: () => issue('010-0000-0007'),
      data: { code: 'INSUFFICIENT_CREDIT' },
    },
    { status: 403, code: 'FORBIDDEN', make: publicKeyWithoutOrigin, data: { reason: 'origin_missing' } },
    { status: 404, code: 'NOT_FOUND', make: () => clientWith().status({ issueId: crypto.randomUUID() }) },
    {
      status: 409,
      code: 'CONFLICT',
      make: conflict,
      data: { param: 'idempotencyKey', reason: 'idempotency_key_reused' },
    },
    { status: 413, code: 'PAYLOAD_TOO_LARGE', make: tooLarge },
    {
      status: 429,
      code: 'TOO_MANY_REQUESTS',
      make: () => issue('010-0000-0006'),
      data: { limit: 'perPhone', policy: 'platform', retryAfterMs: 60_000 },
      retryAfterMs: 60_000,
    },
    { status: 503, code: 'SERVICE_UNAVAILABLE', make: () => issue('010-0000-0009'), retryAfterMs: 2_000 },
  ])('$status is a WatchwordError $code with all there is to know', async ({ status, code, make, ...rest }) => {
    const error = await failure(make())
    expect(error.name).toBe('WatchwordError')
    expect(error).toBeInstanceOf(Error)
    expect({ ...error }).toMatchObject({ status, code })
    expect(error.message).not.toBe('')
    expect(error.data).toEqual(rest.data)
    expect([error.param, error.reason]).toEqual([rest.data?.param, rest.data?.reason])
    expect(error.retryAfterMs).toBe(rest.retryAfterMs)
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(error.retryable).toBe(status === 429 || status === 503)
  })

  test('a bad field is named', async () => {
    const error = await failure(clientWith().verify({ issueId: crypto.randomUUID(), code: 'abcdef' }))
    expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('code') })
    expect([error.param, error.reason]).toEqual(['code', 'code_not_six_digits'])
  })

  test('the request id that was given is sent, and is that of the error', async () => {
    const { fetch, requests } = playing(throughApp)
    const call = clientWith({ fetch }).status({ issueId: crypto.randomUUID() }, { requestId: 'order:42-retry.1' })
    expect((await failure(call)).requestId).toBe('order:42-retry.1')
    expect(requests[0]?.headers.get('x-request-id')).toBe('order:42-retry.1')
  })

  test('a 500 may be repeated where an idempotency key makes that safe, and a verify may not', async () => {
    const otp = clientWith({ fetch: refusal(500, 'INTERNAL_SERVER_ERROR') })
    expect(
      await failure(otp.issue({ phoneNumber: MAGIC, purpose: 'x', idempotencyKey: newIdempotencyKey() })),
    ).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR', retryable: true })
    expect(await failure(otp.verify({ issueId: 'x', code: '000000' }))).toMatchObject({
      status: 500,
      retryable: false,
    })
  })

  test('no connection is NETWORK_ERROR, which a verify must not repeat', async () => {
    const otp = clientWith({ fetch: connectionFails })
    const error = await failure(otp.balance())
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', status: 0, data: undefined, retryable: true })
    expect(error.requestId).toBeUndefined()
    expect(error.cause).toBeInstanceOf(TypeError)
    expect(await failure(otp.verify({ issueId: 'x', code: '000000' }))).toMatchObject({ retryable: false })
  })

  const html = '<!doctype html><html><body><h1>Bad Gateway</h1></body></html>'
  test.each<[string, () => Response]>([
    ['an HTML 502', () => new Response(html, { status: 502, headers: { 'content-type': 'text/html' } })],
    ['an HTML 200', () => new Response(html, { headers: { 'content-type': 'text/html' } })],
    ['an HTML 404', () => new Response(html, { status: 404, headers: { 'content-type': 'text/html' } })],
    ['an empty 204', () => new Response(null, { status: 204 })],
    ['an empty 504', () => new Response(null, { status: 504 })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'http://localhost/login' } })],
    ['truncated JSON', () => new Response('{"json":{"bal', { headers: { 'content-type': 'application/json' } })],
    ['JSON of another service', () => Response.json({ message: 'Forbidden' }, { status: 403 })],
    ['JSON of another service that is fine', () => Response.json({ status: 'ok' })],
    ['binary', () => new Response(new Uint8Array([0, 255, 254]), { status: 500 })],
  ])('%s from something in between is NETWORK_ERROR, never a crash', async (_, answer) => {
    const otp = clientWith({ fetch: async () => answer() })
    expect(await failure(otp.balance())).toMatchObject({ code: 'NETWORK_ERROR', status: 0, retryable: true })
    expect(await failure(otp.verify({ issueId: 'x', code: '000000' }))).toMatchObject({ retryable: false })
  })

  test('an HTML 200 from a proxy that adds request ids is no answer either', async () => {
    const headers = { 'content-type': 'text/html', 'x-request-id': 'of-the-proxy' }
    const otp = clientWith({ fetch: async () => new Response(html, { headers }) })
    expect(await failure(otp.verify({ issueId: 'x', code: '000000' }))).toMatchObject({
      code: 'NETWORK_ERROR',
      requestId: 'of-the-proxy',
      retryable: false,
    })
  })

  test('an HTML 502 from a proxy that adds request ids is a WatchwordError with that id', async () => {
    const fetch = async () =>
      new Response(html, {
        status: 502,
        headers: { 'content-type': 'text/html', 'x-request-id': 'of-the-proxy' },
      })
    expect(await failure(clientWith({ fetch }).balance())).toMatchObject({ requestId: 'of-the-proxy', retryable: true })
  })
})

describe('giving up', () => {
  test('no answer in time is TIMEOUT, which only a verify must not repeat', async () => {
    const otp = clientWith({ fetch: neverAnswers, timeoutMs: 5 })
    expect(await failure(otp.balance())).toMatchObject({ code: 'TIMEOUT', status: 0, retryable: true })
    expect(await failure(otp.verify({ issueId: 'x', code: '000000' }))).toMatchObject({
      code: 'TIMEOUT',
      retryable: false,
    })
  })

  test("a call's own timeout wins over the client's", async () => {
    const otp = clientWith({ fetch: neverAnswers, timeoutMs: TIMEOUT_MS })
    expect(await failure(otp.balance({ timeoutMs: 5 }))).toMatchObject({ code: 'TIMEOUT' })
  })

  test('a body that never ends is TIMEOUT, too', async () => {
    const timers = holdTimers()
    const fetch = async ({ signal }: Request) =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"json":'))
            signal.addEventListener('abort', () => controller.error(signal.reason))
          },
          // Its beginning has been read.
          pull() {
            for (const { fire } of timers) fire()
          },
        }),
        { headers: { 'content-type': 'application/json', 'x-request-id': 'half-an-answer' } },
      )
    expect(await failure(clientWith({ fetch, timeoutMs: TIMEOUT_MS }).balance())).toMatchObject({
      code: 'TIMEOUT',
      requestId: 'half-an-answer',
    })
  })

  test('a fetch that ignores its signal is given up all the same', async () => {
    const deaf = () => new Promise<Response>(() => {})
    expect(await failure(clientWith({ fetch: deaf, timeoutMs: 5 }).balance())).toMatchObject({ code: 'TIMEOUT' })
    const controller = new AbortController()
    const call = clientWith({ fetch: deaf }).balance({ signal: controller.signal })
    controller.abort()
    expect(await failure(call)).toMatchObject({ code: 'ABORTED' })
  })

  test('the caller can abort: ABORTED, never repeated', async () => {
    const { fetch, requests } = playing(neverAnswers)
    const controller = new AbortController()
    const call = clientWith({ fetch, retries: { baseDelayMs: 1 } }).balance({ signal: controller.signal })
    await world.settle()
    controller.abort()
    expect(await failure(call)).toMatchObject({ code: 'ABORTED', status: 0, retryable: false })
    expect(requests).toHaveLength(1)
  })

  test('a signal that fired before the call lets nothing happen', async () => {
    const { fetch, requests } = playing(throughApp)
    const call = clientWith({ fetch }).balance({ signal: AbortSignal.abort() })
    expect(await failure(call)).toMatchObject({ code: 'ABORTED' })
    expect(requests).toEqual([])
  })

  test('aborting ends the pause between two tries', async () => {
    const controller = new AbortController()
    const fetch = refusal(503, 'SERVICE_UNAVAILABLE')
    const timers = holdTimers()
    const retries = { baseDelayMs: 20_000 }
    const call = failure(clientWith({ fetch, timeoutMs: TIMEOUT_MS, retries }).balance({ signal: controller.signal }))
    await until(() => timers.some(({ ms }) => ms < TIMEOUT_MS), 'the pause')
    controller.abort()
    expect(await call).toMatchObject({ code: 'ABORTED' })
  })
})

describe('retries', () => {
  const retries = { attempts: 4, baseDelayMs: 1 }
  const input = () => ({ phoneNumber: MAGIC, purpose: 'retries', idempotencyKey: newIdempotencyKey() })

  test('are off unless asked for', async () => {
    const { fetch, requests } = playing(refusal(503, 'SERVICE_UNAVAILABLE'))
    expect(await failure(clientWith({ fetch }).issue(input()))).toMatchObject({ status: 503 })
    expect(requests).toHaveLength(1)
  })

  test('reuse the idempotency key, so that answers lost on the way make one issue', async () => {
    const { test: apiKey } = await newApp()
    const answerIsLost = async (request: Request) => {
      await throughApp(request)
      return connectionFails()
    }
    const { fetch, requests } = playing(answerIsLost, answerIsLost, throughApp)
    const { issueId } = await clientWith({ fetch, apiKey, retries }).issue(input())
    expect(requests).toHaveLength(3)
    expect(new Set(requests.map((request) => request.input.idempotencyKey)).size).toBe(1)
    expect((await clientWith({ apiKey }).listIssues()).items.map((item) => item.issueId)).toEqual([issueId])
  })

  test.each([
    ['a timeout', neverAnswers],
    ['a failed connection', connectionFails],
    ['503', refusal(503, 'SERVICE_UNAVAILABLE')],
    ['429', refusal(429, 'TOO_MANY_REQUESTS')],
    ['500', refusal(500, 'INTERNAL_SERVER_ERROR')],
    ['a 502 of a proxy', async () => new Response('<h1>Bad Gateway</h1>', { status: 502 })],
  ])('of a read and of an issue follow %s', async (_, fails) => {
    for (const operation of ['issue', 'balance'] as const) {
      jest.restoreAllMocks()
      if (fails === neverAnswers) hurryFirstTimeout()
      const { fetch, requests } = playing(fails, throughApp)
      const otp = clientWith({ fetch, retries, timeoutMs: TIMEOUT_MS })
      expect(await (operation === 'issue' ? otp.issue(input()) : otp.balance())).toMatchObject({ mode: 'test' })
      expect(requests).toHaveLength(2)
    }
  })

  test.each([400, 401, 402, 403, 404, 409, 413])('do not follow %i', async (status) => {
    const { fetch, requests } = playing(refusal(status, 'REFUSED'))
    expect(await failure(clientWith({ fetch, retries }).issue(input()))).toMatchObject({ status, retryable: false })
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['a timeout', neverAnswers, 'TIMEOUT'],
    ['a failed connection', connectionFails, 'NETWORK_ERROR'],
    ['500', refusal(500, 'INTERNAL_SERVER_ERROR'), 'INTERNAL_SERVER_ERROR'],
    ['a 502 of a proxy', async () => new Response('<h1>Bad Gateway</h1>', { status: 502 }), 'NETWORK_ERROR'],
  ])('of a verify never follow %s: it may have used an attempt', async (_, fails, code) => {
    const { fetch, requests } = playing(fails, throughApp)
    const call = clientWith({ fetch, retries, timeoutMs: 5 }).verify({ issueId: crypto.randomUUID(), code: '000000' })
    expect(await failure(call)).toMatchObject({ code, retryable: false })
    expect(requests).toHaveLength(1)
  })

  test.each([
    [503, 'SERVICE_UNAVAILABLE'],
    [429, 'TOO_MANY_REQUESTS'],
  ])('of a verify follow %i: it was not carried out', async (status, code) => {
    const { issueId } = await clientWith().issue(input())
    const { fetch, requests } = playing(refusal(status, code), throughApp)
    expect(await clientWith({ fetch, retries }).verify({ issueId, code: '000000' })).toMatchObject({ verified: true })
    expect(requests).toHaveLength(2)
  })

  test('end with the last error when the tries are used up', async () => {
    const { fetch, requests } = playing(refusal(503, 'SERVICE_UNAVAILABLE'))
    expect(await failure(clientWith({ fetch, retries }).balance())).toMatchObject({ status: 503 })
    expect(requests).toHaveLength(4)
  })

  test('wait longer each time, with jitter', async () => {
    const pauses = recordPauses()
    const { fetch } = playing(refusal(503, 'SERVICE_UNAVAILABLE'))
    const otp = clientWith({ fetch, timeoutMs: TIMEOUT_MS, retries: { attempts: 4, baseDelayMs: 100 } })
    await failure(otp.balance())
    expect(pauses).toHaveLength(3)
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(50 * 2 ** index)
      expect(pause).toBeLessThanOrEqual(100 * 2 ** index)
    }
  })

  test('wait as long as Retry-After asks', async () => {
    const pauses = recordPauses()
    const { fetch } = playing(refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '7' }), throughApp)
    await clientWith({ fetch, timeoutMs: TIMEOUT_MS, retries }).balance()
    expect(pauses).toEqual([7_000])
  })

  // Polymarket/ts-sdk#353, acmesh-official/acme.sh#7201: RFC 9110, 10.2.3, has seconds and dates, and proxies write both.
  test.each([
    ['a date', refusal(503, 'SERVICE_UNAVAILABLE', { ...DATED, 'retry-after': 'Tue, 01 Dec 2026 03:00:07 GMT' })],
    ['a page of a proxy', async () => new Response('<html>', { status: 503, headers: { 'retry-after': '7' } })],
  ])('wait as long as Retry-After asks by %s', async (_, answer) => {
    const pauses = recordPauses()
    const { fetch } = playing(answer, throughApp)
    await clientWith({ fetch, timeoutMs: TIMEOUT_MS, retries }).balance()
    expect(pauses).toEqual([7_000])
  })

  test('are given up when Retry-After asks for more than maxDelayMs', async () => {
    const pauses = recordPauses()
    const { fetch, requests } = playing(refusal(429, 'TOO_MANY_REQUESTS', { 'retry-after': '7' }), throughApp)
    const otp = clientWith({ fetch, timeoutMs: TIMEOUT_MS, retries: { ...retries, maxDelayMs: 6_999 } })
    expect(await failure(otp.balance())).toMatchObject({ status: 429, retryAfterMs: 7_000, retryable: true })
    expect(requests).toHaveLength(1)
    expect(pauses).toEqual([])
  })

  test("the service's own refusals ask for their pause", async () => {
    const pauses = recordPauses()
    const { fetch, requests } = playing(throughApp)
    const otp = clientWith({ fetch, timeoutMs: TIMEOUT_MS, retries: { attempts: 2, baseDelayMs: 1 } })
    await failure(otp.issue({ ...input(), phoneNumber: '010-0000-0009' }))
    expect(requests).toHaveLength(2)
    expect(pauses).toContain(2_000)
  })
})

describe('pages', () => {
  test('eachIssue reads every page, newest first, only as far as it is asked', async () => {
    const { test: apiKey } = await newApp()
    const { fetch, requests } = playing(throughApp)
    const otp = clientWith({ apiKey, fetch })
    const made: string[] = []
    for (let n = 0; n < 5; n++) {
      world.clock.step(1)
      const issued = await otp.issue({ phoneNumber: MAGIC, purpose: `p${n}`, idempotencyKey: newIdempotencyKey() })
      made.unshift(issued.issueId)
    }
    requests.length = 0
    expect((await Array.fromAsync(otp.eachIssue({ limit: 2 }))).map(({ issueId }) => issueId)).toEqual(made)
    expect(requests.map(({ path }) => path)).toEqual(Array(3).fill('/v1/rpc/otp/listIssues'))

    requests.length = 0
    for await (const { issueId } of otp.eachIssue({ limit: 2 })) if (issueId === made[1]) break
    expect(requests).toHaveLength(1)

    expect(await Array.fromAsync(otp.eachIssue())).toHaveLength(5)
    await otp.verify({ issueId: made[2] ?? '', code: '000000' })
    const verified = await Array.fromAsync(otp.eachIssue({ limit: 1, verificationStatus: 'verified' }))
    expect(verified.map(({ issueId }) => issueId)).toEqual([made[2] ?? ''])
  })

  test('eachLedgerEntry reads every page, newest first', async () => {
    const { appId, live } = await newApp()
    for (const amount of [1, 2, 3, 4, 5]) await addCredit(world.admin, { appId, amount })
    const otp = clientWith({ apiKey: live })
    const entries = await Array.fromAsync(otp.eachLedgerEntry({ limit: 2 }))
    expect(entries.map(({ amountDelta }) => amountDelta)).toEqual([5, 4, 3, 2, 1])
    expect(await Array.fromAsync(otp.eachLedgerEntry({ entryType: 'debit' }))).toEqual([])
  })

  test('a failure on a later page is thrown after the items before it', async () => {
    const { appId, live } = await newApp()
    for (const amount of [1, 2, 3]) await addCredit(world.admin, { appId, amount })
    const { fetch } = playing(throughApp, connectionFails)
    const seen: number[] = []
    const reading = async () => {
      for await (const entry of clientWith({ apiKey: live, fetch }).eachLedgerEntry({ limit: 2 })) {
        seen.push(entry.amountDelta)
      }
    }
    expect(await failure(reading())).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(seen).toEqual([3, 2])
  })
})

describe('keys in browsers', () => {
  const pretend = globalThis as { document?: unknown; WorkerGlobalScope?: unknown; location?: unknown }
  afterEach(() => {
    delete pretend.document
    delete pretend.WorkerGlobalScope
    delete pretend.location
  })

  const surroundings: Array<[string, () => void]> = [
    ['a page', () => Object.assign(pretend, { document: {}, location: {} })],
    ['a worker', () => Object.assign(pretend, { WorkerGlobalScope: class {}, location: {} })],
  ]

  test.each(surroundings)('a secret key in %s is refused before anything is sent', (_, enter) => {
    enter()
    for (const apiKey of [keys.live, keys.test]) {
      expect(() => clientWith({ apiKey })).toThrow(WatchwordError)
      expect(() => clientWith({ apiKey })).toThrow(expect.objectContaining({ code: 'SECRET_KEY_IN_BROWSER' }))
    }
  })

  test.each(surroundings)('a public key works in %s', async (_, enter) => {
    const apiKey = await world.key({ appId: keys.appId, kind: 'pk', mode: 'test' })
    enter()
    const fetch = (request: Request) => {
      const headers = new Headers(request.headers)
      headers.set('origin', 'http://localhost:5173')
      return throughApp(new Request(request, { headers }))
    }
    expect(
      await clientWith({ apiKey, fetch }).issue({
        phoneNumber: MAGIC,
        purpose: 'browser',
        idempotencyKey: newIdempotencyKey(),
      }),
    ).toMatchObject({ mode: 'test' })
  })

  test('a secret key works outside of browsers', async () => {
    expect(await clientWith({ apiKey: keys.live }).balance()).toMatchObject({ mode: 'live' })
  })
})
