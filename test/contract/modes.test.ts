/** What an owner decides of number types and wrong codes: refused, only watched, or not looked at; and what is noted of it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { readWaitingPhones } from '../../src/usecases/abuse/read-protection'
import * as administer from '../../src/usecases/administer'
import { type Furnished, WIRES, World } from '../support/world'

const ORIGIN = 'https://app.example.com'
const PHONE = '010-1234-5678'
const LANDLINE = '02-312-3456'

interface Noted {
  rule: string
  kind: string
  country: string
  refused: number
  times: number
}

describe.each(WIRES)('an app over %s', (wire) => {
  let world: World
  let keys: Furnished
  let browser: string
  let made = 0

  beforeEach(async () => {
    world = await World.start({
      env: { WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '1000', WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1000' },
    })
    keys = await world.furnish()
    browser = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
  })
  afterEach(async () => {
    expect([...world.violations]).toEqual([])
    await world.stop()
  })

  const decide = (decided: administer.WantedProtection) =>
    world.run(administer.protectApp(world.admin, keys.appId, decided))
  const call = (name: 'issue' | 'verify', input: object, key: string) =>
    world.call(wire, name, input, { key, ...(key === browser && { headers: { origin: ORIGIN } }) })
  const issue = (input: object = {}, key = keys.live) =>
    call('issue', { phoneNumber: PHONE, purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input }, key)
  /** So many wrong codes, ten of each issue at most. */
  async function mistake(times: number, key = keys.live, phoneNumber = PHONE) {
    for (let left = times; left > 0; left -= 10) {
      const { status, body } = await issue({ maxAttempts: 10, phoneNumber }, key)
      expect(status).toBe(200)
      await world.settle()
      const code = world.sms.lastCode() === '111111' ? '222222' : '111111'
      for (let n = 0; n < Math.min(left, 10); n++) await call('verify', { issueId: body.issueId, code }, key)
    }
  }
  /** As they are stored some seconds later. */
  const noted = async () => {
    await world.advance(6_000)
    const rows = await world.rows<Noted>(
      `SELECT rule, key_kind AS kind, country, CASE WHEN refused THEN 1 ELSE 0 END AS refused, CAST(sum(times) AS INTEGER) AS times,
        CAST(sum(credits) AS INTEGER) AS credits FROM decisions GROUP BY rule, key_kind, country, refused ORDER BY rule, key_kind`,
    )
    return rows
  }
  const ofRule = (rule: string, refused: boolean, times = 1) => ({
    ...{ rule, kind: 'sk', country: 'KR', refused: refused ? 1 : 0, times, credits: times },
  })
  const incidents = () => world.rows('SELECT * FROM incidents')

  describe('that is asked for a code to a number that gets no texts', () => {
    const refused = { status: 400, data: { param: 'phoneNumber', reason: 'phone_number_without_texts' } }
    const ask = async (input: object = {}) => {
      const { status, body } = await issue({ phoneNumber: LANDLINE, ...input })
      return { status, data: body.data }
    }

    test('refuses and notes it; it costs nothing, and the key stays unused', async () => {
      expect(await ask({ idempotencyKey: 'same', purpose: 'p' })).toEqual(refused)
      expect(await noted()).toEqual([ofRule('number_type', true)])
      expect(await world.rows('SELECT reserved FROM wallets')).toEqual([{ reserved: 0 }])
      await decide({ numberTypes: 'off' })
      expect((await ask({ idempotencyKey: 'same', purpose: 'p' })).status).toBe(200)
    })

    test('sends it where that is only watched, which it notes, and not where it is not looked at', async () => {
      await decide({ numberTypes: 'watch' })
      expect((await ask()).status).toBe(200)
      await world.settle()
      expect(world.sms.requests.map(({ to }) => to)).toEqual(['+8223123456'])
      expect(await noted()).toEqual([ofRule('number_type', false)])
      await decide({ numberTypes: 'off' })
      expect((await ask()).status).toBe(200)
      expect(await noted()).toEqual([ofRule('number_type', false)])
    })

    test('verifies such a number, and answers a replay of it whatever is decided since', async () => {
      await decide({ numberTypes: 'watch' })
      const request = { phoneNumber: LANDLINE, purpose: 'p', idempotencyKey: 'same' }
      const { body } = await issue(request)
      await world.settle()
      await decide({ numberTypes: 'block' })
      expect(await issue(request)).toMatchObject({ status: 200, body })
      const typed = { issueId: body.issueId, code: world.sms.lastCode(), phoneNumber: LANDLINE }
      expect((await call('verify', typed, keys.live)).body).toMatchObject({ verified: true, proof: expect.any(String) })
    })

    test('opens no incident, and tells nobody to prove anything, however many there are', async () => {
      for (let n = 0; n < 30; n++) expect((await ask({ phoneNumber: `02-312-34${10 + n}` })).status).toBe(400)
      expect(await noted()).toEqual([ofRule('number_type', true, 30)])
      expect(await incidents()).toEqual([])
    })
  })

  describe('at a phone of which too many codes were wrong', () => {
    test('notes what it refuses, and for what: a pause, a lock, one code in three days', async () => {
      await mistake(10)
      expect((await issue()).body.data).toMatchObject({ limit: 'failures' })
      expect(await noted()).toEqual([ofRule('failures_paused', true)])
      await decide({ failures: 'watch', conversion: 'off' })
      await mistake(90)
      await decide({ failures: 'block' })
      const locked = await issue()
      expect([locked.status, locked.body.data.retryAfterMs > DAY_MS - MINUTE_MS]).toEqual([429, true])
      world.clock.step(DAY_MS)
      expect((await issue({ maxAttempts: 5 })).body.attemptsRemaining).toBe(1)
      expect((await issue()).body.data).toMatchObject({ limit: 'failures' })
      expect((await noted()).filter(({ refused }) => refused)).toEqual([
        ofRule('failures_locked', true),
        ofRule('failures_paused', true),
        ofRule('failures_seldom', true),
      ])
      expect(await incidents()).toEqual([])
    })

    test('sends a code with all its attempts where that is only watched, counts on, and is exact once it is not', async () => {
      // What else would be against so many codes is found first.
      await decide({ failures: 'watch', conversion: 'off' })
      await mistake(10)
      expect((await issue({ maxAttempts: 5 })).body.attemptsRemaining).toBe(5)
      expect(await noted()).toEqual([ofRule('failures_paused', false)])
      await mistake(90)
      expect((await issue()).status).toBe(200)
      expect((await noted()).map(({ rule, refused }) => [rule, refused])).toEqual([
        ['failures_locked', 0],
        ['failures_paused', 0],
      ])
      await decide({ failures: 'block' })
      const { body, headers } = await issue()
      expect(body.data).toMatchObject({ limit: 'failures', policy: 'platform' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(DAY_MS / 1_000 - 60)
    })

    test('notes nothing where it is not looked at', async () => {
      await decide({ failures: 'off' })
      await mistake(20)
      expect((await issue()).status).toBe(200)
      expect(await noted()).toEqual([])
    })
  })

  test('counts phones that wait, by what they wait for and whose codes were mistaken, and opens one for a kind of key', async () => {
    const held = async () => {
      const app = await world.run(administer.existingApp(world, keys.appId))
      return world.run(readWaitingPhones(world, app))
    }
    const standings = async (phoneNumber = PHONE) => {
      const { standings } = await world.run(administer.standingOfPhone(asOperator(), keys.appId, phoneNumber))
      return Object.fromEntries(standings.map(({ kind, rule }) => [kind, rule]))
    }
    const asOperator = () => ({ ...world.admin, clock: world.clock, numbering: world.config.numbering })
    const nothing = { failures_paused: 0, failures_locked: 0, failures_seldom: 0 }
    await mistake(9, keys.live, '010-1111-0000')
    expect(await held()).toEqual({ sk: nothing, pk: nothing, areAll: true })
    await decide({ failures: 'watch', conversion: 'off' })
    await mistake(100)
    for (let n = 0; n < 3; n++) await mistake(10, browser, `010-2222-000${n}`)
    await mistake(10, browser)
    expect(await held()).toEqual({
      ...{ sk: { ...nothing, failures_locked: 1 }, pk: { ...nothing, failures_paused: 4 }, areAll: true },
    })
    expect(await standings()).toEqual({ sk: 'failures_locked', pk: 'failures_paused' })
    expect(await standings('010-9999-0000')).toEqual({})
    expect(await world.run(administer.unlockPhone(asOperator(), keys.appId, PHONE, ['pk']))).toEqual({
      wasWaiting: true,
    })
    expect(await standings('+82 10 1234 5678')).toEqual({ sk: 'failures_locked' })
    expect(await held()).toMatchObject({ sk: { failures_locked: 1 }, pk: { failures_paused: 3 } })
    world.clock.step(MINUTE_MS)
    expect((await held()).pk).toEqual(nothing)
    world.clock.step(DAY_MS)
    // A hundred in thirty days: what was locked comes seldom from the next code on.
    expect((await held()).sk).toEqual(nothing)
    expect((await issue()).status).toBe(200)
    expect((await held()).sk).toEqual({ ...nothing, failures_seldom: 1 })
    const other = await world.run(administer.createApp(world.admin, { name: 'Other' }))
    expect(await world.run(readWaitingPhones(world, other))).toEqual({ sk: nothing, pk: nothing, areAll: true })
  })

  test('notes who asks for the next code too soon, which is no incident either', async () => {
    await issue({ purpose: 'same' }, browser)
    for (let n = 0; n < 12; n++) expect((await issue({ purpose: 'same' }, browser)).status).toBe(429)
    expect(await noted()).toEqual([{ ...ofRule('resend', true, 12), kind: 'pk' }])
    expect(await incidents()).toEqual([])
  })

  test('notes of one code what refuses it, whatever else would have', async () => {
    await decide({ numberTypes: 'watch', closed: ['KR'] })
    expect((await issue({ phoneNumber: LANDLINE })).status).toBe(403)
    expect(await noted()).toEqual([ofRule('country_closed', true)])
  })

  test('notes of one code the first that would have refused it', async () => {
    await decide({ numberTypes: 'watch', countries: 'watch' })
    const british = '+44 20 7946 0958'
    expect((await issue({ phoneNumber: british }, browser)).status).toBe(200)
    expect(await noted()).toEqual([{ ...ofRule('number_type', false), kind: 'pk', country: 'GB' }])
    await decide({ failures: 'watch', conversion: 'off' })
    await mistake(10, browser, british)
    expect((await issue({ phoneNumber: british }, browser)).status).toBe(200)
    expect((await noted()).map(({ rule }) => rule)).toEqual(['number_type'])
  })

  test('has so many rows a minute of it, of however many places and rules', async () => {
    await decide({ conversion: 'off', resendMs: { sk: 60_000 } })
    const phone = (n: number) => ({ phoneNumber: `010-${2_000 + n}-1234`, purpose: 'same' })
    for (let n = 0; n < 80; n++)
      expect([(await issue(phone(n))).status, (await issue(phone(n))).status]).toEqual([200, 429])
    await decide({ closed: ['KR'] })
    for (let n = 0; n < 80; n++) expect((await issue(phone(n))).status).toBe(403)
    expect((await noted()).map(({ rule, times }) => [rule, times])).toEqual([
      ['country_closed', 80],
      ['resend', 80],
    ])
    const [rows] = await world.rows<{ n: number; minutes: number }>(
      'SELECT count(*) AS n, count(DISTINCT minute) AS minutes FROM decisions',
    )
    // A hundred places are told apart, and the others are counted together.
    expect([Number(rows?.n), Number(rows?.minutes)]).toEqual([101, 1])
  })

  test('sends with secret keys only where its owner wants that, and anywhere again', async () => {
    const japanese = '+81 90 1234 5678'
    await decide({ secretTo: ['KR'], countries: 'watch' })
    const { status, body } = await issue({ phoneNumber: japanese })
    expect({ status, data: body.data }).toEqual({
      ...{ status: 403, data: { param: 'phoneNumber', reason: 'country_closed' } },
    })
    expect((await issue()).status).toBe(200)
    expect((await issue({ phoneNumber: japanese }, browser)).status).toBe(200)
    await decide({ secretTo: [] })
    expect((await issue({ phoneNumber: japanese })).status).toBe(200)
  })
})
