import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ACCESS, SCOPES, type Scope } from '../../contract/scope'
import { formatKey } from '../../src/domain/access/api-key'
import { clientIpOf } from '../../src/http/authenticate'
import { revokeKey } from '../../src/usecases/administer'
import { errorOf } from '../support/error-of'
import { IS_POSTGRES } from '../support/place'
import { type Furnished, type Operation, WIRES, World } from '../support/world'

/** What a server has remembered of settings that another one changes. */
const KNOWN_ELSEWHERE_MS = 1_500

const INPUT: Record<Operation, object> = {
  issue: { phoneNumber: '010-0000-0000', purpose: 'auth', idempotencyKey: 'auth' },
  verify: { issueId: 'x', code: '123456' },
  status: { issueId: 'x' },
  listIssues: {},
  getIssue: { issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77' },
  listCreditLedger: {},
  balance: {},
  listTemplates: {},
  getTemplate: { templateId: 'otp_default_kr' },
}
const OPERATIONS = Object.keys(INPUT) as Operation[]

/** The specification's table, written out once more. */
const ACCEPTED: Record<Operation, Scope[]> = {
  issue: ['otp:issue', 'otp:send', '*'],
  verify: ['otp:verify', 'otp:read', '*'],
  status: ['otp:status', 'otp:read', '*'],
  listIssues: ['otp:dashboard:read', 'otp:read', '*'],
  getIssue: ['otp:dashboard:read', 'otp:read', '*'],
  listCreditLedger: ['otp:ledger:read', 'otp:dashboard:read', 'otp:read', '*'],
  balance: ['otp:balance', '*'],
  listTemplates: ['otp:templates', 'otp:read', '*'],
  getTemplate: ['otp:templates', 'otp:read', '*'],
}

describe.each(WIRES)('authentication over %s', (wire) => {
  let world: World
  let keys: Furnished

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const call = (operation: Operation, key: string | undefined, headers: Record<string, string> = {}, ip?: string) =>
    world.call(wire, operation, INPUT[operation], { ...(key !== undefined && { key }), headers, ...(ip && { ip }) })
  const UNAUTHORIZED = { status: 401, body: { defined: true, code: 'UNAUTHORIZED', status: 401 } }
  const FORBIDDEN = { status: 403, body: { defined: true, code: 'FORBIDDEN', status: 403 } }

  test.each(OPERATIONS)('%s without a key, or with one that is none: 401', async (operation) => {
    const wellFormedButUnknown = formatKey('sk', 'test', new Uint8Array(32).fill(7))
    const mistyped = `${keys.test.slice(0, -1)}${keys.test.endsWith('a') ? 'b' : 'a'}`
    for (const key of [undefined, '', 'sk_test_x', wellFormedButUnknown, mistyped, `${keys.test} extra`]) {
      expect(await call(operation, key)).toMatchObject(UNAUTHORIZED)
    }
    expect(await call(operation, undefined, { authorization: `Basic ${keys.test}` })).toMatchObject(UNAUTHORIZED)
    expect(await call(operation, undefined, { authorization: keys.test })).toMatchObject(UNAUTHORIZED)
  })

  test('the key is checked before the input', async () => {
    const path = wire === 'rpc' ? '/v1/rpc/otp/issue' : '/v1/issue'
    expect((await world.send('POST', path, '{"', {})).status).toBe(401)
  })

  test('what may not be called is 403 before its body is read', async () => {
    const path = wire === 'rest' ? '/v1/issue' : '/v1/rpc/otp/issue'
    const reader = await world.key({ appId: keys.appId, kind: 'sk', mode: 'test', scopes: ['otp:status'] })
    expect((await world.send('POST', path, '{"', { key: reader })).status).toBe(403)
    expect((await world.send('POST', path, '{"', { key: keys.test })).status).toBe(400)
  })

  test('a revoked key is 401 at once, also when another process revoked it', async () => {
    expect((await call('balance', keys.test)).status).toBe(200)
    const [first] = (await world.store.read.keys.ofApp(keys.appId)).filter(({ mode }) => mode === 'test')
    await revokeKey(world.admin, first?.keyId ?? '')
    expect(await call('balance', keys.test)).toMatchObject(UNAUTHORIZED)

    const another = await world.key({ appId: keys.appId, kind: 'sk', mode: 'test' })
    expect((await call('balance', another)).status).toBe(200)
    const beside = await World.open({ place: world.place, clock: world.clock })
    const [second] = (await beside.store.read.keys.ofApp(keys.appId)).filter(
      ({ mode, revokedAt }) => mode === 'test' && !revokedAt,
    )
    await revokeKey(beside.admin, second?.keyId ?? '')
    if (IS_POSTGRES) await world.advance(KNOWN_ELSEWHERE_MS)
    expect(await call('balance', another)).toMatchObject(UNAUTHORIZED)
    await beside.store.close()
  })

  describe('looking a key up', () => {
    /** How often the store was asked for a key, and whether it answers. */
    let asked: number
    let isDown: boolean
    beforeEach(async () => {
      await world.stop()
      world = await World.start({
        wrapStore: (store) => ({
          ...store,
          read: {
            ...store.read,
            keys: {
              ...store.read.keys,
              findByHash: async (hash) => {
                asked++
                if (isDown) throw new Error('disk I/O error')
                return store.read.keys.findByHash(hash)
              },
            },
          },
        }),
      })
      keys = await world.furnish()
      asked = 0
      isDown = false
    })
    const unknown = (n: number) => formatKey('sk', 'test', new Uint8Array(32).fill(n))

    test('that is known asks the store once, and again after any change of keys', async () => {
      for (let n = 0; n < 3; n++) expect((await call('balance', keys.test)).status).toBe(200)
      expect(asked).toBe(1)
      await world.key({ appId: keys.appId, kind: 'sk', mode: 'test' })
      expect((await call('balance', keys.test)).status).toBe(200)
      expect(asked).toBe(2)
    })

    test('that is unknown keeps nothing of it: guesses must not fill the memory', async () => {
      for (let n = 1; n <= 3; n++) {
        expect((await call('balance', unknown(n))).status).toBe(401)
        expect((await call('balance', unknown(n))).status).toBe(401)
        expect(asked).toBe(2 * n)
      }
    })

    test('that cannot be done is 503, and is done again', async () => {
      isDown = true
      expect(await call('balance', keys.test)).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
      isDown = false
      expect((await call('balance', keys.test)).status).toBe(200)
      expect(asked).toBe(2)
    })
  })

  test('a key is 401 from its expiry on', async () => {
    const key = await world.key({ appId: keys.appId, kind: 'sk', mode: 'test', expiresAt: world.clock.now() + 1_000 })
    expect((await call('balance', key)).status).toBe(200)
    world.clock.step(1_000)
    expect(await call('balance', key)).toMatchObject(UNAUTHORIZED)
  })

  test('every scope opens what the table says, and nothing else', async () => {
    for (const scope of SCOPES) {
      const world = await World.start()
      const { appId } = await world.furnish()
      const key = await world.key({ appId, kind: 'sk', mode: 'test', scopes: [scope] })
      for (const operation of OPERATIONS) {
        const { status, body } = await world.call(wire, operation, INPUT[operation], { key })
        if (ACCEPTED[operation].includes(scope)) expect(status).not.toBe(403)
        else expect({ status, code: body.code }).toEqual({ status: 403, code: 'FORBIDDEN' })
      }
      await world.stop()
    }
    expect(Object.keys(ACCESS)).toHaveLength(7)
  })

  describe('public keys', () => {
    const ORIGIN = 'https://app.example.com'
    let pk: string

    beforeEach(async () => {
      pk = await world.key({
        appId: keys.appId,
        kind: 'pk',
        mode: 'test',
        allowedOrigins: [ORIGIN, 'https://b.example.com:8443'],
      })
    })

    test('issue and verify from a listed origin, nothing else', async () => {
      for (const operation of OPERATIONS) {
        const { status } = await call(operation, pk, { origin: ORIGIN })
        expect({ operation, status }).toEqual({
          operation,
          status: operation === 'issue' || operation === 'verify' ? 200 : 403,
        })
      }
    })

    test.each([
      ['none', undefined],
      ['null', 'null'],
      ['another host', 'https://evil.example.com'],
      ['another scheme', 'http://app.example.com'],
      ['another port', 'https://app.example.com:444'],
      ['a longer host', 'https://app.example.com.evil.com'],
      ['a trailing slash', 'https://app.example.com/'],
      ['capitals', 'https://APP.example.com'],
      ['private address', 'http://192.168.0.1'],
      ['IPv6 loopback', 'http://[::1]:3000'],
      ['like localhost', 'http://localhost.evil.com'],
    ])('origin %s: 403', async (_, origin) => {
      expect(await call('verify', pk, origin === undefined ? {} : { origin })).toMatchObject(FORBIDDEN)
    })

    test.each(['http://localhost', 'https://localhost:5173', 'http://127.0.0.1:3000', 'https://127.0.0.1'])(
      'a test key works from %s without registration, a live one does not',
      async (origin) => {
        expect((await call('verify', pk, { origin })).status).toBe(200)
        const live = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
        expect(await call('verify', live, { origin })).toMatchObject(FORBIDDEN)
        expect((await call('verify', live, { origin: ORIGIN })).status).toBe(200)
      },
    )

    test.each([[['*']], [['otp:issue', 'otp:status']], [['otp:send']]])('scopes %p poison the key', async (scopes) => {
      await errorOf(world.key({ appId: keys.appId, kind: 'pk', mode: 'test', scopes }))
      await world.write("UPDATE api_keys SET scopes = ? WHERE kind = 'pk'", JSON.stringify(scopes))
      expect(await call('verify', pk, { origin: ORIGIN })).toMatchObject(UNAUTHORIZED)
    })

    test('a scope that is missing is 403', async () => {
      const onlyIssue = await world.key({
        appId: keys.appId,
        kind: 'pk',
        mode: 'test',
        allowedOrigins: [ORIGIN],
        scopes: ['otp:issue'],
      })
      expect(await call('verify', onlyIssue, { origin: ORIGIN })).toMatchObject(FORBIDDEN)
    })
  })

  test('a secret key works from any origin, and from its networks only', async () => {
    expect((await call('balance', keys.test, { origin: 'https://any.example.com' })).status).toBe(200)
    const narrow = await world.key({
      appId: keys.appId,
      kind: 'sk',
      mode: 'test',
      allowedCidrs: ['10.0.0.0/8', '2001:db8::/32'],
    })
    expect((await call('balance', narrow, {}, '10.1.2.3')).status).toBe(200)
    expect((await call('balance', narrow, {}, '::ffff:10.1.2.3')).status).toBe(200)
    expect((await call('balance', narrow, {}, '2001:db8::1')).status).toBe(200)
    expect(await call('balance', narrow, {}, '11.1.2.3')).toMatchObject(FORBIDDEN)
    expect(await call('balance', narrow, { 'x-forwarded-for': '10.1.2.3' }, '11.1.2.3')).toMatchObject(FORBIDDEN)
  })

  test('when keys cannot be looked up: 503', async () => {
    const broken = await World.start({
      place: world.place,
      clock: world.clock,
      wrapStore: (store) => ({
        ...store,
        read: {
          ...store.read,
          keys: { ...store.read.keys, findByHash: () => Promise.reject(new Error('disk I/O error')) },
        },
      }),
    })
    const answer = await broken.call(wire, 'balance', {}, { key: keys.test })
    expect(answer).toMatchObject({ status: 503, body: { defined: true, code: 'SERVICE_UNAVAILABLE' } })
    expect(answer.headers.get('retry-after')).toBe('2')
  })
})

describe('behind a trusted proxy', () => {
  test('X-Forwarded-For is read from the right, past trusted hops only', async () => {
    const world = await World.start({ env: { WATCHWORD_TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' } })
    const { appId } = await world.furnish()
    const key = await world.key({ appId, kind: 'sk', mode: 'test', allowedCidrs: ['203.0.113.0/24'] })
    const from = async (forwarded: string, ip = '127.0.0.1') =>
      (await world.call('rest', 'balance', {}, { key, ip, headers: { 'x-forwarded-for': forwarded } })).status
    expect(await from('203.0.113.9')).toBe(200)
    expect(await from('203.0.113.9, 10.0.0.5')).toBe(200)
    expect(await from('203.0.113.9, 198.51.100.1')).toBe(403)
    expect(await from('203.0.113.9', '198.51.100.1')).toBe(403)
    expect(await from('garbage')).toBe(403)
    // As proxies of Azure and IIS write it.
    expect(await from('203.0.113.9:4711')).toBe(200)
    expect(await from('198.51.100.1, 203.0.113.9:4711, 10.0.0.5:80')).toBe(200)
    expect(await from('203.0.113.9:')).toBe(403)
    const proxies = (count: number) => Array(count).fill('10.0.0.5').join(', ')
    expect(await from(`203.0.113.9, ${proxies(31)}`)).toBe(200)
    expect(await from(`203.0.113.9, ${proxies(32)}`)).toBe(403)
    await world.stop()
  })

  test.each(['2001:db8::9', '[2001:db8::9]', '[2001:db8::9]:4711'])('an address of IPv6 is read as %s', (forwarded) => {
    expect(clientIpOf('127.0.0.1', forwarded, ['127.0.0.0/8'])).toBe('2001:db8::9')
  })
})
