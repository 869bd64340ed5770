/** Twilio's own SDK. */
import { expect, test } from 'bun:test'
import sdk from 'twilio'
import { twilio } from '../../../src/providers/descriptions/twilio'
import { twilioVoice } from '../../../src/providers/descriptions/twilio-voice'
import { REPORT_URL, reported, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const ACCOUNT = { accountSid: `AC${'0a'.repeat(16)}`, authToken: 'twilio-auth-token' }
const client = () => sdk(ACCOUNT.accountSid, ACCOUNT.authToken)

test.each([
  ['from', '+14155550100'],
  ['messagingServiceSid', `MG${'0b'.repeat(16)}`],
])('a text with %s is the same request', async (name, from) => {
  const answer = { sid: `SM${'0c'.repeat(16)}`, status: 'queued' }
  const { request: theirs, result } = await caught(answer, () =>
    client().messages.create({
      to: TO,
      body: TEXT,
      [name]: from,
      statusCallback: REPORT_URL,
      validityPeriod: 180,
    } as never),
  )
  const carrier = vendorOf(twilio, { ...ACCOUNT, from })
  expect(meaningOf(await carrier.request())).toEqual(meaningOf(theirs))
  expect(await carrier.outcome(answered(201, answer))).toMatchObject({ kind: 'accepted', carrierMessageId: result.sid })
})

test('a call is the same request', async () => {
  const answer = { sid: `CA${'0c'.repeat(16)}`, status: 'queued' }
  const carrier = vendorOf(twilioVoice, { ...ACCOUNT, from: '+14155550100' })
  const ours = meaningOf(await carrier.request({ channel: 'voice', locale: 'ko' }))
  const { request: theirs, result } = await caught(answer, () =>
    client().calls.create({
      to: TO,
      from: '+14155550100',
      url: ours.body.Url,
      timeout: 30,
      timeLimit: 60,
      machineDetection: 'Enable',
      statusCallback: REPORT_URL,
    }),
  )
  expect(ours).toEqual(meaningOf(theirs))
  expect(await carrier.outcome(answered(201, answer), { channel: 'voice', locale: 'ko' })).toEqual({
    kind: 'accepted',
    carrierMessageId: result.sid,
  })
})

test('reports are signed as the SDK signs and verifies', () => {
  const carrier = vendorOf(twilio, { ...ACCOUNT, from: '+14155550100' })
  const fields = {
    MessageSid: `SM${'0c'.repeat(16)}`,
    MessageStatus: 'delivered',
    To: TO,
    AccountSid: ACCOUNT.accountSid,
  }
  const signature = sdk.getExpectedTwilioSignature(ACCOUNT.authToken, REPORT_URL, fields)
  const read = (given: Record<string, string>, shown = signature) => {
    const ours = carrier.read(new URLSearchParams(given).toString(), { 'x-twilio-signature': shown })
    expect(ours !== undefined).toBe(sdk.validateRequest(ACCOUNT.authToken, shown, REPORT_URL, given))
    return ours
  }
  expect(read(fields)).toEqual(reported(fields.MessageSid, 'delivered'))
  expect(read({ ...fields, MessageStatus: 'failed' })).toBeUndefined()
  expect(
    read(
      fields,
      signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    ),
  ).toBeUndefined()
})
