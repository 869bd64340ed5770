import { afterEach, describe, expect, test } from 'bun:test'
import type { KeyLimits } from '../../src/domain/access/caller'
import * as administer from '../../src/usecases/administer'
import { errorOf } from '../support/error-of'
import { type Furnished, WIRES, World } from '../support/world'

describe.each(WIRES)('rate limits over %s', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  afterEach(() => world.stop())

  async function begin(env: Record<string, string> = {}) {
    world = await World.start({ env })
    keys = await world.furnish()
  }
  const issue = (
    phoneNumber: string,
    key: string,
    more: { ip?: string; origin?: string; idempotencyKey?: string } = {},
  ) =>
    world.call(
      wire,
      'issue',
      { phoneNumber, purpose: `p${made}`, idempotencyKey: more.idempotencyKey ?? `k${made++}` },
      { key, ...(more.ip && { ip: more.ip }), headers: more.origin ? { origin: more.origin } : {} },
    )
  const verify = (key: string, origin?: string) =>
    world.call(wire, 'verify', { issueId: 'x', code: '123456' }, { key, headers: origin ? { origin } : {} })
  /** Each of another prefix, which has a cap of its own. */
  const phone = (index: number) =>
    `010-${3_000 + (index % 1_000)}-${String(Math.floor(index / 1_000)).padStart(4, '0')}`

  const expectLimited = (answer: Awaited<ReturnType<typeof issue>>, limit: string, policy = 'platform') => {
    expect(answer.status).toBe(429)
    expect(answer.body).toMatchObject({ defined: true, code: 'TOO_MANY_REQUESTS', data: { limit, policy } })
    const { retryAfterMs } = answer.body.data
    expect(retryAfterMs).toBeGreaterThan(0)
    expect(answer.headers.get('retry-after')).toBe(String(Math.ceil(retryAfterMs / 1_000)))
    return retryAfterMs as number
  }

  test('per phone: 5 issues in 10 minutes and 15 a day, for the app and not for the key', async () => {
    await begin()
    const second = await world.key({ appId: keys.appId, kind: 'sk', mode: 'live' })
    for (let index = 0; index < 5; index++)
      expect((await issue(phone(1), index % 2 ? second : keys.live)).status).toBe(200)
    const wait = expectLimited(await issue('+82 10 3001 0000', keys.live), 'perPhone')
    expect(wait).toBe(600_000)
    expect((await issue(phone(2), keys.live)).status).toBe(200)
    world.clock.step(wait - 1)
    expectLimited(await issue(phone(1), keys.live), 'perPhone')
    world.clock.step(1)
    for (let index = 0; index < 5; index++) expect((await issue(phone(1), keys.live)).status).toBe(200)
    world.clock.step(600_000)
    for (let index = 0; index < 5; index++) expect((await issue(phone(1), keys.live)).status).toBe(200)
    world.clock.step(600_000)
    expectLimited(await issue(phone(1), keys.live), 'perPhone')
  })

  describe('refusals, which use up nothing of what a caller may do,', () => {
    const refused = (key: string, ip = '203.0.113.1') =>
      world.call(wire, 'issue', { phoneNumber: 'nonsense', purpose: 'p', idempotencyKey: 'k' }, { key, ip })
    const statusesOf = async (count: number, call: () => Promise<{ status: number }>) => {
      const statuses = new Map<number, number>()
      for (let n = 0; n < count; n++) {
        const { status } = await call()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      return Object.fromEntries(statuses)
    }

    test('are 429 above a ceiling for each key and address; what would succeed still does, and others go free', async () => {
      await begin({ WATCHWORD_LIMIT_REFUSALS_PER_MIN: '5' })
      expect(await statusesOf(8, () => refused(keys.live))).toEqual({ 400: 5, 429: 3 })
      expect(expectLimited(await refused(keys.live), 'perKey')).toBe(60_000)
      expect((await issue(phone(1), keys.live, { ip: '203.0.113.1' })).status).toBe(200)
      expect((await refused(keys.live, '203.0.113.2')).status).toBe(400)
      expect((await refused(keys.test)).status).toBe(400)
      world.clock.step(60_000)
      expect((await refused(keys.live)).status).toBe(400)
    })

    test('of a test key are the platform’s to limit', async () => {
      await begin({ WATCHWORD_LIMIT_REFUSALS_PER_MIN: '1' })
      await refused(keys.test)
      expectLimited(await refused(keys.test), 'perKey', 'platform')
    })

    test('for an unknown key count by address', async () => {
      await begin({ WATCHWORD_LIMIT_REFUSALS_PER_MIN: '5' })
      let made = 0
      expect(await statusesOf(8, () => refused(`sk_${made++}`))).toEqual({ 401: 5, 429: 3 })
      expectLimited(await refused('sk_x'), 'perIp')
      expect((await refused('sk_x', '203.0.113.2')).status).toBe(401)
      expect((await issue(phone(1), keys.live, { ip: '203.0.113.1' })).status).toBe(200)
    })

    test.each<[number, 'live' | 'test' | 'browser', object]>([
      [402, 'test', { phoneNumber: '010-0000-0007' }],
      [403, 'browser', {}],
      [409, 'live', { purpose: 'another' }],
    ])('of status %i count', async (status, whose, change) => {
      await begin({ WATCHWORD_LIMIT_REFUSALS_PER_MIN: '3' })
      const browser = await world.key({ appId: keys.appId, kind: 'pk', mode: 'test' })
      const request = { phoneNumber: phone(2), purpose: 'p', idempotencyKey: 'same' }
      await world.call(wire, 'issue', request, { key: keys.live })
      const key = { ...keys, browser }[whose]
      expect(await statusesOf(5, () => world.call(wire, 'issue', { ...request, ...change }, { key }))).toEqual({
        [status]: 3,
        429: 2,
      })
    })

    test('do not count where something is not found', async () => {
      await begin({ WATCHWORD_LIMIT_REFUSALS_PER_MIN: '1' })
      const missing = () => world.call(wire, 'status', { issueId: 'x' }, { key: keys.live })
      expect(await statusesOf(4, missing)).toEqual({ 404: 4 })
    })
  })

  test('per phone survives a restart', async () => {
    await begin()
    for (let index = 0; index < 5; index++) await issue(phone(1), keys.live)
    await world.settle()
    const after = await World.start({ place: world.place, clock: world.clock })
    const answer = await after.call(
      wire,
      'issue',
      { phoneNumber: phone(1), purpose: 'x', idempotencyKey: 'after' },
      { key: keys.live },
    )
    expectLimited(answer, 'perPhone')
    await after.settle()
  })

  test('a rejected request and a replay do not count', async () => {
    await begin()
    for (let index = 0; index < 20; index++) {
      await world.call(
        wire,
        'issue',
        { phoneNumber: phone(1), purpose: 'x', templateId: 'nope', idempotencyKey: `bad${index}` },
        { key: keys.live },
      )
    }
    expect((await issue(phone(1), keys.live, { idempotencyKey: 'one' })).status).toBe(200)
    made--
    for (let index = 0; index < 20; index++) {
      const replay = await world.call(
        wire,
        'issue',
        { phoneNumber: phone(1), purpose: `p${made}`, idempotencyKey: 'one' },
        { key: keys.live },
      )
      expect([200, 409]).toContain(replay.status)
    }
    made++
    for (let index = 0; index < 4; index++) expect((await issue(phone(1), keys.live)).status).toBe(200)
    expectLimited(await issue(phone(1), keys.live), 'perPhone')
  })

  test("a rejected request does not count against its key's own limit", async () => {
    await begin()
    const key = await world.key({ appId: keys.appId, kind: 'sk', mode: 'live', limits: { verifiesPerMin: 3 } })
    for (let index = 0; index < 10; index++) {
      expect((await world.call(wire, 'verify', { issueId: 'x', code: 'bad' }, { key })).status).toBe(400)
    }
    for (let index = 0; index < 3; index++) expect((await verify(key)).status).toBe(200)
    expectLimited(await verify(key), 'perKey', 'key')
  })

  test('an issue that is refused for want of credit does not count against its phone', async () => {
    await begin()
    const { addCredit, createApp } = await import('../../src/usecases/administer')
    const { appId } = await createApp(world.admin, { name: 'poor' })
    const key = await world.key({ appId, kind: 'sk', mode: 'live' })
    for (let index = 0; index < 10; index++) expect((await issue(phone(1), key)).status).toBe(402)
    await addCredit(world.admin, { appId, amount: 10 })
    for (let index = 0; index < 5; index++) expect((await issue(phone(1), key)).status).toBe(200)
    expectLimited(await issue(phone(1), key), 'perPhone')
  })

  test('a refused 429 does not prolong itself', async () => {
    await begin()
    for (let index = 0; index < 5; index++) await issue(phone(1), keys.live)
    for (let index = 0; index < 10; index++) {
      world.clock.step(60_000)
      if (index < 9) expectLimited(await issue(phone(1), keys.live), 'perPhone')
    }
    expect((await issue(phone(1), keys.live)).status).toBe(200)
  })

  test('public live keys: 60 issues and 300 verifies a minute, 10 issues a minute per client address', async () => {
    await begin()
    const origin = 'https://app.example.com'
    const pk = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [origin] })
    for (let index = 0; index < 10; index++)
      expect((await issue(phone(index), pk, { origin, ip: '203.0.113.1' })).status).toBe(200)
    expectLimited(await issue(phone(99), pk, { origin, ip: '203.0.113.1' }), 'perIp')
    for (let index = 10; index < 60; index++) {
      expect((await issue(phone(index), pk, { origin, ip: `203.0.113.${10 + Math.floor(index / 10)}` })).status).toBe(
        200,
      )
    }
    expectLimited(await issue(phone(100), pk, { origin, ip: '203.0.113.200' }), 'perKey')
    for (let index = 0; index < 300; index++) expect((await verify(pk, origin)).status).toBe(200)
    expectLimited(await verify(pk, origin), 'perKey')
    world.clock.step(60_000)
    expect((await verify(pk, origin)).status).toBe(200)
    expect((await issue(phone(101), pk, { origin, ip: '203.0.113.1' })).status).toBe(200)
  })

  describe('live browser keys of an app', () => {
    const origin = 'https://app.example.com'
    let used = 0
    const browser = (limits: KeyLimits = {}, appId = keys.appId) =>
      world.key({ appId, kind: 'pk', mode: 'live', allowedOrigins: [origin], limits })
    /** From another address for another phone each time: nothing else limits it. */
    const send = (key: string) =>
      issue(phone(used), key, { origin, ip: `198.51.${Math.floor(used / 250)}.${used++ % 250}` })
    const sendMany = async (count: number, ...senders: string[]) => {
      for (let n = 0; n < count; n++) expect((await send(senders[n % senders.length] ?? '')).status).toBe(200)
    }

    test('have 60 issues and 300 verifies a minute together, so that a second one gives nothing', async () => {
      await begin()
      const [one, other] = [await browser(), await browser()]
      await sendMany(60, one, other)
      for (const key of [one, other, await browser()]) expectLimited(await send(key), 'perApp')
      for (let n = 0; n < 300; n++) expect((await verify(n % 2 ? one : other, origin)).status).toBe(200)
      for (const key of [one, other]) expectLimited(await verify(key, origin), 'perApp')
      world.clock.step(60_000)
      await sendMany(60, one, other)
    })

    test('have what the one has that has most; one that has less keeps to that', async () => {
      await begin()
      const [usual, many, few] = [
        await browser(),
        await browser({ issuesPerMin: 80 }),
        await browser({ issuesPerMin: 2 }),
      ]
      await sendMany(2, few)
      expectLimited(await send(few), 'perKey', 'key')
      await sendMany(50, usual)
      await sendMany(28, many)
      for (const key of [usual, many]) expectLimited(await send(key), 'perApp')
    })

    test('do not count one that has ended', async () => {
      await begin()
      const usual = await browser()
      const many = await administer.createKey(world.admin, {
        ...{ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [origin], limits: { issuesPerMin: 100 } },
      })
      const short = { appId: keys.appId, kind: 'pk', mode: 'live', expiresAt: world.clock.now() + 60_000 } as const
      await world.key({ ...short, allowedOrigins: [origin], limits: { issuesPerMin: 90 } })
      await sendMany(59, usual)
      await sendMany(1, many.key)
      await world.run(administer.revokeKey(world.admin, many.stored.keyId))
      await sendMany(1, await browser())
      world.clock.step(60_000)
      const other = await browser()
      await sendMany(60, usual, other)
      expectLimited(await send(other), 'perApp')
    })

    test('have no more for what a backend or a test key may', async () => {
      await begin()
      await world.key({ appId: keys.appId, kind: 'sk', mode: 'live', limits: { issuesPerMin: 1_000 } })
      await world.key({ appId: keys.appId, kind: 'pk', mode: 'test' })
      const [one, other] = [await browser({ issuesPerMin: 2 }), await browser({ issuesPerMin: 2 })]
      await sendMany(2, one, other)
      expectLimited(await send(other), 'perApp')
    })

    test('leave a backend, test keys and other apps theirs', async () => {
      await begin()
      const test = await world.key({ appId: keys.appId, kind: 'pk', mode: 'test', allowedOrigins: [origin] })
      const { appId } = await administer.createApp(world.admin, { name: 'other' })
      await administer.addCredit(world.admin, { appId, amount: 10 })
      const [one, other, theirs] = [await browser(), await browser(), await browser({}, appId)]
      await sendMany(60, one, other)
      expectLimited(await send(one), 'perApp')
      await sendMany(2, keys.live, theirs)
      for (let n = 0; n < 70; n++) expect((await issue('010-0000-0000', test, { origin })).status).toBe(200)
    })
  })

  test("a key's own policy holds, but never above the platform's ceiling", async () => {
    await begin({ WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: '10' })
    const tight = await world.key({
      appId: keys.appId,
      kind: 'sk',
      mode: 'live',
      limits: { verifiesPerMin: 3, issuesPerMinPerIp: 2 },
    })
    for (let index = 0; index < 3; index++) expect((await verify(tight)).status).toBe(200)
    expectLimited(await verify(tight), 'perKey', 'key')
    for (let index = 0; index < 2; index++) expect((await issue(phone(index), tight)).status).toBe(200)
    expectLimited(await issue(phone(9), tight), 'perIp', 'key')
    const loose = await world.key({ appId: keys.appId, kind: 'sk', mode: 'live', limits: { verifiesPerMin: 1_000 } })
    for (let index = 0; index < 10; index++) expect((await verify(loose)).status).toBe(200)
    expectLimited(await verify(loose), 'perKey', 'platform')
  })

  describe('test keys', () => {
    test('120 a minute for each of issue, verify and reads, each key for itself', async () => {
      await begin()
      const other = await world.key({ appId: keys.appId, kind: 'sk', mode: 'test' })
      for (let index = 0; index < 120; index++) expect((await issue('010-0000-0000', keys.test)).status).toBe(200)
      expectLimited(await issue('010-0000-0000', keys.test), 'perKey')
      for (let index = 0; index < 120; index++) expect((await verify(keys.test)).status).toBe(200)
      expectLimited(await verify(keys.test), 'perKey')
      const reads = ['balance', 'listIssues', 'listCreditLedger'] as const
      for (let index = 0; index < 120; index++) {
        expect((await world.call(wire, reads[index % 3] ?? 'balance', {}, { key: keys.test })).status).toBe(200)
      }
      expectLimited(await world.call(wire, 'balance', {}, { key: keys.test }), 'perKey')
      expect((await issue('010-0000-0000', other)).status).toBe(200)
      world.clock.step(60_000)
      expect((await issue('010-0000-0000', keys.test)).status).toBe(200)
    })

    test('templates count against nothing', async () => {
      await begin()
      const readTemplates = async () => {
        expect((await world.call(wire, 'listTemplates', {}, { key: keys.test })).status).toBe(200)
        const { status } = await world.call(wire, 'getTemplate', { templateId: 'otp_default_kr' }, { key: keys.test })
        expect(status).toBe(200)
      }
      const balance = () => world.call(wire, 'balance', {}, { key: keys.test })
      for (let index = 0; index < 70; index++) await readTemplates()
      for (let index = 0; index < 120; index++) expect((await balance()).status).toBe(200)
      expectLimited(await balance(), 'perKey')
      await readTemplates()
    })

    test('5,000 a day for each kind; the day ends at 00:00 UTC', async () => {
      await begin()
      for (let minute = 0; minute < 42; minute++) {
        for (let index = 0; index < 120 && minute * 120 + index < 5_000; index++) await verify(keys.test)
        world.clock.step(60_000)
      }
      expectLimited(await verify(keys.test), 'perKeyDaily')
      expect((await world.call(wire, 'balance', {}, { key: keys.test })).status).toBe(200)
      world.clock.step(Date.parse('2026-03-02T00:00:00Z') - world.clock.now() - 1)
      expectLimited(await verify(keys.test), 'perKeyDaily')
      world.clock.step(1)
      expect((await verify(keys.test)).status).toBe(200)
    })

    test('a platform-wide budget of new issues; a replay does not count, and it survives a restart', async () => {
      await begin({ WATCHWORD_LIMIT_TEST_ISSUES_PER_DAY: '3' })
      for (let index = 0; index < 3; index++) {
        const idempotencyKey = `once${index}`
        const first = await world.call(
          wire,
          'issue',
          { phoneNumber: '010-0000-0000', purpose: idempotencyKey, idempotencyKey },
          { key: keys.test },
        )
        const again = await world.call(
          wire,
          'issue',
          { phoneNumber: '010-0000-0000', purpose: idempotencyKey, idempotencyKey },
          { key: keys.test },
        )
        expect(again.body).toEqual(first.body)
      }
      expectLimited(await issue('010-0000-0000', keys.test), 'testModeDaily')
      const after = await World.start({
        place: world.place,
        clock: world.clock,
        env: { WATCHWORD_LIMIT_TEST_ISSUES_PER_DAY: '3' },
      })
      const answer = await after.call(
        wire,
        'issue',
        { phoneNumber: '010-0000-0000', purpose: 'x', idempotencyKey: 'x' },
        { key: keys.test },
      )
      expectLimited(answer, 'testModeDaily')
      after.clock.step(Date.parse('2026-03-02T00:00:00Z') - after.clock.now())
      const nextDay = await after.call(
        wire,
        'issue',
        { phoneNumber: '010-0000-0000', purpose: 'x', idempotencyKey: 'x' },
        { key: keys.test },
      )
      expect(nextDay.status).toBe(200)
      await after.settle()
    })

    test('10,000 new issues for the organization and day, over all its apps', async () => {
      await begin()
      world.config.limits.testIssuesPerOrgDay = 4
      const { createApp } = await import('../../src/usecases/administer')
      const { appId } = await createApp(world.admin, { name: 'second' })
      const other = await world.key({ appId, kind: 'sk', mode: 'test' })
      for (let index = 0; index < 4; index++)
        expect((await issue('010-0000-0000', index % 2 ? other : keys.test)).status).toBe(200)
      expectLimited(await issue('010-0000-0000', other), 'perOrgDaily')
    })

    test('a test key cannot have a limit of its own', async () => {
      await begin()
      expect(
        (await errorOf(world.key({ appId: keys.appId, kind: 'sk', mode: 'test', limits: { issuesPerMin: 1 } })))
          .message,
      ).toContain('custom limit')
    })
  })
})
