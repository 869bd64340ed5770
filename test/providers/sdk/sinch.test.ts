/** Sinch's own SDK: @sinch/sms. */
import { expect, mock, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { sinch } from '../../../src/providers/descriptions/sinch'
import { NOW } from '../../domain/sample'
import { REPORT_SECRET, REPORT_URL, reported, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

// The package reads its version from one that has it as a dependency, and not the other way round.
mock.module('@sinch/sdk-core/package.json', () => ({ version: '1.4.0' }))
const { SmsCallbackWebhooks, SmsService } = await import('@sinch/sms')

const PLAN = { servicePlanId: 'a1b2c3', apiToken: 'token-of-the-plan' }
const SECRET = 'the-webhook-secret-of-the-plan'

test('a text is the same request', async () => {
  const answer = { id: '01FC66621XXXXX119Z8PMV1QPQ', to: [TO.slice(1)], from: 'Acme', canceled: false }
  const { request: theirs, result } = await caught(answer, (base) =>
    new SmsService({ ...PLAN, smsHostname: base }).batches.send({
      sendSMSRequestBody: {
        to: [TO],
        from: 'Acme',
        body: TEXT,
        delivery_report: 'per_recipient_final',
        callback_url: `${REPORT_URL}?token=${REPORT_SECRET}`,
        expire_at: new Date(NOW + 180_000),
        client_reference: '019ca91c-4e00-7000-8000-0000000000aa',
      },
    }),
  )
  const settings = { ...PLAN, from: 'Acme', reportSecret: REPORT_SECRET, apiBase: new URL(theirs.url).origin }
  const carrier = vendorOf(sinch, settings)
  expect(meaningOf(await carrier.request())).toEqual(meaningOf(theirs))
  expect(await carrier.outcome(answered(201, answer))).toMatchObject({
    kind: 'accepted',
    carrierMessageId: result.id ?? '',
  })
})

test('reports are signed as the SDK verifies', () => {
  const body = JSON.stringify({
    type: 'recipient_delivery_report_sms',
    batch_id: '01FC66621XXXXX119Z8PMV1QPQ',
    status: 'Delivered',
    code: 0,
  })
  const nonce = '01GJA5DRNPB80'
  const timestamp = String(NOW / 1_000)
  const signature = createHmac('sha256', SECRET).update(`${body}.${nonce}.${timestamp}`).digest('base64')
  const carrier = vendorOf(sinch, { ...PLAN, from: 'Acme', webhookSecret: SECRET, reportSecret: REPORT_SECRET })
  const read = (text: string, shown = signature) => {
    const headers = {
      'x-sinch-webhook-signature': shown,
      'x-sinch-webhook-signature-nonce': nonce,
      'x-sinch-webhook-signature-timestamp': timestamp,
      'x-sinch-webhook-signature-algorithm': 'HmacSHA256',
    }
    const ours = carrier.read(text, headers)
    expect(ours !== undefined).toBe(new SmsCallbackWebhooks(SECRET).validateAuthenticationHeader(headers, text, '', ''))
    return ours
  }
  expect(read(body)).toEqual(reported('01FC66621XXXXX119Z8PMV1QPQ', 'delivered'))
  expect(read(body.replace('Delivered', 'Rejected'))).toBeUndefined()
  expect(
    read(
      body,
      signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    ),
  ).toBeUndefined()
})
