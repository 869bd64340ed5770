/** Against developers.telnyx.com: send a message, error codes, receiving webhooks. */
import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { telnyx as description } from '../../src/providers/descriptions/telnyx'
import { NOW } from '../domain/sample'
import { checkCodes, checkLookup, checkSilence, REPORT_URL, reported, vendorOf } from './described-vendor'
import { anAwaited, answered } from './fake-vendor-twilio-aligo'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const CONFIG = {
  apiKey: 'KEY0123456789ABCDEF',
  publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
  from: '+15551234567',
}
const telnyx = vendorOf(description, CONFIG)
const ID = '40385f64-5717-4562-b3fc-2c963f66afa6'
const errors = (code: string | number) => ({
  errors: [{ code: String(code), title: 'Invalid', detail: 'of +821012345678' }],
})

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    expect(await telnyx.request({ to: '+15559876543', text: 'Hello, world!' })).toEqual({
      method: 'POST',
      url: 'https://api.telnyx.com/v2/messages',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: 'Bearer KEY0123456789ABCDEF',
      },
      body: `{"from":"+15551234567","to":"+15559876543","text":"Hello, world!","webhook_url":"${REPORT_URL}"}`,
      timeoutMs: 4_000,
    })
  })

  test('is accepted with its ID', async () => {
    const data = { record_type: 'message', direction: 'outbound', id: ID, to: [{ status: 'queued' }] }
    expect(await telnyx.outcome(answered(200, { data }))).toMatchObject({ kind: 'accepted', carrierMessageId: ID })
  })

  checkSilence(telnyx)
  checkCodes(
    telnyx,
    {
      later: [10011, 40318],
      elsewhere: [10002, 10004, 40100, 40301, 40305, 40306, 40309, 40315, 40320, 40321, 40322],
      unfit: [10009, 10010, 20100, 40312, 40314],
      never: [10016, 40302, 40310],
      stopped: [40300],
      ambiguous: [10007],
    },
    (code) => answered(422, errors(code)),
  )

  test('a code that is not listed goes to the next carrier, and what is none is not passed on', async () => {
    expect(await telnyx.outcome(answered(400, errors(40999)))).toMatchObject({ retry: 'elsewhere', code: '40999' })
    expect(await telnyx.outcome(answered(400, errors(482913)))).toMatchObject({ code: 'HTTP_400' })
  })
})

describe('what became of it', () => {
  const payload = (status: string, code?: string) => ({
    record_type: 'message',
    direction: 'outbound',
    id: ID,
    to: [{ phone_number: '+18665550001', status, carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless' }],
    errors: code === undefined ? [] : [{ code, title: 'x' }],
  })
  const event = (status: string, code?: string, event_type = 'message.finalized') =>
    JSON.stringify({ data: { record_type: 'event', event_type, payload: payload(status, code) }, meta: { attempt: 1 } })
  const headersOf = (text: string, at = NOW) => {
    const time = String(Math.floor(at / 1_000))
    const signature = sign(null, Buffer.from(`${time}|${text}`), privateKey).toString('base64')
    return { 'telnyx-timestamp': time, 'telnyx-signature-ed25519': signature }
  }

  test.each([
    ['delivered', undefined, reported(ID, 'delivered')],
    ['delivery_failed', '40001', reported(ID, 'failed', '40001')],
    ['sending_failed', undefined, reported(ID, 'failed', 'SENDING_FAILED')],
    ['delivery_unconfirmed', undefined, []],
    ['sent', undefined, []],
  ] as const)('%s %s', async (status, code, expected) => {
    const text = event(status, code)
    expect(telnyx.read(text, headersOf(text))).toEqual([...expected])
    const { vendor, provider } = telnyx.connected()
    vendor.answer = answered(200, { data: payload(status, code) })
    const { messageId: _, ...report } = expected[0] ?? { messageId: '', askAgainMs: 5_000 }
    expect(await provider.query?.(anAwaited({ carrierMessageId: ID }))).toEqual(report as never)
    expect(vendor.only().url).toBe(`https://api.telnyx.com/v2/messages/${ID}`)
  })

  test('other events say nothing; forged and old ones are not believed', () => {
    const sent = event('delivered', undefined, 'message.sent')
    expect(telnyx.read(sent, headersOf(sent))).toEqual([])
    const text = event('delivery_failed', '40001')
    expect(telnyx.read(event('delivered'), headersOf(text))).toBeUndefined()
    expect(telnyx.read(text, headersOf(text, NOW - 301_000))).toBeUndefined()
    expect(telnyx.read(text)).toBeUndefined()
  })

  test.each(Object.keys(description.reasons ?? {}))('%s is explained', (code) => {
    expect(telnyx.type.explain(code, {})).not.toStartWith('see this code')
  })
})

test('settings', () => {
  expect(telnyx.type.config.safeParse(CONFIG).success).toBe(true)
  expect(telnyx.type.config.safeParse({ ...CONFIG, publicKey: 'x' }).success).toBe(false)
})

describe('Number Lookup', () => {
  const said = (type: string, ported_status = 'N') => ({
    data: {
      carrier: { error_code: null, mobile_country_code: 'US', mobile_network_code: 866, name: 'Telnyx/4', type },
      country_code: 'US',
      phone_number: '+13129457420',
      portability: { line_type: type, lrn: '2245701999', ocn: '073H', ported_date: '2017-10-20', ported_status },
    },
  })
  checkLookup(
    description,
    CONFIG,
    {
      url: 'https://api.telnyx.com/v2/number_lookup/%2B821012345678?type=carrier',
      authorization: 'Bearer KEY0123456789ABCDEF',
    },
    [
      ['LANDLINE', said('fixed line')],
      ['VOIP', said('voip')],
      ['PORTED', said('mobile', 'Y')],
      [undefined, said('mobile')],
      [undefined, { data: { carrier: null, portability: null } }],
    ],
  )
})
