/** Against developer.vonage.com/en/api/sms, its error codes, and the way its SDKs sign. */
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { vonage as description } from '../../src/providers/descriptions/vonage'
import { NOW } from '../domain/sample'
import {
  checkCodes,
  checkLookup,
  checkSilence,
  checkToken,
  REPORT_SECRET,
  REPORT_URL,
  reported,
  vendorOf,
} from './described-vendor'
import { answered, connect } from './fake-vendor-twilio-aligo'

const CONFIG = { apiKey: 'abcd1234', apiSecret: 'abcdef0123456789', from: 'AcmeInc', reportSecret: REPORT_SECRET }
const SECRET = 'the-signature-secret-of-vonage'
const vonage = vendorOf(description, CONFIG)
const said = (status: string | number, more: object = {}) =>
  answered(200, { 'message-count': '1', messages: [{ status: String(status), ...more }] })

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    const text = 'Hello World!'
    expect(await vonage.request({ to: '+447700900000', text })).toEqual({
      method: 'POST',
      url: 'https://rest.nexmo.com/sms/json',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body:
        'api_key=abcd1234&api_secret=abcdef0123456789&from=AcmeInc&to=447700900000&text=Hello+World%21&type=text&ttl=180000' +
        `&callback=${encodeURIComponent(`${REPORT_URL}?token=${REPORT_SECRET}`)}&client-ref=019ca91c-4e00-7000-8000-0000000000aa`,
      timeoutMs: 4_000,
    })
  })

  test('says that a text is Unicode, and keeps to the limits of the lifetime', async () => {
    const formOf = async (expiresAt: number) =>
      new URLSearchParams((await vonage.request({ expiresAt }, { reportUrl: undefined })).body)
    const form = await formOf(NOW + 1_000)
    expect([form.get('type'), form.get('ttl'), form.has('callback')]).toEqual(['unicode', '20000', false])
    expect((await formOf(NOW + 86_400_000 * 30)).get('ttl')).toBe('604800000')
  })

  test('has the DLT ids of a template', async () => {
    const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }
    const form = new URLSearchParams((await vonage.request({ to: '+919812345678', dlt })).body)
    expect([form.get('entity-id'), form.get('content-id')]).toEqual([dlt.entityId, dlt.templateId])
  })

  test('is accepted with its ID', async () => {
    const accepted = { to: '447700900000', 'message-id': '0C000000217B7F02', 'remaining-balance': '15.53590000' }
    expect(await vonage.outcome(said(0, accepted))).toEqual({
      kind: 'accepted',
      carrierMessageId: '0C000000217B7F02',
    })
    expect(await vonage.outcome(said(0))).toEqual({ kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' })
    expect(await vonage.outcome(said(77))).toEqual({ kind: 'ambiguous', code: '77' })
  })

  checkSilence(vonage)
  checkCodes(
    vonage,
    {
      later: [1, 10],
      elsewhere: [2, 3, 6, 7, 15, 22, 23, 29],
      unfit: [4, 8, 9, 11, 14, 32],
      never: [12, 33],
      ambiguous: [5],
      ofReports: ['DLR_9'],
    },
    (code) => said(code, { 'error-text': 'Missing to param' }),
  )
})

describe('reports', () => {
  const receipt = (status: string, code = '0') => ({
    msisdn: '447700900000',
    to: 'AcmeInc',
    'network-code': '12345',
    messageId: '0A0000001234567B',
    price: '0.03330000',
    status,
    scts: '2001011400',
    'err-code': code,
    'api-key': 'abcd1234',
    'message-timestamp': '2020-01-01 12:00:00',
  })
  const id = '0A0000001234567B'

  checkToken(vonage, receipt('delivered'), reported(id, 'delivered'))

  const signed = connect(vonage.type, { ...CONFIG, signatureSecret: SECRET }, { reportUrl: REPORT_URL }).provider
  const read = (text: string, search = '') =>
    signed.readReports?.({
      url: REPORT_URL + search,
      headers: new Headers({ 'content-type': 'application/x-www-form-urlencoded' }),
      query: new URL(REPORT_URL + search).searchParams,
      text,
    })
  const sign = (fields: Record<string, string>) => {
    const all: Record<string, string> = { ...fields, timestamp: String(Math.floor(NOW / 1_000)), nonce: 'ec11dd3e' }
    const text = Object.keys(all)
      .toSorted()
      .map((name) => `&${name}=${all[name]}`)
      .join('')
    return new URLSearchParams({ ...all, sig: createHmac('sha256', SECRET).update(text).digest('hex').toUpperCase() })
  }

  test.each([
    ['delivered', '0', reported(id, 'delivered')],
    ['failed', '2', reported(id, 'failed', 'DLR_2')],
    ['rejected', '6', reported(id, 'failed', 'DLR_6')],
    ['rejected', '9', reported(id, 'failed', 'DLR_9', { absence: 'stopped' })],
    ['expired', '0', reported(id, 'failed', 'EXPIRED')],
    ['accepted', '0', []],
    ['buffered', '0', []],
    ['unknown', '1', []],
  ])('signed: %s %s', (status, code, expected) => {
    const form = sign(receipt(status, code)).toString()
    expect(read(form)).toEqual(expected)
    expect(read('', `?${form}`)).toEqual(expected)
    for (const one of expected) expect(vonage.type.explain(one.code ?? 'DLR_1', {})).toMatch(/\w{3}/)
  })

  test('our own ID counts before theirs', () => {
    expect(read(sign({ ...receipt('delivered'), 'client-ref': 'ours' }).toString())).toEqual(
      reported('ours', 'delivered', undefined, { carrierMessageId: id }),
    )
  })

  test('forged, old or unsigned ones are not believed, even with the secret', () => {
    const form = sign(receipt('failed', '2'))
    expect(read(form.toString().replace('failed', 'delivered'))).toBeUndefined()
    expect(read(form.toString(), `?token=${REPORT_SECRET}`)).toEqual(reported(id, 'failed', 'DLR_2'))
    form.delete('sig')
    expect(read(form.toString(), `?token=${REPORT_SECRET}`)).toBeUndefined()
  })
})

test('settings', () => {
  expect(vonage.type.config.safeParse(CONFIG).success).toBe(true)
  expect(vonage.type.config.safeParse({ ...CONFIG, apiKey: '' }).success).toBe(false)
  expect(vonage.type.config.safeParse({ ...CONFIG, from: undefined }).success).toBe(false)
})

describe('Number Insight', () => {
  const said = (network_type: string, ported = 'assumed_not_ported') => ({
    status: 0,
    status_message: 'Success',
    request_id: 'e983e5c2-03d3-4432-8487-b14834eda8c9',
    international_format_number: '447520615146',
    current_carrier: { network_code: '23409', name: 'Tismi BV', country: 'GB', network_type },
    original_carrier: { network_code: '23409', name: 'Tismi BV', country: 'GB', network_type: 'mobile' },
    ported,
  })
  checkLookup(
    description,
    CONFIG,
    {
      url: 'https://api.nexmo.com/ni/standard/json?number=821012345678',
      authorization: `Basic ${btoa('abcd1234:abcdef0123456789')}`,
    },
    [
      ['LANDLINE', said('landline')],
      ['LANDLINE', said('landline_tollfree')],
      ['VOIP', said('virtual')],
      ['PORTED', said('mobile', 'ported')],
      [undefined, said('mobile')],
      [undefined, said('mobile', 'assumed_ported')],
      [undefined, { status: 43, status_message: 'Lookup not returned' }],
    ],
  )
})
