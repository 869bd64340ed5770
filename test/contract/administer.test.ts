/** What operators do to apps and templates, and what callers see of it. */
import { afterEach, describe, expect, test } from 'bun:test'
import {
  addEndpoint,
  createApp,
  createKey,
  removeApp,
  removeTemplate,
  renameApp,
  revokeKey,
  saveTemplate,
  standingTestKey,
} from '../../src/usecases/administer'
import { tellIssue } from '../../src/usecases/inspect'
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
  await expect(createKey(world.admin, { appId, kind: 'sk', mode: 'test' })).rejects.toMatchObject({ kind: 'not_found' })
  await expect(removeApp(world.admin, appId)).rejects.toMatchObject({ kind: 'not_found' })

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
  await expect(renameApp(world.admin, appId, ' ')).rejects.toMatchObject({ kind: 'invalid' })
  await expect(renameApp(world.admin, 'app_none', 'x')).rejects.toMatchObject({ kind: 'not_found' })
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
    await expect(renameApp(world.admin, appId, name)).rejects.toMatchObject({ detail: { param: 'name', reason } })
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
    await expect(removeTemplate(world.admin, appId, templateId)).rejects.toMatchObject({ kind })
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
    await expect(createKey(world.admin, { ...wanted, limits: { [name]: 1 } })).rejects.toMatchObject({
      detail: { param: 'limit', reason: 'limits_on_test_key' },
    })
    await createKey(world.admin, { ...wanted, limits: {} })
  })

  test.each(names)('are whole numbers from one: %s', async (name) => {
    world = await World.start()
    const { appId } = await createApp(world.admin, { name: 'shop' })
    const wanted = { appId, kind: 'sk', mode: 'live' } as const
    for (const max of [0, -1, 1.5, Number.NaN])
      await expect(createKey(world.admin, { ...wanted, limits: { [name]: max } })).rejects.toMatchObject({
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
