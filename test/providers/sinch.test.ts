/** Against developers.sinch.com/docs/sms/api-reference: batches, status codes, delivery reports and the HMAC of callbacks. */
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { sinch as description } from '../../src/providers/descriptions/sinch'
import { NOW } from '../domain/sample'
import { checkCodes, checkSilence, checkToken, REPORT_SECRET, REPORT_URL, reported, vendorOf } from './described-vendor'
import { anAwaited, answered } from './fake-vendor-twilio-aligo'

const PLAN = 'jd63jf88477ll123ab4567cd89012ef3'
const CONFIG = {
  servicePlanId: PLAN,
  apiToken: 'the-token-of-the-plan',
  from: '+12345678901',
  reportSecret: REPORT_SECRET,
}
const sinch = vendorOf(description, CONFIG)
const BATCH = '01FC66621XXXXX119Z8PMV1QPQ'
const OURS = '019ca91c-4e00-7000-8000-0000000000aa'
const BATCHES = `https://us.sms.api.sinch.com/xms/v1/${PLAN}/batches`

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    expect(await sinch.request({ to: '+15551231234', text: 'Hello! How are you?' })).toEqual({
      method: 'POST',
      url: BATCHES,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: 'Bearer the-token-of-the-plan',
      },
      body:
        '{"from":"+12345678901","to":["+15551231234"],"body":"Hello! How are you?","delivery_report":"per_recipient_final",' +
        `"callback_url":"${REPORT_URL}?token=${REPORT_SECRET}","expire_at":"${new Date(NOW + 180_000).toISOString()}",` +
        `"client_reference":"${OURS}"}`,
      timeoutMs: 4_000,
    })
  })

  test('is accepted with the ID of its batch', async () => {
    const batch = { id: BATCH, to: ['15551231234'], canceled: false, type: 'mt_text' }
    expect(await sinch.outcome(answered(201, batch))).toMatchObject({ kind: 'accepted', carrierMessageId: BATCH })
  })

  checkSilence(sinch)
  checkCodes(
    sinch,
    {
      elsewhere: [
        'syntax_invalid_json',
        'syntax_invalid_parameter_format',
        'syntax_constraint_violation',
        'unknown_campaign',
        'missing_callback_url',
        'illegal_number_type',
      ],
      unfit: ['blocked_account'],
    },
    (code) => answered(403, { code, text: 'Invalid MSISDN: +821012345678' }),
  )

  test('a plan that does not exist rests the carrier', async () => {
    expect(await sinch.outcome(answered(404, ''))).toEqual({ kind: 'refused', retry: 'unfit', code: 'HTTP_404' })
  })
})

describe('what became of it', () => {
  const report = (status: string, code: number) => ({
    type: 'recipient_delivery_report_sms',
    batch_id: BATCH,
    recipient: '+15551231234',
    code,
    status,
    at: '2022-08-30T08:16:08.930Z',
    client_reference: OURS,
  })
  const SECRET = 'the-secret-of-the-callbacks'
  const signed = vendorOf(description, { ...CONFIG, webhookSecret: SECRET })
  const headersOf = (text: string, at = NOW) => {
    const [nonce, time] = ['01FJA8B4A7BM43YGWSG9GBV067', String(Math.floor(at / 1_000))]
    return {
      'x-sinch-webhook-signature-timestamp': time,
      'x-sinch-webhook-signature-nonce': nonce,
      'x-sinch-webhook-signature-algorithm': 'HmacSHA256',
      'x-sinch-webhook-signature': createHmac('sha256', SECRET).update(`${text}.${nonce}.${time}`).digest('base64'),
    }
  }
  const more = { carrierMessageId: BATCH }

  checkToken(sinch, report('Delivered', 0), reported(OURS, 'delivered', undefined, more))

  test.each([
    ['Delivered', 0, reported(OURS, 'delivered', undefined, more)],
    ['Aborted', 402, reported(OURS, 'failed', '402', more)],
    ['Failed', 0, reported(OURS, 'failed', 'FAILED', more)],
    ['Expired', 406, reported(OURS, 'failed', '406', more)],
    ['Rejected', 408, reported(OURS, 'failed', '408', more)],
    ['Unknown', 0, []],
    ['Dispatched', 401, []],
  ] as const)('%s %d', async (status, code, expected) => {
    const text = JSON.stringify(report(status, code))
    expect(signed.read(text, headersOf(text))).toEqual([...expected])
    const { vendor, provider } = sinch.connected()
    vendor.answer = answered(200, {
      type: 'delivery_report_sms',
      batch_id: BATCH,
      statuses: [{ code, status, count: 1 }],
    })
    const [one] = expected
    const fate = one ? { status: one.status, code: one.code } : { askAgainMs: 5_000 }
    expect(await provider.query?.(anAwaited({ carrierMessageId: BATCH }))).toEqual(fate as never)
    expect(vendor.only().url).toBe(`${BATCHES}/${BATCH}/delivery_report`)
  })

  test('forged and old ones are not believed, nor the secret where they are signed', () => {
    const text = JSON.stringify(report('Failed', 0))
    expect(signed.read(JSON.stringify(report('Delivered', 0)), headersOf(text))).toBeUndefined()
    expect(signed.read(text, headersOf(text, NOW - 301_000))).toBeUndefined()
    expect(signed.read(text, {}, `?token=${REPORT_SECRET}`)).toBeUndefined()
  })

  test.each(Object.keys(description.reasons ?? {}))('%s is explained', (code) => {
    expect(sinch.type.explain(code, {})).not.toStartWith('see this code')
  })
})
