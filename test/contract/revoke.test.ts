/** A message that may still arrive is taken back once another leg has delivered the code. Decisions: "Delivery plans". */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import type { DeliveryPlan } from '../../src/domain/delivery/plan'
import type { TransportResult } from '../../src/ports/network'
import * as administer from '../../src/usecases/administer'
import { answered } from '../support/carrier'
import { HANGS_AFTER_MS } from '../support/until'
import { World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const TOKEN = 'AAEAAAAB-token-of-the-gateway'
const TELEGRAM = 'https://gatewayapi.telegram.org/'
const REQUEST_ID = '185926152913498'

let world: World
let requests: Array<{ method: string; body: Record<string, string> }>
let answers: Record<string, TransportResult>

beforeEach(async () => {
  requests = []
  answers = {
    sendVerificationMessage: answered(200, { ok: true, result: { request_id: REQUEST_ID } }),
    checkVerificationStatus: answered(200, { ok: true, result: { delivery_status: { status: 'sent' } } }),
    revokeVerificationMessage: answered(200, { ok: true, result: true }),
  }
  world = await World.start({
    env: { WATCHWORD_PUBLIC_URL: 'https://otp.example.com' },
    wrapTransport: (transport) => ({
      async request(request) {
        if (!request.url.startsWith(TELEGRAM)) return transport.request(request)
        const method = request.url.slice(TELEGRAM.length)
        requests.push({ method, body: JSON.parse(request.body ?? '') })
        return answers[method] ?? answered(404, '')
      },
    }),
  })
})
afterEach(() => world.stop())

const TELEGRAM_THEN_SMS: DeliveryPlan['legs'] = [{ channel: 'telegram', waitSec: 30 }, { channel: 'sms' }]

async function issue(legs = TELEGRAM_THEN_SMS) {
  const { appId, live: key } = await world.furnish()
  const config = { token: TOKEN }
  await administer.setCarrier(world.admin, { name: 'tg', type: 'telegram', channels: ['telegram'], config })
  await administer.setPlan(world.admin, appId, { channel: 'sms', country: undefined, legs })
  await world.advance(2_000)
  const order = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k' }
  const { body } = await world.call('rest', 'issue', order, { key })
  await world.settle()
  return async () => (await world.call('rest', 'status', { issueId: body.issueId }, { key })).body.deliveryStatus
}

const revoked = () => requests.filter(({ method }) => method === 'revokeVerificationMessage').map(({ body }) => body)

async function smsReported(status: string) {
  const messageId = world.sms.requests[0]?.messageId ?? ''
  const { body } = await world.report('main', { messageId, status, code: 'OF_SMS' })
  await world.settle()
  return body.recorded
}

async function telegramReported(status: string, more: object = {}) {
  const timestamp = String(Math.floor(world.clock.now() / 1_000))
  const { payload } = requests[0]?.body ?? {}
  const body = JSON.stringify({ request_id: REQUEST_ID, payload, delivery_status: { status }, ...more })
  const signature = createHmac('sha256', createHash('sha256').update(TOKEN).digest())
    .update(`${timestamp}\n${body}`)
    .digest('hex')
  const headers = { 'x-request-timestamp': timestamp, 'x-request-signature': signature }
  const answer = await world.send('POST', '/provider-reports/tg', body, { headers })
  await world.settle()
  return answer.body.recorded
}

test('once, when the next leg is reported delivered', async () => {
  const status = await issue()
  await world.advance(32_000)
  expect(world.sms.requests).toHaveLength(1)
  expect(revoked()).toEqual([])
  expect(await smsReported('delivered')).toBe(1)
  expect(await status()).toBe('delivered')
  expect(revoked()).toEqual([{ request_id: REQUEST_ID }])
  expect(await smsReported('delivered')).toBe(0)
  expect(await telegramReported('revoked', { is_refunded: true })).toBe(0)
  await world.advance(60_000)
  expect(revoked()).toHaveLength(1)
  expect(await status()).toBe('delivered')
})

test('also where it is the later leg, and an earlier one delivers after all', async () => {
  await issue([{ channel: 'sms', waitSec: 8 }, { channel: 'telegram' }])
  await world.advance(10_000)
  expect(requests.map(({ method }) => method)).toEqual(['sendVerificationMessage'])
  expect(await smsReported('delivered')).toBe(1)
  expect(revoked()).toEqual([{ request_id: REQUEST_ID }])
})

test('not while nothing is delivered, nor when the other leg fails', async () => {
  await issue()
  await world.advance(32_000)
  expect(await smsReported('failed')).toBe(1)
  expect(revoked()).toEqual([])
})

test('not when Telegram itself delivered it', async () => {
  const status = await issue()
  await world.advance(32_000)
  expect(await telegramReported('delivered')).toBe(1)
  expect(await status()).toBe('delivered')
  expect(await smsReported('delivered')).toBe(0)
  expect(revoked()).toEqual([])
})

test('not what Telegram has reported as failed', async () => {
  await issue()
  await world.advance(32_000)
  expect(await telegramReported('expired', { is_refunded: true })).toBe(1)
  expect(await smsReported('delivered')).toBe(1)
  expect(revoked()).toEqual([])
})

test.each([
  [true, 'EXPIRED_REFUNDED'],
  [false, 'EXPIRED'],
])('whether the fee was given back (%p) stands with the attempt', async (is_refunded, code) => {
  await issue()
  await world.advance(32_000)
  expect(await telegramReported('expired', { is_refunded })).toBe(1)
  expect(await smsReported('delivered')).toBe(1)
  expect(await world.rows('SELECT leg, outcome, code FROM attempts ORDER BY number')).toEqual([
    { leg: 'telegram', outcome: 'accepted', code },
    { leg: 'sms', outcome: 'accepted', code: null },
  ])
})

test('not what Telegram may not have at all', async () => {
  answers.sendVerificationMessage = answered(500, '')
  await issue([{ channel: 'sms', waitSec: 8 }, { channel: 'telegram' }])
  await world.advance(10_000)
  expect(requests).toHaveLength(1)
  expect(await smsReported('delivered')).toBe(1)
  expect(revoked()).toEqual([])
})

test('a failure is a line of the log, without the number, and changes nothing', async () => {
  answers.revokeVerificationMessage = answered(500, '')
  const status = await issue()
  await world.advance(32_000)
  expect(await smsReported('delivered')).toBe(1)
  expect(await status()).toBe('delivered')
  const lines = world.logged.filter((line) => line.includes('taken back')).map((line) => JSON.parse(line))
  expect(lines).toEqual([
    { level: 'warn', carrier: 'tg', code: 'HTTP_500', message: 'a message could not be taken back' },
  ])
  await world.advance(60_000)
  expect(revoked()).toHaveLength(1)
})
