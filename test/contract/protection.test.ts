/** What an app's owner decides about abuse: where codes go to, how soon another one, and whose address counts. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { NEW_APP, type Protection } from '../../src/abuse/rules/protection'
import * as administer from '../../src/usecases/administer'
import { type Furnished, WIRES, World } from '../support/world'

const ORIGIN = 'https://app.example.com'
const KOREAN = '010-1234-5678'
const JAPANESE = '+81 90 1234 5678'

describe.each(WIRES)('an app over %s', (wire) => {
  let world: World
  let keys: Furnished
  let browser: string
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
    browser = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
  })
  afterEach(() => world.stop())

  const issue = (
    key: string,
    { headers, ip, ...input }: { headers?: Record<string, string>; ip?: string } & Record<string, unknown> = {},
  ) =>
    world.call(
      wire,
      'issue',
      { phoneNumber: KOREAN, purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input },
      { key, headers: { ...(key === browser && { origin: ORIGIN }), ...headers }, ...(ip !== undefined && { ip }) },
    )
  const decide = (decided: Partial<Protection>) => world.run(administer.protectApp(world.admin, keys.appId, decided))
  const closed = { error: expect.anything(), data: { param: 'phoneNumber', reason: 'country_closed' } }

  describe('sends codes', () => {
    test('with browser keys to its own country only, with secret keys anywhere', async () => {
      expect((await issue(browser)).status).toBe(200)
      const { status, body } = await issue(browser, { phoneNumber: JAPANESE })
      expect({ status, data: body.data }).toEqual({ status: 403, data: closed.data })
      expect((await issue(keys.live, { phoneNumber: JAPANESE })).status).toBe(200)
    })

    test('with browser keys to what its owner has opened', async () => {
      await decide({ open: ['JP'] })
      expect((await issue(browser, { phoneNumber: JAPANESE })).status).toBe(200)
      expect((await issue(browser, { phoneNumber: '+44 7400 123456' })).status).toBe(403)
    })

    test('with no key to what its owner has closed', async () => {
      await decide({ open: ['JP'], closed: ['JP'] })
      for (const key of [browser, keys.live]) expect((await issue(key, { phoneNumber: JAPANESE })).status).toBe(403)
      expect((await issue(keys.live)).status).toBe(200)
    })

    test('to the region it has been given, which is not the server’s', async () => {
      await world.run(administer.setRegion(world.admin, keys.appId, 'JP'))
      expect((await issue(browser, { phoneNumber: '090-1234-5678' })).status).toBe(200)
      expect((await issue(browser, { phoneNumber: '+82 10 1234 5678' })).status).toBe(403)
    })

    test('anywhere where it is told to watch, but where it is closed', async () => {
      await decide({ countries: 'watch', closed: ['GB'] })
      for (const key of [browser, keys.live])
        expect((await issue(key, { phoneNumber: '+44 7400 123456' })).status).toBe(403)
      expect((await issue(browser, { phoneNumber: JAPANESE })).status).toBe(200)
    })

    test('and a refusal costs nothing, also of a key that is used anew', async () => {
      expect((await issue(browser, { phoneNumber: JAPANESE, idempotencyKey: 'same' })).status).toBe(403)
      expect(await world.rows('SELECT reserved FROM wallets')).toEqual([{ reserved: 0 }])
      await decide({ open: ['JP'] })
      expect((await issue(browser, { phoneNumber: JAPANESE, idempotencyKey: 'same' })).status).toBe(200)
      expect(await world.rows('SELECT reserved FROM wallets')).toEqual([{ reserved: 1 }])
    })
  })

  test.each([
    ['a Swiss pager', '+41 74 012 34 56'],
    ['a British pager', '+44 7640 123456'],
    ['a Swiss voicemail', '+41 860 74 012 34 56'],
    ['Inmarsat', '+870 773 111 632'],
    ['Iridium', '+881 6 1234 5678'],
    ['a Korean premium number', '060-700-1234'],
    ['a British premium number', '+44 909 879 0000'],
    ['a German shared-cost number', '+49 180 6 123456'],
    ['an American toll-free number', '+1 800 555 2671'],
  ])('sends nothing to %s, with whichever key, and nothing is reserved', async (_, phoneNumber) => {
    await decide({ open: ['CH', 'GB', 'DE', 'US'] })
    for (const key of [browser, keys.live]) {
      const { status, body } = await issue(key, { phoneNumber })
      expect({ status, data: body.data }).toEqual({
        status: 400,
        data: { param: 'phoneNumber', reason: 'phone_number_without_texts' },
      })
    }
    await world.settle()
    expect(world.sms.requests).toEqual([])
    expect(await world.rows('SELECT reserved FROM wallets')).toEqual([{ reserved: 0 }])
  })

  describe('sends another code for one phone and purpose', () => {
    const again = (key: string, input: object = {}) => issue(key, { purpose: 'login', ...input })

    test('with browser keys after 30 seconds, which the answer says', async () => {
      const { body } = await again(browser)
      expect(Date.parse(body.resendAvailableAt) - Date.parse(body.queuedAt)).toBe(30_000)
      world.clock.step(10_000)
      const refused = await again(browser)
      expect({ status: refused.status, data: refused.body.data }).toEqual({
        status: 429,
        data: { limit: 'resend', policy: 'platform', retryAfterMs: 20_000 },
      })
      expect(refused.headers.get('retry-after')).toBe('20')
      world.clock.step(19_999)
      expect((await again(browser)).status).toBe(429)
      world.clock.step(1)
      expect((await again(browser)).status).toBe(200)
    })

    test('at once for another purpose, for another phone, and after the first was verified', async () => {
      const { body } = await again(browser)
      expect((await again(browser, { purpose: 'other' })).status).toBe(200)
      expect((await again(browser, { phoneNumber: '010-8765-4321' })).status).toBe(200)
      await world.settle()
      const [first] = world.sms.requests
      const code = /\d{6}/.exec(first?.text ?? '')?.[0] ?? ''
      const verified = await world.call(wire, 'verify', { issueId: body.issueId, code }, { key: keys.live })
      expect(verified.body).toMatchObject({ verified: true })
      expect((await again(browser)).status).toBe(200)
    })

    test('at once where another kind of key has brought about the one before', async () => {
      await decide({ resendMs: { sk: 60_000, pk: 60_000 } })
      expect((await again(browser)).status).toBe(200)
      expect((await again(keys.live)).status).toBe(200)
      expect((await again(browser)).status).toBe(200)
    })

    test('when the one before has expired, at the latest', async () => {
      await decide({ resendMs: { sk: 600_000, pk: 600_000 } })
      const { body } = await again(keys.live, { expiresInSec: 60 })
      expect(body.resendAvailableAt).toBe(body.expiresAt)
      world.clock.step(59_999)
      expect((await again(keys.live)).body.data).toMatchObject({ limit: 'resend', retryAfterMs: 1 })
      world.clock.step(1)
      expect((await again(keys.live)).status).toBe(200)
    })

    test('with secret keys at once, or as its owner has decided', async () => {
      const { body } = await again(keys.live)
      expect(body.resendAvailableAt).toBe(body.queuedAt)
      expect((await again(keys.live)).status).toBe(200)
      await decide({ resendMs: { ...NEW_APP.resendMs, sk: 60_000 } })
      expect((await again(keys.live)).body.data).toMatchObject({ limit: 'resend', retryAfterMs: 60_000 })
    })

    test('and answers a replay all the same', async () => {
      const first = await again(browser, { idempotencyKey: 'same' })
      const second = await again(browser, { idempotencyKey: 'same' })
      expect({ status: second.status, body: second.body }).toEqual({ status: 200, body: first.body })
    })
  })

  test('in test mode, with browser keys too, sends anywhere and at once', async () => {
    const key = await world.key({ appId: keys.appId, kind: 'pk', mode: 'test', allowedOrigins: [ORIGIN] })
    for (const phoneNumber of ['010-0000-0000', '+1 212 555 0100', '+1 212 555 0100']) {
      const { status, body } = await issue(key, { phoneNumber, purpose: 'same', headers: { origin: ORIGIN } })
      expect(status).toBe(200)
      expect(body.resendAvailableAt).toBe(body.queuedAt)
    }
  })

  describe('counts the address of whom a code is for', () => {
    const header = (ip: string) => ({ 'x-watchword-client-ip': ip })

    test('as a secret key says it', async () => {
      const limited = await world.key({ appId: keys.appId, kind: 'sk', mode: 'live', limits: { issuesPerMinPerIp: 1 } })
      expect((await issue(limited, { headers: header('203.0.113.1') })).status).toBe(200)
      expect((await issue(limited, { headers: header('203.0.113.1') })).body.data).toMatchObject({ limit: 'perIp' })
      expect((await issue(limited, { headers: header('203.0.113.2') })).status).toBe(200)
    })

    test('by the /64 network of IPv6', async () => {
      const limited = await world.key({ appId: keys.appId, kind: 'sk', mode: 'live', limits: { issuesPerMinPerIp: 1 } })
      expect((await issue(limited, { headers: header('2001:db8:1:2::1') })).status).toBe(200)
      expect((await issue(limited, { headers: header('2001:db8:1:2:ffff::2') })).status).toBe(429)
      expect((await issue(limited, { headers: header('2001:db8:1:3::1') })).status).toBe(200)
      expect((await issue(limited, { ip: '2001:db8:9::1' })).status).toBe(200)
      expect((await issue(limited, { ip: '2001:db8:9::2' })).status).toBe(429)
    })

    test('where it is an issue of a live key: nothing else looks at it', async () => {
      const wrong = { headers: header('unknown') }
      expect((await world.call(wire, 'balance', {}, { key: keys.live, ...wrong })).status).toBe(200)
      const request = { phoneNumber: '010-0000-0000', purpose: 'p', idempotencyKey: 'test' }
      expect((await world.call(wire, 'issue', request, { key: keys.test, ...wrong })).status).toBe(200)
    })

    test.each(['', 'somebody', '203.0.113.1, 203.0.113.2', '203.0.113.1/24', '999.1.1.1'])(
      'and refuses what is no address: %j',
      async (said) => {
        const { status, body } = await issue(keys.live, { headers: header(said) })
        expect({ status, data: body.data }).toEqual({
          status: 400,
          data: { param: 'X-Watchword-Client-Ip', reason: 'invalid_format' },
        })
      },
    )

    test('as it is, whatever a browser key says, and for all browser keys together', async () => {
      const second = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
      const phone = (n: number) => `010-3000-${String(n).padStart(4, '0')}`
      const from = (key: string, n: number) =>
        issue(key, {
          phoneNumber: phone(n),
          ip: '203.0.113.1',
          headers: { origin: ORIGIN, ...header(`198.51.100.${n}`) },
        })
      for (let n = 0; n < 10; n++) expect((await from(n % 2 ? browser : second, n)).status).toBe(200)
      for (const key of [browser, second]) expect((await from(key, 11)).body.data).toMatchObject({ limit: 'perIp' })
    })
  })
})
