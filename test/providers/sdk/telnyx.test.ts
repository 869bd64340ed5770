/** Telnyx's own SDK. Its second major version signs and sends as later ones do, and has a fifth of their size. */
import { expect, setSystemTime, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { Agent } from 'node:http'
import Telnyx from 'telnyx'
import { telnyx } from '../../../src/providers/descriptions/telnyx'
import { NOW } from '../../domain/sample'
import { REPORT_URL, reported, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
const SETTINGS = {
  apiKey: 'KEY0123456789ABCDEF',
  publicKey: KEY.toString('base64'),
  from: '+13125550001',
  messagingProfileId: '4000e3b5-1d5c-4d0b-9d2a-000000000001',
}
const carrier = vendorOf(telnyx, SETTINGS)
/** Its types leave both out. */
interface Pointed extends Telnyx {
  setHost(host: string, port: string, protocol: string): void
  setHttpAgent(agent: Agent): void
}
const sdk = new Telnyx(SETTINGS.apiKey) as Pointed

test('a text is the same request', async () => {
  const answer = { data: { id: '40385f64-5717-4562-b3fc-2c963f66afa6', record_type: 'message' } }
  const { request: theirs, result } = await caught(answer, (base) => {
    const { hostname, port } = new URL(base)
    sdk.setHost(hostname, port, 'http')
    sdk.setHttpAgent(new Agent())
    return sdk.messages.create({
      from: SETTINGS.from,
      messaging_profile_id: SETTINGS.messagingProfileId,
      to: TO,
      text: TEXT,
      webhook_url: REPORT_URL,
    } as never)
  })
  const pointed = vendorOf(telnyx, { ...SETTINGS, apiBase: new URL(theirs.url).origin })
  expect(meaningOf(await pointed.request())).toEqual(meaningOf(theirs))
  expect(await carrier.outcome(answered(200, answer))).toMatchObject({
    kind: 'accepted',
    carrierMessageId: result.data?.id ?? '',
  })
})

test('reports are signed as the SDK verifies', () => {
  setSystemTime(NOW)
  const payload = { id: '40385f64-5717-4562-b3fc-2c963f66afa6', to: [{ status: 'delivered' }] }
  const body = JSON.stringify({ data: { event_type: 'message.finalized', payload } })
  const timestamp = String(NOW / 1_000)
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey)
  const read = (text: string, shown = signature, at = timestamp) => {
    const ours = carrier.read(text, { 'telnyx-signature-ed25519': shown.toString('base64'), 'telnyx-timestamp': at })
    const theirs = () => sdk.webhooks.constructEvent(text, shown as never, at, KEY as never)
    if (ours === undefined) expect(theirs).toThrow()
    else expect(theirs()).toEqual(JSON.parse(text))
    return ours
  }
  expect(read(body)).toEqual(reported(payload.id, 'delivered'))
  expect(read(body.replace('delivered', 'delivery_failed'))).toBeUndefined()
  expect(read(body, Buffer.from(signature.map((byte, index) => (index === 0 ? byte ^ 1 : byte))))).toBeUndefined()
  const old = String(NOW / 1_000 - 301)
  expect(read(body, sign(null, Buffer.from(`${old}|${body}`), privateKey), old)).toBeUndefined()
  setSystemTime()
})
