/** Plivo's own SDK. */
import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Client, validateSignature } from 'plivo'
import { plivo } from '../../../src/providers/descriptions/plivo'
import { REPORT_URL, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const ACCOUNT = { authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: 'auth-token-of-plivo' }
const carrier = vendorOf(plivo, { ...ACCOUNT, from: '+14155550100' })

test('a text is the same request', async () => {
  const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }
  const answer = { api_id: 'a', message: 'message(s) queued', message_uuid: ['db3ce55a-7f1d-11e1-8ea7-1231380bc196'] }
  const { request: theirs, result } = await caught(answer, () =>
    new Client(ACCOUNT.authId, ACCOUNT.authToken).messages.create('+14155550100', TO.slice(1), TEXT, {
      url: REPORT_URL,
      method: 'POST',
      dlt_entity_id: dlt.entityId,
      dlt_template_id: dlt.templateId,
    }),
  )
  expect(meaningOf(await carrier.request({ dlt }))).toEqual(meaningOf(theirs))
  const [carrierMessageId] = (result as unknown as { messageUuid: string[] }).messageUuid
  expect(await carrier.outcome(answered(202, answer))).toMatchObject({ kind: 'accepted', carrierMessageId } as never)
})

test('reports are signed as the SDK verifies', () => {
  const nonce = '12345678901234567890'
  const signature = createHmac('sha256', ACCOUNT.authToken)
    .update(REPORT_URL + nonce)
    .digest('base64')
  const read = (shown: string, at = nonce) => {
    const headers = { 'x-plivo-signature-v2': shown, 'x-plivo-signature-v2-nonce': at }
    const ours = carrier.read('MessageUUID=db3ce55a-7f1d-11e1-8ea7-1231380bc196&Status=delivered', headers)
    expect(ours !== undefined).toBe(validateSignature(REPORT_URL, at, shown, ACCOUNT.authToken) as boolean)
    return ours
  }
  expect(read(signature)).toHaveLength(1)
  expect(read(signature, '2'.repeat(20))).toBeUndefined()
  expect(read(signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')))).toBeUndefined()
})
