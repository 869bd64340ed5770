/**
 * Codes and texts as platforms hand them over: alphagov/notifications-utils#460, WebKit/explainers#22, minutis-redcall/redcall#57 (line
 * ends), guilhermerodz/input-otp#53 (groups). Right: GSM 03.38 has one line end, and a code is its digits.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { bearer, openRelay, TO } from '../relay/platforms'
import { World } from '../support/world'

let world: World
let appId: string
beforeEach(async () => {
  world = await World.start()
  appId = (await world.furnish()).appId
})
afterEach(() => world.stop())

test.each([
  ['Your code is 482913\r\n\r\n@app.example.com #482913', undefined, 'Your code is 482913\n\n@app.example.com #482913'],
  ['Your code:\t482 913', undefined, 'Your code: 482 913'],
  ['Code 482913\u0085Bye', undefined, 'Code 482913\nBye'],
  ['Your code is 482-913', '482-913', 'Your code is 482-913'],
  ['OTP for card XX1245 is 811739', undefined, 'OTP for card XX1245 is 811739'],
])('a relay takes %j with the code %j', async (text, code, sent) => {
  const { path, secret } = await openRelay(world, appId, 'plain')
  const body = JSON.stringify({ to: TO, text, code })
  const answer = await world.send('POST', path, body, { headers: bearer(body, secret) })
  await world.settle()
  expect(answer.status).toBe(200)
  expect(world.sms.requests.map((message) => message.text)).toEqual([sent])
})

test('a relay reads a body with a byte order mark', async () => {
  const { path, secret } = await openRelay(world, appId, 'plain')
  const body = `\ufeff${JSON.stringify({ to: TO, text: 'Code 482913' })}`
  expect((await world.send('POST', path, body, { headers: bearer(body, secret) })).status).toBe(200)
})
