/**
 * What people expect of a verification, from reports about Twilio Verify and its peers: https://github.com/<report>. Right:
 * https://www.twilio.com/docs/verify/api (Verification, VerificationCheck), and the status of its SDKs.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { accountSid, serviceSid } from '../../src/http/compat/twilio-answer'
import * as administer from '../../src/usecases/administer'
import { codeIn } from '../support/carrier'
import { type Answer, type Furnished, VOICE_URL, World } from '../support/world'

const To = '+821012345678'

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  await administer.addTwilioPurpose(world.admin, keys.appId, 'signup')
  await world.provide('caller', ['voice'], VOICE_URL)
  await administer.setRoute(world.admin, { channel: 'voice', country: 'KR', appId: undefined, carriers: ['caller'] })
  await world.advance(2_000)
})
afterEach(() => world.stop())

async function send(method: string, resource: string, form?: Record<string, string>): Promise<Answer> {
  const password = `${accountSid(keys.appId)}:${keys.live}`
  const headers = {
    authorization: `Basic ${Buffer.from(password).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const path = `/compat/twilio/v2/Services/${serviceSid(keys.appId, 'signup')}/${resource}`
  const answer = await world.send(method, path, form && new URLSearchParams(form).toString(), { headers })
  await world.settle()
  return answer
}
const create = (Channel = 'sms') => send('POST', 'Verifications', { To, Channel })
const check = (Code = sent().at(-1) ?? '') => send('POST', 'VerificationCheck', { To, Code })
const sent = () => [...world.sms.requests, ...world.voice.requests].map(({ text }) => codeIn(text))
const wrong = () => (sent().at(-1) === '000001' ? '000002' : '000001')
const said = ({ status, body }: Answer) => [status, body.code ?? body.status]

test('twilio/authy-ruby#63: a second create has the code and the SID of the first', async () => {
  const [one, other] = [await create(), await create()]
  expect(other.body.sid).toBe(one.body.sid)
  expect(new Set(sent()).size).toBe(1)
  expect(sent()).toHaveLength(2)
})

test('a button that is pressed twice: two creates at once send one code', async () => {
  const [one, other] = await Promise.all([create(), create()])
  expect(other.body.sid).toBe(one.body.sid)
  expect(new Set(sent()).size).toBe(1)
})

test('Vonage/vonage-node-sdk#185: a call says the code of the SMS', async () => {
  const { sid } = (await create()).body
  expect((await create('call')).body).toMatchObject({ sid, channel: 'call' })
  expect(world.voice.requests).toHaveLength(1)
  expect(new Set(sent()).size).toBe(1)
})

test('steemit/faucet#214: the code of a late SMS is right after the next one was asked for', async () => {
  await create()
  const late = sent()[0]
  await world.leap(120_000)
  await create()
  expect(said(await check(late))).toEqual([200, 'approved'])
})

test('Nexmo/verify-ios-sdk#3: sending again restarts neither the ten minutes nor the five checks', async () => {
  await create()
  for (let n = 0; n < 4; n++) expect(said(await check(wrong()))).toEqual([200, 'pending'])
  await create()
  expect(said(await check(wrong()))).toEqual([200, 'pending'])
  expect(said(await check())).toEqual([429, 60202])
  const { sid } = (await create()).body
  await world.leap(590_000)
  expect((await create()).body.sid).toBe(sid)
  await world.leap(10_000)
  expect(said(await check())).toEqual([404, 20404])
})

test('twilio/twilio-php#696: a person who signs out and in again gets a new verification', async () => {
  const first = (await create()).body.sid
  expect(said(await check())).toEqual([200, 'approved'])
  expect((await create()).body.sid).not.toBe(first)
  expect(said(await check())).toEqual([200, 'approved'])
})

test('twilio/twilio-csharp#664: after an expiry a new verification begins', async () => {
  const first = (await create()).body.sid
  await world.leap(600_000)
  expect(said(await send('GET', `Verifications/${first}`))).toEqual([404, 20404])
  const next = await create()
  expect([next.status, next.body.sid === first]).toEqual([201, false])
})

test('twilio/twilio-node#743: a check after the right one is 404', async () => {
  await create()
  await check()
  expect(said(await check(sent()[0]))).toEqual([404, 20404])
})

test('twilio/twilio-ruby#617: a wrong code is an answer, and a wrong number an error', async () => {
  await create()
  expect((await check(wrong())).body).toMatchObject({ status: 'pending', valid: false })
  expect(said(await send('POST', 'Verifications', { To: '+8210', Channel: 'sms' }))).toEqual([400, 60200])
})

test('evilpacket/node-authy#27: the status can be asked for, by SID and by number', async () => {
  const { sid } = (await create()).body
  await create()
  for (const id of [sid, encodeURIComponent(To)])
    expect((await send('GET', `Verifications/${id}`)).body).toMatchObject({ sid, status: 'pending' })
})
