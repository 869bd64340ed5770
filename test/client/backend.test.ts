/** A verification by way of an app's own backend: what a page may decide, what it is told, and whom the backend believes. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { Hono } from 'hono'
import { createOtpClient, type OtpClient } from '../../client'
import {
  createVerificationHandler,
  createVerificationMiddleware,
  type OrderExtras,
  type VerifiedPhone,
} from '../../client/server'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const PHONE = '010-1234-5678'
const ADDRESS = '203.0.113.7'

let world: World
let keys: Furnished
let otp: OtpClient
let verified: VerifiedPhone[]
let errors: unknown[]
let input: OrderExtras | undefined
let channels: Array<'sms' | 'alimtalk'>
/** What the service was asked, from whom. */
let asked: Array<{ address: string | null; input: Record<string, unknown> }>

const clientWith = (apiKey: string) =>
  createOtpClient({
    baseUrl: 'http://localhost/v1',
    apiKey,
    fetch: async (request) => {
      const { json } = await request.clone().json()
      asked.push({ address: request.headers.get('x-watchword-client-ip'), input: json })
      return world.app.fetch(request, '127.0.0.1')
    },
  })

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  otp = clientWith(keys.live)
  ;[verified, errors, asked, channels, input] = [[], [], [], [], undefined]
})
afterEach(() => world.stop())

type Post = (path: string, body: unknown, headers?: Record<string, string>, method?: string) => Promise<Response>
interface Backend {
  post: Post
  stop(): void
}

const common = () => ({
  ...{ otp, purpose: 'signup', channels, input: () => input ?? {} },
  onError: (error: unknown) => void errors.push(error),
})

const handler = () =>
  createVerificationHandler({
    ...common(),
    clientIp: (request) => request.headers.get('x-real-ip'),
    onVerified(phone) {
      verified.push(phone)
      return { 'set-cookie': 'session=1; HttpOnly' }
    },
  })

/** `handle`: of a route, as frameworks call it. */
function answering(handle: (request: Request) => Response | Promise<Response>): Backend {
  return {
    post: async (path, body, headers = {}, method = 'POST') =>
      handle(
        new Request(`http://localhost${path}`, {
          method,
          headers: { 'content-type': 'application/json', 'x-real-ip': ADDRESS, ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    stop() {},
  }
}

const middleware = () =>
  createVerificationMiddleware<IncomingMessage, ServerResponse>({
    ...common(),
    clientIp: (req) => String(req.headers['x-real-ip']),
    onVerified(phone, { res }) {
      verified.push(phone)
      res.setHeader('set-cookie', 'session=1; HttpOnly')
    },
  })

async function listening(server: Server): Promise<Backend> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    post: (path, body, headers = {}, method = 'POST') =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-real-ip': ADDRESS, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    stop: () => void server.close(),
  }
}

const BACKENDS: Record<string, () => Backend | Promise<Backend>> = {
  'a handler of requests': () => answering(handler()),
  Hono: () => {
    const handle = handler()
    const app = new Hono().all('/phone/*', (context) => handle(context.req.raw))
    return answering((request) => app.fetch(request))
  },
  'node:http alone': () => listening(createServer(middleware())),
  Express: () => listening(createServer(express().use('/phone', middleware()))),
  'Express that has parsed the body': () =>
    listening(createServer(express().use(express.json()).use('/phone', middleware()))),
}

describe.each(Object.entries(BACKENDS))('%s', (_, started) => {
  let backend: Backend
  beforeEach(async () => {
    backend = await started()
  })
  afterEach(() => backend.stop())

  const issue = (more: object = {}) =>
    backend.post('/phone/issue', { phoneNumber: PHONE, purpose: 'signup', idempotencyKey: 'k1', ...more })
  const verify = (body: object) => backend.post('/phone/verify', body)

  test('has a code sent, says who asks, and tells the app whose number was verified', async () => {
    const issued = await issue()
    const order = await issued.json()
    expect([issued.status, Object.keys(order).sort()]).toEqual([
      200,
      ['attemptsRemaining', 'expiresAt', 'issueId', 'mode', 'queuedAt', 'resendAvailableAt', 'serverTime'],
    ])
    await world.settle()
    const { issueId } = order
    const wrong = await verify({
      issueId,
      code: world.sms.lastCode() === '111111' ? '222222' : '111111',
      phoneNumber: PHONE,
    })
    expect(await wrong.json()).toMatchObject({ verified: false, reasonCode: 'MISMATCH', attemptsRemaining: 4 })
    expect(verified).toEqual([])
    const right = await verify({ issueId, code: world.sms.lastCode(), phoneNumber: PHONE })
    const answer = await right.json()
    expect([right.status, answer.verified, 'proof' in answer]).toEqual([200, true, false])
    expect(right.headers.get('set-cookie')).toBe('session=1; HttpOnly')
    expect(right.headers.get('cache-control')).toBe('no-store')
    expect(verified).toEqual([{ issueId, phoneNumber: '+821012345678', purpose: 'signup', mode: 'live' }])
    expect(new Set(asked.map(({ address }) => address))).toEqual(new Set([ADDRESS]))
  })

  test.each(['010-1234-5679', undefined])(
    'believes nobody who names another number than the code was sent to: %s',
    async (claimed) => {
      const { issueId } = await (await issue()).json()
      await world.settle()
      const answer = await verify({ issueId, code: world.sms.lastCode(), phoneNumber: claimed })
      expect([answer.status, (await answer.json()).data.param, verified]).toEqual([400, 'phoneNumber', []])
    },
  )

  test('believes no code that was for something else', async () => {
    const order = { phoneNumber: PHONE, purpose: 'newsletter', idempotencyKey: 'k2' }
    const { issueId } = (await world.call('rest', 'issue', order, { key: keys.live })).body
    await world.settle()
    const answer = await verify({ issueId, code: world.sms.lastCode(), phoneNumber: PHONE })
    expect([answer.status, verified]).toEqual([400, []])
  })

  test('lets a page decide about the number alone', async () => {
    // By mistake also what is not for it to say.
    input = { metadata: { userId: 'u1' }, expiresInSec: 60, ...{ phoneNumber: '1', purpose: 'x', idempotencyKey: 'y' } }
    const more = {
      purpose: 'admin',
      channel: 'alimtalk',
      templateId: 'x',
      maxAttempts: 10,
      metadata: {},
      from: 'me',
      expiresInSec: 600,
    }
    expect((await issue(more)).status).toBe(200)
    expect(asked[0]?.input).toEqual({
      ...{ phoneNumber: PHONE, purpose: 'signup', idempotencyKey: 'k1' },
      ...{ metadata: { userId: 'u1' }, expiresInSec: 60 },
    })
  })

  test('has a page choose among the channels that the app names', async () => {
    channels.push('sms', 'alimtalk')
    for (const channel of ['alimtalk', 'pigeon']) await issue({ channel, idempotencyKey: channel })
    expect(asked.map(({ input }) => input.channel)).toEqual(['alimtalk', undefined])
  })

  test('says whether the message was delivered, and nothing else', async () => {
    const { issueId } = await (await issue()).json()
    await world.settle()
    const answer = await backend.post('/phone/delivery', { issueId })
    expect([answer.status, await answer.json()]).toEqual([200, { deliveryStatus: 'sent' }])
    expect((await backend.post('/phone/delivery', { issueId: 'unknown' })).status).not.toBe(200)
  })

  test('tells a page what its user can mend or wait for, as the service says it', async () => {
    const wrong = await issue({ phoneNumber: '12' })
    expect([wrong.status, (await wrong.json()).data]).toEqual([
      400,
      { param: 'phoneNumber', reason: 'invalid_phone_number' },
    ])
    for (const [n, status] of [200, 200, 200, 200, 200, 429].entries())
      expect((await issue({ idempotencyKey: `again-${n}` })).status).toBe(status)
    const limited = await issue({ idempotencyKey: 'again-7' })
    const { code, data } = await limited.json()
    expect([code, data.limit, Number(limited.headers.get('retry-after'))]).toEqual([
      ...['TOO_MANY_REQUESTS', 'perPhone', Math.ceil(data.retryAfterMs / 1_000)],
    ])
    expect(errors).toEqual([])
  })

  test('tells a page nothing of what is wrong with the backend, and the backend all of it', async () => {
    backend.stop()
    otp = clientWith(`${keys.live.slice(0, -1)}x`)
    backend = await started()
    const answer = await issue()
    expect([answer.status, await answer.json()]).toEqual([
      503,
      {
        ...{ defined: true, code: 'SERVICE_UNAVAILABLE', status: 503 },
        message: 'Codes cannot be sent or checked at the moment',
      },
    ])
    expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }])
  })

  test('is sent to by a page of its own site only: another site has to ask before it sends JSON', async () => {
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])
      expect((await backend.post('/phone/issue', '{}', { 'content-type': contentType })).status).toBe(415)
    expect(asked).toEqual([])
  })

  test('has one method, two paths, and reads so much JSON', async () => {
    for (const path of ['/phone', '/phone/', '/phone/status', '/phone/issue/x'])
      expect((await backend.post(path, {})).status).toBe(404)
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await backend.post('/phone/issue', {}, {}, method)).status).toBe(405)
    for (const body of ['', '{', '"x"', 'null']) expect((await backend.post('/phone/issue', body)).status).toBe(400)
  })
})

describe('where the app itself fails, or answers', () => {
  const posted = async (onVerified: (res: ServerResponse) => void) => {
    const use = createVerificationMiddleware<IncomingMessage, ServerResponse>({
      ...common(),
      onVerified: (_, { res }) => onVerified(res),
    })
    const app = express().use('/phone', use)
    app.use(((_error, _req, res, _next) => void res.status(500).end('ours')) satisfies express.ErrorRequestHandler)
    const backend = await listening(createServer(app))
    const { issueId } = await (await backend.post('/phone/issue', { phoneNumber: PHONE, idempotencyKey: 'k1' })).json()
    await world.settle()
    const answer = await backend.post('/phone/verify', { issueId, code: world.sms.lastCode(), phoneNumber: PHONE })
    backend.stop()
    return [answer.status, await answer.text()]
  }

  test('its failure is its own', async () => {
    const fails = () => {
      throw new TypeError('no session')
    }
    expect(await posted(fails)).toEqual([500, 'ours'])
    expect(errors).toEqual([])
  })

  test('its answer is the one that is sent', async () => {
    expect(await posted((res) => void res.writeHead(201).end('welcome'))).toEqual([201, 'welcome'])
  })

  test.each(['a handler of requests', 'Hono', 'node:http alone', 'Express'])(
    '%s reads a body that nobody has parsed to 16 KB',
    async (name) => {
      const backend = await BACKENDS[name]?.()
      const order = { phoneNumber: PHONE, idempotencyKey: 'k1' }
      const sized = (bytes: number) => JSON.stringify(order).padEnd(bytes)
      expect((await backend?.post('/phone/issue', sized(16_384)))?.status).toBe(200)
      asked = []
      // Node may end the connection of a body that it does not read.
      const answer = await backend?.post('/phone/issue', sized(16_385)).catch(() => undefined)
      expect([answer?.status ?? 400, asked]).toEqual([400, []])
      backend?.stop()
    },
  )

  test('a handler of requests cancels a body that does not end', async () => {
    let pulled = 0
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 8_192
        controller.enqueue(new Uint8Array(8_192).fill(0x20))
        // A handler that reads everything shall end, too.
        if (pulled >= 1_000_000) controller.close()
      },
      cancel() {
        isCancelled = true
      },
    })
    const headers = { 'content-type': 'application/json', 'x-real-ip': ADDRESS }
    const answer = await handler()(new Request('http://localhost/phone/issue', { method: 'POST', headers, body }))
    expect([answer.status, isCancelled, pulled < 100_000]).toEqual([400, true, true])
  })
})
