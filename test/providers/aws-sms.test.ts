import { describe, expect, test } from 'bun:test'
import { describedType } from '../../src/providers/described'
import { awsSms } from '../../src/providers/descriptions/aws-sms'
import { sigv4Headers } from '../../src/providers/signers/sigv4'
import { NOW } from '../domain/sample'
import { anOutbound, answered, CODE, connect, TEXT, TO } from './fake-vendor-twilio-aligo'
import { outcomesOf, REPORT_SECRET, REPORT_URL, reportsOf, testsAnswers } from './vendor-answers'

const ACCOUNT = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const config = { ...ACCOUNT, from: '+12065550183', reportSecret: REPORT_SECRET }
const vendorUnderTest = { file: awsSms, config }
const type = describedType(awsSms)
const MESSAGE_ID = '862a8790-60c0-4430-9b2b-658bdexample'

const errorOf = (code: string) =>
  /^[A-Z]+(_[A-Z]+)+$/.test(code)
    ? answered(400, { __type: 'ConflictException', Message: `${TO}: ${TEXT}`, Reason: code })
    : answered(code === 'InternalServerException' ? 500 : 400, { __type: code, Message: `${TO}: ${TEXT}` })

describe('what is sent', () => {
  test("AWS's example, as one signed JSON request", async () => {
    const { vendor, provider } = connect(type, {
      ...config,
      configurationSet: 'MyConfigurationSet',
      entityId: 'ENTITY98765',
    })
    await provider.send(
      anOutbound({ to: '+14255550168', text: 'This is a test message', templateCode: 'TEMPLATE01234' }),
    )
    const [request] = vendor.requests
    const body =
      '{"DestinationPhoneNumber":"+14255550168","OriginationIdentity":"+12065550183","MessageBody":"This is a test message",' +
      '"MessageType":"TRANSACTIONAL","ConfigurationSetName":"MyConfigurationSet","TimeToLive":180,' +
      '"DestinationCountryParameters":{"IN_ENTITY_ID":"ENTITY98765","IN_TEMPLATE_ID":"TEMPLATE01234"}}'
    const unsigned = {
      method: 'POST',
      url: 'https://sms-voice.us-east-1.amazonaws.com/',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
      },
      body,
    }
    const signature = sigv4Headers(unsigned, { ...ACCOUNT, service: 'sms-voice' }, NOW)
    expect(signature.authorization).toContain('SignedHeaders=content-type;host;x-amz-date;x-amz-target,')
    expect(request).toEqual({ ...unsigned, headers: { ...unsigned.headers, ...signature }, timeoutMs: 4_000 })
  })

  test('the DLT ids of a template go before those of the carrier', async () => {
    const { vendor, provider } = connect(type, { ...config, entityId: 'ENTITY98765' })
    const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }
    await provider.send(anOutbound({ to: '+919812345678', templateCode: 'TEMPLATE01234', dlt }))
    expect(JSON.parse(vendor.only().body ?? '').DestinationCountryParameters).toEqual({
      IN_ENTITY_ID: dlt.entityId,
      IN_TEMPLATE_ID: dlt.templateId,
    })
  })

  test('what is not configured is left out; the life of a message has bounds', async () => {
    const { vendor, provider } = connect(type, { ...ACCOUNT, reportSecret: REPORT_SECRET })
    await provider.send(anOutbound({ expiresAt: NOW + 1_000 }))
    expect(JSON.parse(vendor.only().body ?? '')).toEqual({
      DestinationPhoneNumber: TO,
      MessageBody: TEXT,
      MessageType: 'TRANSACTIONAL',
      TimeToLive: 5,
    })
  })
})

describe('answers', () => {
  testsAnswers(
    vendorUnderTest,
    {
      unfit: [
        'AccessDeniedException',
        'ACCOUNT_DISABLED',
        'INSUFFICIENT_ACCOUNT_REPUTATION',
        'UnrecognizedClientException',
        'InvalidSignatureException',
        'IncompleteSignatureException',
        'MissingAuthenticationTokenException',
        'ExpiredTokenException',
        'OptInRequired',
        'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT',
      ],
      elsewhere: [
        'ConflictException',
        'DESTINATION_PHONE_NUMBER_NOT_VERIFIED',
        'NO_ORIGINATION_IDENTITIES_FOUND',
        'NUMBER_CAPABILITIES_MISMATCH',
        'MESSAGE_TYPE_MISMATCH',
        'ResourceNotFoundException',
        'ValidationException',
        'DESTINATION_COUNTRY_BLOCKED',
        'INVALID_IDENTITY_FOR_DESTINATION_COUNTRY',
        'INTERNATIONAL_SENDING_NOT_SUPPORTED',
        'SENDER_ID_NOT_REGISTERED',
        'SENDER_ID_NOT_SUPPORTED',
        'SENDER_ID_REQUIRES_REGISTRATION',
        'PRICE_OVER_THRESHOLD',
        'RESOURCE_NOT_ACCESSIBLE',
        'CANNOT_PARSE',
        'FIELD_VALIDATION_FAILED',
        'INVALID_PARAMETER',
      ],
      never: [],
      stopped: ['DESTINATION_PHONE_NUMBER_OPTED_OUT'],
      later: ['ServiceQuotaExceededException', 'ThrottlingException'],
      ambiguous: ['InternalServerException'],
    },
    errorOf,
  )

  test('a message ID is accepted', async () => {
    expect(await outcomesOf(vendorUnderTest)(answered(200, { MessageId: MESSAGE_ID }))).toEqual({
      kind: 'accepted',
      carrierMessageId: MESSAGE_ID,
    })
  })

  test.each([
    [
      400,
      { __type: 'com.amazonaws.sms.voice.v2#ThrottlingException' },
      { kind: 'refused', retry: 'later', code: 'ThrottlingException' },
    ],
    [400, { __type: 'SomethingNew' }, { kind: 'refused', retry: 'elsewhere', code: 'SomethingNew' }],
    [400, { __type: TEXT, Reason: CODE }, { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
    [500, { __type: 'ThrottlingException' }, { kind: 'refused', retry: 'later', code: 'ThrottlingException' }],
  ] as const)('HTTP %d %j', async (status, body, expected) => {
    expect(await outcomesOf(vendorUnderTest)(answered(status, body))).toEqual(expected)
  })
})

describe('reports', () => {
  const read = reportsOf(vendorUnderTest)
  /** As the developer guide shows an event, within the notification of an SNS topic. */
  const notification = (event: Record<string, unknown>) =>
    JSON.stringify({
      Type: 'Notification',
      MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
      TopicArn: 'arn:aws:sns:us-east-1:123456789012:events',
      Message: JSON.stringify({
        eventVersion: '1.0',
        eventTimestamp: 1_686_975_103_470,
        isFinal: true,
        originationPhoneNumber: '+12065550152',
        destinationPhoneNumber: TO,
        messageId: MESSAGE_ID,
        messageStatus: 'SUCCESSFUL',
        ...event,
      }),
    })
  const headers = { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' }

  test.each([
    ['TEXT_DELIVERED', 'delivered'],
    ['TEXT_SUCCESSFUL', 'delivered'],
    ['TEXT_INVALID', 'failed'],
    ['TEXT_INVALID_MESSAGE', 'failed'],
    ['TEXT_UNREACHABLE', 'failed'],
    ['TEXT_CARRIER_UNREACHABLE', 'failed'],
    ['TEXT_BLOCKED', 'failed'],
    ['TEXT_CARRIER_BLOCKED', 'failed'],
    ['TEXT_SPAM', 'failed'],
    ['TEXT_TTL_EXPIRED', 'failed'],
    ['TEXT_PROTECT_BLOCKED', 'failed'],
  ] as const)('%s: %s', (eventType, status) => {
    const expected =
      status === 'failed' ? { messageId: MESSAGE_ID, status, code: eventType } : { messageId: MESSAGE_ID, status }
    expect(read(notification({ eventType }), REPORT_SECRET, headers)).toEqual([expected])
    if (status === 'failed') expect(type.explain(eventType, config)).toMatch(/\w{3}/)
  })

  test.each([
    { eventType: 'TEXT_UNKNOWN' },
    { eventType: 'TEXT_QUEUED', isFinal: false },
    { eventType: 'TEXT_SUCCESSFUL', isFinal: false },
  ])('%j decides nothing', (event) => {
    expect(read(notification(event), REPORT_SECRET, headers)).toEqual([])
  })

  test.each([
    ['https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=t', 1],
    ['https://sns.us-east-1.amazonaws.com.example.com/?Action=ConfirmSubscription', 0],
    ['http://169.254.169.254/', 0],
  ])('a subscription is confirmed at SNS alone: %s', async (SubscribeURL, calls) => {
    const { vendor, provider } = connect(type, config)
    const text = JSON.stringify({
      Type: 'SubscriptionConfirmation',
      Token: 't',
      Message: 'You have chosen',
      SubscribeURL,
    })
    const url = `${REPORT_URL}?token=${REPORT_SECRET}`
    const read = (query: string) =>
      provider.readReports?.({ url, headers: new Headers(headers), query: new URLSearchParams(query), text })
    expect(await read(`token=${REPORT_SECRET}`)).toEqual([])
    expect(vendor.requests.map((request) => `${request.method} ${request.url}`)).toEqual(
      calls === 1 ? [`GET ${SubscribeURL}`] : [],
    )
    expect(await read('token=another-secret-of-16')).toBeUndefined()
    expect(vendor.requests).toHaveLength(calls)
  })

  test('without the secret nothing is believed', () => {
    expect(read(notification({ eventType: 'TEXT_DELIVERED' }), 'another-secret-of-16', headers)).toBeUndefined()
  })
})

test('the settings are checked', () => {
  expect(type.config.safeParse(config).success).toBe(true)
  for (const wrong of [{ accessKeyId: 'me' }, { region: 'mars' }, { reportSecret: undefined }, { surplus: '1' }])
    expect(type.config.safeParse({ ...config, ...wrong }).success).toBe(false)
})
