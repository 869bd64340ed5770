/** MessageBird's own SDK. */
import { expect, setSystemTime, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import { initClient, type Message } from 'messagebird'
import { verify } from 'messagebird/lib/webhook-signature-jwt'
import { messagebird } from '../../../src/providers/descriptions/messagebird'
import { NOW } from '../../domain/sample'
import { REPORT_URL, reported, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { asTexts, caught, meaningOf } from './caught'

const SIGNING_KEY = 'the-signing-key-of-the-account'
const carrier = vendorOf(messagebird, { accessKey: 'live-access-key', signingKey: SIGNING_KEY, from: 'Acme' })

test('a text is the same request', async () => {
  const answer = { id: 'e8077d803532c0b5937c639b60216938', recipients: { items: [{ status: 'sent' }] } }
  const { request: theirs, result } = await caught(
    answer,
    () =>
      new Promise<Message | null>((resolve, reject) =>
        initClient('live-access-key').messages.create(
          {
            originator: 'Acme',
            recipients: [TO.slice(1)],
            body: TEXT,
            datacoding: 'auto',
            validity: 180,
            reference: '019ca91c-4e00-7000-8000-0000000000aa',
            reportUrl: REPORT_URL,
          } as never,
          (error, message) => (error ? reject(error) : resolve(message)),
        ),
      ),
  )
  const sdks = meaningOf(theirs)
  // The API takes JSON and forms, where several recipients are separated by commas: developers.messagebird.com/api/sms-messaging.
  expect({ ...meaningOf(await carrier.request()), type: 'application/json' }).toEqual({
    ...sdks,
    body: asTexts(sdks.body),
  })
  expect(await carrier.outcome(answered(201, answer))).toMatchObject({
    kind: 'accepted',
    carrierMessageId: result?.id ?? '',
  })
})

test('reports are signed as the SDK verifies', async () => {
  setSystemTime(NOW)
  const id = 'e8077d803532c0b5937c639b60216938'
  const query = `?id=${id}&status=delivered`
  const token = await new SignJWT({
    url_hash: createHash('sha256')
      .update(REPORT_URL + query)
      .digest('hex'),
  })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('MessageBird')
    .setIssuedAt(NOW / 1_000)
    .setNotBefore(NOW / 1_000)
    .setExpirationTime(NOW / 1_000 + 60)
    .setJti('b0e6c2a4')
    .sign(Buffer.from(SIGNING_KEY))
  const read = async (search: string, shown = token) => {
    const ours = await carrier.read('', { 'messagebird-signature-jwt': shown }, search)
    const theirs = verify(REPORT_URL + search, Buffer.alloc(0), shown, Buffer.from(SIGNING_KEY))
    expect(ours !== undefined).toBe(await theirs.catch(() => false))
    return ours
  }
  expect(await read(query)).toEqual(reported(id, 'delivered'))
  expect(await read(query.replace('delivered', 'delivery_failed'))).toBeUndefined()
  expect(await read(query, token.replace(/.{5}$/, 'AAAAA'))).toBeUndefined()
  setSystemTime()
})
