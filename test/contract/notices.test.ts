/** What the operator is told of, on which ways, when, and how often. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { verifyWebhookSignature } from '../../client/webhook'
import type { DiskUsage } from '../../src/domain/operations/disk'
import { textOf } from '../../src/domain/operations/notice'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import type { Clock } from '../../src/ports/clock'
import type { Backups } from '../../src/ports/files'
import type { HookAnswer, Mailer, Transport } from '../../src/ports/network'
import * as administer from '../../src/usecases/administer'
import { listCarriers } from '../../src/usecases/inspect'
import { answered } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { errorOf } from '../support/error-of'
import { receives } from '../support/receiver'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, SMS_URL, START, World, type WorldOptions } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const HOOK = 'https://ops.example.com/notices'
const SLACK = 'https://hooks.slack.example/services/T/B/secret'
const MAIL = { host: 'smtp.example', user: 'me', password: 'geheim', from: 'a@b.example', to: 'c@d.example' }
/** Servers look at this rate. */
const LOOK_MS = 11 * SECOND_MS

type Request = Parameters<Transport['request']>[0]

let world: World
let keys: Furnished
let requests: Request[]
let askedAt: number[]
let mails: Parameters<Mailer['send']>[1][]
/** What the receivers answer. */
let status: number
/** They answer once this is settled. */
let held: Promise<void> | undefined
let backups: Backups
let disk: DiskUsage

const start = async (options: WorldOptions = {}) => {
  world = await World.start({
    env: { WATCHWORD_PUBLIC_URL: 'https://codes.example' },
    backups,
    disk: () => disk,
    toOperator: {
      async request(request) {
        requests.push(request)
        askedAt.push(world.clock.now())
        await held
        return answered(status, '')
      },
    },
    mailer: {
      async send(_, mail) {
        mails.push(mail)
        return undefined
      },
      verify: async () => undefined,
    },
    ...options,
  })
}

beforeEach(async () => {
  requests = []
  askedAt = []
  mails = []
  status = 200
  held = undefined
  backups = { made: [] }
  disk = { free: 2 ** 40, size: 1, log: 0, files: 1 }
  await start()
  keys = await world.furnish()
})
afterEach(async () => {
  expect([...world.violations]).toEqual([])
  await world.stop()
})

const addWay = async (name: string, channel: 'webhook' | 'mail' | 'slack', settings: object) =>
  world.run(administer.addNoticeWay(world.admin, { name, channel, settings }))
const alertBelow = (amount: number | undefined) =>
  world.run(administer.setCreditAlert(world.admin, { appId: keys.appId, below: amount }))
const open = async () => (await administer.listNotices(world, 'open')).map(({ kind, subject }) => `${kind} ${subject}`)
const texts = () => requests.map(({ body }) => JSON.parse(body ?? ''))

describe('low credit', () => {
  test('is told once on every way, in words and with a link, and once more when it is over', async () => {
    const { newSecret: secret = '' } = await addWay('pager', 'webhook', { url: HOOK })
    await addWay('chat', 'slack', { url: SLACK })
    await addWay('duty', 'mail', MAIL)
    await alertBelow(2_000)
    await world.advance(LOOK_MS)

    const says = 'App demo has 1000 credits left.'
    const url = `https://codes.example/console/wallet?app=${keys.appId}`
    const [hook] = requests.filter((one) => one.url === HOOK)
    await verifyWebhookSignature({
      secret,
      body: hook?.body ?? '',
      headers: hook?.headers ?? {},
      now: world.clock.now(),
    })
    expect(JSON.parse(hook?.body ?? '')).toMatchObject({
      type: 'notice.began',
      data: { kind: 'low_credit', appId: keys.appId, urgent: false, says, url, facts: { available: 1_000 } },
    })
    expect(requests.filter((one) => one.url === SLACK).map(({ body }) => JSON.parse(body ?? ''))).toEqual([
      { text: `*Credit is low*\n${says}\nAdd credit before its codes are refused.\n${url}` },
    ])
    expect(mails.map(({ subject, text }) => [subject, text.split('\n')[0]])).toEqual([['Credit is low', says]])
    await world.leap(HOUR_MS)
    expect([requests.length, mails.length]).toEqual([2, 1])

    await alertBelow(undefined)
    await world.advance(LOOK_MS)
    expect(await open()).toEqual([])
    expect(texts().filter(({ type }) => type === 'notice.ended')).toHaveLength(1)
    expect(mails.map(({ subject }) => subject)).toEqual(['Credit is low', 'Over: Credit is low'])
  })

  test('is told as the days that it lasts, where a week of usage is known', async () => {
    await world.provide('main', ['sms'], SMS_URL, { reports: false })
    for (let n = 0; n < 80; n++) {
      const request = { phoneNumber: `010-${2_000 + n}-1000`, purpose: 'signup', idempotencyKey: `k${n}` }
      await world.call('rest', 'issue', request, { key: keys.live })
    }
    await world.advance(LOOK_MS)
    expect(await open()).toEqual([])
    await world.run(administer.clawBackCredit(world.admin, { appId: keys.appId, amount: 910, reference: 'x' }))
    for (let half = 0; half < 2; half++) await world.leap(5 * MINUTE_MS)
    const notices = await administer.listNotices(world, 'open')
    expect(notices.map(({ kind, facts }) => ({ kind, facts }))).toMatchObject([
      { kind: 'low_credit', facts: { app: 'demo', available: 10, days: 0 } },
    ])
  })
})

test('a carrier that reports nothing of two hundred messages is told of, with what it was refused for', async () => {
  const issueMany = async (count: number, from: number) => {
    for (let n = from; n < from + count; n++) {
      const request = { phoneNumber: `010-2000-${1_000 + n}`, purpose: 'signup', idempotencyKey: `k${n}` }
      await world.call('rest', 'issue', request, { key: keys.live })
    }
    await world.advance(16 * SECOND_MS)
  }
  await world.run(administer.protectApp(world.admin, keys.appId, { conversion: 'off' }))
  await issueMany(199, 0)
  await world.leap(20 * MINUTE_MS)
  expect(await open()).toEqual([])
  const [{ messageId = '' } = {}] = world.sms.accepted
  for (const _ of Array(3)) await world.report('main', { messageId, status: 'delivered' }, 'of-another-installation')
  await issueMany(1, 199)
  await world.leap(MINUTE_MS)
  expect((await administer.listNotices(world, 'open')).map(({ kind, facts }) => ({ kind, facts }))).toEqual([
    {
      kind: 'no_reports',
      facts: { carrier: 'main', accepted: 200, refused: 3, why: 'wrong secret, signature or address' },
    },
  ])
  expect(await listCarriers({ ...world.admin, explain: async () => undefined })).toMatchObject([
    { name: 'kakao', unreported: 0, refusedReports: [] },
    { name: 'main', reportedAt: undefined, unreported: 200, refusedReports: [{ reason: 'unauthorized', times: 3 }] },
  ])
  await world.report('main', { messageId, status: 'delivered' })
  await world.leap(MINUTE_MS)
  expect(await open()).toEqual([])
})

test('an app that is out of credit is told within seconds, and one that never had any is not', async () => {
  await addWay('pager', 'webhook', { url: HOOK })
  await world.run(administer.createApp(world.admin, { name: 'not begun' }))
  await world.run(administer.clawBackCredit(world.admin, { appId: keys.appId, amount: 1_000, reference: 'x' }))
  await world.advance(LOOK_MS)
  expect(await open()).toEqual([`no_credit ${keys.appId}`])
  expect(texts()).toMatchObject([
    { type: 'notice.began', data: { urgent: true, says: 'App demo has no credit left. Its codes are refused.' } },
  ])
  await world.run(administer.addCredit(world.admin, { appId: keys.appId, amount: 1 }))
  await world.advance(LOOK_MS)
  expect(await open()).toEqual([])
})

test('an app whose overdraft still pays is not out of credit', async () => {
  await world.run(administer.clawBackCredit(world.admin, { appId: keys.appId, amount: 1_000, reference: 'x' }))
  await world.run(administer.setOverdraft(world.admin, { appId: keys.appId, limit: 5 }))
  await world.advance(LOOK_MS)
  expect(await open()).not.toContain(`no_credit ${keys.appId}`)
})

test('a disk that has no room for a backup is told', async () => {
  const [mib, gib] = [2 ** 20, 2 ** 30]
  disk = { free: 3 * gib, size: 2 * gib, log: 50 * mib, files: 1_000 }
  await world.advance(LOOK_MS)
  expect(await open()).toEqual([])
  disk = { ...disk, free: 2 * gib }
  await world.advance(LOOK_MS)
  expect(await administer.listNotices(world, 'open')).toMatchObject([
    { kind: 'disk_low', subject: 'server', facts: { freeMib: 2_048, neededMib: 2_162 } },
  ])
})

test('a clock that was set back is told for a day', async () => {
  world.clock.step(-90_000)
  await world.advance(LOOK_MS)
  expect(await administer.listNotices(world, 'open')).toMatchObject([
    { kind: 'clock_stepped', facts: { seconds: expect.any(Number) } },
  ])
  await world.leap(25 * HOUR_MS)
  expect(await open()).not.toContain('clock_stepped server')
})

test('a receiver that fails is told again, with the same id, and given up at last', async () => {
  await addWay('pager', 'webhook', { url: HOOK })
  status = 500
  await alertBelow(2_000)
  await world.advance(LOOK_MS + 10 * SECOND_MS + MINUTE_MS)
  expect(requests.length).toBe(3)
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await world.leap(10 * HOUR_MS)
  const [notice] = await administer.listNotices(world, 'open')
  expect(notice?.messages).toMatchObject([{ status: 'failed', tries: 7, error: 'HTTP 500' }])
  const waits = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0))
  expect(waits).toEqual([10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS])
  // Nobody who was not told that it began is told that it ended.
  status = 200
  const before = requests.length
  await alertBelow(undefined)
  await world.advance(LOOK_MS)
  expect(requests.length).toBe(before)
})

test('a receiver gets one message at a time, however much there is to tell', async () => {
  await addWay('pager', 'webhook', { url: HOOK })
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  const other = await world.run(administer.createApp(world.admin, { name: 'other' }))
  await world.run(administer.setCreditAlert(world.admin, { appId: other.appId, below: 1 }))
  await alertBelow(2_000)
  await world.advance(LOOK_MS)
  expect((await open()).length).toBe(2)
  expect(requests.length).toBe(1)
  resolve()
  await world.advance(SECOND_MS)
  expect(requests.length).toBe(2)
})

describe('what ends while its beginning is on the way', () => {
  /** Each message that is stored, by what it tells and what became of it. */
  async function endMeanwhile(): Promise<string[]> {
    await addWay('pager', 'webhook', { url: HOOK })
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    await alertBelow(2_000)
    await world.advance(LOOK_MS)
    await alertBelow(undefined)
    await world.advance(LOOK_MS)
    expect(await open()).toEqual([])
    expect(texts().map(({ type }) => type)).toEqual(['notice.began'])
    resolve()
    await world.advance(MINUTE_MS)
    const [notice] = await administer.listNotices(world, { limit: 1 })
    return (notice?.messages ?? []).map(({ phase, status }) => `${phase} ${status}`).sort()
  }

  test('is told as over, too', async () => {
    expect(await endMeanwhile()).toEqual(['began sent', 'ended sent'])
    expect(texts().map(({ type }) => type)).toEqual(['notice.began', 'notice.ended'])
  })

  test('is told no more where the beginning was not taken', async () => {
    status = 500
    expect(await endMeanwhile()).toEqual(['began dropped'])
    expect(requests.length).toBe(1)
  })
})

test('a server that dies while it sends is followed by another one, which sends it again by the same id', async () => {
  await world.stop()
  const clock = new VirtualClock(START)
  let isAlive = true
  const processClock: Clock = {
    now: clock.now,
    elapsed: clock.elapsed,
    after: (ms, callback) => clock.after(ms, () => isAlive && callback()),
  }
  const toOperator: Transport = {
    request(request) {
      requests.push(request)
      return new Promise(() => {})
    },
  }
  await start({ clock, processClock, toOperator })
  keys = await world.furnish()
  await addWay('pager', 'webhook', { url: HOOK })
  await alertBelow(2_000)
  await world.advance(LOOK_MS)
  expect(requests).toHaveLength(1)
  isAlive = false
  const dead = world
  await start({ clock, place: dead.place, seed: 2 })
  await world.advance(MINUTE_MS)
  expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([
    requests[0]?.headers['webhook-id'],
    requests[0]?.headers['webhook-id'],
  ])
  const [notice] = await administer.listNotices(world, 'open')
  expect(notice?.messages).toMatchObject([{ status: 'sent', tries: 1 }])
  isAlive = true
  await dead.stop()
})

test('a carrier that refuses its account is told at once, and one that fails after five minutes', async () => {
  await addWay('pager', 'webhook', { url: HOOK })
  const health = (code: string) => ({ isHealthy: false, since: world.clock.now(), code, retryAt: undefined })
  await world.run(world.store.transaction((tx) => tx.carriers.saveHealth('main', health('HTTP_401'))))
  await world.run(world.store.transaction((tx) => tx.carriers.saveHealth('kakao', health('HTTP_500'))))
  await world.advance(LOOK_MS)
  expect(await open()).toEqual(['carrier_down main'])
  await world.leap(5 * MINUTE_MS)
  expect((await open()).toSorted()).toEqual(['carrier_down kakao', 'carrier_down main'])
  expect(texts().map(({ data }) => data.urgent)).toEqual([true, true])
})

test('an endpoint that is disabled by its answers, and a certificate that expires or is refused', async () => {
  const add = (url: string) =>
    world.run(administer.addEndpoint(world.admin, { appId: keys.appId, mode: 'live', url, events: ['otp.sent'] }))
  const [gone, old, own] = [
    await add('https://a.example/'),
    await add('https://b.example/'),
    await add('https://c.example/'),
  ]
  await world.run(
    world.store.transaction(async (tx) => {
      const save = async (endpointId: string, state: object) => {
        const endpoint = await tx.endpoints.lock(endpointId)
        if (endpoint) await tx.endpoints.saveState({ ...endpoint, ...state })
      }
      await save(gone.endpoint.endpointId, { disabledAt: 1, disabledReason: 'The receiver answered 410 Gone' })
      await save(old.endpoint.endpointId, { certificateUntil: START + 13 * 24 * HOUR_MS })
      await save(own.endpoint.endpointId, { disabledAt: 1, disabledReason: 'Disabled by an operator' })
    }),
  )
  await world.advance(LOOK_MS)
  const found = await administer.listNotices(world, 'open')
  expect(found.map(({ kind, facts }) => [kind, facts.host]).toSorted()).toEqual([
    ['endpoint_disabled', 'a.example'],
    ['webhook_certificate', 'b.example'],
  ])
})

test('a certificate is looked at whenever an event is sent', async () => {
  await world.stop()
  let answer: HookAnswer = { kind: 'failed', reason: 'tls' }
  await start({ hooks: { post: async () => answer } })
  keys = await world.furnish()
  const { appId, live: key } = keys
  await world.run(
    administer.addEndpoint(world.admin, { appId, mode: 'live', url: 'https://a.example/', events: ['otp.sent'] }),
  )
  const until = async () => (await administer.listNotices(world, 'open')).map(({ facts }) => facts.until)
  const request = { phoneNumber: '010-2000-1000', purpose: 'signup', idempotencyKey: 'k' }
  await world.call('rest', 'issue', request, { key })
  await world.advance(LOOK_MS)
  expect(await until()).toEqual([''])
  answer = receives(200, { certificateUntil: START + 13 * DAY_MS })
  await world.advance(MINUTE_MS)
  expect(await until()).toEqual([''])
  answer = receives(200, { certificateUntil: START + 30 * DAY_MS })
  await world.call('rest', 'issue', { ...request, purpose: 'login', idempotencyKey: 'k2' }, { key })
  await world.advance(LOOK_MS)
  expect(await until()).toEqual([])
})

test('backups that somebody else makes are overdue once they miss their rhythm by an hour', async () => {
  const kept: Backups = { made: [] }
  const at = (...ats: number[]) => {
    kept.made = ats.map((one) => ({ name: 'b', bytes: 1, at: one }))
  }
  await world.stop()
  backups = kept
  at(START)
  await start()
  await world.leap(40 * DAY_MS)
  // One alone may have been made by hand, before an upgrade.
  expect(await open()).toEqual([])
  const now = world.clock.now()
  at(now - 26 * HOUR_MS, now - 50 * HOUR_MS)
  await world.advance(LOOK_MS)
  expect(await open()).toEqual(['backup_overdue server'])
  at(now, now - 26 * HOUR_MS)
  await world.advance(LOOK_MS)
  expect(await open()).toEqual([])
  Object.assign(kept, { failedAt: world.clock.now() + 1, failedBecause: 'database or disk is full' })
  await world.advance(LOOK_MS)
  const [notice] = await administer.listNotices(world, 'open')
  expect(notice && textOf(notice).says).toMatch(
    /^The backup of .* UTC failed: database or disk is full\. The newest backup is of /,
  )
})

test('a backup that failed, until one is made', async () => {
  await world.stop()
  const failed: Backups = { made: [], failedAt: START, nextAt: START + HOUR_MS }
  backups = failed
  await start()
  await world.advance(LOOK_MS)
  expect(await open()).toEqual(['backup_overdue server'])
  failed.made.push({ name: 'b', bytes: 1, at: world.clock.now() })
  await world.advance(LOOK_MS)
  expect(await open()).toEqual([])
})

test('a test is sent at once, and its answer is told', async () => {
  const { way } = await addWay('chat', 'slack', { url: SLACK })
  const sender = {
    toOperator: { request: async () => answered(404, '') },
    mailer: { send: async () => undefined, verify: async () => undefined },
  }
  const deps = { ...world.admin, ...sender, publicUrl: undefined }
  expect(await world.run(administer.testNoticeWay(deps, way.wayId))).toBe('HTTP 404')
  await world.run(administer.removeNoticeWay(world.admin, way.wayId))
  expect((await errorOf(administer.testNoticeWay(deps, way.wayId))).message).toContain('No such way of notices')
})

test('no secret of a way is in the audit log or in a log line', async () => {
  await addWay('chat', 'slack', { url: SLACK })
  await addWay('duty', 'mail', MAIL)
  status = 500
  await alertBelow(2_000)
  await world.advance(LOOK_MS)
  const told = world.logged.filter((line) => line.includes('could not send a notice'))
  // Mails were taken, and are told of nowhere.
  expect(new Set(told.map((line) => JSON.parse(line).way))).toEqual(new Set(['chat']))
  const said = [...world.logged, JSON.stringify(await world.rows('SELECT * FROM audit_entries'))].join('\n')
  for (const secret of ['geheim', 'services/T/B']) expect(said).not.toContain(secret)
})
