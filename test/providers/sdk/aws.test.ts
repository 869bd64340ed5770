/** The SDK of AWS: @aws-sdk/client-sns, @aws-sdk/client-pinpoint-sms-voice-v2 and its signer. */
import { expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { PinpointSMSVoiceV2Client, SendTextMessageCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2'
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns'
import { SignatureV4 } from '@smithy/signature-v4'
import { awsSms } from '../../../src/providers/descriptions/aws-sms'
import { awsSns } from '../../../src/providers/descriptions/aws-sns'
import { NOW } from '../../domain/sample'
import { REPORT_SECRET, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const credentials = {
  accessKeyId: 'AKIDEXAMPLEEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'token-of-temporary/keys==',
}
const ACCOUNT = { ...credentials, region: 'ap-northeast-1' }
const clientOf = (endpoint: string) => ({ credentials, region: ACCOUNT.region, endpoint, maxAttempts: 1 })
const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }
const INDIA = { to: '+919812345678', dlt }

class Sha256 {
  readonly #hash
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array)
  }
  update(data: Uint8Array) {
    this.#hash.update(data)
  }
  reset() {}
  async digest() {
    return new Uint8Array(this.#hash.digest())
  }
}

/** The authorization that the SDK's signer gives our request. The SDK signs further headers of its own. */
async function signedByTheirs(
  request: { method: string; url: string; headers: Record<string, string>; body?: string | undefined },
  service: string,
) {
  const { host, hostname, pathname, protocol } = new URL(request.url)
  const { authorization: _, ...headers } = request.headers
  const signer = new SignatureV4({ credentials, region: ACCOUNT.region, service, sha256: Sha256, applyChecksum: false })
  const signed = await signer.sign(
    { ...request, hostname, path: pathname, protocol, headers: { ...headers, host } },
    { signingDate: new Date(NOW), unsignableHeaders: new Set(['accept']) },
  )
  return signed.headers.authorization
}

const sns = (from?: string) => vendorOf(awsSns, { ...ACCOUNT, from })
const attribute = (StringValue: string) => ({ DataType: 'String', StringValue })

test.each([
  ['', { to: TO }, undefined, {}],
  ['with a sender ID', { to: TO }, 'ACME', { 'AWS.SNS.SMS.SenderID': attribute('ACME') }],
  ['with a number', { to: TO }, '+12065550100', { 'AWS.MM.SMS.OriginationNumber': attribute('+12065550100') }],
  [
    'to India',
    INDIA,
    'ACME',
    {
      'AWS.SNS.SMS.SenderID': attribute('ACME'),
      'AWS.MM.SMS.EntityId': attribute(dlt.entityId),
      'AWS.MM.SMS.TemplateId': attribute(dlt.templateId),
    },
  ],
])('a text of SNS %s is the same request', async (_, message, from, attributes) => {
  const answer =
    '<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>567910cd-659e-55d4-8ccb-5aaf14679dc0</MessageId></PublishResult></PublishResponse>'
  const { request: theirs, result } = await caught(answer, (base) =>
    new SNSClient(clientOf(base)).send(
      new PublishCommand({
        PhoneNumber: message.to,
        Message: TEXT,
        MessageAttributes: { 'AWS.SNS.SMS.SMSType': attribute('Transactional'), ...attributes },
      }),
    ),
  )
  const carrier = vendorOf(awsSns, { ...ACCOUNT, from, apiBase: new URL(theirs.url).origin })
  const ours = await carrier.request(message)
  const unsigned = (one: typeof ours | typeof theirs) => ({
    ...meaningOf(one, 'x-amz-security-token'),
    headers: { token: one.headers['x-amz-security-token'] },
  })
  expect(unsigned(ours)).toEqual(unsigned(theirs))
  expect(ours.headers.authorization).toBe((await signedByTheirs(ours, 'sns')) ?? '')
  expect(await sns().outcome(answered(200, answer))).toEqual({
    kind: 'accepted',
    carrierMessageId: result.MessageId ?? '',
  })
})

test('a text of End User Messaging is the same request', async () => {
  const answer = { MessageId: 'cd8a1c4b-bc7a-41f7-a1c7-aaaaaaaaaaaa' }
  const { request: theirs, result } = await caught(answer, (base) =>
    new PinpointSMSVoiceV2Client(clientOf(base)).send(
      new SendTextMessageCommand({
        DestinationPhoneNumber: INDIA.to,
        OriginationIdentity: 'ACME',
        MessageBody: TEXT,
        MessageType: 'TRANSACTIONAL',
        ConfigurationSetName: 'codes',
        TimeToLive: 180,
        DestinationCountryParameters: { IN_ENTITY_ID: dlt.entityId, IN_TEMPLATE_ID: dlt.templateId },
      }),
    ),
  )
  const carrier = vendorOf(awsSms, {
    ...ACCOUNT,
    from: 'ACME',
    configurationSet: 'codes',
    reportSecret: REPORT_SECRET,
    apiBase: new URL(theirs.url).origin,
  })
  const ours = await carrier.request(INDIA)
  const unsigned = (one: typeof ours | typeof theirs) => {
    const { authorization: _, ...headers } = meaningOf(one, 'x-amz-target', 'x-amz-security-token').headers
    return { ...meaningOf(one), headers }
  }
  expect(unsigned(ours)).toEqual(unsigned(theirs))
  expect(ours.headers.authorization).toBe((await signedByTheirs(ours, 'sms-voice')) ?? '')
  expect(await carrier.outcome(answered(200, answer))).toEqual({
    kind: 'accepted',
    carrierMessageId: result.MessageId ?? '',
  })
})

test('the signer of the SDK gives another request another signature', async () => {
  const ours = await sns('ACME').request()
  expect(ours.headers.authorization).toBe((await signedByTheirs(ours, 'sns')) ?? '')
  expect(ours.headers.authorization).not.toBe(
    (await signedByTheirs({ ...ours, body: `${ours.body}&a=b` }, 'sns')) ?? '',
  )
})
