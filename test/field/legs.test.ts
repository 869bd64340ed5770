/**
 * Codes that go another way when one fails, from reports: https://github.com/<report>. Right: the specification's "an SMS follows when
 * an AlimTalk fails", and no second message while the first may have arrived.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { answered, codeIn } from '../support/carrier'
import { type Furnished, VOICE_URL, WHATSAPP_URL, World } from '../support/world'

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  const codes = { NO_ACCOUNT: { means: 'absent' }, NO_TEMPLATE: { means: 'elsewhere' } }
  await world.provide('meta', ['whatsapp'], WHATSAPP_URL, { codes })
  await world.provide('caller', ['voice'], VOICE_URL)
  await administer.setRoute(world.admin, { channel: 'voice', country: 'KR', appId: undefined, carriers: ['caller'] })
  const legs = [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms', waitSec: 30 }, { channel: 'voice' }] as const
  await administer.setPlan(world.admin, keys.appId, { channel: 'sms', country: undefined, legs })
  await world.advance(2_000)
})
afterEach(() => world.stop())

let made = 0
async function issue(purpose = 'signup') {
  const input = { phoneNumber: '010-1234-5678', purpose, idempotencyKey: `k${made++}` }
  await world.call('rest', 'issue', input, { key: keys.live })
  await world.settle()
}
const sent = () => [world.whatsapp, world.sms, world.voice].map(({ requests }) => requests.length)
const codes = () =>
  [world.whatsapp, world.sms, world.voice].flatMap(({ requests }) => requests.map(({ text }) => codeIn(text)))
async function reported(status: string) {
  await world.report('meta', { messageId: world.whatsapp.requests.at(-1)?.messageId ?? '', status })
  await world.settle()
}

test('appwrite/appwrite#13711: an SMS follows at once where WhatsApp refuses the template, with the same code', async () => {
  world.whatsapp.script(() => answered(400, { code: 'NO_TEMPLATE' }))
  await issue()
  expect(sent()).toEqual([1, 1, 0])
  expect(new Set(codes()).size).toBe(1)
})

test('authgear/authgear-server#3528: a phone without WhatsApp gets its SMS at once, and the next one without a try', async () => {
  world.whatsapp.script(() => answered(400, { code: 'NO_ACCOUNT' }))
  await issue()
  expect(sent()).toEqual([1, 1, 0])
  await issue('login')
  expect(sent()).toEqual([1, 2, 0])
})

test('simpledotorg/simple-server#2552: a failure that is reported later sends the SMS, and does not only plan it', async () => {
  await issue()
  expect(sent()).toEqual([1, 0, 0])
  await reported('failed')
  expect(sent()).toEqual([1, 1, 0])
})

test('ribato22/MultiWA#20: no word of a delivery within its time starts the next way, and a late one ends it', async () => {
  await issue()
  await world.advance(9_000)
  expect(sent()).toEqual([1, 1, 0])
  await reported('delivered')
  await world.advance(60_000)
  expect(sent()).toEqual([1, 1, 0])
})

test('faveosuite/faveo-invoicing-community#907: a person who asks again gets the code by another way', async () => {
  await issue()
  await issue()
  await issue()
  expect(sent()).toEqual([1, 1, 1])
})

test('an answer that nobody understood sends nothing more, until the carrier itself says that it failed', async () => {
  world.whatsapp.script(() => answered(500, 'oops'))
  await issue()
  await world.advance(60_000)
  expect(sent()).toEqual([1, 0, 0])
  await reported('failed')
  expect(sent()).toEqual([1, 1, 0])
})

test('appwrite/appwrite#13711: with one way alone a failure stays a failure', async () => {
  const legs = [{ channel: 'whatsapp' }] as const
  await administer.setPlan(world.admin, keys.appId, { channel: 'sms', country: undefined, legs })
  world.whatsapp.script(() => answered(400, { code: 'NO_TEMPLATE' }))
  await issue()
  await world.advance(60_000)
  expect(sent()).toEqual([1, 0, 0])
})
