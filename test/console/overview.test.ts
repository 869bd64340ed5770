/** What the overview answers of one app and of all: of the real app, under virtual time. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
// Loaded now: the first request would wait for it, and virtual time would pass.
import '../../src/console/rpc'
import { HOUR_MS } from '../../src/domain/shared/value'
import { addCredit } from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { answered } from '../support/carrier'
import { type Furnished, World } from '../support/world'
import { ConsoleClient } from './client'

let world: World
let shop: Furnished
let owner: ConsoleClient
let made = 0

const ask = async (path: string, input: object = {}) => (await owner.call(path, input)).body
const show = (more: object = {}) => ask('overview/show', { mode: 'live', ...more })
const issue = async ({ live, test: testKey }: Furnished, mode: 'live' | 'test' = 'live') => {
  const phoneNumber = mode === 'live' ? `010-2345-${1_000 + made}` : '+1 500 555 0006'
  const order = { phoneNumber, purpose: 'signup', idempotencyKey: `k${made++}` }
  return (await world.call('rest', 'issue', order, { key: mode === 'live' ? live : testKey })).status
}

const ANN = { email: 'ann@example.com', password: 'correct horse battery' }
/** Her session ends meanwhile. */
const nextDay = async () => {
  world.clock.leap(24 * HOUR_MS)
  await owner.call('session/signIn', ANN)
}

beforeEach(async () => {
  world = await World.start()
  shop = await world.furnish()
  owner = new ConsoleClient(world)
  const token = await setUpToken(world)
  await owner.call('session/setUp', { token, name: 'Ann', ...ANN })
})
afterEach(() => world.stop())

describe('the overview', () => {
  test('counts 24 hours beside the 24 hours before, of an app and of all apps together', async () => {
    for (let n = 0; n < 3; n++) expect(await issue(shop)).toBe(200)
    await nextDay()
    const clinic = await world.furnish()
    for (let n = 0; n < 2; n++) expect(await issue(shop)).toBe(200)
    expect(await issue(clinic)).toBe(200)
    await world.advance(1_000)
    const one = await show({ appId: shop.appId })
    expect([one.total.issued, one.before.issued]).toEqual([2, 3])
    expect(one.series).toHaveLength(24)
    expect(one.series.at(-1)).toMatchObject({ issued: 2 })
    expect(one.apps).toMatchObject([{ appId: shop.appId, issued: 2 }])
    const all = await show()
    expect([all.total.issued, all.before.issued]).toEqual([3, 3])
    const counts = new Map(all.apps.map(({ appId, issued }: { appId: string; issued: number }) => [appId, issued]))
    expect(counts).toEqual(
      new Map([
        [shop.appId, 2],
        [clinic.appId, 1],
      ]),
    )
    expect((await show({ mode: 'test' })).total.issued).toBe(0)
    expect((await owner.call('overview/show', { appId: 'app_none', mode: 'live' })).status).toBe(404)
  })

  test('says how many days the credit lasts at the pace that it is spent', async () => {
    const { balance } = await ask('wallet/show', { appId: shop.appId })
    expect((await show()).apps).toEqual([expect.not.objectContaining({ daysLeft: expect.anything() })])
    for (let n = 0; n < 4; n++) await issue(shop)
    await world.advance(1_000)
    // Of messages on their way it is reserved, and none of it can be spent again.
    expect((await show()).apps).toMatchObject([{ available: balance - 4, spentPerDay: 0 }])
    for (const { messageId } of world.sms.accepted) await world.report('main', { messageId, status: 'delivered' })
    await world.advance(1_000)
    const [app] = (await show()).apps
    expect(app).toMatchObject({ available: balance - 4, spentPerDay: 4 })
    expect(app.daysLeft).toBeCloseTo((balance - 4) / 4)
  })

  test('has first the app whose credit ends first, and of those that spend nothing the one with the least', async () => {
    const [rich, poor] = [await world.furnish(), await world.furnish()]
    await world.run(addCredit(world.admin, { appId: rich.appId, amount: 10 }))
    await issue(shop)
    for (const { messageId } of world.sms.accepted) await world.report('main', { messageId, status: 'delivered' })
    await world.advance(1_000)
    const order = (await show()).apps.map(({ appId }: { appId: string }) => appId)
    expect(order).toEqual([shop.appId, poor.appId, rich.appId])
  })

  test('names the newest codes that failed, each with its carrier and reason, and neither number nor code', async () => {
    world.sms.answer = () => answered(400, JSON.stringify({ error: 'INVALID_NUMBER' }))
    await issue(shop)
    await world.leap(HOUR_MS)
    const shown = await show()
    expect(shown.failures).toEqual([
      {
        ...{ appId: shop.appId, issueId: expect.any(String), purpose: 'signup', country: 'KR' },
        ...{ createdAt: expect.any(Number), carrier: expect.any(String), code: expect.any(String) },
        ...(shown.failures[0].explanation && { explanation: expect.any(String) }),
      },
    ])
    expect(JSON.stringify(shown)).not.toMatch(/82102345|010-2345/)
    expect(shown.carriers.map(({ name }: { name: string }) => name)).toContain(shown.failures[0].carrier)
    await nextDay()
    expect((await show()).failures).toEqual([])
  })

  test('lists webhook endpoints of the mode that do not work, and no other', async () => {
    const add = (mode: string) =>
      ask('webhooks/add', {
        appId: shop.appId,
        mode,
        url: 'https://hooks.example.com/',
        events: ['otp.sent'],
        filters: {},
        template: '',
      })
    const { endpoint } = await add('live')
    await add('test')
    expect((await show()).endpoints).toEqual([])
    await ask('webhooks/test', { endpointId: endpoint.endpointId, type: 'otp.sent' })
    await world.advance(60_000)
    const { endpoints } = await show()
    expect(endpoints).toMatchObject([{ endpointId: endpoint.endpointId, failingSince: expect.any(Number) }])
    expect((await show({ mode: 'test' })).endpoints).toEqual([])
  })
})
