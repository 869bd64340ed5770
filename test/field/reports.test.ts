/**
 * Delivery reports whose signature is over an address, as integrators have them behind proxies: https://github.com/<report>. Right:
 * Twilio, "Security": HMAC-SHA1 over the address that is called and the sorted fields; its SDKs try the address with its port and without it.
 */
import { afterEach, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import * as administer from '../../src/usecases/administer'
import { World } from '../support/world'

const TOKEN = 'a'.repeat(32)
const PATH = '/provider-reports/texts'
const FORM = { MessageSid: `SM${'b'.repeat(32)}`, MessageStatus: 'delivered', To: '+821012345678' }

let world: World
afterEach(() => world.stop())

async function reported(publicUrl: string, signed: string, more: Record<string, string> = {}) {
  world = await World.start({ env: { WATCHWORD_PUBLIC_URL: publicUrl } })
  await administer.setCarrier(world.admin, {
    ...{ name: 'texts', type: 'twilio', channels: ['sms'] },
    config: { accountSid: `AC${'c'.repeat(32)}`, authToken: TOKEN, from: '+15005550006' },
  })
  const text = signed + Object.entries(FORM).toSorted().flat().join('')
  const headers = {
    'x-twilio-signature': createHmac('sha1', TOKEN).update(text).digest('base64'),
    'content-type': 'application/x-www-form-urlencoded',
    ...more,
  }
  return world.run(world.send('POST', PATH, new URLSearchParams(FORM).toString(), { headers }))
}

test.each([
  ['mastizada/dj-twilio-sms#10', 'TLS ends at a proxy', 'https://otp.example.com', 'https://otp.example.com'],
  ['twilio/twilio-node#505', 'a platform gives another port', 'https://otp.example.com', 'https://otp.example.com:443'],
  ['Yoctol/bottender#815', 'the port is left out', 'https://otp.example.com:8443', 'https://otp.example.com'],
  ['Yoctol/bottender#815', 'the port is there', 'https://otp.example.com:8443', 'https://otp.example.com:8443'],
])('%s: a report is taken where %s', async (_report, _where, publicUrl, signed) => {
  expect((await reported(publicUrl, signed + PATH)).status).toBe(200)
})

test('bmlt-enabled/yap#1589: a stranger’s X-Forwarded-Host changes neither what is right nor what is wrong', async () => {
  const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
  expect((await reported('https://otp.example.com', `https://otp.example.com${PATH}`, forwarded)).status).toBe(200)
  await world.stop()
  expect((await reported('https://otp.example.com', `https://evil.example${PATH}`, forwarded)).status).toBe(401)
})

test.each([
  ['langwatch/scenario#983', 'https://tunnel.example'],
  ['vellum-ai/vellum-assistant#5235', 'http://127.0.0.1:7821'],
  ['opengovsg/FormSG#3154', 'http://otp.example.com'],
])('%s: a report signed for another address is refused, and the log says why', async (_report, signed) => {
  expect((await reported('https://otp.example.com', signed + PATH)).status).toBe(401)
  expect(world.logged.join()).toContain('"outcome":"unauthorized"')
})
