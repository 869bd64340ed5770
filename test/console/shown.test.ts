/** What the console's pages are shown: everything that was stored, in the words of its contract, and nothing besides. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
// Loaded now: the first request would wait for it, and virtual time would pass.
import '../../src/console/rpc'
import { NEW_CAPS } from '../../src/abuse/rules/cap'
import type { HookRequest } from '../../src/ports/network'
import { setUpToken } from '../../src/usecases/people'
import { answered } from '../support/carrier'
import { type Furnished, START, World } from '../support/world'
import { ConsoleClient } from './client'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let world: World
let keys: Furnished
let owner: ConsoleClient
let posted: HookRequest[]
const shown = async (path: string, input?: unknown) => {
  const { status, body } = await owner.call(path, input)
  return status === 200 ? body : [status, body.data]
}
const live = () => ({ appId: keys.appId, mode: 'live' })

beforeEach(async () => {
  posted = []
  world = await World.start({
    hooks: {
      async post(request) {
        posted.push(request)
        return { kind: 'answered', status: 500, location: undefined, retryAfter: undefined, body: 'oh no' }
      },
    },
  })
  keys = await world.furnish()
  owner = new ConsoleClient(world)
  const token = await setUpToken(world)
  await owner.call('session/setUp', { token, name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' })
})
afterEach(() => world.stop())

const issue = async (more: object = {}, key = keys.live) => {
  const order = { phoneNumber: '010-1234-5678', purpose: 'login', idempotencyKey: 'k', ...more }
  return (await world.call('rest', 'issue', order, { key })).body
}

const TIME = expect.any(Number)

test('apps, and where their numbers are from', async () => {
  const made = await shown('apps/create', { name: 'shop', region: 'US' })
  const { appId, organizationId } = keys
  expect(made).toEqual({
    appId: expect.stringMatching(/^app_[0-9a-z]{12}$/),
    organizationId,
    name: 'shop',
    region: 'US',
    protection: {
      ...{
        numberTypes: 'block',
        countries: 'block',
        capping: 'block',
        conversion: 'block',
        tolerance: 1,
        failures: 'block',
      },
      ...{ open: [], secretTo: [], closed: [], caps: [...NEW_CAPS] },
      ...{ resendMs: { sk: 0, pk: 30_000 }, lockMs: 24 * HOUR_MS },
      trusted: { networks: [], countries: [], phones: 0 },
    },
    texts: { localeByCountry: false },
    provesMetadata: false,
    createdAt: TIME,
  })
  expect(await shown('apps/list')).toEqual({
    apps: expect.arrayContaining([
      made,
      {
        appId,
        organizationId,
        name: 'demo',
        protection: made.protection,
        texts: made.texts,
        provesMetadata: false,
        createdAt: START,
      },
    ]),
    defaultRegion: 'KR',
    liveRetentionDays: 180,
  })
  expect(await shown('apps/rename', { appId: made.appId, name: 'market' })).toEqual({ ...made, name: 'market' })
  expect(await shown('apps/setRegion', { appId: made.appId, region: 'DE' })).toMatchObject({
    name: 'market',
    region: 'DE',
  })
  const protection = { countries: 'watch', open: ['JP'], lockMs: null }
  expect((await shown('apps/protect', { appId: made.appId, protection })).protection).toEqual({
    ...made.protection,
    ...protection,
  })
  expect((await shown('apps/regions')).regions).toContain('KR')
  expect(await shown('session/current')).toMatchObject({ organization: organizationId, needsSetup: false })
})

test('the proof that an app asks for, without its secret', async () => {
  const { appId } = keys
  const secret = 'secret-at-the-vendor'
  const challenge = { vendor: 'turnstile', siteKey: 'site', onOutage: 'refuse' }
  expect(await shown('apps/challenge', { appId })).toEqual({})
  expect(await shown('apps/setChallenge', { appId, ...challenge })).toEqual([
    400,
    { param: 'secret', reason: 'required' },
  ])
  expect(await shown('apps/setChallenge', { appId, ...challenge, secret })).toEqual({ ok: true })
  expect(await shown('apps/challenge', { appId })).toEqual({ challenge })
  // What is left empty is kept of the secret, and taken away of the site key.
  expect(await shown('apps/setChallenge', { appId, vendor: 'turnstile', onOutage: 'pass' })).toEqual({ ok: true })
  expect(await shown('apps/challenge', { appId })).toEqual({ challenge: { vendor: 'turnstile', onOutage: 'pass' } })
  expect(await world.store.read.challenges.find(appId)).toMatchObject({ secret })
  for (const path of ['apps/list', 'audit/list']) expect(JSON.stringify(await shown(path, {}))).not.toContain(secret)
  expect(await shown('apps/removeChallenge', { appId })).toEqual({ ok: true })
  expect(await shown('apps/challenge', { appId })).toEqual({})
  expect(await shown('apps/removeChallenge', { appId })).toEqual([404, expect.objectContaining({ reason: 'no_such' })])
})

test('keys, by their first and last characters', async () => {
  const { appId } = keys
  const wanted = {
    ...{ kind: 'pk', mode: 'live', scopes: ['otp:issue'], allowedOrigins: ['https://shop.example.com'] },
    ...{ limits: { issuesPerMin: 7 }, expiresAt: START + HOUR_MS },
  }
  const { key, keyId } = await shown('keys/create', { appId, ...wanted })
  await shown('keys/allow', { keyId, allows: ['text'] })
  const listed = async () =>
    (await shown('keys/list', { appId })).keys.find((one: { keyId: string }) => one.keyId === keyId)
  const creator = { name: 'Ann', isCommandLine: false, isMine: true }
  const characters = `${/^pk_.{4}/.exec(key)}…${key.slice(-4)}`
  const view = { ...wanted, keyId, shown: characters, allowedCidrs: [], allows: ['text'], createdAt: TIME, creator }
  expect(await listed()).toEqual({ ...view, isOpen: true, state: 'active' })
  world.clock.step(HOUR_MS)
  expect(await listed()).toEqual({ ...view, isOpen: false, state: 'expired' })
  await shown('keys/revoke', { keyId })
  expect(await listed()).toEqual({ ...view, isOpen: false, state: 'revoked', revokedAt: TIME })
})

describe('an issue', () => {
  test('as a row of the list, and with its whole story', async () => {
    const hook = { url: 'https://hook.example.com/', events: ['otp.failed'], filters: {}, template: '' }
    const { endpoint } = await shown('webhooks/add', { ...live(), ...hook })
    world.sms.script(() => answered(400, { code: 'E1' }))
    const { issueId } = await issue({ metadata: { order: '7' } })
    await world.advance(1_000)
    const row = {
      ...{ issueId, mode: 'live', purpose: 'login', isMessageAlone: false, channel: 'sms', leg: 'sms', country: 'KR' },
      ...{ verificationStatus: 'issued', deliveryStatus: 'failed', overallStatus: 'delivery_failed' },
      ...{ isAmbiguous: false, outcomeCode: 'E1', billingStatus: 'released', price: 1 },
      ...{ attemptsUsed: 0, maxAttempts: 5, createdAt: START, expiresAt: START + 3 * MINUTE_MS },
    }
    expect((await shown('issues/list', { ...live(), limit: 10 })).rows).toEqual([row])
    const text = '인증번호는 [••••••]입니다. 타인에게 알려주지 마세요.'
    const attempt = { number: 1, leg: 'sms', provider: 'main', outcome: 'refused', code: 'E1', text }
    const ids = { deliveryId: expect.any(String), eventId: expect.any(String) }
    const told = { ...ids, endpointId: endpoint.endpointId, type: 'otp.failed' }
    expect(await shown('issues/story', { issueId })).toEqual({
      ...row,
      ...{ appId: keys.appId, templateId: 'otp_default_kr', metadata: { order: '7' }, updatedAt: TIME },
      wrongAt: [],
      attempts: [{ ...attempt, calledAt: TIME, answeredAt: TIME, latencyMs: 0 }],
      ledger: [],
      webhooks: [{ ...told, status: 'pending', attempts: 1, lastStatus: 500, createdAt: TIME, nextAttemptAt: TIME }],
    })
  })

  test('that was paid and verified, with what it cost and when', async () => {
    const { issueId } = await issue()
    await world.advance(1_000)
    await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' })
    await world.call('rest', 'verify', { issueId, code: world.sms.lastCode() }, { key: keys.live })
    await world.advance(1_000)
    const story = await shown('issues/story', { issueId })
    expect(story).toMatchObject({ verifiedAt: START + 1_000, billingStatus: 'debited' })
    expect(story.attempts).toMatchObject([{ outcome: 'accepted', report: 'delivered', reportedAt: START + 1_000 }])
    expect(story.ledger).toEqual([{ entryType: 'debit', amountDelta: -1, balanceAfter: 999, createdAt: TIME }])
  })

  test('is found by what became of it, its purpose, its id and its time', async () => {
    world.sms.script(() => answered(400, { code: 'E1' }))
    const { issueId: failed } = await issue({ idempotencyKey: 'a', purpose: 'signup' })
    await world.advance(1_000)
    world.clock.step(MINUTE_MS)
    const { issueId: sent } = await issue({ idempotencyKey: 'b', phoneNumber: '010-1234-0002' })
    await world.advance(1_000)
    await world.call('rest', 'verify', { issueId: sent, code: world.sms.lastCode() }, { key: keys.live })
    const found = async (search: object) =>
      (await shown('issues/list', { ...live(), limit: 10, ...search })).rows.map(
        (row: { issueId: string }) => row.issueId,
      )
    expect(await found({})).toEqual([sent, failed])
    expect(await found({ delivery: 'failed' })).toEqual([failed])
    expect(await found({ status: 'verified' })).toEqual([sent])
    expect(await found({ search: 'sign' })).toEqual([failed])
    expect(await found({ search: sent })).toEqual([sent])
    expect(await found({ to: START + MINUTE_MS })).toEqual([failed])
    expect(await found({ from: START + MINUTE_MS })).toEqual([sent])
    const first = await shown('issues/list', { ...live(), limit: 1 })
    expect(first.next).toBe(sent)
    expect(await found({ after: first.next })).toEqual([failed])
  })

  test('in test mode with the number it went to and the code that verifies it', async () => {
    const { appId } = keys
    const order = { appId, phoneNumber: '010-0000-0000', purpose: 'try' }
    const { issueId, expiresAt } = await shown('inbox/tryIt', order)
    expect(expiresAt).toBeWithin(START + 3 * MINUTE_MS, START + 4 * MINUTE_MS)
    const { rows } = await shown('inbox/list', { appId, limit: 10 })
    const [{ code }] = rows
    expect(rows).toEqual([
      expect.objectContaining({
        issueId,
        mode: 'test',
        purpose: 'try',
        maxAttempts: 5,
        billingStatus: 'released',
        price: 0,
      }),
    ])
    expect(rows[0]).toMatchObject({
      scenario: expect.any(Number),
      phoneNumber: '+821000000000',
      code: expect.stringMatching(/^\d{6}$/),
    })
    const wrong = code === '000001' ? '000002' : '000001'
    expect(await shown('inbox/verify', { appId, issueId, code: wrong })).toEqual({
      ...{ verified: false, reasonCode: 'MISMATCH', attemptsRemaining: 4, expiresAt },
    })
    expect(await shown('inbox/verify', { appId, issueId, code })).toMatchObject({ verified: true })
    const unknown = { appId, issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', code }
    expect(await shown('inbox/verify', unknown)).toMatchObject({ reasonCode: 'NOT_FOUND', attemptsRemaining: 0 })
    expect((await shown('inbox/list', { appId, limit: 10 })).rows[0]).toMatchObject({ verificationStatus: 'verified' })
    // Whatever is still there: a week is what the inbox shows.
    for (const [ms, count] of [
      [7 * 24 * HOUR_MS, 1],
      [1, 0],
    ] as const) {
      world.clock.step(ms)
      await owner.call('session/signIn', { email: 'ann@example.com', password: 'correct horse battery' })
      expect((await shown('inbox/list', { appId, limit: 10 })).rows).toHaveLength(count)
    }
  })
})

test('a wallet, and its ledger', async () => {
  const { appId } = keys
  await issue()
  await shown('wallet/setOverdraft', { appId, limit: 50 })
  await shown('wallet/setAlert', { appId, below: 0 })
  const wallet = { balance: 1_000, reserved: 1, available: 999, overdraftLimit: 50, alertBelow: 0, currency: 'CREDIT' }
  expect(await shown('wallet/show', { appId })).toEqual(wallet)
  const entry = { seq: TIME, createdAt: TIME, reference: expect.stringMatching(/^console-[0-9a-f]{18}$/) }
  expect(await shown('wallet/topUp', { appId, amount: 5 })).toEqual({
    ...entry,
    entryType: 'credit',
    amountDelta: 5,
    balanceAfter: 1_005,
  })
  const taken = await shown('wallet/clawback', { appId, amount: 2 })
  expect(taken).toEqual({ ...entry, entryType: 'clawback', amountDelta: -2, balanceAfter: 1_003 })
  expect((await shown('wallet/ledger', { appId, limit: 1 })).rows).toEqual([taken])
})

test('a wallet that was never filled, and none of no app', async () => {
  const { appId } = await shown('apps/create', { name: 'new' })
  expect(await shown('wallet/show', { appId })).toMatchObject({
    balance: 0,
    reserved: 0,
    available: 0,
    overdraftLimit: 0,
  })
  expect(await shown('wallet/show', { appId: 'app_none' })).toEqual([
    404,
    expect.objectContaining({ reason: 'no_such' }),
  ])
  expect(await shown('keys/list', { appId: 'app_none' })).toEqual([404, expect.objectContaining({ reason: 'no_such' })])
  expect(await shown('templates/list', { appId: 'app_none' })).toEqual([
    404,
    expect.objectContaining({ reason: 'no_such' }),
  ])
})

describe('a webhook', () => {
  const settings = {
    url: 'http://hook.example.com/',
    events: ['otp.sent'],
    filters: { method: ['sms'], metadata: { order: ['7'] } },
    template: '{"a":"{{type}}"}',
  }

  test('with its settings, without the values of its headers', async () => {
    const { endpoint, secret } = await shown('webhooks/add', {
      ...live(),
      ...settings,
      headers: { 'X-Token': 'secret' },
    })
    const view = {
      ...{
        ...live(),
        ...settings,
        endpointId: endpoint.endpointId,
        headers: ['X-Token'],
        enabled: true,
        createdAt: TIME,
      },
      warning: { message: 'url: must begin with https://', param: 'url', reason: 'https_required' },
    }
    expect(endpoint).toEqual(view)
    expect(secret).toMatch(/^whsec_/)
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    const { endpointId } = endpoint
    const { previousValidUntil } = await shown('webhooks/rotate', { endpointId, overlapHours: 1 })
    const rotated = { ...view, previousSecretValidUntil: previousValidUntil }
    expect(await shown('webhooks/list', { appId: keys.appId })).toEqual({ endpoints: [rotated] })
    const off = {
      ...rotated,
      enabled: false,
      disabledAt: TIME,
      disabledReason: 'Disabled by an operator',
      url: 'https://hook.example.com/',
      warning: undefined,
    }
    const moved = { endpointId, enabled: false, url: off.url }
    // The value of a header may be a credential: it does not follow the address to somebody else.
    expect(await shown('webhooks/update', moved)).toMatchObject([400, { param: 'headers', reason: 'required' }])
    expect(await shown('webhooks/update', { ...moved, headers: { 'X-Token': 'secret' } })).toEqual(off)
    const filters = { method: ['sms'], type: ['login'], metadata: { tier: ['gold', 'silver'] } }
    expect(await shown('webhooks/update', { endpointId, filters })).toMatchObject({ filters })
    const plain = { endpointId, enabled: true, template: '', filters: {}, headers: {}, events: ['otp.failed'] }
    const on = { ...off, disabledAt: undefined, disabledReason: undefined }
    expect(await shown('webhooks/update', plain)).toEqual({ ...on, ...plain, headers: [] })
    expect(await shown('webhooks/show', { endpointId })).toEqual({ ...on, ...plain, headers: [] })
    expect(await shown('webhooks/remove', { endpointId })).toEqual({ ok: true })
    expect(await shown('webhooks/list', { appId: keys.appId })).toEqual({ endpoints: [] })
  })

  test('with what it was told, and what it answered', async () => {
    const plain = { ...settings, url: 'https://hook.example.com/', filters: {}, template: '' }
    const { endpoint } = await shown('webhooks/add', { ...live(), ...plain })
    const { endpointId } = endpoint
    const { eventId } = await shown('webhooks/test', { endpointId, type: 'otp.sent' })
    await world.advance(1_000)
    const { rows } = await shown('webhooks/events', { endpointId, limit: 10 })
    const { deliveryId } = rows[0]
    expect(rows).toEqual([
      {
        ...{ deliveryId: expect.any(String), eventId, type: 'otp.sent', status: 'pending', attempts: 1, tries: 1 },
        ...{ createdAt: TIME, lastAttemptAt: TIME, lastStatus: 500, nextAttemptAt: TIME },
      },
    ])
    expect(await shown('webhooks/attempts', { deliveryId })).toEqual({
      attempts: [{ number: 1, calledAt: TIME, latencyMs: 0, status: 500, answer: 'oh no' }],
    })
    const [first] = posted
    const request = (attempt?: number) => shown('webhooks/request', { deliveryId, attempt })
    const sent = Object.entries(first?.headers ?? {}).map(([name, value]) => ({ name, value }))
    expect((await request(1)).request).toEqual({
      ...{ url: first?.url, body: first?.body, sentAt: TIME },
      headers: sent,
    })
    // A secret in a header is for the receiver only.
    await shown('webhooks/update', { endpointId, headers: { Authorization: 'Bearer secret' } })
    expect((await request()).request.headers).toContainEqual({ name: 'Authorization' })
    expect((await request()).request.sentAt).toBeUndefined()
    await shown('webhooks/update', { endpointId, template: '{"only":"{{type}}"}' })
    expect((await request(1)).request.body).toBe('{"only":"otp.sent"}')
    const replay = (which: object) => shown('webhooks/replay', { endpointId, ...which })
    expect(await replay({ eventId })).toEqual({ replayed: 1 })
    expect(await replay({ since: 0 })).toEqual({ replayed: 0 })
    const never = { eventId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77' }
    expect(await replay(never)).toEqual([404, { reason: 'no_such', about: { what: 'event' } }])
    for (const which of [{}, { eventId, since: 0 }])
      expect(await replay(which)).toEqual([400, { param: 'replay', reason: 'invalid_format' }])
  })

  test('with what its template makes of each event, or what is wrong with it', async () => {
    const preview = (template: string) => shown('webhooks/preview', { template, events: ['otp.sent', 'otp.failed'] })
    expect(await preview('{"a":"{{type}}"}')).toEqual({
      previews: [
        { type: 'otp.sent', body: '{"a":"otp.sent"}' },
        { type: 'otp.failed', body: '{"a":"otp.failed"}' },
      ],
    })
    expect((await preview('')).previews[1].body).toContain('"otp.failed"')
    const message = 'template: must be JSON after substitution'
    const mistake = { message, param: 'template', reason: 'template_not_json' }
    expect(await preview('{')).toEqual({ previews: [], mistake })
  })
})

test('carriers, how they are and what a message by hand comes to', async () => {
  await issue()
  await world.advance(1_000)
  const { providers } = await shown('carriers/list')
  const known = { type: 'http', concurrency: 128, timeoutMs: 10_000, inFlight: 0, waiting: 0, state: 'healthy' }
  const recent = { accepted: 0, refused: 0, ambiguous: 0 }
  expect(providers).toEqual([
    { ...known, name: 'kakao', channels: ['alimtalk'], recent, unreported: 0, refusedReports: [] },
    {
      ...known,
      name: 'main',
      channels: ['sms'],
      recent: { ...recent, accepted: 1 },
      unreported: 1,
      refusedReports: [],
    },
  ])
  const order = { name: 'main', to: '010-1234-0009', channel: 'sms' }
  const test = await shown('carriers/test', order)
  const steps = ['address', 'connection', 'certificate', 'answer', 'account', 'message']
  const done = steps.map((name) => ({ name, state: 'done' }))
  const messageId = expect.stringMatching(/^carrier-/)
  expect(test).toEqual({ kind: 'accepted', latencyMs: 0, messageId, steps: done, reports: true })
  expect(world.sms.requests.at(-1)).toMatchObject({ to: '+821012340009', messageType: 'SMS', channel: 'sms' })
  world.sms.script(() => answered(400, { code: 'E1' }))
  expect(await shown('carriers/test', order)).toEqual({
    ...{ kind: 'refused', latencyMs: 0, code: 'E1', reports: true },
    steps: done.with(-1, { name: 'message', state: 'failed' }),
  })
  const talk = { name: 'kakao', to: '010-1234-0009', channel: 'alimtalk' }
  expect(await shown('carriers/test', talk)).toEqual([400, { param: 'template-code', reason: 'required' }])
  await shown('carriers/test', { ...talk, templateCode: 'T1' })
  expect(world.kakao.requests.at(-1)).toMatchObject({ templateCode: 'T1', variables: { code: '000000' } })
  expect(await shown('carriers/test', { ...order, name: 'none' })).toEqual([
    404,
    expect.objectContaining({ reason: 'no_such' }),
  ])
})

test('a carrier that rests, with what it said last, in words, and when it is tried again', async () => {
  world.sms.answer = () => answered(402, {})
  await issue()
  await world.advance(1_000)
  const explanation = 'the account at the carrier has no balance'
  const [, main] = (await shown('carriers/list')).providers
  expect(main).toMatchObject({ name: 'main', state: 'unhealthy', code: 'HTTP_402', explanation })
  expect(main.since).toBe(START)
  expect(main.retryAt).toBeGreaterThan(START)
  const order = { name: 'main', to: '010-1234-0009', channel: 'sms' }
  expect(await shown('carriers/test', order)).toMatchObject({ kind: 'refused', code: 'HTTP_402', explanation })
  const { rows } = await shown('issues/list', { ...live(), limit: 1 })
  const { attempts } = await shown('issues/story', { issueId: rows[0].issueId })
  expect(attempts[0]).toMatchObject({ code: 'HTTP_402', explanation })
})

test('what a carrier answered in the last hour or day: failures with their meaning, and how long it took', async () => {
  const answers = (hours: number) => shown('carriers/answers', { name: 'main', hours })
  expect(await answers(1)).toEqual({ accepted: 0, refused: 0, ambiguous: 0, failures: [] })
  await issue({ idempotencyKey: 'a' })
  await world.settle()
  world.sms.script(() => answered(404, {}))
  await issue({ idempotencyKey: 'b' })
  await world.settle()
  world.clock.step(2 * 3_600_000)
  await issue({ idempotencyKey: 'c' })
  await world.settle()
  expect(await answers(1)).toEqual({ accepted: 1, refused: 0, ambiguous: 0, p50Ms: 0, p95Ms: 0, failures: [] })
  const failures = [{ outcome: 'refused', code: 'HTTP_404', calls: 1 }]
  expect(await answers(24)).toMatchObject({ refused: 1, p50Ms: 0, failures })
  expect(await shown('carriers/answers', { name: 'kakao', hours: 24 })).toMatchObject({ accepted: 0 })
})

test('routes, for everybody, a country or an app', async () => {
  const { appId } = keys
  const routes = [
    { channel: 'sms', providers: ['main'] },
    { channel: 'sms', country: 'KR', appId, providers: ['main'] },
  ]
  for (const route of routes) expect(await shown('carriers/setRoute', route)).toEqual({ ok: true })
  const { routes: listed } = await shown('carriers/routes')
  expect(listed).toHaveLength(2)
  expect(listed).toEqual(expect.arrayContaining(routes))
  expect(await shown('carriers/removeRoute', { channel: 'sms', country: 'KR', appId })).toEqual({ ok: true })
  expect(await shown('carriers/routes')).toEqual({ routes: routes.slice(0, 1) })
})

test('templates, and what one makes of its values', async () => {
  const { appId } = keys
  const template = {
    ...{
      templateId: 'welcome',
      name: 'own',
      body: '#{name} #{code}',
      channelSupport: ['sms'],
      providerTemplateCode: 'X',
    },
    variables: { name: { required: true, pattern: '[a-z]+' } },
    locale: 'en',
    dlt: { entityId: '1201', templateId: '1107' },
    bodies: { de: { body: 'Hallo #{name}: #{code}', providerTemplateCode: 'X_DE', dlt: { templateId: '1108' } } },
  }
  expect(await shown('templates/save', { appId, template })).toEqual(template)
  const { templates } = await shown('templates/list', { appId })
  const of = (id: string) => templates.find((one: { templateId: string }) => one.templateId === id)
  expect(of('welcome')).toEqual({ ...template, isBuiltIn: false, isDefault: false })
  expect(of('otp_default_kr')).toMatchObject({ isBuiltIn: true, isDefault: true })
  expect(of('otp_default_en')).toMatchObject({ isBuiltIn: true, isDefault: false })
  const preview = (body: string, name = 'ann') =>
    shown('templates/preview', { appId, template: { ...template, body }, values: { name } })
  expect(await preview(template.body)).toEqual({
    text: 'ann 123456',
    alimtalk: 'ann 123456',
    prices: { sms: 1, alimtalk: 1 },
    bytes: 10,
    messageType: 'SMS',
    segments: 1,
    encoding: 'GSM-7',
  })
  expect(await preview(`${'가'.repeat(80)}${template.body}`)).toMatchObject({
    bytes: 170,
    messageType: 'LMS',
    segments: 2,
    encoding: 'UCS-2',
  })
  expect(await preview('#{name}')).toEqual({ mistake: expect.objectContaining({ param: 'body' }) })
  expect(await preview('#{code}')).toEqual({
    mistake: { message: expect.any(String), param: 'variables', reason: 'unused_variable', about: { name: 'name' } },
  })
  const newer = { ...template, body: 'Newer: #{name} #{code}' }
  await shown('templates/save', { appId, template: newer })
  const versions = async () => (await shown('templates/versions', { appId, templateId: 'welcome' })).versions
  const savedBy = expect.stringMatching(/^op_/)
  const versionOf = (version: number, of: object) => ({ version, savedAt: TIME, savedBy, template: of })
  expect(await versions()).toEqual([versionOf(2, newer), versionOf(1, template)])
  expect(await shown('templates/rollBack', { appId, templateId: 'welcome', version: 1 })).toEqual(template)
  expect(await versions()).toEqual([versionOf(3, template), versionOf(2, newer), versionOf(1, template)])
  const none = { appId, templateId: 'welcome', version: 9 }
  expect(await shown('templates/rollBack', none)).toMatchObject([404, { reason: 'no_such' }])
  const { rows } = await shown('audit/list', {})
  expect(rows[0]).toMatchObject({ action: 'template.save', target: 'welcome', detail: { appId, rolledBackTo: 1 } })
  const misregistered = { ...template, bodies: { de: { ...template.bodies.de, dlt: { templateId: 'x' } } } }
  expect(await shown('templates/preview', { appId, template: misregistered, values: { name: 'ann' } })).toEqual({
    mistake: { message: expect.any(String), param: 'bodies.de.dlt.templateId', reason: 'invalid_format' },
  })
  expect(await preview(template.body, '7')).toEqual({
    mistake: expect.objectContaining({ reason: expect.any(String) }),
  })
})

test('how the texts of an app are written', async () => {
  const { appId } = keys
  const decide = (texts: object) => shown('apps/setTexts', { appId, texts })
  await decide({ webOtpDomain: 'app.example.com', androidHash: 'FA+9qCX9VSu' })
  const { texts } = await decide({ localeByCountry: true, androidHash: null })
  expect(texts).toEqual({ webOtpDomain: 'app.example.com', localeByCountry: true })
  expect((await shown('apps/list')).apps[0].texts).toEqual(texts)
  expect(await decide({ webOtpDomain: 'https://a.example' })).toEqual([
    400,
    { param: 'webOtpDomain', reason: 'invalid_host' },
  ])
  expect(await decide({ webOtpDomain: null, localeByCountry: false })).toMatchObject({
    texts: { localeByCountry: false },
  })
})

test('a preview is the SMS: in the language that is looked at, with what the app has at its end', async () => {
  const { appId } = keys
  await shown('apps/setTexts', { appId, texts: { webOtpDomain: 'app.example.com' } })
  const template = {
    ...{ templateId: 'welcome', name: 'own', body: '#{code}', channelSupport: ['sms'], providerTemplateCode: 'X' },
    ...{ variables: {}, locale: 'en', bodies: { de: { body: 'Hallo #{code}' } } },
  }
  const preview = (more: object = {}) => shown('templates/preview', { appId, template, values: {}, ...more })
  expect((await preview()).text).toBe('123456\n@app.example.com #123456')
  expect(await preview({ locale: 'de' })).toMatchObject({ text: 'Hallo 123456\n@app.example.com #123456', bytes: 37 })
  expect((await preview({ template: { ...template, bodies: { en: { body: '#{code}' } } } })).mistake).toEqual({
    message: 'bodies.en: the text of the template is in this language',
    ...{ param: 'bodies.en', reason: 'language_taken' },
  })
})

test('usage by day and hour, where there is any, and by what issues have in common', async () => {
  await issue({ idempotencyKey: 'a', purpose: 'signup', phoneNumber: '010-1234-0001' })
  await world.advance(1_000)
  await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' })
  world.clock.step(2 * HOUR_MS)
  for (const n of [2, 3]) await issue({ idempotencyKey: `${n}`, phoneNumber: `010-1234-000${n}` })
  await world.advance(1_000)
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const hour = (at: number) => new Date(at).toISOString().slice(11, 13)
  const query = { ...live(), from: day(START), to: day(START), timeZone: 'UTC' }
  const byHour = await shown('usage/report', { ...query, groupBy: ['day', 'hour'] })
  expect(byHour.total).toMatchObject({ issued: 3, sent: 3, delivered: 1, failed: 0, spent: 1, messages: 3 })
  expect(byHour.rows).toMatchObject([
    { day: day(START), hour: hour(START), issued: 1, delivered: 1 },
    { day: day(START), hour: hour(START + 2 * HOUR_MS), issued: 2, delivered: 0 },
  ])
  expect((await shown('usage/report', { ...query, groupBy: ['purpose'] })).rows).toMatchObject([
    { purpose: 'login', issued: 2 },
    { purpose: 'signup', issued: 1 },
  ])
  const before = { from: day(START - 24 * HOUR_MS), to: day(START - 24 * HOUR_MS) }
  expect(await shown('usage/report', { ...query, ...before, groupBy: ['day'] })).toMatchObject({
    ...{ total: { issued: 0 }, rows: [] },
  })
})

test('the installation, and whether it works', async () => {
  const state = await shown('system/show')
  expect(state).toEqual({
    ...{ version: expect.any(String), startedAt: START, command: expect.any(String), databaseBytes: TIME, backups: [] },
    ...{ checks: { database: true, dispatcher: true }, nodes: [], queue: expect.any(Array) },
  })
})

test('the installation, and where it says it is reached', async () => {
  const publicUrl = 'https://otp.example.com'
  const told = await World.start({ env: { WATCHWORD_PUBLIC_URL: publicUrl } })
  const somebody = new ConsoleClient(told)
  const headers = { origin: publicUrl }
  const account = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
  await somebody.call('session/setUp', { token: await setUpToken(told), ...account }, headers)
  expect((await somebody.call('system/show', undefined, headers)).body).toMatchObject({ publicUrl })
  await told.stop()
})

test('that nobody has looked for work for more than ten seconds', async () => {
  const isLookedFor = async () => (await shown('system/show')).checks.dispatcher
  world.clock.step(5_000)
  expect(await isLookedFor()).toBe(true)
  world.clock.step(30_000)
  expect(await isLookedFor()).toBe(false)
})

test('no procedure of a name that is none', async () => {
  const { status, body } = await owner.call('apps/none')
  expect([status, body]).toEqual([404, { defined: true, code: 'NOT_FOUND', status: 404, message: 'No such procedure' }])
})

test('an answer is JSON that nobody keeps', async () => {
  const { headers } = await owner.call('session/current')
  expect([headers.get('content-type'), headers.get('cache-control')]).toEqual(['application/json', 'no-store'])
})

test('the audit log with what was done, and its hash', async () => {
  const { rows } = await shown('audit/list', { limit: 1 })
  const by = rows[0].actor
  expect(rows).toEqual([
    {
      seq: TIME,
      at: TIME,
      actor: by,
      action: 'session.open',
      target: by,
      detail: {},
      ip: '127.0.0.1',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ])
  expect(await shown('audit/end')).toEqual({ lost: [] })
  expect(await shown('audit/verify')).toEqual({ isIntact: true, entries: rows[0].seq, head: rows[0].hash, lost: [] })
})
