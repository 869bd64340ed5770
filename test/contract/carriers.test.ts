/** What the dispatcher learns of its carriers, and what a clock that is set does not do to it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TransportResult } from '../../src/ports/network'
import { Carriers } from '../../src/providers/carriers'
import { LocalLimiters } from '../../src/runtime/carriers/concurrency-limiter'
import * as administer from '../../src/usecases/administer'
import { listCarriers } from '../../src/usecases/inspect'
import { answered, Carrier } from '../support/carrier'
import { PolledVendor, VENDOR_URL } from '../support/polled-vendor'
import { BACKUP_URL, type Furnished, REPORT_SECRET, SMS_URL, START, World } from '../support/world'

const HOUR_MS = 3_600_000

describe('carriers', () => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  async function issue(input: object = {}): Promise<string> {
    const request = { phoneNumber: '010-1234-5678', purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input }
    const answer = await world.call('rest', 'issue', request, { key: keys.live })
    expect(answer.status).toBe(200)
    await world.settle()
    return answer.body.issueId
  }
  const status = async (issueId: string) => (await world.call('rest', 'status', { issueId }, { key: keys.live })).body
  const stateOf = async (name: string) => (await world.send('GET', '/readyz', undefined)).body.providers[name]
  const many = async (count: number, input: object = {}) => {
    for (let n = 0; n < count; n++) await issue({ phoneNumber: `+8210${String(20_000_000 + made)}`, ...input })
  }
  const failing = () => answered(500, {})

  describe('the breaker', () => {
    test('opens on failures: /readyz and the CLI say so, and the service stays ready', async () => {
      world.sms.answer = failing
      await many(10)
      await world.advance(1_100)
      expect(await stateOf('main')).toEqual({
        state: 'unhealthy',
        inFlight: 0,
        concurrency: world.config.carrierConcurrency,
        since: new Date(START).toISOString(),
        code: 'HTTP_500',
        retryAt: new Date(START + 10_000).toISOString(),
      })
      expect((await world.send('GET', '/readyz', undefined)).status).toBe(200)
      const health = await world.store.read.carriers.health()
      expect(health.get('main')).toMatchObject({ isHealthy: false, code: 'HTTP_500' })
      expect(world.logged.filter((line) => line.includes('provider is unhealthy'))).toHaveLength(1)
    })

    test('holds messages back, tries one, and lets the rest follow when that one is taken', async () => {
      world.sms.answer = failing
      await many(10)
      world.sms.answer = (message) => world.sms.accept(message)
      await many(5)
      expect(world.sms.requests).toHaveLength(10)
      await world.advance(12_000)
      expect(world.sms.accepted).toHaveLength(5)
      expect(await stateOf('main')).toMatchObject({ state: 'healthy' })
      expect((await world.store.read.carriers.health()).get('main')?.isHealthy).toBe(true)
    })

    test('while it is open, the next carrier of the route gets the messages at once', async () => {
      await world.provide('second', ['sms'], 'http://carrier.test/kakao')
      world.sms.answer = failing
      await many(12)
      expect([world.sms.requests.length, world.kakao.accepted.length]).toEqual([10, 2])
    })

    test('of many messages at the end of its rest one tries it; the others do not wait behind that one', async () => {
      await world.provide('second', ['sms'], 'http://carrier.test/kakao')
      world.sms.answer = failing
      await many(10)
      world.clock.step(61_000)
      const request = (n: number) => ({
        phoneNumber: `010-5555-00${10 + n}`,
        purpose: 'burst',
        idempotencyKey: `burst-${n}`,
      })
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => world.call('rest', 'issue', request(n), { key: keys.live })),
      )
      await world.settle()
      expect([world.sms.requests.length, world.kakao.accepted.length]).toEqual([11, 19])
    })

    test('an AlimTalk whose carriers rest goes on as SMS at once', async () => {
      world.kakao.answer = failing
      await many(10, { channel: 'alimtalk' })
      const issueId = await issue({ channel: 'alimtalk' })
      expect(world.kakao.requests).toHaveLength(10)
      expect(world.sms.accepted).toHaveLength(1)
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
    })

    test.each([401, 402])(
      'codes wait while the only carrier refuses the account (%i), and are sent when it does not',
      async (code) => {
        world.sms.answer = () => answered(code, {})
        const first = await issue()
        const others = [await issue(), await issue()]
        expect(await status(first)).toMatchObject({ deliveryStatus: 'queued', providerOutcomeCode: `HTTP_${code}` })
        for (const other of others) expect(await status(other)).toMatchObject({ deliveryStatus: 'queued' })
        expect(world.sms.requests).toHaveLength(1)
        // One message tries it after 10 s, and is not lost by it; nor is any after 30 s.
        await world.advance(31_000)
        expect(world.sms.requests).toHaveLength(3)
        world.sms.answer = (message) => world.sms.accept(message)
        await world.advance(60_000)
        for (const issueId of [first, ...others])
          expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent', verificationStatus: 'issued' })
        expect(new Set(world.sms.accepted.map(({ messageId }) => messageId)).size).toBe(3)
      },
    )

    test('codes that a refused account keeps waiting until they expire are failed, and cost nothing', async () => {
      world.sms.answer = () => answered(402, {})
      const waiting = [await issue({ expiresInSec: 60 }), await issue({ expiresInSec: 60 })]
      await world.advance(59_000)
      for (const issueId of waiting) expect(await status(issueId)).toMatchObject({ deliveryStatus: 'queued' })
      await world.advance(3_000)
      for (const issueId of waiting)
        expect(await status(issueId)).toMatchObject({ deliveryStatus: 'failed', overallStatus: 'expired' })
      expect(await world.rows('SELECT balance, reserved FROM wallets')).toEqual([{ balance: 1_000, reserved: 0 }])
    })

    test('messages that were under way when the account was refused wait, too', async () => {
      const answers: Array<(result: TransportResult) => void> = []
      world.sms.answer = () => new Promise((resolve) => void answers.push(resolve))
      const [first, second] = [await issue(), await issue()]
      for (const answer of answers) answer(answered(401, {}))
      await world.settle()
      world.sms.answer = (message) => world.sms.accept(message)
      await world.advance(12_000)
      for (const issueId of [first, second]) expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
    })

    test('an AlimTalk whose account is refused goes on as SMS at once', async () => {
      world.kakao.answer = () => answered(401, {})
      await issue({ channel: 'alimtalk' })
      await issue({ channel: 'alimtalk' })
      expect([world.kakao.requests.length, world.sms.accepted.length]).toEqual([1, 2])
    })

    test('where every carrier of the route refuses the account, whichever takes messages again gets them', async () => {
      const second = world.kakao
      await world.provide('second', ['sms'], 'http://carrier.test/kakao')
      for (const carrier of [world.sms, second]) carrier.answer = () => answered(401, {})
      const waiting = [await issue(), await issue()]
      expect([world.sms.requests.length, second.requests.length]).toEqual([1, 1])
      second.answer = (message) => second.accept(message)
      await world.advance(12_000)
      for (const issueId of waiting) expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
      expect(second.accepted).toHaveLength(2)
    })

    test('set anew, a carrier starts afresh', async () => {
      world.sms.answer = () => answered(402, {})
      await issue()
      expect((await stateOf('main')).state).toBe('unhealthy')
      world.sms.answer = (message) => world.sms.accept(message)
      await world.advance(1_100)
      await world.provide('main', ['sms'], 'http://carrier.test/sms')
      expect(await status(await issue())).toMatchObject({ deliveryStatus: 'sent' })
      expect((await world.store.read.carriers.health()).get('main')).toBeUndefined()
    })

    test('one that cannot be reached is seen where a message comes every hour, and the log has a line for each try', async () => {
      world.sms.answer = () => ({ kind: 'not_sent', reason: 'ECONNREFUSED' })
      world.kakao.answer = world.sms.answer
      await issue({ expiresInSec: 30 })
      await world.leap(HOUR_MS)
      expect(await stateOf('main')).toMatchObject({ state: 'unhealthy', code: 'NOT_SENT_ECONNREFUSED' })
      expect((await world.store.read.carriers.health()).get('main')).toMatchObject({ isHealthy: false })
      const lines = world.logged.filter((line) => line.includes('did not take'))
      expect(lines).toHaveLength(world.sms.requests.length)
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        provider: 'main',
        outcome: 'refused',
        retry: 'unreached',
        code: 'NOT_SENT_ECONNREFUSED',
      })
    })

    test('the log gets some lines a minute of a carrier that fails by the hundred, and says how many it left out', async () => {
      world.sms.answer = () => answered(403, {})
      const linesOf = () => world.logged.filter((line) => line.includes('did not take')).map((line) => JSON.parse(line))
      await many(30)
      expect(linesOf()).toHaveLength(10)
      await world.advance(60_000)
      await many(1)
      expect(linesOf()).toHaveLength(11)
      expect(linesOf().at(-1)).toMatchObject({ unsaid: 20 })
    })

    test('a refusal of one message does not close the carrier for others', async () => {
      world.sms.answer = () => answered(403, {})
      await many(30)
      expect(world.sms.requests).toHaveLength(30)
      expect((await stateOf('main')).state).toBe('healthy')
    })

    test('what waits for a carrier that recovers elsewhere is not left behind', async () => {
      world.sms.answer = failing
      await many(10)
      await many(3)
      expect(await world.rows("SELECT queue FROM jobs WHERE kind = 'deliver'")).toEqual(
        Array(3).fill({ queue: 'main' }),
      )
      await administer.removeCarrier(world.admin, 'main')
      await world.provide('other', ['sms'], 'http://carrier.test/kakao')
      await world.advance(2_000)
      expect(world.kakao.accepted).toHaveLength(3)
    })
  })

  describe('a message whose process died while its carrier had it', () => {
    const status = async (world: World, issueId: string) =>
      (await world.call('rest', 'status', { issueId }, { key: keys.live })).body
    const billing = async (world: World, issueId: string) =>
      (await world.call('rest', 'getIssue', { issueId }, { key: keys.live })).body.billingStatus

    /** Another carrier says nothing of what this one reports. */
    async function interrupted(reports: boolean, meanwhile: () => Promise<unknown> = async () => {}) {
      await world.provide('main', ['sms'], SMS_URL, { reports })
      await world.provide('other', ['sms'], BACKUP_URL, { reports: !reports })
      world.sms.answer = () => new Promise<TransportResult>(() => {})
      const issueId = await issue()
      expect(world.sms.requests).toHaveLength(1)
      world.clock.forgetTimers()
      await meanwhile()
      const after = await World.start({ place: world.place, clock: world.clock })
      await after.advance(40_000)
      expect(await status(after, issueId)).toMatchObject({
        deliveryStatus: 'sent',
        providerOutcomeAmbiguous: true,
        providerOutcomeCode: 'INTERRUPTED',
      })
      const messageId = world.sms.requests[0]?.messageId ?? ''
      world = after
      return { issueId, messageId }
    }

    test('is charged at once where that carrier never reports', async () => {
      expect(await billing(world, (await interrupted(false)).issueId)).toBe('debited')
    })

    test('is charged at its report, or a day later, where that carrier reports', async () => {
      const { issueId } = await interrupted(true)
      expect(await billing(world, issueId)).toBe('reserved')
      world.clock.step(24 * HOUR_MS)
      await world.advance(2_000)
      expect(await billing(world, issueId)).toBe('debited')
    })

    test('and that was removed meanwhile is waited for as long: set up again, it may tell', async () => {
      const { issueId, messageId } = await interrupted(true, () => administer.removeCarrier(world.admin, 'main'))
      expect(await billing(world, issueId)).toBe('reserved')
      world.clock.step(23 * HOUR_MS)
      await world.provide('main', ['sms'], SMS_URL)
      await world.advance(2_000)
      expect(await billing(world, issueId)).toBe('reserved')
      expect((await world.report('main', { messageId, status: 'delivered' })).body).toEqual({ recorded: 1 })
      await world.advance(2_000)
      expect(await status(world, issueId)).toMatchObject({ deliveryStatus: 'delivered' })
      expect(await billing(world, issueId)).toBe('debited')
    })
  })

  test('a carrier that is set anew while it works on messages gets no more at a time than it bears', async () => {
    const answers: Array<() => void> = []
    world.sms.answer = (message) => new Promise((resolve) => answers.push(() => resolve(world.sms.accept(message))))
    const setAnew = async (reportSecret: string) => {
      await administer.setCarrier(world.admin, {
        name: 'main',
        type: 'http',
        channels: ['sms'],
        config: { url: SMS_URL, reportSecret },
        concurrency: 2,
      })
      await world.advance(1_500)
    }
    await setAnew('the first secret of reports')
    await many(3)
    for (const secret of ['the second secret of reports', 'the third secret of reports']) {
      await setAnew(secret)
      expect(await stateOf('main')).toMatchObject({ inFlight: 2, concurrency: 2 })
      expect(world.sms.requests).toHaveLength(2)
    }
    answers[0]?.()
    await world.advance(1_500)
    expect(world.sms.requests).toHaveLength(3)
    expect(await stateOf('main')).toMatchObject({ inFlight: 2 })
    for (const answer of answers) answer()
    await world.advance(1_500)
    expect(await stateOf('main')).toMatchObject({ inFlight: 0 })
  })

  test('messages that wait learn at once of a carrier that the operator adds', async () => {
    world.sms.answer = () => new Promise<TransportResult>(() => {})
    await administer.setCarrier(world.admin, {
      name: 'main',
      type: 'http',
      channels: ['sms'],
      config: { url: 'http://carrier.test/sms', reportSecret: REPORT_SECRET },
      concurrency: 2,
    })
    await many(5)
    expect(world.sms.requests).toHaveLength(2)
    await world.provide('rescue', ['sms'], 'http://carrier.test/kakao')
    await administer.setRoute(world.admin, {
      channel: 'sms',
      country: undefined,
      appId: undefined,
      carriers: ['rescue', 'main'],
    })
    await world.advance(1_500)
    expect(world.kakao.accepted).toHaveLength(3)
  })

  describe('a paused carrier', () => {
    const pause = async (name: string) => {
      await administer.pauseCarrier(world.admin, name)
      await world.advance(1_500)
    }
    const refused = async () => {
      const request = { phoneNumber: '010-1234-9999', purpose: 'p', idempotencyKey: `k${made++}` }
      const { status, body, headers } = await world.call('rest', 'issue', request, { key: keys.live })
      return [status, body.code, headers.get('retry-after')]
    }

    test('gets no new message: the next one of its channel does, until it is resumed', async () => {
      await world.provide('rescue', ['sms'], 'http://carrier.test/kakao')
      await pause('main')
      await issue()
      expect([world.sms.accepted.length, world.kakao.accepted.length]).toEqual([0, 1])
      await administer.resumeCarrier(world.admin, 'main')
      await world.advance(1_500)
      await issue()
      expect([world.sms.accepted.length, world.kakao.accepted.length]).toEqual([1, 1])
    })

    test('finishes what it has, and its report counts', async () => {
      const answer = Promise.withResolvers<TransportResult>()
      world.sms.script(() => answer.promise)
      const issueId = await issue()
      await pause('main')
      answer.resolve(answered(200, { id: 'theirs' }))
      await world.settle()
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
      expect((await world.report('main', { messageId: 'theirs', status: 'delivered' })).body).toEqual({ recorded: 1 })
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
    })

    test('refuses new codes like a missing one where no other serves the channel', async () => {
      await pause('main')
      expect(await refused()).toEqual([503, 'SERVICE_UNAVAILABLE', '60'])
      await administer.removeCarrier(world.admin, 'main')
      await world.advance(1_500)
      expect(await refused()).toEqual([503, 'SERVICE_UNAVAILABLE', '60'])
    })

    test('of a route that names no other refuses, since the operator has chosen no other for it', async () => {
      await world.provide('rescue', ['sms'], 'http://carrier.test/kakao')
      const route = { channel: 'sms', country: 'KR', appId: undefined } as const
      await administer.setRoute(world.admin, { ...route, carriers: ['main'] })
      await pause('main')
      expect(await refused()).toEqual([503, 'SERVICE_UNAVAILABLE', '60'])
      await administer.setRoute(world.admin, { ...route, carriers: ['main', 'rescue'] })
      await world.advance(1_500)
      await issue()
      expect(world.kakao.accepted).toHaveLength(1)
    })

    test('gives the messages that wait for it to another one', async () => {
      await world.crowd(keys.live)
      await world.provide('rescue', ['sms'], 'http://carrier.test/kakao')
      await pause('main')
      expect(world.kakao.accepted).toHaveLength(1)
    })

    test('fails the messages that wait for it where there is no other, and they cost nothing', async () => {
      await world.crowd(keys.live)
      await pause('main')
      expect(await world.rows('SELECT delivery_status, billing_status FROM issues ORDER BY issue_id')).toMatchObject([
        { billing_status: 'reserved' },
        { delivery_status: 'failed', billing_status: 'released' },
      ])
    })

    test('stays paused when it is changed, and says so', async () => {
      await pause('main')
      await world.provide('main', ['sms'], 'http://carrier.test/sms', { idPath: 'id' })
      const [, main] = await listCarriers({ ...world.admin, explain: async () => undefined })
      expect(main).toMatchObject({ name: 'main', state: 'paused', since: START })
    })
  })

  test('a code that ends while its message waits for a carrier frees number, text and credit at once', async () => {
    world.sms.answer = () => answered(500, {})
    await many(10)
    world.sms.answer = () => new Promise<TransportResult>(() => {})
    await issue()
    await world.advance(12_000)
    expect(world.sms.requests).toHaveLength(11)
    const waiting = await issue({ expiresInSec: 30 })
    await world.advance(32_000)
    expect(world.sms.requests).toHaveLength(11)
    expect(await status(waiting)).toMatchObject({
      verificationStatus: 'expired',
      deliveryStatus: 'failed',
      providerOutcomeCode: 'EXPIRED_UNSENT',
    })
    expect(await world.rows("SELECT count(*) AS n FROM issues WHERE billing_status = 'released'")).toEqual([{ n: 1 }])
    expect(await world.rows("SELECT count(*) AS n FROM jobs WHERE kind = 'deliver'")).toEqual([{ n: 1 }])
  })

  describe('a clock that is set', () => {
    test('forward by a day while a carrier works on a message: its answer still counts', async () => {
      let answer: (result: TransportResult) => void = () => {}
      world.sms.answer = (message) =>
        new Promise((resolve) => {
          answer = () => resolve(world.sms.accept(message))
        })
      const issueId = await issue()
      world.clock.step(24 * HOUR_MS)
      await world.advance(5_000)
      answer(answered(200, {}))
      await world.settle()
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent', verificationStatus: 'expired' })
      expect((await status(issueId)).providerOutcomeAmbiguous).toBeUndefined()
      expect(world.sms.requests).toHaveLength(1)
      expect(await world.rows('SELECT outcome FROM attempts')).toEqual([{ outcome: 'accepted' }])
    })

    test('forward: no code lives longer, and what was due runs once', async () => {
      world.sms.script(() => answered(429, {}))
      const issueId = await issue()
      world.clock.step(24 * HOUR_MS)
      await world.advance(5_000)
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'failed', providerOutcomeCode: 'EXPIRED_UNSENT' })
      expect(world.sms.requests).toHaveLength(1)
      expect(await world.rows('SELECT balance, reserved FROM wallets')).toEqual([{ balance: 1_000, reserved: 0 }])
    })

    test('back by an hour: messages go out at once, and an expired code stays expired', async () => {
      const expired = await issue({ expiresInSec: 30 })
      await world.advance(35_000)
      world.clock.step(-HOUR_MS)
      const verify = { issueId: expired, code: world.sms.lastCode() }
      expect((await world.call('rest', 'verify', verify, { key: keys.live })).body.reasonCode).toBe('EXPIRED')
      const next = await issue()
      await world.advance(1_000)
      expect(await status(next)).toMatchObject({ deliveryStatus: 'sent' })
    })

    test('forward and back starts no storm of timers', async () => {
      await many(5)
      await world.advance(10_000)
      for (const byMs of [24 * HOUR_MS, -24 * HOUR_MS, -HOUR_MS, HOUR_MS]) {
        world.clock.step(byMs)
        await world.advance(10_000)
      }
      expect(world.sms.requests).toHaveLength(5)
      const claims = await world.rows<{ most: number }>('SELECT max(attempt) AS most FROM jobs')
      expect(claims[0]?.most ?? 0).toBeLessThan(20)
    })
  })
})

test('what the wallet refuses takes no room in the backlog', async () => {
  const world = await World.start({ env: { WATCHWORD_MAX_BACKLOG: '5' } })
  const keys = await world.furnish()
  const poor = await administer.createApp(world.admin, { name: 'poor' })
  const key = await world.key({ appId: poor.appId, kind: 'sk', mode: 'live' })
  const issue = (number: number, of: string) =>
    world.call(
      'rest',
      'issue',
      { phoneNumber: `+8210${20_000_000 + number}`, purpose: 'p', idempotencyKey: `k${number}` },
      { key: of },
    )
  for (let n = 0; n < 20; n++) expect((await issue(n, key)).status).toBe(402)
  expect((await issue(99, keys.live)).status).toBe(200)
  await world.stop()
})

describe('a carrier that must be asked', () => {
  let world: World
  let keys: Furnished
  let vendor: PolledVendor
  let issueId: string

  const status = async () => (await world.call('rest', 'status', { issueId }, { key: keys.live })).body
  const billing = async () => (await world.call('rest', 'getIssue', { issueId }, { key: keys.live })).body.billingStatus
  const messageId = () => world.sms.accepted[0]?.messageId ?? ''
  const decide = (fate: 'delivered' | 'failed') => vendor.decide(`carrier-${messageId()}`, fate)
  const callback = (fate: string) =>
    world.callback('main', vendor.callback(messageId(), `carrier-${messageId()}`, fate))

  beforeEach(async () => {
    world = await World.start({
      wrapTransport: (transport) => ({ request: (request) => vendor.over(transport).request(request) }),
    })
    vendor = new PolledVendor(world.sms)
    keys = await world.furnish()
    await administer.setCarrier(world.admin, {
      name: 'main',
      type: 'solapi',
      channels: ['sms'],
      config: { apiKey: 'key', apiSecret: 's', from: '0212345678', apiBase: VENDOR_URL, reportSecret: REPORT_SECRET },
    })
  })
  afterEach(() => world.stop())

  async function issue(): Promise<void> {
    const request = { phoneNumber: '010-1234-5678', purpose: 'login', idempotencyKey: 'k' }
    issueId = (await world.call('rest', 'issue', request, { key: keys.live })).body.issueId
    await world.settle()
  }

  test('resolves a message whose answer was lost: its callback names it, and its own word decides', async () => {
    world.sms.answer = (message) => {
      world.sms.accept(message)
      return { kind: 'unknown', reason: 'TimeoutError' }
    }
    await issue()
    expect(await status()).toMatchObject({ deliveryStatus: 'sent', providerOutcomeAmbiguous: true })
    // The callback lies; the vendor itself says delivered.
    decide('delivered')
    await callback('failed')
    await world.advance(2_000)
    expect(await status()).toMatchObject({ deliveryStatus: 'delivered' })
  })

  test('is asked again until it tells', async () => {
    await issue()
    // With its like, so that one that answers slowly keeps nobody else waiting.
    expect(await world.rows('SELECT kind, queue FROM jobs')).toEqual([{ kind: 'await-report', queue: 'main' }])
    await world.advance(31_000)
    expect(await status()).toMatchObject({ deliveryStatus: 'sent' })
    decide('delivered')
    await world.advance(20_000)
    expect(await status()).toMatchObject({ deliveryStatus: 'delivered' })
  })

  describe('and does not tell what became of a message', () => {
    const DAY_MS = 24 * HOUR_MS
    const MINUTE_MS = 60_000

    /** It was asked some minutes before the day is over, and would be asked again half an hour later. */
    async function untilTheDeadline(): Promise<void> {
      await issue()
      world.clock.step(DAY_MS - 5 * MINUTE_MS)
      await world.advance(2_000)
      world.clock.step(5 * MINUTE_MS - 2_000 - 1)
      await world.settle()
    }

    test('is waited for a day and no longer, however seldom it is asked at last', async () => {
      await untilTheDeadline()
      await world.advance(0)
      expect(await billing()).toBe('reserved')
      await world.advance(1_000)
      expect([await billing(), (await status()).deliveryStatus]).toEqual(['debited', 'sent'])
      expect(await world.rows('SELECT * FROM jobs')).toEqual([])
    })

    test.each([
      ['in the last millisecond of that day', 0, 'delivered'],
      ['no more when it is over', 1, 'sent'],
    ])('is believed %s', async (_, ms, deliveryStatus) => {
      await untilTheDeadline()
      decide('delivered')
      world.clock.step(ms)
      await callback('delivered')
      await world.settle()
      expect([await billing(), (await status()).deliveryStatus]).toEqual(['debited', deliveryStatus])
    })

    test('is waited for no shorter because a clock is set forward while it still answers the send', async () => {
      const { promise: answer, resolve } = Promise.withResolvers<TransportResult>()
      world.sms.answer = () => answer
      await issue()
      const [{ messageId = '' } = {}] = world.sms.requests
      await world.callback('main', vendor.callback(messageId, `carrier-${messageId}`, 'delivered'))
      await world.settle()
      world.clock.step(DAY_MS)
      await world.advance(2_000)
      resolve(answered(200, { id: `carrier-${messageId}` }))
      await world.advance(2_000)
      expect([await billing(), (await status()).deliveryStatus]).toEqual(['reserved', 'sent'])
      world.clock.step(DAY_MS)
      await world.advance(2_000)
      expect([await billing(), (await status()).deliveryStatus]).toEqual(['debited', 'sent'])
    })

    test('is not heard any more after that', async () => {
      await untilTheDeadline()
      await world.advance(1_000)
      decide('failed')
      expect((await callback('failed')).body).toEqual({ recorded: 0 })
      await world.advance(2_000)
      expect([await billing(), (await status()).deliveryStatus]).toEqual(['debited', 'sent'])
    })
  })
})

test('a message waits where it will be sent from: at the first of its route that is healthy, and at none that is about to be tried', async () => {
  const backup = new Carrier()
  const world = await World.start({ carriers: { sms: new Carrier(), kakao: new Carrier(), backup } })
  const { live } = await world.furnish()
  await world.provide('spare', ['sms'], BACKUP_URL)
  // What has changed of carriers is looked at once: whatever waits then chooses anew.
  await world.advance(1_500)
  const issue = async (n: number) => {
    const order = { phoneNumber: `010-1234-000${n}`, purpose: 'p', idempotencyKey: `k${n}` }
    expect((await world.call('rest', 'issue', order, { key: live })).status).toBe(200)
    await world.settle()
  }
  const queues = () => world.rows("SELECT queue FROM jobs WHERE kind = 'deliver' ORDER BY subject_id")
  const hangs = () => new Promise<TransportResult>(() => {})
  world.sms.script(hangs, () => answered(402, {}))
  world.sms.answer = hangs
  backup.answer = hangs
  await issue(1)
  expect(await queues()).toEqual([])
  // That one is refused, so that all look anew.
  await issue(2)
  await issue(3)
  world.clock.step(10_000)
  await issue(4)
  expect(await queues()).toEqual(['', ''].map((queue) => ({ queue })))
  await world.stop()
})

test('a carrier that was given no secret for its reports has one that cannot be guessed, and keeps it', async () => {
  const world = await World.start()
  const set = () =>
    administer.setCarrier(world.admin, { name: 'main', type: 'http', channels: ['sms'], config: { url: SMS_URL } })
  const secret = async () => (await world.store.read.carriers.all())[0]?.config.reportSecret
  await set()
  const first = await secret()
  expect(first).toMatch(/^[\w-]{32}$/)
  await set()
  expect(await secret()).toBe(first as string)
  await world.stop()
})

test('a carrier may call its messages by what looks like an id of ours', async () => {
  const world = await World.start()
  const { live } = await world.furnish()
  const theirs = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'
  world.sms.answer = () => answered(200, { id: theirs })
  const order = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k' }
  const { issueId } = (await world.call('rest', 'issue', order, { key: live })).body
  await world.settle()
  expect((await world.report('main', { messageId: theirs, status: 'delivered' })).body).toEqual({ recorded: 1 })
  expect((await world.call('rest', 'status', { issueId }, { key: live })).body.deliveryStatus).toBe('delivered')
  await world.stop()
})

test('a pause keeps the session of its carrier, on which reports arrive, and a change begins another', async () => {
  const world = await World.start()
  await world.furnish()
  const { clock, random, vault } = world
  const directory = { carriers: () => world.store.read.carriers.all(), routes: () => world.store.read.routes.all() }
  const carriers = new Carriers({ directory, limiters: new LocalLimiters() } as never, undefined, {
    ...{ clock, random, vault, transport: {} as never, dial: {} as never, log: {} as never },
    ...{ timeoutMs: 1_000, concurrency: 1, reportUrl: () => undefined, report: async () => false, dropped() {} },
  })
  const session = async () => (await carriers.named('main'))?.carrier
  const before = await session()
  await administer.pauseCarrier(world.admin, 'main')
  await carriers.refresh()
  expect(await session()).toBe(before)
  await world.provide('main', ['sms'], BACKUP_URL)
  expect(await session()).not.toBe(before)
  await world.stop()
})
