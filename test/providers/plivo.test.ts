/** Against plivo.com/docs/messaging: send a message, status callbacks, error codes, signature validation (V2). */
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { plivo as description } from '../../src/providers/descriptions/plivo'
import { checkSilence, REPORT_URL, reported, vendorOf } from './described-vendor'
import { anAwaited, answered } from './fake-vendor-twilio-aligo'

const AUTH_ID = 'MAXXXXXXXXXXXXXXXXXX'
const TOKEN = 'the-auth-token-of-plivo'
const plivo = vendorOf(description, { authId: AUTH_ID, authToken: TOKEN, from: '14153336666' })
const ID = 'db3ce55a-7f1d-11e1-8ea7-1231380bc196'
const MESSAGES = `https://api.plivo.com/v1/Account/${AUTH_ID}/Message/`

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    expect(await plivo.request({ to: '+14156667777', text: 'Hello, this is a sample text' })).toEqual({
      method: 'POST',
      url: MESSAGES,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`${AUTH_ID}:${TOKEN}`)}`,
      },
      body: `{"src":"14153336666","dst":"14156667777","text":"Hello, this is a sample text","url":"${REPORT_URL}","method":"POST"}`,
      timeoutMs: 4_000,
    })
  })

  test('has the DLT ids of a template', async () => {
    const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }
    const { body } = await plivo.request({ to: '+919812345678', dlt })
    expect(JSON.parse(body ?? '')).toMatchObject({ dlt_entity_id: dlt.entityId, dlt_template_id: dlt.templateId })
  })

  test('is accepted with its ID', async () => {
    const body = { message: 'message(s) queued', message_uuid: [ID], api_id: 'db342550-7f1d-11e1-8ea7-1231380bc196' }
    expect(await plivo.outcome(answered(202, body))).toMatchObject({ kind: 'accepted', carrierMessageId: ID })
    expect(await plivo.outcome(answered(202, { ...body, message_uuid: [] }))).toMatchObject({ kind: 'ambiguous' })
  })

  checkSilence(plivo)

  test.each([
    [400, 'elsewhere'],
    [401, 'unfit'],
    [404, 'unfit'],
    [405, 'elsewhere'],
    [429, 'later'],
  ] as const)('HTTP %d: %s', async (status, retry) => {
    const answer = answered(status, { api_id: 'x', error: 'src parameter not present for +821012345678' })
    expect(await plivo.outcome(answer)).toEqual({ kind: 'refused', retry, code: `HTTP_${status}` })
    expect(plivo.type.explain(`HTTP_${status}`, {})).toMatch(/\w{3}/)
  })
})

describe('what became of it', () => {
  const NONCE = '05429567804466091622'
  const sign = (url: string, token = TOKEN) =>
    createHmac('sha256', token)
      .update(url + NONCE)
      .digest('base64')
  const headers = (signature: string) => ({ 'x-plivo-signature-v2': signature, 'x-plivo-signature-v2-nonce': NONCE })
  const form = (Status: string, ErrorCode = '') =>
    new URLSearchParams({
      MessageUUID: ID,
      To: '14156667777',
      From: '14153336666',
      Status,
      ErrorCode,
      Units: '1',
    }).toString()

  test.each([
    ['delivered', '', reported(ID, 'delivered')],
    ['undelivered', '70', reported(ID, 'failed', '70')],
    ['failed', '40', reported(ID, 'failed', '40')],
    ['failed', '200', reported(ID, 'failed', '200', { absence: 'stopped' })],
    ['failed', '', reported(ID, 'failed', 'FAILED')],
    ['sent', '', []],
    ['queued', '', []],
  ] as const)('%s %s', async (status, code, expected) => {
    // The signature is about the address alone, so that the message is asked for.
    expect(plivo.read(form(status, code), headers(sign(REPORT_URL)))).toEqual(
      expected.map((one) => ({ ...one, mustAsk: true })),
    )
    const { vendor, provider } = plivo.connected()
    vendor.answer = answered(200, { api_id: 'x', message_uuid: ID, message_state: status, error_code: code || '000' })
    const [one] = expected
    const { messageId: _, ...fate } = one ?? { messageId: '', askAgainMs: 5_000 }
    expect(await provider.query?.(anAwaited({ carrierMessageId: ID }))).toEqual(fate as never)
    expect(vendor.only().url).toBe(`${MESSAGES}${ID}/`)
  })

  test('forged ones are not believed', () => {
    const text = form('delivered')
    expect(plivo.read(text, headers(sign(REPORT_URL, 'another-auth-token')))).toBeUndefined()
    expect(plivo.read(text, headers(sign('https://elsewhere.example.com/')))).toBeUndefined()
    expect(plivo.read(text, { ...headers(sign(REPORT_URL)), 'x-plivo-signature-v2-nonce': '1' })).toBeUndefined()
    expect(plivo.read(text)).toBeUndefined()
  })

  test.each(Object.keys(description.reasons ?? {}))('%s is explained', (code) => {
    expect(plivo.type.explain(code, {})).not.toStartWith('see this code')
  })
})
