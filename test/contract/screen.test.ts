/** What the screen in a page is told beforehand: where the key sends codes, and the widget of its app. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { type Furnished, World } from '../support/world'

const PER_MINUTE = 10
const ORIGIN = 'https://app.example.com'

let world: World
let keys: Furnished
let browser: string
beforeEach(async () => {
  world = await World.start({ env: { WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: String(PER_MINUTE) } })
  keys = await world.furnish()
  browser = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
})
afterEach(() => world.stop())

const ask = (key: string | undefined = browser, origin: string = ORIGIN) =>
  world.send('POST', '/v1/rpc/otp/screen', { json: {} }, { ...(key && { key }), headers: { origin } })
const protect = (changes: administer.WantedProtection) =>
  world.run(administer.protectApp(world.admin, keys.appId, changes))

test('a browser key sends to the country of its app, and to those that are open', async () => {
  expect((await ask()).body).toEqual({ countries: ['KR'] })
  await protect({ open: ['JP', 'US', 'KR'], closed: ['US'] })
  expect((await ask()).body).toEqual({ countries: ['KR', 'JP'] })
  await protect({ countries: 'watch' })
  expect((await ask()).body).toEqual({})
})

test('each is a country that a code is sent to, and no other', async () => {
  const issue = (phoneNumber: string) =>
    world.call(
      'rpc',
      'issue',
      { phoneNumber, purpose: 'p', idempotencyKey: phoneNumber.replace(' ', '-') },
      { key: browser, headers: { origin: ORIGIN }, ip: '203.0.113.9' },
    )
  expect((await issue('010-1234-5678')).status).toBe(200)
  expect((await issue('+81 90-1234-5678')).body).toMatchObject({ data: { reason: 'country_closed' } })
})

test('secret keys send to all countries, or to those of a list', async () => {
  expect((await ask(keys.live)).body).toEqual({})
  await protect({ secretTo: ['KR', 'VN'] })
  expect((await ask(keys.live)).body).toEqual({ countries: ['KR', 'VN'] })
  expect((await ask(keys.test)).body).toEqual({})
})

test('the widget is that of the app, without its secret', async () => {
  const challenge = { vendor: 'turnstile', secret: 'secret-at-vendor', siteKey: '0x4AAA' } as const
  await world.run(administer.setChallenge(world.admin, keys.appId, challenge))
  expect((await ask()).body).toMatchObject({ challenge: { vendor: 'turnstile', siteKey: '0x4AAA' } })
  expect((await ask(keys.test)).body).toEqual({})
  await world.run(administer.removeChallenge(world.admin, keys.appId))
  await world.run(administer.setChallenge(world.admin, keys.appId, { vendor: 'turnstile', secret: 'secret-at-vendor' }))
  expect((await ask()).body).toEqual({ countries: ['KR'] })
})

test('nobody else is told, and it counts against no limit', async () => {
  expect((await ask(browser, 'https://elsewhere.example.com')).status).toBe(403)
  expect((await ask('pk_nobody')).status).toBe(401)
  const views = await Promise.all(Array.from({ length: 2 * PER_MINUTE }, () => ask()))
  expect(new Set(views.map(({ status }) => status))).toEqual(new Set([200]))
  expect(views[0]?.headers.get('access-control-allow-origin')).toBe(ORIGIN)
})
