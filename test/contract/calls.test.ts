/** What a call says is fetched by the carrier: a code is spoken to no machine, and stands in no log. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import * as administer from '../../src/usecases/administer'
import { answered, codeIn } from '../support/carrier'
import { HANGS_AFTER_MS } from '../support/until'
import { World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const PUBLIC_URL = 'https://otp.example.com'
const CONFIG = { accountSid: `AC${'01'.repeat(16)}`, authToken: 'twilio-auth-token', from: '+15005550006' }
const CALL = { CallSid: `CA${'0a'.repeat(16)}`, To: '+821012345678' }

let world: World
let calls: URLSearchParams[]

beforeEach(async () => {
  calls = []
  world = await World.start({
    env: { WATCHWORD_PUBLIC_URL: PUBLIC_URL },
    wrapTransport: (transport) => ({
      async request(request) {
        if (!request.url.startsWith('https://api.twilio.com/')) return transport.request(request)
        calls.push(new URLSearchParams(request.body))
        return answered(201, { sid: CALL.CallSid })
      },
    }),
  })
})
afterEach(() => world.stop())

async function issue() {
  const { appId, live: key } = await world.furnish()
  const carrier = { type: 'twilio-voice', channels: ['voice' as const], config: CONFIG }
  for (const name of ['caller', 'other']) await administer.setCarrier(world.admin, { name, ...carrier })
  await administer.setRoute(world.admin, { channel: 'voice', country: 'KR', appId: undefined, carriers: ['caller'] })
  const legs = [{ channel: 'sms' as const, waitSec: 8 }, { channel: 'voice' as const }]
  await administer.setPlan(world.admin, appId, { channel: 'sms', country: undefined, legs })
  await world.advance(2_000)
  const order = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k', expiresInSec: 60 }
  const { body } = await world.call('rest', 'issue', order, { key })
  await world.advance(10_000)
  expect(calls).toHaveLength(1)
  return { issueId: body.issueId, key, answerUrl: calls[0]?.get('Url') ?? '' }
}

function fetched(url: string, fields: object, { token = CONFIG.authToken } = {}) {
  const all: Record<string, string> = { ...CALL, ...fields }
  const signed = Object.keys(all)
    .toSorted()
    .map((name) => name + all[name])
  const signature = createHmac('sha1', token)
    .update(url + signed.join(''))
    .digest('base64')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  return world.send('POST', url.slice(PUBLIC_URL.length), new URLSearchParams(all).toString(), { headers })
}

test('a human hears the code, a machine nothing, and nobody else gets it', async () => {
  const { answerUrl, issueId, key } = await issue()
  const human = await fetched(answerUrl, { AnsweredBy: 'human' })
  expect(human.status).toBe(200)
  expect(human.headers.get('content-type')).toBe('text/xml')
  expect(human.headers.get('cache-control')).toBe('no-store')
  const code = codeIn(world.sms.requests[0]?.text ?? '')
  expect(human.body).toContain([...code].join(', '))
  const machine = await fetched(answerUrl, { AnsweredBy: 'machine_start' })
  expect(machine.body).toBe('<Response><Hangup/></Response>')

  expect((await fetched(answerUrl, {}, { token: 'forged' })).status).toBe(401)
  const answer = new URL(answerUrl).search
  expect((await fetched(`${PUBLIC_URL}/provider-reports/other${answer}`, {})).status).toBe(401)
  expect((await fetched(`${PUBLIC_URL}/provider-reports/nobody${answer}`, {})).status).toBe(401)
  expect((await fetched(`${PUBLIC_URL}/provider-reports/caller?answer=AAAA`, {})).status).toBe(401)

  // What is fetched reports nothing; the end of the call does.
  expect((await world.call('rest', 'status', { issueId }, { key })).body.deliveryStatus).toBe('sent')
  const ended = await fetched(`${PUBLIC_URL}/provider-reports/caller`, { CallStatus: 'completed', AnsweredBy: 'human' })
  expect(ended.body).toEqual({ recorded: 1 })
  await world.settle()
  expect((await world.call('rest', 'status', { issueId }, { key })).body.deliveryStatus).toBe('delivered')

  await world.advance(60_000)
  expect((await fetched(answerUrl, { AnsweredBy: 'human' })).status).toBe(401)
  const log = world.logged.join('\n')
  for (const secret of [code, [...code].join(', '), answer.slice(8)]) expect(log).not.toContain(secret)
})
