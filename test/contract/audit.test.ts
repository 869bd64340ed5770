/** What the audit log holds of each change: what was changed, to what, and what was there before. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Store, Tx } from '../../src/ports/store'
import * as administer from '../../src/usecases/administer'
import { acceptAudit, verifyAudit } from '../../src/usecases/verify-audit'
import { errorOf } from '../support/error-of'
import { BACKUP_URL, type Furnished, World } from '../support/world'

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterEach(() => world.stop())

/** The newest entries of the log, oldest first, without who and when. */
async function noted(count: number) {
  const entries = await world.store.read.audit.page({ limit: count })
  return entries.toReversed().map(({ action, target, detail }) => [action, target, detail])
}

test('of apps', async () => {
  const { appId } = await administer.createApp(world.admin, { name: ' shop ', region: 'US' })
  await administer.renameApp(world.admin, appId, 'market')
  await administer.setRegion(world.admin, appId, 'KR')
  const { appId: plain } = await administer.createApp(world.admin, { name: 'plain' })
  expect(await noted(4)).toEqual([
    ['app.create', appId, { name: 'shop', region: 'US' }],
    ['app.rename', appId, { name: 'market', before: 'shop' }],
    ['app.region', appId, { region: 'KR', before: 'US' }],
    ['app.create', plain, { name: 'plain' }],
  ])
})

test('of keys', async () => {
  const { appId } = keys
  const rights = { appId, kind: 'pk', mode: 'live', allowedOrigins: ['https://shop.example.com'] } as const
  const { stored } = await administer.createKey(world.admin, rights)
  await administer.allowKey(world.admin, stored.keyId, ['text'])
  const { stored: next } = await administer.rotateKey(world.admin, stored.keyId, 2)
  await administer.revokeKey(world.admin, next.keyId)
  const created = { ...rights, scopes: ['otp:issue', 'otp:verify'], allowedCidrs: [] }
  const previousWorksUntil = world.clock.now() + 2 * 60 * 60_000
  expect(await noted(5)).toEqual([
    ['key.create', stored.keyId, created],
    ['key.allow', stored.keyId, { appId, allows: ['text'], before: [] }],
    ['key.create', next.keyId, { ...created, allows: ['text'] }],
    ['key.rotate', stored.keyId, { newKeyId: next.keyId, previousWorksUntil }],
    ['key.revoke', next.keyId, {}],
  ])
})

test('of what an owner decides about proofs and places', async () => {
  const { appId } = keys
  await administer.setProvesMetadata(world.admin, appId, true)
  const prefix = { country: 'GB', prefix: '+447400' }
  await administer.blockPlace(world.admin, appId, prefix)
  await administer.blockPlace(world.admin, appId, { country: 'FR', kind: 'pk' })
  await administer.unblockPlace(world.admin, appId, prefix)
  expect(await noted(4)).toEqual([
    ['app.proofs', appId, { provesMetadata: true }],
    ['app.block', appId, prefix],
    ['app.block', appId, { country: 'FR', keys: 'pk' }],
    ['app.unblock', appId, prefix],
  ])
})

test('of credit', async () => {
  const { appId, live } = keys
  const order = { phoneNumber: '010-1234-5678', purpose: 'login', idempotencyKey: 'k' }
  const { body } = await world.call('rest', 'issue', order, { key: live })
  await world.advance(5_000)
  await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' })
  await world.advance(5_000)
  await administer.refundIssue(world.admin, { appId, issueId: body.issueId })
  await administer.addCredit(world.admin, { appId, amount: 7 })
  await administer.clawBackCredit(world.admin, { appId, amount: 3, reference: 'invoice-1' })
  await administer.setOverdraft(world.admin, { appId, limit: 50 })
  await administer.setCreditAlert(world.admin, { appId, below: 20 })
  await administer.setCreditAlert(world.admin, { appId, below: undefined })
  const refund = { amountDelta: 1, issueId: body.issueId, reference: `refund:${body.issueId}` }
  expect(await noted(6)).toEqual([
    ['credit.refund', appId, refund],
    ['credit.credit', appId, { amountDelta: 7 }],
    ['credit.clawback', appId, { amountDelta: -3, reference: 'invoice-1' }],
    ['credit.overdraft', appId, { limit: 50 }],
    ['credit.alert', appId, { below: 20 }],
    ['credit.alert', appId, { below: null }],
  ])
})

test('of carriers and routes', async () => {
  const { appId } = keys
  await world.provide('spare', ['sms'], BACKUP_URL)
  const route = { channel: 'sms', appId, country: 'KR' } as const
  await administer.setRoute(world.admin, { ...route, carriers: ['spare', 'main'] })
  await administer.removeRoute(world.admin, route)
  await administer.pauseCarrier(world.admin, 'spare')
  // It is paused already.
  await administer.pauseCarrier(world.admin, 'spare')
  await administer.resumeCarrier(world.admin, 'spare')
  await administer.removeCarrier(world.admin, 'spare')
  expect(await noted(6)).toEqual([
    ['provider.set', 'spare', { type: 'http', channels: ['sms'] }],
    ['route.set', `sms ${appId} KR`, { providers: ['spare', 'main'] }],
    ['route.remove', `sms ${appId} KR`, {}],
    ['provider.pause', 'spare', {}],
    ['provider.resume', 'spare', {}],
    ['provider.remove', 'spare', {}],
  ])
})

test('of templates', async () => {
  const { appId } = keys
  const template = {
    templateId: 'welcome',
    name: 'own',
    channelSupport: ['sms'],
    body: '#{code}',
    variables: {},
  } as const
  await administer.saveTemplate(world.admin, appId, { ...template, providerTemplateCode: 'X' })
  const dlt = { entityId: '1201', templateId: '1107' }
  const bodies = { en: { body: '#{code}' }, hi: { body: '#{code}', dlt: { templateId: '1108' } } }
  await administer.saveTemplate(world.admin, appId, { ...template, providerTemplateCode: 'X', dlt, bodies })
  await administer.removeTemplate(world.admin, appId, 'welcome')
  expect(await noted(3)).toEqual([
    ['template.save', 'welcome', { appId }],
    ['template.save', 'welcome', { appId, dlt: { '*': dlt, hi: { templateId: '1108' } } }],
    ['template.remove', 'welcome', { appId }],
  ])
})

test('of webhooks, without what stands in the query of their address', async () => {
  const { appId } = keys
  const wanted = { appId, mode: 'live', url: 'https://hook.example.com/a?token=secret', events: ['otp.sent'] } as const
  const { endpoint, secret } = await administer.addEndpoint(world.admin, wanted)
  const { endpointId } = endpoint
  const since = world.clock.now()
  await administer.replayEvents(world.admin, endpointId, { since })
  await administer.rotateEndpoint(world.admin, endpointId, 1)
  await administer.updateEndpoint(world.admin, endpointId, { events: ['otp.failed'], enabled: false })
  await administer.removeEndpoint(world.admin, endpointId)
  const url = 'https://hook.example.com/a'
  expect(await noted(5)).toEqual([
    ['webhook.add', endpointId, { appId, mode: 'live', url, events: ['otp.sent'] }],
    ['webhook.replay', endpointId, { since }],
    ['webhook.rotate', endpointId, { url, events: ['otp.sent'], enabled: true }],
    ['webhook.update', endpointId, { url, events: ['otp.failed'], enabled: false }],
    ['webhook.remove', endpointId, {}],
  ])
  expect(JSON.stringify(await noted(5))).not.toContain(secret)
})

test('of nothing that was refused: an overlap beyond a week, a limit below nothing or beyond a thousand million', async () => {
  const { appId } = keys
  const [stored] = await world.store.read.keys.ofApp(appId)
  const before = await noted(1)
  const { keyId = '' } = stored ?? {}
  const hook = { appId, mode: 'live', url: 'https://hook.example.com/a', events: ['otp.sent'] } as const
  for (const hours of [-1, 0.5, 169])
    expect(await errorOf(administer.rotateKey(world.admin, keyId, hours))).toMatchObject({ kind: 'invalid' })
  for (const limit of [-1, 0.5, 1_000_000_001]) {
    expect(await errorOf(administer.setOverdraft(world.admin, { appId, limit }))).toMatchObject({ kind: 'invalid' })
    expect(await errorOf(administer.setCreditAlert(world.admin, { appId, below: limit }))).toMatchObject({
      kind: 'invalid',
    })
  }
  expect(await noted(1)).toEqual(before)
  for (const limit of [0, 1_000_000_000]) {
    await administer.setOverdraft(world.admin, { appId, limit })
    await administer.setCreditAlert(world.admin, { appId, below: limit })
  }
  const { endpoint } = await administer.addEndpoint(world.admin, hook)
  expect(await errorOf(administer.rotateEndpoint(world.admin, endpoint.endpointId, 169))).toMatchObject({
    kind: 'invalid',
  })
  for (const hours of [0, 168]) await administer.rotateEndpoint(world.admin, endpoint.endpointId, hours)
})

test('the log is looked at to its end, however long it is', async () => {
  const { appId } = keys
  for (let n = 0; n < 600; n++) await administer.addCredit(world.admin, { appId, amount: 1 })
  const verdict = () => verifyAudit({ read: world.store.read, vault: world.vault })
  const { entries, isIntact } = await verdict()
  expect([entries > 600, isIntact]).toEqual([true, true])
  await world.write("UPDATE audit_entries SET actor = 'somebody' WHERE seq = ?", entries - 1)
  expect(await verdict()).toMatchObject({ isIntact: false, brokenAt: entries - 1 })
})

test.each([0, -1, -5_000_000_000])(
  'an entry that was forged at sequence %d, before the first one, breaks the log',
  async (seq) => {
    await administer.addCredit(world.admin, { appId: keys.appId, amount: 1 })
    await world.write(
      `INSERT INTO audit_entries (seq, at, actor, action, target, detail, hash)
      SELECT ${seq}, at, 'somebody', action, target, detail, hash FROM audit_entries WHERE seq = 1`,
    )
    const listed = await world.store.read.audit.page({ limit: 100 })
    expect(listed.at(-1)).toMatchObject({ seq, actor: 'somebody' })
    const verdict = await verifyAudit({ read: world.store.read, vault: world.vault })
    expect(verdict).toMatchObject({ isIntact: false, brokenAt: seq, entries: 0 })
  },
)

test('who accepts the log as it is keeps others from adding to it while they look', async () => {
  const asked: string[] = []
  const watched = (tx: Tx): Tx =>
    new Proxy(tx, {
      get: (target, door) => {
        if (door !== 'audit') return Reflect.get(target, door)
        return new Proxy(target.audit, {
          get(audit, word) {
            asked.push(String(word))
            return Reflect.get(audit, word).bind(audit)
          },
        })
      },
    })
  const store = {
    ...world.store,
    transaction: ((work) => world.store.transaction((tx) => work(watched(tx)))) as Store['transaction'],
  }
  expect(await acceptAudit({ ...world.admin, store })).toEqual([])
  expect(asked[0]).toBe('lockLast')
})
