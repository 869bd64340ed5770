/** What customers are told, when, and how often. Specification: "Events"; decisions: "Webhooks". */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { otpEvent } from '../../contract/event'
import type { Mode } from '../../src/domain/shared/value'
import type { HookAnswer } from '../../src/ports/network'
import type { Store } from '../../src/ports/store'
import * as manage from '../../src/usecases/administer'
import { answered } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { Receivers, receives, verified } from '../support/receiver'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, START, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const URL_A = 'https://a.example/hooks'
const URL_B = 'https://b.example/hooks'
const EVERY = ['otp.sent', 'otp.delivered', 'otp.failed', 'otp.verified', 'otp.expired', 'otp.max_attempts'] as const
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const refusedConnection: HookAnswer = { kind: 'failed', reason: 'refused' }

describe('webhooks', () => {
  let world: World
  let keys: Furnished
  let receivers: Receivers
  let made = 0

  async function open(env: Record<string, string> = {}): Promise<void> {
    const clock = new VirtualClock(START)
    receivers = new Receivers(clock.now)
    world = await World.start({ clock, hooks: receivers, env })
    keys = await world.furnish()
  }
  beforeEach(() => open())
  afterEach(() => world.stop())

  const admin = () => world.admin
  /** Another process looks for what the command line has queued. */
  const notice = () => world.advance(1_000)
  const listen = (more: Partial<manage.WantedEndpoint> & { mode?: Mode; appId?: string } = {}) =>
    manage.addEndpoint(admin(), { appId: keys.appId, mode: 'live', url: URL_A, events: EVERY, ...more })

  async function issue(input: object = {}, key = keys.live): Promise<string> {
    const request = { phoneNumber: '010-1234-5678', purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input }
    const answer = await world.call('rest', 'issue', request, { key })
    expect(answer.status).toBe(200)
    await world.settle()
    return answer.body.issueId
  }
  const verify = (issueId: string, code: string, key = keys.live) =>
    world.run(world.call('rest', 'verify', { issueId, code }, { key }))
  const report = (status: string) => {
    const { messageId } = world.sms.requests.at(-1) ?? { messageId: '' }
    return world.report('main', { messageId, status }).then(() => world.settle())
  }
  const last = () => JSON.parse(receivers.arrived.at(-1)?.body ?? '{}')
  const hooks = async (endpointId: string) => world.store.read.hooks.page({ endpointId, limit: 100 })

  describe('what happens to a code', () => {
    test('is told in order: sent, delivered, verified; signed; and as published', async () => {
      const { secret } = await listen()
      const issueId = await issue({ metadata: { plan: 'pro' } })
      await report('delivered')
      await verify(issueId, world.sms.lastCode())
      await world.settle()
      expect(receivers.types(URL_A)).toEqual(['otp.sent', 'otp.delivered', 'otp.verified'])
      for (const request of receivers.arrived) {
        const event = await verified(request, secret)
        expect(otpEvent.parse(event)).toEqual(event)
        expect(event.data.id).toBe(issueId)
      }
      expect(JSON.parse(receivers.arrived[1]?.body ?? '').data).toMatchObject({
        carrier: 'main',
        country: 'KR',
        metadata: { plan: 'pro' },
      })
      expect(last().data).toMatchObject({ attempts: 1, metadata: { plan: 'pro' } })
    })

    test('without metadata: delivered and verified say that there is none', async () => {
      await listen()
      const issueId = await issue()
      await report('delivered')
      await verify(issueId, world.sms.lastCode())
      await world.settle()
      const [, ...later] = receivers.arrived.map(({ body }) => JSON.parse(body).data.metadata)
      expect(later).toEqual([{}, {}])
    })

    test('that fails: failed, with the code of the carrier', async () => {
      await listen()
      world.sms.answer = () => answered(400, { code: 'NO_SENDER' })
      await issue()
      expect(receivers.types(URL_A)).toEqual(['otp.failed'])
      expect(last().data).toMatchObject({ status: 'failed', error: { code: 'NO_SENDER' } })
    })

    test('that is guessed: max_attempts at the last wrong code only', async () => {
      await listen()
      const issueId = await issue({ maxAttempts: 2 })
      const wrong = world.sms.lastCode() === '000000' ? '111111' : '000000'
      await verify(issueId, wrong)
      await world.settle()
      expect(receivers.types(URL_A)).toEqual(['otp.sent'])
      await verify(issueId, wrong)
      await world.settle()
      expect(receivers.types(URL_A)).toEqual(['otp.sent', 'otp.max_attempts'])
      expect(last().data).toMatchObject({ attempts: 2, max_attempts: 2, metadata: {} })
    })

    test('that is verified before the carrier has answered: verified, then sent, with the masked number all the same', async () => {
      await listen()
      world.sms.answer = (message) =>
        new Promise((resolve) => world.clock.after(3_000, () => resolve(world.sms.accept(message))))
      const issueId = await issue()
      await verify(issueId, world.sms.lastCode())
      await world.advance(4_000)
      expect(receivers.types(URL_A)).toEqual(['otp.verified', 'otp.sent'])
      expect(last().data.to).toBe('+82******5678')
    })

    test('that is not used: expired, once', async () => {
      await listen({ events: ['otp.expired'] })
      await issue({ expiresInSec: 30 })
      await world.leap(120_000)
      expect(receivers.types(URL_A)).toEqual(['otp.expired'])
    })

    test('that a newer one replaces: nothing', async () => {
      await listen({ events: EVERY.filter((type) => type !== 'otp.sent') })
      await issue({ purpose: 'same' })
      await issue({ purpose: 'same' })
      await world.advance(1_000)
      expect(receivers.arrived).toEqual([])
    })

    test('that falls back is sent once on each leg, and only the whole can fail', async () => {
      await listen()
      await issue({ channel: 'alimtalk' })
      const { messageId } = world.kakao.requests.at(-1) ?? { messageId: '' }
      await world.report('kakao', { messageId, status: 'failed' })
      await world.settle()
      expect(receivers.arrived.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data.method])).toEqual([
        ['otp.sent', 'alimtalk'],
        ['otp.sent', 'sms'],
      ])
      await report('failed')
      expect(receivers.types(URL_A).at(-1)).toBe('otp.failed')
    })

    test.each(['failed', 'delivered'])(
      'whose report (%s) overtakes the answer of its carrier is sent before',
      async (state) => {
        await listen()
        world.sms.answer = async (message) => {
          await world.report('main', { messageId: message.messageId, status: state })
          return world.sms.accept(message)
        }
        await issue()
        await world.settle()
        expect(receivers.types(URL_A)).toEqual(['otp.sent', `otp.${state}`])
        expect(JSON.parse(receivers.arrived[0]?.body ?? '').data).toMatchObject({ method: 'sms', status: 'sent' })
      },
    )

    test('whose AlimTalk is reported failed before its carrier has answered is sent on each leg', async () => {
      await listen()
      world.kakao.answer = async (message) => {
        await world.report('kakao', { messageId: message.messageId, status: 'failed' })
        return world.kakao.accept(message)
      }
      await issue({ channel: 'alimtalk' })
      expect(receivers.arrived.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data.method])).toEqual([
        ['otp.sent', 'alimtalk'],
        ['otp.sent', 'sms'],
      ])
      expect(last().data.to).toBe('+82******5678')
    })

    test('whose sending is unclear is not told as sent; a report that clears it up is', async () => {
      await listen()
      world.sms.answer = () => answered(500, {})
      await issue()
      expect(receivers.arrived).toEqual([])
      await report('delivered')
      expect(receivers.types(URL_A)).toEqual(['otp.delivered'])
    })

    test('never carries number or code, neither on the way nor in the file', async () => {
      await listen()
      await issue({ metadata: { note: 'x' } })
      await report('delivered')
      const code = world.sms.lastCode()
      for (const { body } of receivers.arrived) {
        expect(body).not.toContain('12345678')
        expect(body.replace(/"created":\d+/, '').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')).not.toContain(`"${code}"`)
      }
      expect(JSON.parse(receivers.arrived[0]?.body ?? '').data.to).toBe('+82******5678')
      const stored = await world.place.dump()
      for (const text of ['******5678', '"otp.delivered","created"']) expect(stored).not.toContain(text)
    })
  })

  describe('who is told', () => {
    test('an endpoint of the app and mode only', async () => {
      const other = await import('../../src/usecases/administer').then(({ createApp }) =>
        createApp(world.admin, { name: 'other' }),
      )
      await listen({ appId: other.appId, url: 'https://other.example/' })
      await listen({ mode: 'test', url: 'https://test.example/' })
      await listen()
      await issue()
      await issue({ phoneNumber: '010-0000-0000' }, keys.test)
      await world.advance(5_000)
      expect(receivers.at('https://other.example/')).toEqual([])
      expect(receivers.types('https://test.example/')).toEqual(['otp.sent', 'otp.delivered'])
      expect(receivers.types(URL_A)).toEqual(['otp.sent'])
    })

    test('those whose subscription and filters fit', async () => {
      await listen({ url: 'https://verified.example/', events: ['otp.verified'] })
      await listen({ url: 'https://sms.example/', filters: { method: ['sms'] } })
      await listen({ url: 'https://alimtalk.example/', filters: { method: ['alimtalk'] } })
      await listen({ url: 'https://login.example/', filters: { type: ['login', 'signup'] } })
      await listen({ url: 'https://pro.example/', filters: { metadata: { plan: ['pro'] } } })
      await issue({ purpose: 'login', metadata: { plan: 'free' } })
      expect(receivers.arrived.map(({ url }) => url).sort()).toEqual(['https://login.example/', 'https://sms.example/'])
    })

    test('nobody: then nothing is stored', async () => {
      await listen({ events: ['otp.expired'] })
      await issue()
      expect(await world.rows('SELECT * FROM webhook_events')).toEqual([])
    })

    test('a change that is rolled back tells nothing', async () => {
      await listen()
      await world.store
        .transaction(async (tx) => {
          const [endpoint] = await tx.endpoints.ofOwner({ appId: keys.appId, mode: 'live' })
          const event = {
            eventId: world.random.uuid(tx.now),
            type: 'otp.sent',
            issueId: undefined,
            origin: undefined,
            body: '{}',
          } as const
          await tx.hooks.addEvent({ ...event, appId: keys.appId, mode: 'live', createdAt: tx.now })
          throw new Error(endpoint ? 'refused' : 'nobody listens')
        })
        .catch(() => {})
      expect(await world.rows('SELECT * FROM webhook_events')).toEqual([])
    })
  })

  describe('an attempt that fails', () => {
    const attemptsAt = () => receivers.at(URL_A).map(({ at }) => at - (receivers.at(URL_A)[0]?.at ?? 0))

    test.each<[string, HookAnswer]>([
      ['503', receives(503)],
      ['429', receives(429)],
      ['408', receives(408)],
      ['a redirect to nowhere', receives(302)],
      ['no connection', refusedConnection],
      ['no answer in time', { kind: 'failed', reason: 'timeout' }],
      ['a forbidden address', { kind: 'forbidden', reason: 'address' }],
    ])('is made again on schedule: %s', async (_, answer) => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.answer = () => answer
      await issue()
      await world.leap(3 * 60 * MINUTE_MS)
      const delaysMs = attemptsAt().map((at, n, all) => at - (all[n - 1] ?? 0))
      const planned = [0, 5_000, 30_000, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS]
      expect(delaysMs).toHaveLength(planned.length)
      // The specification's delays, within a second.
      for (const [n, ms] of planned.entries()) {
        expect(delaysMs[n]).toBeGreaterThanOrEqual(ms)
        expect(delaysMs[n]).toBeLessThanOrEqual(ms + 1_000)
      }
      expect(await hooks(endpoint.endpointId)).toMatchObject([{ status: 'failed', attempts: 6 }])
      expect(await world.rows("SELECT * FROM jobs WHERE kind = 'webhook'")).toEqual([])
    })

    test.each([400, 401, 404, 422])('with %d is final', async (status) => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.answer = () => receives(status)
      await issue()
      await world.leap(3 * 60 * MINUTE_MS)
      expect(receivers.arrived).toHaveLength(1)
      expect(await hooks(endpoint.endpointId)).toMatchObject([{ status: 'failed', lastStatus: status }])
    })

    test('is made later where the receiver asks for it, and not sooner', async () => {
      await listen({ events: ['otp.sent'] })
      receivers.script(
        URL_A,
        () => receives(429, { retryAfter: '60' }),
        () => receives(503, { retryAfter: '1' }),
      )
      await issue()
      await world.leap(5 * MINUTE_MS)
      expect(attemptsAt()).toEqual([0, 60_000, 90_000])
    })

    test('is signed afresh each time, over the same event', async () => {
      const { secret } = await listen({ events: ['otp.sent'] })
      receivers.script(URL_A, () => receives(503))
      await issue()
      await world.advance(10_000)
      const [first, second] = receivers.arrived
      expect(first?.body).toBe(second?.body ?? '')
      expect(first?.headers['X-Watchword-Timestamp']).not.toBe(second?.headers['X-Watchword-Timestamp'])
      for (const request of receivers.arrived) await verified(request, secret)
    })

    test('holds back no later event of another issue, and none of its own once it was tried', async () => {
      await listen()
      receivers.script(URL_A, () => receives(503))
      const issueId = await issue()
      await report('delivered')
      await verify(issueId, world.sms.lastCode())
      await world.settle()
      expect(receivers.types(URL_A)).toEqual(['otp.sent', 'otp.delivered', 'otp.verified'])
      await world.advance(6_000)
      expect(receivers.types(URL_A).at(-1)).toBe('otp.sent')
    })

    test('a slow first attempt keeps the later events of its issue in order', async () => {
      await listen()
      const slow = () => new Promise<HookAnswer>((resolve) => world.clock.after(4_000, () => resolve(receives(200))))
      receivers.script(URL_A, slow)
      const issueId = await issue()
      await report('delivered')
      await verify(issueId, world.sms.lastCode())
      await issue()
      expect(receivers.types(URL_A)).toEqual(['otp.sent', 'otp.sent'])
      await world.advance(4_100)
      expect(receivers.types(URL_A)).toEqual(['otp.sent', 'otp.sent', 'otp.delivered', 'otp.verified'])
    })

    test('a receiver that hangs delays no other', async () => {
      await listen({ events: ['otp.sent'] })
      await listen({ url: URL_B, events: ['otp.sent'] })
      receivers.answer = ({ url }) =>
        url === URL_A
          ? new Promise((resolve) => world.clock.after(5_000, () => resolve({ kind: 'failed', reason: 'timeout' })))
          : receives(200)
      for (let n = 0; n < 40; n++) await issue({ phoneNumber: `+8210${30_000_000 + n}` })
      expect(receivers.at(URL_A)).toHaveLength(8)
      expect(receivers.at(URL_B)).toHaveLength(40)
    })
  })

  describe('redirects', () => {
    test('are followed with the same request, three times at most', async () => {
      const { secret } = await listen({ events: ['otp.sent'], headers: { 'X-Own': 'kept' } })
      const to = (location: string) => () => receives(307, { location })
      receivers.script(URL_A, to('/elsewhere'))
      receivers.script('https://a.example/elsewhere', to('https://b.example/1'))
      // Bytes beyond ASCII are UTF-8, as browsers read them (nodejs/undici#2971).
      receivers.script('https://b.example/1', to(Buffer.from('https://b.example/über').toString('latin1')))
      await issue()
      expect(receivers.arrived.map(({ url }) => url)).toEqual([
        URL_A,
        'https://a.example/elsewhere',
        'https://b.example/1',
        'https://b.example/%C3%BCber',
      ])
      for (const request of receivers.arrived) await verified(request, secret)
      // Static headers may be credentials of the endpoint's own host.
      expect(receivers.arrived.map(({ headers }) => headers['X-Own'])).toEqual(['kept', 'kept', undefined, undefined])
    })

    test.each([301, 302, 303, 307, 308])('with %d are followed by the same POST', async (status) => {
      const { secret } = await listen({ events: ['otp.sent'] })
      receivers.script(URL_A, () => receives(status, { location: URL_B }))
      await issue()
      expect(receivers.arrived.map(({ url }) => url)).toEqual([URL_A, URL_B])
      for (const request of receivers.arrived) await verified(request, secret)
    })

    test('beyond three count as a failure', async () => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.answer = () => receives(302, { location: URL_A })
      await issue()
      expect(receivers.arrived).toHaveLength(4)
      expect(await hooks(endpoint.endpointId)).toMatchObject([
        { status: 'pending', lastStatus: 302, lastError: 'redirect' },
      ])
    })

    /** Every hop leads to the next, and each takes that long. */
    const eachHopTakes = (ms: number) => {
      receivers.answer = ({ url, timeoutMs }) => {
        const isInTime = ms < timeoutMs
        const answer: HookAnswer = isInTime
          ? receives(307, { location: `${url}/on` })
          : { kind: 'failed', reason: 'timeout' }
        return new Promise((resolve) => world.clock.after(Math.min(ms, timeoutMs), () => resolve(answer)))
      }
    }
    const allowed = () => receivers.arrived.map(({ timeoutMs }) => timeoutMs)

    test('have five seconds together: each hop gets what is left of them', async () => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      eachHopTakes(2_000)
      await issue()
      await world.advance(5_000)
      expect(allowed()).toEqual([5_000, 3_000, 1_000])
      const [hook] = await hooks(endpoint.endpointId)
      expect(hook).toMatchObject({ status: 'pending', attempts: 1, lastError: 'timeout' })
      const [attempt] = await world.store.read.hooks.attempts(hook?.deliveryId ?? '')
      expect(attempt).toMatchObject({ calledAt: START, answeredAt: START + 5_000 })
    })

    test('are not followed once the five seconds are over', async () => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.answer = () =>
        new Promise((resolve) => world.clock.after(5_000, () => resolve(receives(307, { location: URL_B }))))
      await issue()
      await world.advance(5_000)
      expect(receivers.arrived.map(({ url }) => url)).toEqual([URL_A])
      expect((await hooks(endpoint.endpointId))[0]?.lastError).toBe('timeout')
    })

    test('get the last millisecond, too', async () => {
      await listen({ events: ['otp.sent'] })
      eachHopTakes(4_999)
      await issue()
      await world.advance(5_000)
      expect(allowed()).toEqual([5_000, 1])
    })

    test('have no more than five seconds, wherever the clock is set meanwhile', async () => {
      await listen({ events: ['otp.sent'] })
      receivers.script(URL_A, () => {
        world.clock.step(-MINUTE_MS)
        return receives(307, { location: URL_B })
      })
      await issue()
      expect(allowed()).toEqual([5_000, 5_000])
    })

    test.each([
      'http://a.example/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://user:pw@a.example/',
      'ftp://a.example/',
    ])('to %s are not followed, and logged as refused', async (location) => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.script(URL_A, () => receives(302, { location }))
      await issue()
      expect(receivers.arrived).toHaveLength(1)
      expect((await hooks(endpoint.endpointId))[0]?.lastError).toStartWith('forbidden: ')
    })
  })

  describe('the guard', () => {
    test('refuses what the settings do not allow, says so in the log, and sends nothing', async () => {
      const { endpoint } = await listen({ url: 'http://127.0.0.1:9000/', events: ['otp.sent'] })
      await issue()
      expect(receivers.arrived).toEqual([])
      const [hook] = await hooks(endpoint.endpointId)
      expect(hook).toMatchObject({ status: 'pending', attempts: 1, lastError: 'forbidden: must begin with https://' })
    })

    test('lets through what they allow', async () => {
      await world.stop()
      await open({ WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true', WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })
      await listen({ url: 'http://127.0.0.1:9000/', events: ['otp.sent'] })
      await issue()
      expect(receivers.arrived).toHaveLength(1)
    })

    test('keeps to the ports they name', async () => {
      await world.stop()
      await open({ WATCHWORD_WEBHOOK_PORTS: '443' })
      const { endpoint } = await listen({ url: 'https://a.example:8443/', events: ['otp.sent'] })
      await issue()
      expect((await hooks(endpoint.endpointId))[0]?.lastError).toBe('forbidden: port 8443 is not allowed')
    })
  })

  describe('an endpoint', () => {
    test('that answers 410 is disabled, with the reason, and told nothing more', async () => {
      const { endpoint } = await listen()
      const told = () => world.logged.filter((line) => line.includes('webhook is disabled'))
      receivers.script(URL_A, () => receives(400))
      await issue()
      expect(told()).toEqual([])
      receivers.answer = () => receives(410)
      await issue()
      await issue()
      expect(receivers.arrived).toHaveLength(2)
      expect(told()).toEqual([expect.stringContaining(endpoint.endpointId)])
      expect(await world.store.read.endpoints.find(endpoint.endpointId)).toMatchObject({
        disabledReason: 'The receiver answered 410 Gone',
      })
    })

    test('that fails for five days is disabled; one success in between begins anew', async () => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      const isDisabled = async () =>
        (await world.store.read.endpoints.find(endpoint.endpointId))?.disabledAt !== undefined
      receivers.answer = () => receives(404)
      await issue()
      world.clock.step(4 * DAY_MS)
      receivers.script(URL_A, () => receives(200))
      await issue()
      await issue()
      world.clock.step(5 * DAY_MS - MINUTE_MS)
      await issue()
      expect(await isDisabled()).toBe(false)
      world.clock.step(MINUTE_MS)
      await issue()
      expect(await isDisabled()).toBe(true)
      await manage.updateEndpoint(admin(), endpoint.endpointId, { enabled: true })
      expect(await isDisabled()).toBe(false)
    })

    test('gets what its template makes, signed as it is sent', async () => {
      const template = '{"text":"{{type}} for {{data.type}}: \\"{{data.metadata.who}}\\"","n":{{created}}}'
      const { secret } = await listen({ events: ['otp.sent', 'otp.expired'], template })
      await issue({ purpose: 'a "quoted" purpose' })
      const [request] = receivers.arrived
      expect(JSON.parse(request?.body ?? '')).toEqual({
        text: 'otp.sent for a "quoted" purpose: ""',
        n: Math.floor(START / 1_000),
      })
      const { verifyWebhookSignature } = await import('../../client/webhook')
      if (request)
        await verifyWebhookSignature({ body: request.body, headers: request.headers, secret, now: request.at })
    })

    test('with a new secret: both count until the overlap ends', async () => {
      const { endpoint, secret: old } = await listen({ events: ['otp.sent'] })
      const { secret } = await manage.rotateEndpoint(admin(), endpoint.endpointId, 1)
      await issue()
      const [first] = receivers.arrived
      if (!first) throw new Error('nothing arrived')
      await verified(first, secret)
      await verified(first, old)
      world.clock.step(61 * MINUTE_MS)
      await issue()
      const second = receivers.arrived.at(-1) ?? first
      await verified(second, secret)
      expect(await verified(second, old).catch((error: { reason: string }) => error.reason)).toBe('bad_signature')
    })

    test('is sent what it missed: one event, or all that failed since', async () => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.answer = () => receives(400)
      for (let n = 0; n < 3; n++) await issue()
      receivers.answer = () => receives(200)
      const [newest] = await hooks(endpoint.endpointId)
      const one = { eventId: newest?.eventId ?? '' }
      expect(await manage.replayEvents(admin(), endpoint.endpointId, one)).toBe(1)
      await world.advance(1_000)
      expect(receivers.arrived).toHaveLength(4)
      expect(await manage.replayEvents(admin(), endpoint.endpointId, { since: START })).toBe(2)
      await world.advance(1_000)
      expect((await hooks(endpoint.endpointId)).map(({ status }) => status)).toEqual(Array(3).fill('delivered'))
      expect(await manage.replayEvents(admin(), endpoint.endpointId, { since: START })).toBe(0)
    })

    test('is sent at once what waits for its next try, and the schedule goes on from there', async () => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.answer = () => receives(503)
      await issue()
      await world.advance(5_000)
      expect(receivers.arrived).toHaveLength(2)
      const [hook] = await hooks(endpoint.endpointId)
      const replay = () => manage.replayEvents(admin(), endpoint.endpointId, { eventId: hook?.eventId ?? '' })
      expect(await replay()).toBe(1)
      await notice()
      expect(receivers.arrived).toHaveLength(3)
      // That was the third: five minutes until the fourth, and six in all.
      await world.leap(4 * MINUTE_MS)
      expect(receivers.arrived).toHaveLength(3)
      await world.leap(3 * 60 * MINUTE_MS)
      expect(await hooks(endpoint.endpointId)).toMatchObject([{ status: 'failed', attempts: 6 }])
      // What has ended has the whole schedule before it again.
      expect(await replay()).toBe(1)
      await world.leap(3 * 60 * MINUTE_MS)
      expect(await hooks(endpoint.endpointId)).toMatchObject([{ status: 'failed', attempts: 12 }])
    })

    test('is not sent twice what is on its way, and what comes of that counts', async () => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.answer = () => new Promise((resolve) => world.clock.after(3_000, () => resolve(receives(200))))
      await issue()
      const [hook] = await hooks(endpoint.endpointId)
      await manage.replayEvents(admin(), endpoint.endpointId, { eventId: hook?.eventId ?? '' })
      await world.advance(MINUTE_MS)
      expect(receivers.arrived).toHaveLength(1)
      expect(await hooks(endpoint.endpointId)).toMatchObject([{ status: 'delivered', attempts: 1 }])
    })

    test('is sent all that it missed, however much it is', async () => {
      const { endpoint } = await listen({ events: ['otp.sent'] })
      receivers.answer = () => receives(400)
      for (let n = 0; n < 401; n++) await manage.testEndpoint(admin(), endpoint.endpointId, 'otp.sent')
      await notice()
      expect(receivers.arrived).toHaveLength(401)
      receivers.answer = () => receives(200)
      expect(await manage.replayEvents(admin(), endpoint.endpointId, { since: START })).toBe(401)
      expect(await world.store.read.audit.page({ action: 'webhook.replay', limit: 9 })).toHaveLength(1)
      await notice()
      expect(await world.rows('SELECT DISTINCT status FROM webhook_deliveries')).toEqual([{ status: 'delivered' }])
      expect(receivers.arrived).toHaveLength(802)
    })

    test('that hangs delays no other also when both are sent what they missed', async () => {
      const both = [await listen({ events: ['otp.sent'] }), await listen({ url: URL_B, events: ['otp.sent'] })]
      receivers.answer = () => receives(400)
      for (let n = 0; n < 20; n++) await issue({ phoneNumber: `+8210${30_000_000 + n}` })
      receivers.answer = ({ url }) => (url === URL_A ? new Promise(() => {}) : receives(200))
      for (const { endpoint } of both)
        expect(await manage.replayEvents(admin(), endpoint.endpointId, { since: START })).toBe(20)
      await notice()
      expect([receivers.at(URL_A).length, receivers.at(URL_B).length]).toEqual([20 + 8, 20 + 20])
    })

    /** Lets the first transaction of an operator through, and holds the next ones until it is told to go on. */
    function halfDone() {
      const goOn = Promise.withResolvers<void>()
      let begun = 0
      const transaction: Store['transaction'] = async (work) => {
        if (begun++ > 0) await goOn.promise
        return world.store.transaction(work)
      }
      return { deps: { ...admin(), store: { ...world.store, transaction } }, goOn: goOn.resolve }
    }

    test.each<[string, (deps: World['admin'], endpointId: string) => Promise<unknown>]>([
      ['removed', (deps, endpointId) => manage.removeEndpoint(deps, endpointId)],
      ['removed with its app', (deps) => manage.removeApp(deps, keys.appId)],
    ])('that is being %s is told nothing more from then on, neither what waits nor what happens', async (_, remove) => {
      const { endpoint } = await listen()
      receivers.answer = () => receives(503)
      await issue()
      expect(receivers.types(URL_A)).toEqual(['otp.sent'])
      const { deps, goOn } = halfDone()
      const removal = remove(deps, endpoint.endpointId)
      await world.settle()
      await report('delivered')
      await world.leap(10 * MINUTE_MS)
      expect(receivers.types(URL_A)).toEqual(['otp.sent'])
      expect(await world.rows('SELECT type FROM webhook_events')).toEqual([{ type: 'otp.sent' }])
      goOn()
      await removal
      expect(await world.store.read.endpoints.find(endpoint.endpointId)).toBeUndefined()
      expect(await world.rows("SELECT * FROM jobs WHERE kind = 'webhook'")).toEqual([])
    })

    test('gets a test event of each type, marked as none of its own', async () => {
      const { endpoint, secret } = await listen({ events: ['otp.verified'] })
      for (const type of EVERY) await manage.testEndpoint(admin(), endpoint.endpointId, type)
      await world.advance(1_000)
      expect(receivers.types(URL_A).sort()).toEqual([...EVERY].sort())
      for (const request of receivers.arrived) otpEvent.parse(await verified(request, secret))
    })
  })

  test('what came of it is kept for thirty days', async () => {
    const { endpoint } = await listen({ events: ['otp.sent'] })
    receivers.script(URL_A, () => receives(503, { body: 'try later' }))
    await issue()
    await world.advance(10_000)
    const [hook] = await hooks(endpoint.endpointId)
    expect(await world.store.read.hooks.attempts(hook?.deliveryId ?? '')).toMatchObject([
      { number: 1, status: 503, answer: 'try later' },
      { number: 2, status: 200 },
    ])
    world.clock.step(29 * DAY_MS)
    await world.sweep()
    expect(await hooks(endpoint.endpointId)).toHaveLength(1)
    world.clock.step(2 * DAY_MS)
    await world.sweep()
    for (const table of ['webhook_deliveries', 'webhook_attempts', 'webhook_events'])
      expect(await world.rows(`SELECT * FROM ${table}`)).toEqual([])
  })

  test('twenty endpoints for an app, and no more', async () => {
    for (let n = 0; n < 20; n++) await listen({ url: `https://n${n}.example/` })
    expect(await listen().catch((error: Error) => error.message)).toContain('20 webhooks already')
  })
})
