/** A proof of a human instead of a refusal for abuse: asked for, verified at each vendor, and not asked for where nothing is refused. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type ChallengeSettings, VENDORS } from '../../src/abuse/rules/challenge'
import type { FailureCount } from '../../src/abuse/rules/failure-budget'
import type { Protection } from '../../src/abuse/rules/protection'
import { DAY_MS } from '../../src/domain/shared/value'
import type { Transport } from '../../src/ports/network'
import { createTransport } from '../../src/system/transport'
import * as administer from '../../src/usecases/administer'
import { ChallengeVendor, SECRET_AT_VENDOR } from '../support/challenge-vendors'
import { isNightly } from '../support/depth'
import { REFUSED_AS_ABUSE, SUSPECT, suspect } from '../support/suspects'
import { HANGS_AFTER_MS, until } from '../support/until'
import { type Furnished, WIRES, World } from '../support/world'

const ORIGIN = 'https://app.example.com'
const IP = '203.0.113.9'
const HONEST = '010-1234-5678'
/** Of those that made the others suspicious, by keys of two kinds. */
const BEFORE = 54

/** What a vendor says has nothing to do with the wire: only nightly plays each over both. */
const CASES = VENDORS.flatMap((vendor, index) =>
  WIRES.filter((_, at) => isNightly || index === 0 || at === index % WIRES.length).map((wire) => ({ wire, vendor })),
)

describe.each(CASES)('a proof of $vendor over $wire', ({ wire, vendor: name }) => {
  let world: World
  let keys: Furnished
  let browser: string
  let vendor: ChallengeVendor
  /** What the transport was asked for. */
  let timeouts: number[]
  /** In place of the product's own limit, which a busy machine takes to hold 128 checks. */
  let patienceMs: number
  let made = 0

  beforeEach(async () => {
    vendor = new ChallengeVendor(name)
    timeouts = []
    patienceMs = HANGS_AFTER_MS
    const real = createTransport()
    const toVendor = (others: Transport): Transport => ({
      request(request) {
        if (request.url !== vendor.url) return others.request(request)
        timeouts.push(request.timeoutMs)
        return real.request({ ...request, timeoutMs: patienceMs })
      },
    })
    world = await World.start({
      env: { [`WATCHWORD_${name.toUpperCase()}_URL`]: vendor.url },
      wrapTransport: toVendor,
    })
    keys = await world.furnish()
    browser = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
    await suspect(world, keys.appId, [
      { key: browser, kind: 'pk', origin: ORIGIN },
      { key: keys.live, kind: 'sk' },
    ])
  })
  afterEach(async () => {
    expect(world.logged.filter((line) => line.includes(SECRET_AT_VENDOR) || line.includes('token'))).toEqual([])
    await world.stop()
    await vendor.stop()
  })

  const ask = (more: Partial<ChallengeSettings> = {}) =>
    world.run(administer.setChallenge(world.admin, keys.appId, { vendor: name, secret: SECRET_AT_VENDOR, ...more }))
  const issue = async (input: Record<string, unknown> = {}, options: { key?: string; headers?: object } = {}) => {
    const { key = browser, headers } = options
    const request = { phoneNumber: SUSPECT, purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input }
    const answer = await world.call(wire, 'issue', request, {
      ...{ key, ip: IP },
      headers: { ...(key === browser && { origin: ORIGIN }), ...headers },
    })
    const { status, body } = answer
    return { status, data: body.data, body, retryAfter: answer.headers.get('retry-after') }
  }
  const forbidden = (reason: string) => ({ status: 403, data: { param: 'challenge', reason } })
  const LIMITED = { status: 429, data: REFUSED_AS_ABUSE }
  /** How many more there are. */
  const issued = async () =>
    Number((await world.rows<{ n: number }>('SELECT count(*) AS n FROM issues'))[0]?.n) - BEFORE
  const RESERVED = [{ reserved: BEFORE + 1 }]

  /** Of what no vendor has a part in: only nightly plays it with each. */
  const testOnce = isNightly || name === VENDORS[0] ? test : () => {}

  testOnce('is what an app does not ask for until it is told to: what looks like abuse is refused', async () => {
    expect(await issue()).toMatchObject(LIMITED)
    expect(await issue({ challenge: 'good-token' })).toMatchObject(LIMITED)
    expect(vendor.forms).toEqual([])
  })

  test('is asked for where a rule would refuse, and lets the code be sent', async () => {
    await ask()
    expect(await issue({ idempotencyKey: 'once' })).toMatchObject(forbidden('challenge_required'))
    expect(await issued()).toBe(0)
    expect((await issue({ idempotencyKey: 'once', challenge: 'good-token' })).status).toBe(200)
    expect(await issued()).toBe(1)
    expect(vendor.forms).toEqual([{ secret: SECRET_AT_VENDOR, response: 'good-token', remoteip: IP }])
    expect(timeouts).toEqual([3_000])
    expect(await world.rows('SELECT reserved FROM wallets')).toEqual(RESERVED)
  })

  testOnce('is not looked at where nothing would be refused', async () => {
    await ask()
    expect((await issue({ phoneNumber: HONEST, challenge: 'wrong-token' })).status).toBe(200)
    expect(vendor.forms).toEqual([])
  })

  testOnce('is not asked for again when the request is repeated, nor is it part of what is repeated', async () => {
    await ask()
    const first = await issue({ idempotencyKey: 'same', purpose: 'p', challenge: 'good-token' })
    for (const again of [{ challenge: 'good-token' }, { challenge: 'another-token' }, {}])
      expect(await issue({ idempotencyKey: 'same', purpose: 'p', ...again })).toMatchObject({
        status: 200,
        body: { issueId: first.body.issueId },
      })
    expect(vendor.forms).toHaveLength(1)
    expect(await issued()).toBe(1)
  })

  test('that is wrong, or was used already, is refused, and leaves nothing', async () => {
    await ask()
    expect(await issue({ challenge: 'wrong-token' })).toMatchObject(forbidden('challenge_failed'))
    expect((await issue({ challenge: 'good-token' })).status).toBe(200)
    expect(await issue({ challenge: 'good-token' })).toMatchObject(forbidden('challenge_failed'))
    expect(await issued()).toBe(1)
    expect(await world.rows('SELECT reserved FROM wallets')).toEqual(RESERVED)
  })

  testOnce('lifts only what a proof is to lift', async () => {
    await ask()
    const decide = (decided: Partial<Protection>) => world.run(administer.protectApp(world.admin, keys.appId, decided))
    // What an owner has decided is no question of who asks.
    await decide({ caps: [{ kind: 'pk', per: 'prefix', of: 'messages', every: 'hour', max: 5 }] })
    expect(await issue({ challenge: 'good-token' })).toMatchObject({ status: 429, data: { limit: 'abuse' } })
    await decide({ caps: [], closed: ['KR'] })
    expect(await issue({ challenge: 'good-token' })).toMatchObject({ status: 403, data: { reason: 'country_closed' } })
    expect(vendor.forms).toEqual([])
    // And another one behind it holds as ever.
    await decide({ closed: [] })
    expect((await issue({ purpose: 'login', challenge: 'good-token' })).status).toBe(200)
    expect((await issue({ purpose: 'login', challenge: 'good-2' })).data).toMatchObject({ limit: 'resend' })
  })

  testOnce(
    'lets codes come to a phone for which they come seldom, one attempt each, and lifts no pause and no lock',
    async () => {
      const failures = { inARow: 0, lastAt: 0, lockedAt: undefined, issuedAt: world.clock.now() }
      const phoneHash = world.vault.phoneHash('+821012345678')
      const fail = (more: Partial<FailureCount>) =>
        world.store.transaction(async (tx) => {
          const byDay = [[Math.floor(world.clock.now() / DAY_MS), 60]] as const
          const phone = { appId: keys.appId, kind: 'pk' as const, phoneHash }
          await tx.failures.lock(phone)
          await tx.failures.save(phone, { ...failures, byDay, ...more })
        })
      const honest = (more: object = {}) => issue({ phoneNumber: HONEST, maxAttempts: 5, ...more })
      await world.run(fail({}))
      expect(await honest({ challenge: 'good-0' })).toMatchObject({ status: 429, data: { limit: 'failures' } })
      await ask()
      expect(await honest()).toMatchObject(forbidden('challenge_required'))
      expect(await honest({ challenge: 'wrong' })).toMatchObject(forbidden('challenge_failed'))
      for (const challenge of ['good-1', 'good-2'])
        expect(await honest({ challenge })).toMatchObject({ status: 200, body: { attemptsRemaining: 1 } })
      // The codes by proofs are not the one in three days.
      world.clock.step(3 * DAY_MS)
      expect(await honest()).toMatchObject({ status: 200, body: { attemptsRemaining: 1 } })

      const asked = vendor.forms.length
      for (const more of [
        { inARow: 12, lastAt: world.clock.now() },
        { inARow: 100, lockedAt: world.clock.now() },
      ]) {
        await world.run(fail({ issuedAt: world.clock.now(), ...more }))
        expect(await honest({ challenge: 'good-3' })).toMatchObject({ status: 429, data: { limit: 'failures' } })
      }
      expect(vendor.forms).toHaveLength(asked)
    },
  )

  testOnce('lifts nothing that its owner decides while the vendor is asked', async () => {
    await ask()
    vendor.answer = async () => {
      const caps: Protection['caps'] = [{ kind: 'pk', per: 'prefix', of: 'messages', every: 'hour', max: 5 }]
      await administer.protectApp(world.admin, keys.appId, { caps })
      return Response.json({ success: true })
    }
    expect(await issue({ challenge: 'good-token' })).toMatchObject({ status: 429, data: { limit: 'abuse' } })
    expect(await issued()).toBe(0)
  })

  testOnce('of whom a server asks for is told with the address that it names, and else with none', async () => {
    await ask()
    const headers = { 'x-watchword-client-ip': '198.51.100.4' }
    expect((await issue({ challenge: 'good-1' }, { key: keys.live, headers })).status).toBe(200)
    expect((await issue({ challenge: 'good-2' }, { key: keys.live })).status).toBe(200)
    expect(vendor.forms.map(({ remoteip }) => remoteip)).toEqual(['198.51.100.4', undefined])
  })

  testOnce('is 1 to 4,096 visible characters', async () => {
    const refused = async (challenge: unknown) => (await issue({ phoneNumber: HONEST, challenge })).data?.reason
    expect(await refused('')).toBe('required')
    expect(await refused('x'.repeat(4_097))).toBe('too_long')
    for (const wrong of ['a b', 'a\n', '사람', ' a']) expect(await refused(wrong)).toBe('invalid_format')
    expect(await refused(7)).toBe('wrong_type')
    await ask()
    const longest = `good${'~!'.repeat(2_046)}`
    expect((await issue({ challenge: longest })).status).toBe(200)
    expect(vendor.forms.at(-1)?.response).toBe(longest)
  })

  test('from a page that is not among the hostnames is refused', async () => {
    await ask({ hostnames: ['app.example.com'] })
    vendor.says = { hostname: 'evil.example.com' }
    expect(await issue({ challenge: 'good-1' })).toMatchObject(forbidden('challenge_failed'))
    vendor.says = {}
    expect(await issue({ challenge: 'good-2' })).toMatchObject(forbidden('challenge_failed'))
    vendor.says = { hostname: 'App.Example.com' }
    expect((await issue({ challenge: 'good-3' })).status).toBe(200)
  })

  const OUTAGES: Record<string, { answer: () => Response | Promise<Response>; reason: string }> = {
    'does not answer in time': { answer: () => new Promise(() => {}), reason: 'NO_ANSWER_TimeoutError' },
    'answers 503': { answer: () => new Response('busy', { status: 503 }), reason: 'HTTP_503' },
    'answers garbage': { answer: () => new Response('<html>captcha</html>'), reason: 'UNREADABLE' },
    'answers what says nothing': { answer: () => Response.json({ success: 'true' }), reason: 'UNREADABLE' },
    'answers a list': { answer: () => Response.json([{ success: true }]), reason: 'UNREADABLE' },
    'answers too much': {
      answer: () => Response.json({ success: true, more: 'x'.repeat(70_000) }),
      reason: 'NO_ANSWER_answer too large',
    },
    'sends elsewhere': { answer: () => Response.redirect(`${vendor.url}?moved`, 302), reason: 'HTTP_302' },
    'has a fault of its own': {
      answer: () => Response.json({ success: false, 'error-codes': ['internal-error'] }),
      reason: 'INTERNAL_ERROR',
    },
    'does not know our secret': {
      answer: () => Response.json({ success: false, 'error-codes': ['invalid-input-secret'] }),
      reason: 'SECRET',
    },
  }
  test.each(Object.entries(OUTAGES))('of a vendor that %s is as the app has chosen', async (_, { answer, reason }) => {
    vendor.answer = answer
    // Only who does not answer is waited for in vain.
    if (reason === 'NO_ANSWER_TimeoutError') patienceMs = 100
    await ask()
    expect(await issue({ challenge: 'good-token' })).toMatchObject(LIMITED)
    expect(await issued()).toBe(0)
    await ask({ onOutage: 'pass' })
    expect((await issue({ challenge: 'good-token' })).status).toBe(200)
    // Once each time: a token is good for one look, and a redirect is not followed.
    expect(vendor.forms).toHaveLength(2)
    const told = world.logged.map((line) => JSON.parse(line)).filter(({ vendor: said }) => said === name)
    expect(told).toEqual(
      ['refuse', 'pass'].map((onOutage) =>
        expect.objectContaining({ level: 'warn', appId: keys.appId, vendor: name, reason, onOutage }),
      ),
    )
  })

  /** Whatever the app has chosen for outages. */
  const TOO_MANY = { limit: 'perApp', policy: 'platform', retryAfterMs: 1_000 }

  test('of a vendor that answers 429 is no outage: whoever sends wrong tokens can bring that about', async () => {
    await ask({ onOutage: 'pass' })
    vendor.answer = () => Response.json({ success: true }, { status: 429 })
    expect(await issue({ challenge: 'good-token' })).toEqual(expect.objectContaining({ status: 429, data: TOO_MANY }))
    expect(await issued()).toBe(0)
  })

  testOnce('over the limit of checks in flight is 429, never a pass, and counted by app', async () => {
    await ask({ onOutage: 'pass' })
    const answers: Array<(response: Response) => void> = []
    vendor.answer = () => new Promise((resolve) => answers.push(resolve))
    const inFlight = Array.from({ length: 128 }, (_, n) => issue({ challenge: `junk-${n}` }, { key: keys.live }))
    await until(() => answers.length === 128, '128 checks to be in flight')
    const last = { idempotencyKey: 'over', purpose: 'over', challenge: 'good-token' }
    const over = await issue(last, { key: keys.live })
    expect(over).toEqual(expect.objectContaining({ status: 429, data: TOO_MANY }))
    expect(over.retryAfter).toBe('1')
    expect(vendor.forms).toHaveLength(128)
    // Each kind of key is counted for itself.
    inFlight.push(issue({ challenge: 'junk' }))
    await until(() => answers.length === 129, 'the check of a browser key to be in flight')
    const told = world.logged.map((line) => JSON.parse(line)).filter(({ vendor: said }) => said === name)
    expect(told).toEqual([
      expect.objectContaining({
        level: 'warn',
        appId: keys.appId,
        message: expect.stringContaining('too many proofs'),
      }),
    ])

    for (const answer of answers) answer(Response.json({ success: false, 'error-codes': ['invalid-input-response'] }))
    for (const answered of await Promise.all(inFlight)) expect(answered).toMatchObject(forbidden('challenge_failed'))
    expect(await issued()).toBe(0)
    // The token was not looked at, and is as good as it was.
    vendor.answer = undefined
    expect((await issue(last, { key: keys.live })).status).toBe(200)
  })

  testOnce('of a vendor that is not there is as the app has chosen', async () => {
    await vendor.stop()
    await ask()
    expect(await issue({ challenge: 'good-token' })).toMatchObject(LIMITED)
    await ask({ onOutage: 'pass' })
    expect((await issue({ challenge: 'good-token' })).status).toBe(200)
  })

  test('that a vendor cannot read is wrong, and no outage that would let it pass', async () => {
    await ask({ onOutage: 'pass' })
    for (const body of ['{"success":false,"error-codes":["bad-request"]}', 'Bad Request']) {
      vendor.answer = () => new Response(body, { status: 400 })
      expect(await issue({ challenge: 'good-token' })).toMatchObject(forbidden('challenge_failed'))
    }
  })

  testOnce('is asked for no more once that was taken back, or the app is gone', async () => {
    await ask()
    await world.run(administer.removeChallenge(world.admin, keys.appId))
    expect(await issue({ challenge: 'good-token' })).toMatchObject(LIMITED)
    await ask()
    await world.run(administer.removeApp(world.admin, keys.appId))
    expect(await world.rows('SELECT * FROM challenges')).toEqual([])
  })

  testOnce('is seen by its owner as what would have been refused, once', async () => {
    await ask()
    expect((await issue()).status).toBe(403)
    expect((await issue({ challenge: 'wrong-token' })).status).toBe(403)
    expect((await issue({ challenge: 'good-token' })).status).toBe(200)
    await world.advance(10_000)
    const seen = await world.rows<{ rule: string; refused: unknown; times: number }>(
      'SELECT rule, refused, CAST(sum(times) AS INTEGER) AS times FROM decisions GROUP BY rule, refused ORDER BY refused',
    )
    expect(seen.map(({ refused, ...one }) => ({ ...one, refused: Boolean(refused) }))).toEqual([
      { rule: 'prefix_unverified', times: 1, refused: false },
      { rule: 'prefix_unverified', times: 2, refused: true },
    ])
  })

  testOnce('costs one statement for all codes, whether they are refused or not', async () => {
    await ask()
    const asked: string[] = []
    const directory = world.store.read.challenges
    const find = directory.find
    directory.find = (appId) => {
      asked.push(appId)
      return find.call(directory, appId)
    }
    for (let n = 0; n < 3; n++) expect((await issue({ phoneNumber: HONEST })).status).toBe(200)
    for (let n = 0; n < 3; n++) expect((await issue()).status).toBe(403)
    expect(asked).toEqual([keys.appId])
    directory.find = find
  })
})

test.each([
  ['reCAPTCHA', 'recaptcha', {}, [{ score: 0.9 }, {}], [{ score: 0.3 }]],
  ['reCAPTCHA', 'recaptcha', { minScore: 0.7 }, [{ score: 0.7 }], [{ score: 0.6 }, {}]],
  ['hCaptcha, which scores threats', 'hcaptcha', { minScore: 0.7 }, [{ score: 0.2 }], [{ score: 0.9 }, {}]],
  ['hCaptcha', 'hcaptcha', {}, [{ score: 0.9 }, {}], []],
] as const)('a score of %s', async (_, name, settings, passing, failing) => {
  const vendor = new ChallengeVendor(name)
  const real = createTransport()
  const world = await World.start({
    env: { [`WATCHWORD_${name.toUpperCase()}_URL`]: vendor.url },
    wrapTransport: (others) => ({
      request: (request) => (request.url === vendor.url ? real : others).request(request),
    }),
  })
  const { appId, live } = await world.furnish()
  await suspect(world, appId, [{ key: live, kind: 'sk' }])
  await world.run(administer.setChallenge(world.admin, appId, { vendor: name, secret: SECRET_AT_VENDOR, ...settings }))
  let n = 0
  const statusOf = async (says: object) => {
    vendor.says = { ...says }
    const request = { phoneNumber: SUSPECT, purpose: `p${n}`, idempotencyKey: `k${n}`, challenge: `good-${n++}` }
    return (await world.call('rest', 'issue', request, { key: live })).status
  }
  for (const says of passing) expect([says, await statusOf(says)]).toEqual([says, 200])
  for (const says of failing) expect([says, await statusOf(says)]).toEqual([says, 403])
  await world.stop()
  await vendor.stop()
})
