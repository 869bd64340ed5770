/** Who guesses passwords is slowed down, and nobody else is. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { operatorNamed, setUpToken, unlock } from '../../src/usecases/people'
import { World } from '../support/world'
import { ConsoleClient } from './client'

const PASSWORD = 'correct horse battery'
const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const HOME = '198.51.100.1'
const CAFE = '198.51.100.2'
const STRANGER = '203.0.113.66'

describe('signing in', () => {
  let world: World
  let owner: ConsoleClient

  const from = (ip: string, { email = 'ann@example.com', password = PASSWORD, ...more }: Record<string, string> = {}) =>
    new ConsoleClient(world, ip).call('session/signIn', { email, password, ...more })
  const guess = (ip: string, more: Record<string, string> = {}) => from(ip, { password: 'wrong', ...more })
  const statusesOf = async (answers: Array<ReturnType<typeof from>>) =>
    (await Promise.all(answers)).map(({ status }) => status)
  const later = (ms: number) => world.leap(ms)
  const entries = async () => (await owner.call('audit/list', {})).body.rows

  beforeEach(async () => {
    world = await World.start()
    owner = new ConsoleClient(world, HOME)
    const person = { name: 'Ann', email: 'ann@example.com', password: PASSWORD }
    expect((await owner.call('session/setUp', { token: await setUpToken(world), ...person })).status).toBe(200)
  })
  afterEach(() => world.stop())

  test('strangers who guess lock nobody out, neither where one was before nor where one is new', async () => {
    for (let n = 0; n < 60; n++) await guess(STRANGER)
    for (let n = 0; n < 60; n++) await guess(`203.0.113.${n}`)
    expect((await from(HOME)).status).toBe(200)
    expect((await from(CAFE)).status).toBe(200)
  })

  test('the right password always works from an address it was used at, whatever else came from there', async () => {
    for (let n = 0; n < 40; n++) await guess(HOME)
    for (let n = 0; n < 40; n++) await guess(HOME, { email: `p${n}@example.com` })
    expect((await guess(HOME)).status).toBe(429)
    expect((await from(HOME)).status).toBe(200)
  })

  test('who signs in rightly, however often, has not guessed', async () => {
    for (let n = 0; n < 10; n++) expect((await from(CAFE)).status).toBe(200)
    expect((await guess(CAFE)).status).toBe(401)
  })

  test('a guesser waits longer and longer, and is told how long', async () => {
    for (let n = 0; n < 5; n++) expect((await guess(STRANGER)).status).toBe(401)
    const refused = await guess(STRANGER)
    expect([refused.status, refused.headers.get('retry-after'), refused.body.data]).toEqual([
      429,
      '30',
      { limit: 'perIp', policy: 'platform', retryAfterMs: 30 * SECOND_MS },
    ])
    await later(30 * SECOND_MS)
    expect((await guess(STRANGER)).status).toBe(401)
    expect((await guess(STRANGER)).headers.get('retry-after')).toBe('60')
  })

  test('while it is paused right and wrong passwords, and accounts that are none, are answered alike', async () => {
    const none = { email: 'nobody@example.com' }
    const told: unknown[] = []
    for (const [ip, more] of [
      ['203.0.113.1', {}],
      ['203.0.113.2', none],
    ] as const) {
      const statuses = []
      for (let n = 0; n < 7; n++) statuses.push((await guess(ip, more)).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
      for (const password of [PASSWORD, 'wrong']) {
        const { status, body, headers, cookie } = await from(ip, { ...more, password })
        told.push({ status, body, retryAfter: headers.get('retry-after'), cookie })
      }
    }
    for (const one of told) expect(one).toEqual(told[0])
  })

  test('forty guesses at a time are forty', async () => {
    const statuses = await statusesOf(Array.from({ length: 40 }, () => guess(STRANGER)))
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(35)
    // All are looked at from a known address, and all count.
    expect(await statusesOf(Array.from({ length: 40 }, () => guess(HOME)))).toHaveLength(40)
    const { body } = await guess(HOME)
    expect(body.data.retryAfterMs).toBe(HOUR_MS)
  })

  test('right passwords at a time with wrong ones get in, from a known address', async () => {
    const answers = Array.from({ length: 40 }, (_, n) => (n % 8 === 7 ? from(HOME) : guess(HOME)))
    const statuses = await statusesOf(answers)
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
  })

  test('an address that tries many accounts is slowed down at every account', async () => {
    for (let n = 0; n < 30; n++) expect((await guess(STRANGER, { email: `p${n}@example.com` })).status).toBe(401)
    expect((await from(STRANGER)).status).toBe(429)
    // A colleague at the same address who was there before is let in.
    expect((await from(HOME)).status).toBe(200)
  })

  test('a network of IPv6 is one address', async () => {
    for (let n = 0; n < 5; n++) expect((await guess(`2001:db8:1:2::${n}`)).status).toBe(401)
    expect((await guess('2001:db8:1:2:ffff::1')).status).toBe(429)
    expect((await guess('2001:db8:1:3::1')).status).toBe(401)
  })

  describe('the addresses that are known', () => {
    test('are known after a restart, too', async () => {
      const restarted = await World.start({ place: world.place })
      const client = new ConsoleClient(restarted, HOME)
      const wrong = { email: 'ann@example.com', password: 'wrong' }
      for (let n = 0; n < 8; n++) await client.call('session/signIn', wrong)
      expect((await client.call('session/signIn', wrong)).status).toBe(429)
      expect((await client.call('session/signIn', { ...wrong, password: PASSWORD })).status).toBe(200)
    })

    test('are the last twenty, the one of now among them though the clock was set back', async () => {
      for (let n = 0; n < 20; n++) {
        await later(1)
        if (n === 19) world.clock.step(-HOUR_MS)
        expect((await from(`198.51.100.${100 + n}`)).status).toBe(200)
      }
      expect(await world.rows('SELECT * FROM operator_addresses')).toHaveLength(20)
      for (const ip of ['198.51.100.119', '198.51.100.100', HOME]) for (let n = 0; n < 6; n++) await guess(ip)
      expect((await from('198.51.100.119')).status).toBe(200)
      expect((await from('198.51.100.100')).status).toBe(200)
      expect((await from(HOME)).status).toBe(429)
    })

    test('are kept as keyed hashes, apart for each operator', async () => {
      const dump = JSON.stringify(world.rows('SELECT hex(address_hash) AS hash, * FROM operator_addresses'))
      expect(dump).not.toContain(HOME)
      const { url } = (await owner.call('operators/invite', { role: 'viewer' })).body
      const person = { name: 'Bob', email: 'bob@example.com', password: PASSWORD }
      await new ConsoleClient(world, HOME).call('session/accept', { token: url.split('#')[1], ...person })
      const hashes = await world.rows<{ hash: string }>('SELECT hex(address_hash) AS hash FROM operator_addresses')
      expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(2)
    })

    test('of a proxy nobody has named is nobody’s: behind it everybody has it', async () => {
      const proxied = { 'x-forwarded-for': '203.0.113.5' }
      const signIn = { email: 'ann@example.com', password: PASSWORD }
      const client = new ConsoleClient(world, '10.0.0.1')
      expect((await client.call('session/signIn', signIn, proxied)).status).toBe(200)
      for (let n = 0; n < 6; n++) await client.call('session/signIn', { ...signIn, password: 'wrong' }, proxied)
      expect((await client.call('session/signIn', signIn, proxied)).status).toBe(429)
    })

    test('behind a named proxy are those of the clients', async () => {
      const other = await World.start({ place: world.place, env: { WATCHWORD_TRUSTED_PROXIES: '10.0.0.0/8' } })
      const client = new ConsoleClient(other, '10.0.0.1')
      const at = (ip: string, password: string) =>
        client.call('session/signIn', { email: 'ann@example.com', password }, { 'x-forwarded-for': ip })
      for (const ip of [HOME, CAFE]) for (let n = 0; n < 6; n++) await at(ip, 'wrong')
      expect((await at(HOME, PASSWORD)).status).toBe(200)
      expect((await at(CAFE, PASSWORD)).status).toBe(429)
    })
  })

  describe('an owner', () => {
    test('lifts the pauses, and it is in the audit log', async () => {
      for (let n = 0; n < 30; n++) await guess(CAFE, { email: `p${n}@example.com` })
      for (let n = 0; n < 6; n++) await guess(STRANGER)
      expect(await statusesOf([from(CAFE), from(STRANGER)])).toEqual([429, 429])
      const { operator } = (await owner.call('session/current')).body
      const lift = await owner.call('operators/unlock', { operatorId: operator.operatorId })
      expect(lift.status).toBe(200)
      expect(await statusesOf([from(CAFE), from(STRANGER)])).toEqual([200, 200])
      const [entry] = (await entries()).filter(({ action }: { action: string }) => action === 'operator.unlock')
      expect(entry).toMatchObject({ actor: operator.operatorId, target: operator.operatorId, ip: HOME })
    })

    test('lifts them from another process, again and again', async () => {
      const beside = await World.start({ place: world.place })
      for (let time = 0; time < 3; time++) {
        const ip = `203.0.113.${time}`
        for (let n = 0; n < 6; n++) await guess(ip)
        expect((await from(ip)).status).toBe(429)
        await unlock(beside, { name: 'cli' }, await operatorNamed(beside, 'Ann@example.com'))
        expect((await from(ip)).status).toBe(200)
      }
    })

    test('reads that somebody guesses, once an hour', async () => {
      for (let n = 0; n < 50; n++) await guess(`203.0.113.${n % 5}`)
      await world.settle()
      const pauses = async () =>
        (await entries()).filter(({ action }: { action: string }) => action === 'session.pause')
      expect(await pauses()).toMatchObject([{ actor: 'nobody', ip: '203.0.113.0', detail: { failures: 5 } }])
      await later(HOUR_MS)
      await guess('203.0.113.0')
      await world.settle()
      expect(await pauses()).toHaveLength(2)
      expect((await owner.call('audit/verify')).body.isIntact).toBe(true)
    })
  })

  describe('the second factor', () => {
    const codeNow = (secret: string) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })

    async function withTotp(): Promise<string> {
      const { secret } = (await owner.call('session/totpBegin', { current: PASSWORD })).body
      await owner.call('session/totpConfirm', { totp: codeNow(secret) })
      await later(90 * SECOND_MS)
      return secret
    }

    test('cannot be guessed by who has the password, from however many addresses', async () => {
      const secret = await withTotp()
      for (let n = 0; n < 5; n++) expect((await from(`203.0.113.${n}`, { totp: '000000' })).status).toBe(401)
      expect((await from('203.0.113.99', { totp: codeNow(secret) })).status).toBe(429)
      // The one whose password it is has been here before.
      expect((await from(HOME, { totp: codeNow(secret) })).status).toBe(200)
    })

    test('cannot be guessed from a known address either', async () => {
      const secret = await withTotp()
      for (let n = 0; n < 5; n++) expect((await from(HOME, { totp: '000000' })).status).toBe(401)
      const refused = await from(HOME, { totp: codeNow(secret) })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
      await later(30 * SECOND_MS)
      expect((await from(HOME, { totp: codeNow(secret) })).status).toBe(200)
    })

    test('counts for the account and the address like a password', async () => {
      await withTotp()
      for (let n = 0; n < 3; n++) expect((await guess(CAFE)).status).toBe(401)
      for (let n = 0; n < 2; n++) expect((await from(CAFE, { totp: '000000' })).status).toBe(401)
      expect((await guess(CAFE)).status).toBe(429)
    })

    test('being asked for it is no attempt', async () => {
      await withTotp()
      for (let n = 0; n < 40; n++) expect((await from(CAFE)).body.data.reason).toBe('totp_needed')
    })
  })
})
