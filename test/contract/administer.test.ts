/** What operators do to apps and templates, and what callers see of it. */
import { afterEach, describe, expect, test } from 'bun:test'
import {
  addEndpoint,
  challengeOfApp,
  createApp,
  createKey,
  removeApp,
  removeChallenge,
  removeTemplate,
  renameApp,
  revokeKey,
  saveTemplate,
  setChallenge,
  standingTestKey,
  type WantedChallenge,
} from '../../src/usecases/administer'
import { tellIssue } from '../../src/usecases/inspect'
import { errorOf } from '../support/error-of'
import { WIRES, World } from '../support/world'

let world: World
afterEach(() => world.stop())

const issueWith = (key: string, more: object = {}) =>
  world.call('rest', 'issue', { phoneNumber: '010-1234-5678', purpose: 'login', idempotencyKey: 'k', ...more }, { key })

const inspector = () => ({ store: world.store, clock: world.clock, explain: async () => undefined })

test('an app that is removed ends its keys and webhooks; what is under way is delivered and billed, its ledger stays', async () => {
  world = await World.start()
  const { appId, live, test: testKey } = await world.furnish()
  await addEndpoint(world.admin, { appId, mode: 'live', url: 'https://hook.example.com/', events: ['otp.sent'] })
  const { body } = await issueWith(live)
  const ended = await removeApp(world.admin, appId)
  expect(ended).toMatchObject({ revokedKeys: 2, removedWebhooks: 1, balance: 1_000 })

  for (const key of [live, testKey]) expect((await world.call('rest', 'balance', {}, { key })).status).toBe(401)
  expect(await world.store.read.apps.all()).toEqual([])
  expect(await world.store.read.endpoints.ofApp(appId)).toEqual([])
  expect(await errorOf(createKey(world.admin, { appId, kind: 'sk', mode: 'test' }))).toMatchObject({
    kind: 'not_found',
  })
  expect(await errorOf(removeApp(world.admin, appId))).toMatchObject({ kind: 'not_found' })

  await world.advance(5_000)
  const [message] = world.sms.requests
  await world.report('main', { messageId: message?.messageId ?? '', status: 'delivered' })
  await world.advance(5_000)
  const story = await tellIssue(inspector(), body.issueId)
  expect(story).toMatchObject({
    issue: { billingStatus: 'debited' },
    ledger: [{ entryType: 'debit', amountDelta: -1 }],
  })
  expect(await world.store.read.wallets.find(appId)).toMatchObject({ balance: 999, reserved: 0 })
  const [last] = await world.store.read.audit.page({ limit: 1, action: 'app.remove' })
  expect(last).toMatchObject({ target: appId, detail: { name: 'demo', keys: 2, webhooks: 1, balance: 1_000 } })
})

test('an app that is renamed keeps its id and its keys, and a name that is none is refused', async () => {
  world = await World.start()
  const { appId, test: key } = await world.furnish()
  expect(await renameApp(world.admin, appId, ' 한국 상점 ')).toMatchObject({ appId, name: '한국 상점' })
  expect(await world.store.read.apps.find(appId)).toMatchObject({ appId, name: '한국 상점' })
  expect((await world.call('rest', 'balance', {}, { key })).status).toBe(200)
  expect(await errorOf(renameApp(world.admin, appId, ' '))).toMatchObject({ kind: 'invalid' })
  expect(await errorOf(renameApp(world.admin, 'app_none', 'x'))).toMatchObject({ kind: 'not_found' })
})

test('a name has at most a hundred characters, whatever they are made of, and none that cannot be seen', async () => {
  world = await World.start()
  const { appId } = await createApp(world.admin, { name: 'x' })
  for (const longest of ['가'.repeat(100), '🦉'.repeat(100)])
    expect(await renameApp(world.admin, appId, ` ${longest} `)).toMatchObject({ name: longest })
  for (const [name, reason] of [
    ['x'.repeat(101), 'too_long'],
    ['  ', 'required'],
    ['a\u0007b', 'invalid_characters'],
  ] as const)
    expect(await errorOf(renameApp(world.admin, appId, name))).toMatchObject({ detail: { param: 'name', reason } })
})

test('a template that is removed is refused from then on; issues keep its name, and a built-in it hid shows again', async () => {
  world = await World.start()
  const { appId, test: key } = await world.furnish()
  const own = { channelSupport: ['sms'] as const, variables: {}, providerTemplateCode: 'X', name: 'own' }
  for (const templateId of ['welcome', 'otp_default_en']) {
    await saveTemplate(world.admin, appId, { ...own, templateId, body: 'first #{code}' })
    await saveTemplate(world.admin, appId, { ...own, templateId, body: 'own #{code}' })
  }
  const to = { phoneNumber: '010-0000-0000', templateId: 'welcome' }
  const { body } = await issueWith(key, to)
  for (const templateId of ['welcome', 'otp_default_en']) await removeTemplate(world.admin, appId, templateId)

  expect((await issueWith(key, { ...to, idempotencyKey: 'again' })).status).toBe(400)
  expect((await tellIssue(inspector(), body.issueId)).issue.templateId).toBe('welcome')
  const { body: builtIn } = await world.call('rest', 'getTemplate', { templateId: 'otp_default_en' }, { key })
  expect(builtIn.body).toStartWith('Your verification code')
  for (const [templateId, kind] of [
    ['welcome', 'not_found'],
    ['otp_default_en', 'invalid'],
  ] as const)
    expect(await errorOf(removeTemplate(world.admin, appId, templateId))).toMatchObject({ kind })
})

test('a standing key is the same every time, works, and is stored as a hash only; a revoked one is replaced', async () => {
  world = await World.start()
  const { appId } = await createApp(world.admin, { name: 'quickstart' })
  const other = await createApp(world.admin, { name: 'other' })
  const own = await createKey(world.admin, { appId, kind: 'sk', mode: 'test' })
  const first = await standingTestKey(world.admin, appId, 'sk')
  expect(await standingTestKey(world.admin, appId, 'sk')).toBe(first)
  const others = [
    await standingTestKey(world.admin, appId, 'pk'),
    await standingTestKey(world.admin, other.appId, 'sk'),
  ]
  expect(new Set([first, own.key, ...others]).size).toBe(4)
  expect((await world.call('rest', 'balance', {}, { key: first })).status).toBe(200)
  expect(await world.place.dump()).not.toContain(first.slice('sk_test_'.length))

  const stored = (await world.store.read.keys.ofApp(appId)).find(({ lastFour }) => first.endsWith(lastFour))
  await revokeKey(world.admin, stored?.keyId ?? '')
  const second = await standingTestKey(world.admin, appId, 'sk')
  expect(second).not.toBe(first)
  expect(await standingTestKey(world.admin, appId, 'sk')).toBe(second)
  expect((await world.call('rest', 'balance', {}, { key: first })).status).toBe(401)
  for (const key of [second, own.key]) expect((await world.call('rest', 'balance', {}, { key })).status).toBe(200)
})

describe('limits of its own', () => {
  const names = ['issuesPerMin', 'verifiesPerMin', 'readsPerMin', 'issuesPerMinPerIp'] as const

  test.each(names)('are not for a test key: %s', async (name) => {
    world = await World.start()
    const { appId } = await createApp(world.admin, { name: 'shop' })
    const wanted = { appId, kind: 'sk', mode: 'test' } as const
    expect(await errorOf(createKey(world.admin, { ...wanted, limits: { [name]: 1 } }))).toMatchObject({
      detail: { param: 'limit', reason: 'limits_on_test_key' },
    })
    await createKey(world.admin, { ...wanted, limits: {} })
  })

  test.each(names)('are whole numbers from one: %s', async (name) => {
    world = await World.start()
    const { appId } = await createApp(world.admin, { name: 'shop' })
    const wanted = { appId, kind: 'sk', mode: 'live' } as const
    for (const max of [0, -1, 1.5, Number.NaN])
      expect(await errorOf(createKey(world.admin, { ...wanted, limits: { [name]: max } }))).toMatchObject({
        detail: { param: 'limit', reason: 'too_small', about: { min: 1 } },
      })
    expect((await createKey(world.admin, { ...wanted, limits: { [name]: 1 } })).stored.limits).toEqual({ [name]: 1 })
  })
})

test.each(WIRES)('a template may be named by one letter, over %s', async (wire) => {
  world = await World.start()
  const { appId, test: key } = await world.furnish()
  const own = { channelSupport: ['sms'] as const, variables: {}, providerTemplateCode: 'X', name: 'own' }
  await saveTemplate(world.admin, appId, { ...own, templateId: 'a', body: '#{code}' })
  expect((await world.call(wire, 'getTemplate', { templateId: 'a' }, { key })).body).toMatchObject({ templateId: 'a' })
})

describe('the proof that an app asks for', () => {
  const SECRETS = ['secret-of-turnstile', 'secret-of-recaptcha']
  const setUp = async () => {
    world = await World.start()
    const { appId } = await world.furnish()
    return {
      appId,
      set: (wanted: WantedChallenge) => setChallenge(world.admin, appId, wanted),
      kept: () => world.store.read.challenges.find(appId),
    }
  }
  const refused = (param: string, reason: string) => ({ kind: 'invalid', detail: { param, reason } })

  test('begins with a vendor and its secret; what is not named stays', async () => {
    const { appId, set, kept } = await setUp()
    const [secret = ''] = SECRETS
    expect(await errorOf(set({ secret }))).toMatchObject(refused('vendor', 'required'))
    expect(await errorOf(set({ vendor: 'turnstile' }))).toMatchObject(refused('secret', 'required'))
    expect(await challengeOfApp(world, appId)).toBeUndefined()
    expect(await set({ vendor: 'turnstile', secret, siteKey: 'a' })).toEqual({
      ...{ vendor: 'turnstile', onOutage: 'refuse', siteKey: 'a', minScore: undefined, hostnames: undefined },
    })
    await set({ onOutage: 'pass', hostnames: ['a.example'] })
    expect(await kept()).toEqual({
      ...{ vendor: 'turnstile', secret, onOutage: 'pass', siteKey: 'a', hostnames: ['a.example'] },
    })
    await set({ siteKey: undefined })
    expect(await kept()).toEqual({ vendor: 'turnstile', secret, onOutage: 'pass', hostnames: ['a.example'] })
    expect(await errorOf(set({ minScore: 0.5 }))).toMatchObject(refused('minScore', 'vendor_without_score'))
    expect(await errorOf(setChallenge(world.admin, 'app_none', { vendor: 'turnstile', secret }))).toMatchObject({
      kind: 'not_found',
    })
  })

  test('is of another vendor with a secret of its own; keys and scores of the one before go', async () => {
    const { set, kept } = await setUp()
    const [first = '', second = ''] = SECRETS
    const hostnames = ['a.example']
    await set({ vendor: 'recaptcha', secret: first, siteKey: 'a', minScore: 0.7, onOutage: 'pass', hostnames })
    expect(await errorOf(set({ vendor: 'turnstile' }))).toMatchObject(refused('secret', 'required'))
    await set({ vendor: 'turnstile', secret: second })
    expect(await kept()).toEqual({ vendor: 'turnstile', secret: second, onOutage: 'pass', hostnames })
  })

  test('is removed once', async () => {
    const { appId, set, kept } = await setUp()
    await set({ vendor: 'turnstile', secret: 'secret' })
    await removeChallenge(world.admin, appId)
    expect(await kept()).toBeUndefined()
    expect(await errorOf(removeChallenge(world.admin, appId))).toMatchObject({
      ...{ kind: 'not_found', message: `No such challenge: ${appId}` },
    })
  })

  test('is in the audit log without its secret, and sealed where it is stored', async () => {
    const { appId, set } = await setUp()
    const [first = '', second = ''] = SECRETS
    await set({ vendor: 'turnstile', secret: first, siteKey: 'a' })
    await set({ onOutage: 'pass' })
    await set({ secret: second })
    await removeChallenge(world.admin, appId)
    const entries = (await world.store.read.audit.page({ limit: 4 })).map(({ action, target, detail }) => ({
      ...{ action, target, detail },
    }))
    const detail = { vendor: 'turnstile', onOutage: 'pass', siteKey: 'a' }
    expect(entries).toEqual([
      { action: 'app.challenge_remove', target: appId, detail: {} },
      { action: 'app.challenge', target: appId, detail: { ...detail, isNewSecret: true } },
      { action: 'app.challenge', target: appId, detail: { ...detail, isNewSecret: false } },
      { action: 'app.challenge', target: appId, detail: { ...detail, onOutage: 'refuse', isNewSecret: true } },
    ])
    await set({ vendor: 'turnstile', secret: second })
    for (const table of ['challenges', 'audit_entries', 'apps']) {
      const rows = await world.rows<Record<string, unknown>>(`SELECT * FROM ${table}`)
      const texts = rows
        .flatMap(Object.values)
        .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      expect(texts.filter((text) => SECRETS.some((secret) => text.includes(secret)))).toEqual([])
    }
  })
})
