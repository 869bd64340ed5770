import { describe, expect, test } from 'bun:test'
import { describedType } from '../../src/providers/described'
import { awsSns } from '../../src/providers/descriptions/aws-sns'
import { sigv4Headers } from '../../src/providers/signers/sigv4'
import { NOW } from '../domain/sample'
import { anOutbound, answered, CODE, connect, TEXT, TO } from './fake-vendor-twilio-aligo'
import { outcomesOf, testsAnswers } from './vendor-answers'

const config = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-west-2',
}
const vendorUnderTest = { file: awsSns, config }
const type = describedType(awsSns)
const MESSAGE_ID = '567910cd-659e-55d4-8ccb-5aaf14679dc0'

/** As the API reference shows it. */
const TAKEN = `<PublishResponse xmlns="https://sns.amazonaws.com/doc/2010-03-31/">
    <PublishResult>
        <MessageId>${MESSAGE_ID}</MessageId>
    </PublishResult>
    <ResponseMetadata>
        <RequestId>d74b8436-ae13-5ab4-a9ff-ce54dfea72a0</RequestId>
    </ResponseMetadata>
</PublishResponse>`
const errorOf = (code: string) =>
  answered(
    /^(Internal|Service)/.test(code) ? 500 : 400,
    `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">
  <Error><Type>Sender</Type><Code>${code}</Code><Message>${TO}: ${TEXT}</Message></Error>
  <RequestId>d74b8436-ae13-5ab4-a9ff-ce54dfea72a0</RequestId>
</ErrorResponse>`,
  )

describe('what is sent', () => {
  test('one signed form', async () => {
    const { vendor, provider } = connect(type, config)
    await provider.send(anOutbound({ to: '+12065550100', text: 'Your code: 1 & 2' }))
    const unsigned = {
      method: 'POST',
      url: 'https://sns.us-west-2.amazonaws.com/',
      headers: { accept: 'application/xml', 'content-type': 'application/x-www-form-urlencoded' },
      body:
        'Action=Publish&Version=2010-03-31&PhoneNumber=%2B12065550100&Message=Your+code%3A+1+%26+2' +
        '&MessageAttributes.entry.1.Name=AWS.SNS.SMS.SMSType&MessageAttributes.entry.1.Value.DataType=String' +
        '&MessageAttributes.entry.1.Value.StringValue=Transactional',
    }
    const signature = sigv4Headers(unsigned, { ...config, service: 'sns' }, NOW)
    expect(vendor.requests).toEqual([{ ...unsigned, headers: { ...unsigned.headers, ...signature }, timeoutMs: 4_000 }])
  })

  test.each([
    ['ACME', 'AWS.SNS.SMS.SenderID'],
    ['+12065550183', 'AWS.MM.SMS.OriginationNumber'],
  ])('the sender %s is the attribute %s', async (from, name) => {
    const { vendor, provider } = connect(type, { ...config, from })
    await provider.send(anOutbound())
    expect(vendor.only().form).toMatchObject({
      'MessageAttributes.entry.2.Name': name,
      'MessageAttributes.entry.2.Value.StringValue': from,
    })
    expect(vendor.only().form).not.toHaveProperty('MessageAttributes.entry.3.Name')
  })

  test.each([
    ['+919812345678', true],
    [TO, false],
  ])('to %s with DLT ids: %p', async (to, has) => {
    const { vendor, provider } = connect(type, { ...config, from: 'ACMEIN', entityId: '1201159123456789012' })
    await provider.send(anOutbound({ to, templateCode: '1207161234567890123' }))
    const { form } = vendor.only()
    expect(form['MessageAttributes.entry.3.Name']).toBe(has ? 'AWS.MM.SMS.EntityId' : (undefined as never))
    expect(form['MessageAttributes.entry.4.Value.StringValue']).toBe(has ? '1207161234567890123' : (undefined as never))
  })
})

test('the DLT ids of a template go before those of the carrier', async () => {
  const { vendor, provider } = connect(type, { ...config, from: 'ACMEIN', entityId: '1' })
  const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }
  await provider.send(anOutbound({ to: '+919812345678', templateCode: 'code', dlt }))
  expect(vendor.only().form).toMatchObject({
    'MessageAttributes.entry.3.Value.StringValue': dlt.entityId,
    'MessageAttributes.entry.4.Value.StringValue': dlt.templateId,
  })
})

describe('answers', () => {
  testsAnswers(
    vendorUnderTest,
    {
      unfit: [
        'AuthorizationError',
        'AccessDenied',
        'AccessDeniedException',
        'NotAuthorized',
        'InvalidClientTokenId',
        'SignatureDoesNotMatch',
        'InvalidSecurity',
        'IncompleteSignature',
        'MissingAuthenticationToken',
        'ExpiredToken',
        'RequestExpired',
        'OptInRequired',
      ],
      elsewhere: [
        'InvalidParameter',
        'ParameterValueInvalid',
        'InvalidParameterValue',
        'ValidationError',
        'MalformedQueryString',
        'InvalidAction',
        'NotFound',
        'EndpointDisabled',
      ],
      never: [],
      stopped: ['OptedOut'],
      later: ['Throttled', 'Throttling', 'ThrottlingException'],
      ambiguous: ['InternalError', 'InternalFailure', 'ServiceUnavailable'],
    },
    errorOf,
  )

  test.each([
    TAKEN,
    JSON.stringify({ PublishResponse: { PublishResult: { MessageId: MESSAGE_ID, SequenceNumber: null } } }),
  ])('%s is accepted', async (body) => {
    expect(await outcomesOf(vendorUnderTest)(answered(200, body))).toEqual({
      kind: 'accepted',
      carrierMessageId: MESSAGE_ID,
    })
  })

  test('a code within JSON counts, and what is no code does not become one', async () => {
    const send = outcomesOf(vendorUnderTest)
    expect(await send(answered(400, { Error: { Code: 'OptedOut' } }))).toMatchObject({ code: 'OptedOut' })
    expect(await send(answered(400, `<Code>${CODE}</Code>`))).toMatchObject({ code: 'HTTP_400' })
  })
})

test('it never reports', () => {
  expect(connect(type, config).provider.reports).toBe(false)
  expect(type.config.safeParse({ ...config, from: '12345678901234567890' }).success).toBe(false)
})
