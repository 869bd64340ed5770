/** Telegram Gateway, held against core.telegram.org/gateway/api. */
import { describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { describedType } from '../../src/providers/described'
import { telegram as described } from '../../src/providers/descriptions/telegram'
import { NOW } from '../domain/sample'
import { HTTP_ONLY } from '../support/carrier'
import { aCallback } from './fake-vendor-korean'
import {
  anAwaited,
  anOutbound,
  answered,
  CODE,
  connect,
  expectHarmless,
  TO,
  WITHOUT_ANSWER,
} from './fake-vendor-twilio-aligo'

const telegram = describedType(described)
const TOKEN = 'AAEAAAAB-token-of-the-gateway'
const REPORT_URL = 'https://otp.example.com/provider-reports/carrier'
const MESSAGE = anOutbound({ channel: 'telegram' })
const REQUEST_ID = '185926152913498'
const status = (delivery: string, more: object = {}) => ({
  request_id: REQUEST_ID,
  phone_number: TO,
  request_cost: 0.01,
  delivery_status: { status: delivery, updated_at: 1_772_323_200 },
  payload: MESSAGE.messageId,
  ...more,
})
const TAKEN = answered(200, { ok: true, result: status('sent', { remaining_balance: 9.9 }) })

async function send(answer = TAKEN, message = MESSAGE, { settings = {}, isReported = true } = {}) {
  const config = telegram.config.parse({ token: TOKEN, ...settings }) as Record<string, unknown>
  const { vendor, provider } = connect(telegram, config, { reportUrl: isReported ? REPORT_URL : undefined })
  vendor.answer = answer
  return { outcome: await provider.send(message), request: vendor.only() }
}

test('sends our code, which may wait for as long as its leg', async () => {
  const { outcome, request } = await send(TAKEN, { ...MESSAGE, waitSec: 45 })
  expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: REQUEST_ID, reportAfterMs: 60_000 })
  expect(request.url).toBe('https://gatewayapi.telegram.org/sendVerificationMessage')
  expect(request.headers.authorization).toBe(`Bearer ${TOKEN}`)
  expect(JSON.parse(request.body ?? '')).toEqual({
    phone_number: TO,
    code: CODE,
    ttl: 45,
    callback_url: REPORT_URL,
    payload: MESSAGE.messageId,
  })
})

test.each([
  [8, 30],
  [30, 30],
  [600, 600],
  [undefined, undefined],
])('a leg of %p seconds has a ttl of %p', async (waitSec, ttl) => {
  const { request } = await send(TAKEN, { ...MESSAGE, waitSec })
  expect(JSON.parse(request.body ?? '').ttl).toBe(ttl)
})

test('a channel of its own, and no report URL', async () => {
  const { outcome, request } = await send(TAKEN, MESSAGE, { settings: { senderUsername: 'acme' }, isReported: false })
  expect(outcome).toMatchObject({ kind: 'accepted', reportAfterMs: 5_000 })
  const body = JSON.parse(request.body ?? '')
  expect(body.sender_username).toBe('acme')
  expect(body).not.toHaveProperty('callback_url')
})

test.each([
  ['ACCESS_TOKEN_INVALID', 'unfit', false],
  ['BALANCE_NOT_ENOUGH', 'unfit', false],
  ['PHONE_NUMBER_INVALID', 'never', false],
  ['PHONE_NUMBER_NOT_FOUND', 'never', true],
  ['SENDER_NOT_VERIFIED', 'elsewhere', false],
  ['FLOOD_WAIT_30', 'later', false],
  ['SOMETHING_NEW', 'elsewhere', false],
])('the error %s means %s', async (error, retry, isAbsent) => {
  const { outcome } = await send(answered(200, { ok: false, error }))
  expect(outcome).toEqual({ kind: 'refused', retry, code: error, ...(isAbsent && { absence: 'absent' }) } as never)
  expectHarmless(outcome, [TOKEN])
  expect(telegram.explain(error)).toBeDefined()
})

test.each([
  [answered(200, { ok: false, error: `no ${TO}` }), { kind: 'ambiguous', code: 'HTTP_200_UNREADABLE' }],
  [answered(200, { ok: true, result: {} }), { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
  [answered(500, ''), { kind: 'ambiguous', code: 'HTTP_500' }],
  [answered(429, ''), { kind: 'refused', retry: 'later', code: 'HTTP_429' }],
  [answered(401, ''), { kind: 'refused', retry: 'unfit', code: 'HTTP_401' }],
] as const)('%o means %o', async (answer, expected) => {
  expect((await send(answer)).outcome).toEqual(expected)
})

test.each(WITHOUT_ANSWER)('%s', async (_, answer, expected) => {
  expect((await send(answer)).outcome).toEqual(expected)
})

describe('what became of it', () => {
  const { vendor, provider } = connect(telegram, telegram.config.parse({ token: TOKEN }) as Record<string, unknown>)
  const key = createHash('sha256').update(TOKEN).digest()
  const SECONDS = NOW / 1_000
  const read = (body: string, { at = SECONDS, by = key as Buffer | string } = {}) => {
    const signature = createHmac('sha256', by).update(`${at}\n${body}`).digest('hex')
    const headers = { 'x-request-timestamp': String(at), 'x-request-signature': signature }
    return provider.readReports?.(aCallback(body, headers))
  }
  const reported = { messageId: MESSAGE.messageId, carrierMessageId: REQUEST_ID }

  test.each([
    ['delivered', { status: 'delivered' }],
    ['read', { status: 'delivered' }],
    ['expired', { status: 'failed', code: 'EXPIRED' }],
    ['revoked', { status: 'failed', code: 'REVOKED' }],
  ] as const)('%s', async (delivery, report) => {
    expect(read(JSON.stringify(status(delivery)))).toEqual([{ ...reported, ...report }] as never)
    vendor.answer = answered(200, { ok: true, result: status(delivery) })
    expect(await provider.query?.(anAwaited({ carrierMessageId: REQUEST_ID, leg: 'telegram' }))).toEqual(report)
  })

  test.each(['expired', 'revoked'])('%s, and the fee was given back', async (delivery) => {
    const code = `${delivery.toUpperCase()}_REFUNDED`
    const report = { status: 'failed', code }
    const refunded = status(delivery, { is_refunded: true })
    expect(read(JSON.stringify(refunded))).toEqual([{ ...reported, ...report }] as never)
    vendor.answer = answered(200, { ok: true, result: refunded })
    expect(await provider.query?.(anAwaited({ carrierMessageId: REQUEST_ID, leg: 'telegram' }))).toEqual(
      report as never,
    )
    expect(telegram.explain(code)).toContain('gave the fee back')
    expect(telegram.explain(delivery.toUpperCase())).not.toContain('gave the fee back')
    const kept = status(delivery, { is_refunded: false })
    expect(read(JSON.stringify(kept))).toMatchObject([{ code: delivery.toUpperCase() }])
  })

  test('is open while it is only sent', async () => {
    expect(read(JSON.stringify(status('sent')))).toEqual([])
    vendor.answer = TAKEN
    expect(await provider.query?.(anAwaited({ carrierMessageId: REQUEST_ID }))).toHaveProperty('askAgainMs')
    expect(JSON.parse(vendor.requests.at(-1)?.body ?? '')).toEqual({ request_id: REQUEST_ID })
  })

  test('is believed by the signature, which is of now', () => {
    const body = JSON.stringify(status('delivered'))
    expect(read(body, { by: TOKEN })).toBeUndefined()
    expect(read(body, { at: SECONDS - 301 })).toBeUndefined()
    expect(provider.readReports?.(aCallback(body))).toBeUndefined()
  })
})

describe('taking a message back', () => {
  function connected() {
    const lines: string[] = []
    const warn = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
    const settings = telegram.config.parse({ token: TOKEN }) as Record<string, unknown>
    return { lines, ...connect(telegram, settings, { log: { ...HTTP_ONLY.log, warn } }) }
  }

  test('names it by its id', async () => {
    const { vendor, provider, lines } = connected()
    vendor.answer = answered(200, { ok: true, result: true })
    await provider.revoke?.(REQUEST_ID)
    const { url, headers, body } = vendor.only()
    expect(url).toBe('https://gatewayapi.telegram.org/revokeVerificationMessage')
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`)
    expect(JSON.parse(body ?? '')).toEqual({ request_id: REQUEST_ID })
    expect(lines).toEqual([])
  })

  test.each([
    [answered(200, { ok: false, error: 'REQUEST_ID_INVALID' }), 'REQUEST_ID_INVALID'],
    [answered(200, { ok: false, error: `no ${TO}` }), 'HTTP_200_UNREADABLE'],
    [answered(500, ''), 'HTTP_500'],
    [{ kind: 'not_sent', reason: 'ConnectionRefused' }, 'NOT_SENT_ConnectionRefused'],
    [{ kind: 'unknown', reason: 'TimeoutError' }, 'NO_ANSWER_TimeoutError'],
  ] as const)('%o is a line of the log, and no more', async (answer, code) => {
    const { vendor, provider, lines } = connected()
    vendor.answer = answer
    await provider.revoke?.(REQUEST_ID)
    expect(vendor.requests).toHaveLength(1)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { carrier: 'carrier', code, message: 'a message could not be taken back' },
    ])
  })
})
