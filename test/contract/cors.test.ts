import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { revokeKey } from '../../src/usecases/administer'
import { type Answer, type Furnished, WIRES, World } from '../support/world'

const LISTED = 'https://app.example.com'
const HOUR_MS = 3_600_000
const FOREIGN = 'https://evil.example.com'

test.each(WIRES)('over %s a 401 is one also while nobody can look up who may read it', async (wire) => {
  const fails = () => Promise.reject(new Error('no database'))
  const world = await World.start({
    wrapStore: (store) => ({
      ...store,
      read: { ...store.read, keys: { ...store.read.keys, publicOrigins: fails } },
    }),
  })
  const { status, headers } = await world.call(wire, 'balance', {}, { headers: { origin: LISTED } })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([401, null])
  await world.stop()
})

describe('CORS', () => {
  let world: World
  let keys: Furnished
  let pk: string

  beforeAll(async () => {
    world = await World.start()
    keys = await world.furnish()
    pk = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [LISTED] })
  })
  afterAll(() => world.stop())

  const preflight = (origin?: string, asked = 'authorization') =>
    world.send('OPTIONS', '/v1/rpc/otp/issue', undefined, {
      headers: {
        ...(origin && { origin }),
        'access-control-request-method': 'POST',
        'access-control-request-headers': asked,
      },
    })

  test.each([LISTED, 'http://localhost:5173', 'https://127.0.0.1'])('preflight is answered for %s', async (origin) => {
    const { status, headers } = await preflight(origin)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-allow-methods')).toContain('POST')
    for (const header of ['authorization', 'content-type', 'idempotency-key', 'x-request-id']) {
      expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain(header)
    }
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    const vary = 'Origin, Access-Control-Request-Headers'
    expect([headers.get('vary'), headers.get('access-control-max-age')]).toEqual([vary, '600'])
  })

  test.each(['x-app-version', 'authorization,content-type,x-app-version,x-request-id', 'Sentry-Trace, baggage'])(
    'preflight allows a listed origin the headers that the browser asks for: %s',
    async (asked) => {
      const allowed = (await preflight(LISTED, asked)).headers.get('access-control-allow-headers') ?? ''
      const names = allowed.toLowerCase().split(/\s*,\s*/)
      expect(names).toEqual(expect.arrayContaining(asked.toLowerCase().split(/\s*,\s*/)))
      expect((await preflight(FOREIGN, asked)).headers.get('access-control-allow-headers')).toBeNull()
    },
  )

  test('preflight repeats nothing that is no list of names', async () => {
    const { status, headers } = await preflight(LISTED, 'x-a: 1; <b>')
    expect([status, headers.get('access-control-allow-headers')]).toEqual([204, expect.not.stringContaining('<b>')])
  })

  test.each([FOREIGN, 'null', 'http://[::1]:3000', 'http://192.168.0.1', undefined])(
    'preflight tells %s nothing',
    async (origin) => {
      const { headers } = await preflight(origin)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers.get('vary')).toBe('Origin, Access-Control-Request-Headers')
    },
  )

  test('preflight stops when the last key that lists the origin is revoked', async () => {
    const origin = 'https://brief.example.com'
    await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [origin] })
    expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBe(origin)
    const listed = (await world.store.read.keys.ofApp(keys.appId)).find(({ allowedOrigins }) =>
      allowedOrigins.includes(origin),
    )
    await revokeKey(world.admin, listed?.keyId ?? '')
    expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull()
  })

  test('preflight stops when the last key that lists the origin expires, and not before', async () => {
    const origin = 'https://passing.example.com'
    const allowed = async () => (await preflight(origin)).headers.get('access-control-allow-origin')
    for (const hours of [2, 1]) {
      const expiresAt = world.clock.now() + hours * HOUR_MS
      await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [LISTED, origin], expiresAt })
    }
    expect(await allowed()).toBe(origin)
    world.clock.step(2 * HOUR_MS - 1)
    expect(await allowed()).toBe(origin)
    world.clock.step(1)
    expect(await allowed()).toBeNull()
    expect((await preflight(LISTED)).headers.get('access-control-allow-origin')).toBe(LISTED)
  })

  describe.each(WIRES)('answers over %s', (wire) => {
    const verify = (key: string | undefined, origin: string, code = '123456') =>
      world.call(wire, 'verify', { issueId: 'x', code }, { ...(key && { key }), headers: { origin } })

    test('are readable for a listed origin, errors too, with request id, Retry-After and the time exposed', async () => {
      for (const code of ['123456', 'bad']) {
        const { headers } = await verify(pk, LISTED, code)
        expect(headers.get('access-control-allow-origin')).toBe(LISTED)
        expect(headers.get('access-control-expose-headers')).toBe('X-Request-Id, Retry-After, X-Watchword-Time')
        expect(headers.get('vary')).toBe('Origin')
      }
    })

    test('say what time it is by the clock of all their times, refusals too', async () => {
      const key = await world.key({ appId: keys.appId, kind: 'pk', mode: 'test' })
      const options = { key, headers: { origin: 'http://localhost:5173' } }
      const ask = (idempotencyKey: string, phoneNumber = '010-0000-0000') =>
        world.call(wire, 'issue', { phoneNumber, purpose: 'time', idempotencyKey }, options)
      const told = ({ headers }: Answer) => headers.get('x-watchword-time')
      const first = await ask(`time-${wire}`)
      expect(told(first)).toBe(first.body.queuedAt)
      await world.advance(5_000)
      const again = await ask(`time-${wire}`)
      expect(again.body).toEqual(first.body)
      expect(Date.parse(told(again) ?? '') - Date.parse(first.body.queuedAt)).toBe(5_000)
      for (const refused of [await ask('refused', '010-0000-0009'), await verify(undefined, LISTED)]) {
        expect(refused.status).toBeGreaterThanOrEqual(400)
        expect(told(refused)).toBe(told(again))
      }
    })

    test('are not readable for a foreign origin, or with a secret key', async () => {
      for (const answer of [
        await verify(pk, FOREIGN),
        await verify(undefined, FOREIGN),
        await verify(keys.live, LISTED),
      ]) {
        expect(answer.headers.get('access-control-allow-origin')).toBeNull()
        expect(answer.headers.get('vary')).toBe('Origin')
      }
    })

    test('without a key that works are readable where some other key may be used: a page tells 401 from no network', async () => {
      const revoked = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [LISTED] })
      const stored = (await world.store.read.keys.ofApp(keys.appId)).find((key) => key.lastFour === revoked.slice(-4))
      await revokeKey(world.admin, stored?.keyId ?? '')
      for (const key of [revoked, undefined, 'pk_junk', `${pk.slice(0, -1)}_`]) {
        const { status, headers } = await verify(key, LISTED)
        expect([status, headers.get('access-control-allow-origin')]).toEqual([401, LISTED])
        expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id')
      }
    })
  })
})
