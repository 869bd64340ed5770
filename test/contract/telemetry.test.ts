/** What operators are told: lines of the log, metrics and traces, each of whatever happens. docs/watching.md. */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import v8 from 'node:v8'
import { createMetrics, type Metrics } from '../../src/system/telemetry/metrics'
import { startTracing, type Tracing } from '../../src/system/telemetry/traces'
import * as manage from '../../src/usecases/administer'
import { answered } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { Collector } from '../support/collector'
import { IS_POSTGRES, newPlace } from '../support/place'
import { Receivers } from '../support/receiver'
import { type Furnished, START, World, type WorldOptions } from '../support/world'

const URL_A = 'https://a.example/hooks'
const REQUEST_ID = 'login-7f3a9c'
const CALLERS_TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLERS_SPAN = 'b7ad6b7169203331'
const PHONE = '010-1234-5678'

let world: World
let keys: Furnished
let receivers: Receivers

async function open(options: WorldOptions = {}): Promise<void> {
  const clock = new VirtualClock(START)
  receivers = new Receivers(clock.now)
  world = await World.start({ clock, hooks: receivers, ...options })
  keys = await world.furnish()
}
afterEach(() => world.stop())

const listen = () =>
  manage.addEndpoint(world.admin, { appId: keys.appId, mode: 'live', url: URL_A, events: ['otp.delivered'] })

const issue = (headers: Record<string, string> = { 'x-request-id': REQUEST_ID }, key = keys.live) =>
  world.call('rest', 'issue', { phoneNumber: PHONE, purpose: 'p', idempotencyKey: 'k' }, { key, headers })

const report = async (status: string) => {
  await world.report('main', { messageId: world.sms.requests.at(-1)?.messageId ?? '', status })
  await world.settle()
}

// biome-ignore lint/suspicious/noExplicitAny: lines are compared, not used
const lines = (message: string): any[] =>
  world.logged.map((line) => JSON.parse(line)).filter((line) => line.message === message)

describe('the log', () => {
  test('has one line for each: request, issue, attempt, delivery, webhook; all are found by the id of the request', async () => {
    await open()
    const { endpointId } = (await listen()).endpoint
    const { issueId } = (await issue()).body
    await world.settle()
    await report('delivered')
    await world.settle()
    const common = { level: 'info', requestId: REQUEST_ID, issueId }
    expect(lines('issue decided')).toEqual([
      expect.objectContaining({
        ...common,
        outcome: 'issued',
        channel: 'sms',
        country: 'KR',
        keyKind: 'sk',
        mode: 'live',
      }),
    ])
    expect(lines('attempt answered')).toEqual([
      expect.objectContaining({ ...common, provider: 'main', leg: 'sms', outcome: 'accepted', ms: expect.any(Number) }),
    ])
    expect(lines('delivery ended')).toEqual([
      expect.objectContaining({ ...common, outcome: 'delivered', billing: 'debited', ms: expect.any(Number) }),
    ])
    expect(lines('webhook ended')).toEqual([
      expect.objectContaining({
        ...common,
        endpointId,
        type: 'otp.delivered',
        outcome: 'delivered',
        status: 200,
        attempts: 1,
      }),
    ])
    expect(lines('request')[0]).toMatchObject({ requestId: REQUEST_ID, route: 'POST /v1/issue', status: 200 })
    for (const line of world.logged) expect(line).not.toContain(world.sms.lastCode())
    for (const line of world.logged) expect(line).not.toContain('12345678')
  })

  test('says why an issue was refused, and which limit', async () => {
    await open({ env: { WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '1' } })
    await issue()
    const again = { phoneNumber: PHONE, purpose: 'other', idempotencyKey: 'l' }
    await world.call('rest', 'issue', again, { key: keys.live })
    expect(lines('issue decided')[1]).toMatchObject({ outcome: 'refused', reason: 'limited', limit: 'perPhone' })
    expect(lines('issue decided')[1].issueId).toBeUndefined()
  })

  test('tells a replay from an issue', async () => {
    await open()
    await issue()
    await issue()
    expect(lines('issue decided').map(({ outcome }) => outcome)).toEqual(['issued', 'replayed'])
  })

  test('finds a message that is sent by a later process by the request that asked for it', async () => {
    const place = await newPlace()
    const clock = new VirtualClock(START)
    world = await World.start({ clock, place })
    keys = await world.furnish()
    world.sms.answer = () => answered(503, {})
    world.sms.script(() => ({ kind: 'not_sent', reason: 'ECONNREFUSED' }))
    await issue()
    await world.settle()
    const { sms, kakao } = world
    await world.app.stop()
    sms.answer = (message) => sms.accept(message)
    world = await World.start({ clock, place, carriers: { sms, kakao } })
    await world.advance(60_000)
    expect(lines('attempt answered')).toEqual([expect.objectContaining({ requestId: REQUEST_ID, outcome: 'accepted' })])
  })

  test('has what is asked for all the time as debug: health, metrics, the console; not where it fails', async () => {
    await open({ wrapStore: (store) => ({ ...store, assertWritable: () => Promise.reject(new Error('full')) }) })
    await world.send('GET', '/healthz', undefined)
    await world.send('GET', '/console', undefined)
    await world.send('GET', '/readyz', undefined)
    expect(lines('request').map(({ level, route }) => `${level} ${route}`)).toEqual([
      'debug healthz',
      'debug console',
      'info readyz',
    ])
  })

  test('has a line for each try of a webhook at debug, and one at info when it ends', async () => {
    await open()
    await listen()
    receivers.answer = () => ({ kind: 'failed', reason: 'refused' })
    await issue()
    await report('delivered')
    await world.settle()
    expect(lines('webhook is tried again')[0]).toMatchObject({
      level: 'debug',
      outcome: 'again',
      requestId: REQUEST_ID,
    })
    expect(lines('webhook ended')).toEqual([])
  })
})

describe('metrics', () => {
  // For gauges that nobody is told, prom-client walks the heap when they are made: here that of all tests before.
  const heap = spyOn(v8, 'getHeapSpaceStatistics')
  beforeAll(() => void heap.mockReturnValue([]))
  afterAll(() => heap.mockRestore())

  let metrics: Metrics
  const TOKEN = 'a-token-of-sixteen-characters-or-more'

  async function openWithMetrics(): Promise<void> {
    metrics = createMetrics()
    const route = { token: TOKEN, text: () => metrics.text(), contentType: metrics.contentType }
    const env = { WATCHWORD_METRICS_WALLETS: 'true' }
    await open({ listeners: { metrics: metrics.sink }, metrics: route, env })
    metrics.watch(() => world.app.vitals())
    world.store.setTelemetry(metrics.store)
  }
  const scrape = (authorization?: string) =>
    world.app.fetch(
      new Request('http://localhost/metrics', { headers: authorization ? { authorization } : {} }),
      '127.0.0.1',
    )
  const text = async () => (await scrape(`Bearer ${TOKEN}`)).text()

  test('count a report whose state no list names, which changes nothing', async () => {
    await openWithMetrics()
    await issue()
    await world.settle()
    await report('DLVRD')
    expect(await text()).toContain('watchword_reports_total{carrier="main",outcome="undecided"} 1')
    expect(await text()).toContain('watchword_reports_total{carrier="main",outcome="recorded"} 0')
  })

  test('are for who has the token, also on the same machine', async () => {
    await openWithMetrics()
    expect((await scrape()).status).toBe(401)
    expect((await scrape(`Bearer ${TOKEN}x`)).status).toBe(401)
    expect((await scrape(`Bearer ${keys.live}`)).status).toBe(401)
    const answer = await scrape(`bearer ${TOKEN}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(await answer.text()).toEndWith('# EOF\n')
  })

  test('are nowhere where there is no token', async () => {
    await open()
    expect((await scrape('Bearer x')).status).toBe(404)
  })

  test('count what becomes of codes, and never say whose', async () => {
    await openWithMetrics()
    await listen()
    const { issueId } = (await issue()).body
    await world.settle()
    await report('delivered')
    await world.call('rest', 'verify', { issueId, code: '111111' }, { key: keys.live })
    await world.call('rest', 'verify', { issueId, code: world.sms.lastCode() }, { key: keys.live })
    await world.call('rest', 'verify', { issueId, code: 'x' }, { key: keys.live })
    await world.settle()
    const told = await text()
    for (const line of [
      'watchword_requests_total{route="POST /v1/issue",status="200"} 1',
      'watchword_refusals_total{kind="invalid",limit=""} 1',
      'watchword_issues_total{mode="live",channel="sms",outcome="issued"} 1',
      'watchword_attempts_total{carrier="main",leg="sms",outcome="accepted"} 1',
      'watchword_attempt_duration_seconds_count{carrier="main"} 1',
      'watchword_deliveries_total{mode="live",carrier="main",leg="sms",outcome="delivered"} 1',
      'watchword_delivery_duration_seconds_count{carrier="main",leg="sms"} 1',
      'watchword_codes_ended_total{mode="live",channel="sms",outcome="verified"} 1',
      'watchword_verifications_total{mode="live",result="MISMATCH"} 1',
      'watchword_verifications_total{mode="live",result="verified"} 1',
      'watchword_webhooks_total{outcome="delivered"} 1',
      'watchword_carrier_healthy{carrier="main"} 1',
      `watchword_wallet_balance_credits{app="${keys.appId}"} 999`,
    ])
      expect(told).toContain(`${line}\n`)
    for (const secret of ['12345678', world.sms.lastCode(), issueId, keys.live, 'signup'])
      expect(told).not.toContain(secret)
  })

  test('say that a delivery has ended, once, also where its carrier says no more', async () => {
    await openWithMetrics()
    await world.provide('main', ['sms'], 'http://carrier.test/sms', { reports: false })
    await world.advance(1_500)
    await issue()
    await world.settle()
    await report('delivered')
    await world.settle()
    const told = (await text()).split('\n').filter((line) => line.startsWith('watchword_deliveries_total{'))
    expect(told).toEqual(['watchword_deliveries_total{mode="live",carrier="main",leg="sms",outcome="sent"} 1'])
    expect(lines('delivery ended')).toMatchObject([{ provider: 'main', outcome: 'sent', billing: 'debited' }])
  })

  test('count codes that were replaced, and those that nobody typed in time', async () => {
    await openWithMetrics()
    await issue()
    await world.call('rest', 'issue', { phoneNumber: PHONE, purpose: 'p', idempotencyKey: 'again' }, { key: keys.live })
    await world.advance(4 * 60_000)
    const told = await text()
    for (const outcome of ['replaced', 'expired'])
      expect(told).toContain(`watchword_codes_ended_total{mode="live",channel="sms",outcome="${outcome}"} 1\n`)
  })

  test('say how long the log beside the database is', async () => {
    await openWithMetrics()
    const bytes = /watchword_write_ahead_log_bytes (\d+)/.exec(await text())?.[1]
    if (IS_POSTGRES) expect(bytes).toBeUndefined()
    else expect(Number(bytes)).toBeGreaterThan(0)
  })

  test('show what waits, and a carrier that rests', async () => {
    await openWithMetrics()
    await world.crowd(keys.live)
    const told = await text()
    expect(told).toContain('watchword_queue_jobs{kind="deliver"} 1\n')
    expect(told).toContain('watchword_carrier_in_flight{carrier="main"} 1\n')
  })

  test('tell how the store works', async () => {
    await openWithMetrics()
    await issue()
    await world.settle()
    const count = Number(/watchword_commit_duration_seconds_count (\d+)/.exec(await text())?.[1])
    expect(count).toBeGreaterThan(0)
  })

  test('are told where the database cannot be read, too', async () => {
    await openWithMetrics()
    await issue()
    expect(await text()).toContain('watchword_vitals_up 1\n')
    metrics.watch(() => Promise.reject(new Error('away')))
    const told = await text()
    expect(told).toContain('watchword_issues_total{mode="live",channel="sms",outcome="issued"} 1\n')
    expect(told).toContain('watchword_vitals_up 0\n')
    // What was true once is not told as if it were now.
    expect(told).not.toMatch(/^watchword_(queue|carrier|nodes|pool|database|write_ahead|unit_wait|wallet)\w*[{ ]/m)
  })

  test('have no label that a caller chooses', async () => {
    await openWithMetrics()
    for (let n = 0; n < 50; n++) {
      await world.send('GET', `/v1/${n}`, undefined, { key: keys.live })
      await world.send('GET', `/v1/issues/no-such-${n}`, undefined, { key: keys.live })
      await world.send('POST', `/v1/rpc/otp/p${n}`, {}, { key: keys.live })
      await world.send('GET', `/${n}`, undefined)
    }
    const requests = (await text()).split('\n').filter((line) => line.startsWith('watchword_requests_total{'))
    expect(requests.length).toBeLessThan(6)
  })
})

describe('traces', () => {
  let tracing: Tracing
  let collector: Collector

  async function openWithTraces(share = 1): Promise<void> {
    collector = new Collector()
    tracing = startTracing(
      { url: collector.url, headers: { 'x-tenant': 'otp' }, share },
      { instanceId: 'this server', database: 'sqlite' },
    )
    await open({ listeners: { tracing } })
  }
  afterEach(() => collector?.stop())

  const traceparent = `00-${CALLERS_TRACE}-${CALLERS_SPAN}-01`

  test('one tells the life of an issue: request, transaction, attempt, report, webhook', async () => {
    await openWithTraces()
    await listen()
    await issue({ 'x-request-id': REQUEST_ID, traceparent, tracestate: 'shop=t61rcWkgMzE , mesh@eu=00f067aa;2,=bad' })
    await world.settle()
    await report('delivered')
    await world.settle()
    await tracing.stop()
    const spans = collector.spans.filter(({ traceId }) => traceId === CALLERS_TRACE)
    const request = spans.find(({ name }) => name === 'POST /v1/issue')
    expect(request?.parentSpanId).toBe(CALLERS_SPAN)
    expect(request?.attributes).toMatchObject({ 'http.response.status_code': 200, 'watchword.request_id': REQUEST_ID })
    expect(request?.attributes).toMatchObject({
      ...{ 'http.request.method': 'POST', 'http.route': '/v1/issue' },
      ...{ 'url.scheme': 'http', 'server.address': expect.any(String) },
    })
    const below = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
    expect(below.map(({ name }) => name).sort()).toEqual(['attempt', 'report', 'transaction', 'webhook'])
    expect(spans.length).toBe(5)
    expect(collector.headers[0]?.get('x-tenant')).toBe('otp')
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'watchword', 'service.instance.id': 'this server' })
    const [hook] = receivers.arrived
    const webhook = below.find(({ name }) => name === 'webhook')
    expect(webhook?.attributes).toMatchObject({
      ...{ 'http.request.method': 'POST', 'server.address': expect.any(String), 'server.port': 443 },
    })
    const transaction = below.find(({ name }) => name === 'transaction')
    expect(transaction?.attributes).toMatchObject({ 'db.system.name': 'sqlite' })
    expect(hook?.headers.tracestate).toBe('shop=t61rcWkgMzE,mesh@eu=00f067aa;2')
    expect(hook?.headers.traceparent).toBe(`00-${CALLERS_TRACE}-${webhook?.spanId}-01`)
    expect(lines('delivery ended').map(({ traceId }) => traceId)).toEqual([CALLERS_TRACE])
    const told = JSON.stringify(collector.spans)
    for (const secret of ['12345678', world.sms.lastCode(), keys.live]) expect(told).not.toContain(secret)
  })

  test('go on to a carrier where its settings say so, and to no other', async () => {
    await openWithTraces()
    await issue({ traceparent })
    await world.settle()
    expect(world.sms.headers[0]?.traceparent).toBeUndefined()
    const headers = { traceparent: '{{trace}}', tracestate: '{{traceState}}' }
    await world.provide('main', ['sms'], 'http://carrier.test/sms', { headers })
    await world.advance(1_500)
    const request = { phoneNumber: PHONE, purpose: 'q', idempotencyKey: 'l' }
    await world.call('rest', 'issue', request, { key: keys.live, headers: { traceparent, tracestate: 'shop=1' } })
    await world.settle()
    expect(world.sms.headers.at(-1)?.tracestate).toBe('shop=1')
    expect(world.sms.headers.at(-1)?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    await tracing.stop()
  })

  test('are followed as the caller does, whatever share of the others is traced', async () => {
    await openWithTraces(0)
    await issue({ traceparent })
    await world.call('rest', 'balance', undefined, { key: keys.live })
    await world.settle()
    await tracing.stop()
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([CALLERS_TRACE]))
  })

  test('that are off leave nothing: no header goes on, nothing of them is stored', async () => {
    await open()
    await listen()
    await world.provide('main', ['sms'], 'http://carrier.test/sms', { headers: { traceparent: '{{trace}}' } })
    await world.advance(1_500)
    await issue({ 'x-request-id': REQUEST_ID, traceparent })
    await report('delivered')
    await world.settle()
    expect(world.sms.headers[0]).not.toHaveProperty('traceparent')
    expect(receivers.arrived[0]?.headers).not.toHaveProperty('traceparent')
    expect(await world.rows('SELECT origin FROM issues')).toEqual([{ origin: REQUEST_ID }])
  })
})
