/** Against developers.messagebird.com: SMS messaging, errors, status reports and the token of webhooks. */
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import { messagebird as description } from '../../src/providers/descriptions/messagebird'
import { NOW } from '../domain/sample'
import { VirtualClock } from '../support/clock'
import { checkCodes, checkSilence, REPORT_URL, reported, vendorOf } from './described-vendor'
import { anAwaited, answered, connect } from './fake-vendor-twilio-aligo'

const KEY = '36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb'
const CONFIG = { accessKey: 'live_gshuPaZoeEG6ovbc8M79w0QyM', signingKey: KEY, from: 'YourName' }
const bird = vendorOf(description, CONFIG)
const ID = 'e8077d803532c0b5937c639b60216938'
const OURS = '019ca91c-4e00-7000-8000-0000000000aa'
const MESSAGES = 'https://rest.messagebird.com/messages'

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    expect(await bird.request({ to: '+31612345678', text: 'This is a test message' })).toEqual({
      method: 'POST',
      url: MESSAGES,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        authorization: 'AccessKey live_gshuPaZoeEG6ovbc8M79w0QyM',
      },
      body:
        'recipients=31612345678&originator=YourName&body=This+is+a+test+message&datacoding=auto&validity=180' +
        `&reference=${OURS}&reportUrl=${encodeURIComponent(REPORT_URL)}`,
      timeoutMs: 4_000,
    })
  })

  test('is accepted with its ID', async () => {
    const items = [{ recipient: 31612345678, status: 'sent', statusDatetime: '2016-05-03T14:26:57+00:00' }]
    const body = { id: ID, direction: 'mt', type: 'sms', recipients: { totalCount: 1, items } }
    expect(await bird.outcome(answered(201, body))).toMatchObject({ kind: 'accepted', carrierMessageId: ID })
  })

  checkSilence(bird)
  checkCodes(bird, { unfit: [2, 25], elsewhere: [9, 10, 20, 21, 98], ambiguous: [99] }, (code) =>
    answered(422, { errors: [{ code, description: 'no (correct) recipients found', parameter: 'recipient' }] }),
  )
})

describe('what became of it', () => {
  const search = (status: string, code = '') => {
    const fields = {
      id: ID,
      reference: OURS,
      recipient: '31612345678',
      status,
      statusDatetime: '2016-05-03T14:26:57+00:00',
    }
    return `?${new URLSearchParams({ ...fields, ...(code && { statusErrorCode: code }) })}`
  }
  const tokenOf = (url: string, key = KEY, at = NOW) =>
    new SignJWT({ url_hash: createHash('sha256').update(url).digest('hex') })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('MessageBird')
      .setNotBefore(Math.floor(at / 1_000))
      .setExpirationTime(Math.floor(at / 1_000) + 60)
      .setJti('c946af77-e182-4eaa-b2ff-1a545b5e991a')
      .sign(new TextEncoder().encode(key))
  const more = { carrierMessageId: ID }

  test.each([
    ['delivered', '', reported(OURS, 'delivered', undefined, more)],
    ['delivery_failed', '1', reported(OURS, 'failed', 'DLR_1', more)],
    ['delivery_failed', '', reported(OURS, 'failed', 'DELIVERY_FAILED', more)],
    ['expired', '27', reported(OURS, 'failed', 'DLR_27', more)],
    ['buffered', '', []],
    ['sent', '', []],
  ] as const)('%s %s', async (status, code, expected) => {
    const token = await tokenOf(REPORT_URL + search(status, code))
    expect(await bird.read('', { 'messagebird-signature-jwt': token }, search(status, code))).toEqual([...expected])
    const { vendor, provider } = bird.connected()
    const item = { recipient: 31612345678, status, statusErrorCode: code === '' ? null : Number(code) }
    vendor.answer = answered(200, { id: ID, recipients: { totalCount: 1, items: [item] } })
    const [one] = expected
    const fate = one ? { status: one.status, code: one.code } : { askAgainMs: 5_000 }
    expect(await provider.query?.(anAwaited({ carrierMessageId: ID }))).toEqual(fate as never)
    expect(vendor.only().url).toBe(`${MESSAGES}/${ID}`)
  })

  test('forged and old ones are not believed', async () => {
    const read = async (token: string, of = search('delivered')) =>
      bird.read('', { 'messagebird-signature-jwt': token }, of)
    const url = REPORT_URL + search('delivered')
    expect(await read(await tokenOf(REPORT_URL + search('sent')))).toBeUndefined()
    expect(await read(await tokenOf(url, 'another-signing-key'))).toBeUndefined()
    expect(await read(await tokenOf(url, KEY, NOW - 3_600_000))).toBeUndefined()
    expect(await read('')).toBeUndefined()
    expect(await read(await tokenOf(url))).toHaveLength(1)
  })

  test("the token is Bird's own: an example that its SDKs are tested with", async () => {
    const clock = new VirtualClock(Date.parse('2021-07-05T12:00:00+02:00'))
    const { provider } = connect(bird.type, CONFIG, { clock })
    const token =
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiJjOTQ2YWY3Ny1lMTgyLTRlYWEtYjJmZi0xYTU0NWI1ZTk5MWEiLCJ1cmxfaGFzaCI6IjQxZjA1ZjBkZGQwYTIyYWIyMDlhYzQ2ZjQ3YzQ1NzJkOWNlZmEyNTdlZDc0YjI0MDA0YmFlNzUzZWNlNmMyNjAifQ.huo2ou6JDoDc7sV25d75UMWeYhBeavQlLsqIibSZuac'
    const headers = new Headers({ 'messagebird-signature-jwt': token })
    const read = (url: string) => provider.readReports?.({ url, headers, query: new URL(url).searchParams, text: '' })
    expect(await read('https://example.com/path?bar=1&foo=2')).toEqual([])
    expect(await read('https://example.com/path?foo=1&bar=2')).toBeUndefined()
  })

  test.each(Object.keys(description.reasons ?? {}))('%s is explained', (code) => {
    expect(bird.type.explain(code, {})).not.toStartWith('see this code')
  })
})
