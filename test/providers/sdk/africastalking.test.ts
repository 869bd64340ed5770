/** Africa's Talking's own SDK. */
import { expect, test } from 'bun:test'
import connectTo from 'africastalking'
import { africastalking } from '../../../src/providers/descriptions/africastalking'
import { REPORT_SECRET, vendorOf } from '../described-vendor'
import { answered, TEXT } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const ACCOUNT = { username: 'acme', apiKey: 'atsk_key' }
const TO = '+254711234567'

test('a text is the same request', async () => {
  const sent = { statusCode: 101, number: TO, status: 'Success', cost: 'KES 0.8000', messageId: 'ATXid_1' }
  const answer = { SMSMessageData: { Message: 'Sent to 1/1', Recipients: [sent] } }
  const { request: theirs, result } = await caught(
    answer,
    () => connectTo(ACCOUNT).SMS.send({ to: TO, message: TEXT, from: 'Acme' }),
    201,
  )
  const carrier = vendorOf(africastalking, { ...ACCOUNT, from: 'Acme', reportSecret: REPORT_SECRET })
  const sdks = meaningOf(theirs, 'apikey')
  // The mode for many recipients is the default: developers.africastalking.com/docs/sms/sending/bulk.
  const { bulkSMSMode, ...body } = sdks.body
  expect(bulkSMSMode).toBe('1')
  const ours = await carrier.request({ to: TO })
  expect(meaningOf({ ...ours, headers: new Headers(ours.headers).toJSON() }, 'apikey')).toEqual({ ...sdks, body })
  expect(await carrier.outcome(answered(201, answer))).toEqual({
    kind: 'accepted',
    carrierMessageId: result.SMSMessageData.Recipients[0]?.messageId ?? '',
  })
})
