/** What an answer says of itself, a webhook of its body, the log of a request: what is read without looking inside. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { VERSION } from '../../src/domain/operations/version'
import * as administer from '../../src/usecases/administer'
import { VirtualClock } from '../support/clock'
import { Receivers } from '../support/receiver'
import { type Furnished, START, WIRES, World } from '../support/world'

let world: World
let keys: Furnished
let receivers: Receivers
beforeEach(async () => {
  const clock = new VirtualClock(START)
  receivers = new Receivers(clock.now)
  world = await World.start({ clock, hooks: receivers })
  keys = await world.furnish()
})
afterEach(() => world.stop())

test.each([
  ['GET', '/healthz', 200],
  ['GET', '/readyz', 200],
  ['GET', '/v1/openapi.json', 200],
  ['GET', '/v1/webhook-sources', 200],
  ['GET', '/nothing/here', 404],
  ['GET', '/v1/balance', 401],
  ['POST', '/console/rpc/session/current', 403],
  ['POST', '/provider-reports/none', 401],
])('%s %s is JSON that nobody keeps', async (method, path, status) => {
  const answer = await world.send(method, path, method === 'POST' ? {} : undefined)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test.each([
  ['GET', '/v1/nothing', 404],
  ['POST', '/v1/rpc/otp/nothing', 404],
  ['GET', '/nothing/here', 404],
  ['DELETE', '/v1/issue', 404],
  ['GET', '/v1/%69ssues', 404],
  ['OPTIONS', '/v1/issue', 204],
  ['GET', '/v1/balance', 401],
  ['GET', '/healthz', 200],
])('%s %s says which exchange it was, and when', async (method, path, status) => {
  const headers = { 'x-request-id': 'request-of-a-test' }
  const answer = await world.send(method, path, undefined, { headers })
  const told = ['x-request-id', 'x-watchword-time'].map((name) => answer.headers.get(name))
  expect([answer.status, ...told]).toEqual([status, 'request-of-a-test', new Date(world.clock.now()).toISOString()])
})

test('the interface on a page runs no script but its own, and frames nothing', async () => {
  const { headers } = await world.send('GET', '/docs', undefined)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "frame-ancestors 'none'",
  ])
  expect((await world.send('GET', '/docs/start.js', undefined)).headers.get('content-type')).toStartWith(
    'text/javascript',
  )
  const script = await world.app.fetch(new Request('http://localhost/docs/scalar.js'), '127.0.0.1')
  expect(Object.fromEntries(script.headers)).toMatchObject({
    ...{ 'content-type': 'text/javascript; charset=utf-8', 'content-encoding': 'gzip' },
    'cache-control': 'public, max-age=86400',
  })
  expect(Buffer.from(Bun.gunzipSync(await script.bytes())).toString()).toStartWith('globalThis.__zod_globalConfig')
})

test('where webhooks come from is told to whoever asks', async () => {
  const networks = ['192.0.2.0/24', '2001:db8::/32']
  const told = await World.start({ env: { WATCHWORD_WEBHOOK_SOURCES: networks.join(',') } })
  expect((await told.send('GET', '/v1/webhook-sources', undefined)).body).toEqual({ networks })
  expect((await world.send('GET', '/v1/webhook-sources', undefined)).body).toEqual({ networks: [] })
  await told.stop()
})

test('the root leads to the console, from now on and never for good', async () => {
  const { status, headers } = await world.send('GET', '/', undefined)
  expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([302, '/console', 'no-store'])
})

test('the log has a request by its route, whatever it asks for', async () => {
  const id = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'
  const requests = [
    ['GET', `/v1/issues/${id}`],
    ['GET', '/v1/issues'],
    ['GET', '/v1/balance'],
    ['GET', '/nothing/here'],
  ] as const
  for (const [method, path] of requests) await world.send(method, path, undefined, { key: keys.test })
  const logged = world.logged.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request')
  expect(logged.map(({ route }) => route)).toEqual(['GET /v1/issues/{id}', 'GET /v1/issues', 'GET /v1/balance', 'none'])
})

test('the log has a request with its id, its answer and how long that took, and whose it was', async () => {
  const headers = { 'x-request-id': 'request-of-a-test' }
  await world.send('GET', '/v1/balance', undefined, { key: keys.test, headers })
  await world.send('GET', '/v1/balance', undefined, { headers })
  const [stored] = await world.store.read.keys.ofApp(keys.appId)
  const lines = world.logged.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request')
  const common = { level: 'info', message: 'request', requestId: 'request-of-a-test', route: 'GET /v1/balance', ms: 0 }
  const known = (await world.store.read.keys.ofApp(keys.appId)).find(({ mode }) => mode === 'test')
  expect(lines).toEqual([
    { ...common, status: 200, appId: stored?.appId, keyId: known?.keyId, mode: 'test' },
    { ...common, status: 401 },
  ])
})

test('what nobody has ever named is named by its beginning', async () => {
  const name = 'n'.repeat(65)
  const param = name.slice(0, 64)
  const to = (path: string, body?: object) =>
    world.send(body ? 'POST' : 'GET', path, body, { key: keys.test }).then(({ status, body }) => [status, body.data])
  const unknown = [400, { param, reason: 'unknown_field' }]
  expect(await to(`/v1/issue?${name}=1`, {})).toEqual(unknown)
  expect(await to(`/v1/rpc/otp/balance?${name}=1`, {})).toEqual(unknown)
  expect(await to('/v1/rpc/otp/balance', { json: {}, [name]: 1 })).toEqual(unknown)
  expect(await to(`/v1/issues?${name}=1&${name}=2`)).toEqual([400, { param, reason: 'duplicate_field' }])
})

test.each([
  ['/healthz', 200],
  ['/console/*', 404],
  ['', 404],
])('a request that was written as of %p is answered where it leads to there, too', async (mount, status) => {
  const request = new Request('http://localhost/healthz')
  expect((await world.app.fetch(request, '127.0.0.1', mount)).status).toBe(status)
})

test('a parameter that is not taken is named', async () => {
  const { status, body } = await world.send('POST', '/v1/issue?first=1&second=2', {}, { key: keys.test })
  expect([status, body.data]).toEqual([400, { param: 'first', reason: 'unknown_field' }])
})

test('numbers for the names of parameters are passed over beside an id', async () => {
  const statuses = ['', '?0=x', '?0=x&1=y'].map(async (query) => {
    const { status, body } = await world.send('GET', `/v1/templates/otp_default_kr${query}`, undefined, {
      key: keys.test,
    })
    return [status, body.templateId]
  })
  for (const answer of await Promise.all(statuses)) expect(answer).toEqual([200, 'otp_default_kr'])
})

test.each(WIRES)('what is not as the contract has it is told to nobody over %s', async (wire) => {
  await world.stop()
  world = await World.start({
    wrapStore: (store) => {
      const find = async (appId: string) => {
        const wallet = await store.read.wallets.find(appId)
        return wallet && { ...wallet, balance: 'what nobody may see' as never }
      }
      return { ...store, read: { ...store.read, wallets: { ...store.read.wallets, find } } }
    },
  })
  keys = await world.furnish()
  const { status, body } = await world.call(wire, 'balance', {}, { key: keys.live })
  expect(status).toBe(500)
  expect(JSON.stringify(body)).not.toContain('what nobody may see')
})

test('a database that takes nothing makes the service not ready, and alive all the same', async () => {
  await world.stop()
  world = await World.start({
    wrapStore: (store) => ({ ...store, assertWritable: () => Promise.reject(new Error('full')) }),
  })
  const { status, body } = await world.send('GET', '/readyz', undefined)
  expect([status, body.status, body.checks.database]).toEqual([503, 'not_ready', false])
  expect((await world.send('GET', '/healthz', undefined)).status).toBe(200)
})

test('one look at the database serves all who ask within a second, unless what was stored since has failed', async () => {
  await world.stop()
  let looks = 0
  let isFull = false
  world = await World.start({
    wrapStore: (store) => ({
      ...store,
      assertWritable: async () => {
        looks++
        if (isFull) throw new Error('full')
      },
      transaction: (work) => (isFull ? Promise.reject(new Error('full')) : store.transaction(work)),
    }),
  })
  const { test } = await world.furnish()
  const ask = async () => (await world.send('GET', '/readyz', undefined)).status
  expect([await ask(), await ask(), looks]).toEqual([200, 200, 1])
  world.clock.step(1_000)
  expect([await ask(), looks]).toEqual([200, 1])
  world.clock.step(1)
  expect([await ask(), looks]).toEqual([200, 2])
  world.clock.step(-1_001)
  expect([await ask(), looks]).toEqual([200, 3])
  isFull = true
  expect([await ask(), looks]).toEqual([200, 3])
  const order = { phoneNumber: '010-0000-0000', purpose: 'p', idempotencyKey: 'k' }
  for (const wire of ['rest', 'rpc'] as const)
    expect((await world.call(wire, 'issue', order, { key: test })).status).toBe(500)
  const line = JSON.stringify({ level: 'error', err: 'Error', message: 'request failed unexpectedly' })
  expect(world.logged.filter((logged) => logged === line)).toHaveLength(2)
  expect([await ask(), looks]).toEqual([503, 4])
})

test('a webhook is JSON, from this version of Watchword', async () => {
  const wanted = { appId: keys.appId, mode: 'live', url: 'https://hook.example.com/', events: ['otp.sent'] } as const
  const { endpoint } = await administer.addEndpoint(world.admin, wanted)
  await administer.testEndpoint(world.admin, endpoint.endpointId, 'otp.sent')
  await world.advance(1_000)
  expect(receivers.arrived[0]?.headers).toMatchObject({
    'Content-Type': 'application/json',
    'User-Agent': `Watchword/${VERSION}`,
  })
})
