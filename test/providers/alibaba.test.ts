import { describe, expect, test } from 'bun:test'
import { describedType } from '../../src/providers/described'
import { alibaba } from '../../src/providers/descriptions/alibaba'
import { acs3Headers } from '../../src/providers/signers/acs3'
import { NOW } from '../domain/sample'
import { anAwaited, anOutbound, answered, CODE, connect, TEXT, TO } from './fake-vendor-twilio-aligo'
import { outcomesOf, REPORT_SECRET, reportsOf, testsAnswers } from './vendor-answers'

const KEYS = { accessKeyId: 'LTAI5tEXAMPLEKEYID', accessKeySecret: 'HmacSecretOfTheExampleKey' }
const config = { ...KEYS, signName: '阿里云', reportSecret: REPORT_SECRET }
const abroad = { ...KEYS, from: 'Alicloud', reportSecret: REPORT_SECRET }
const message = { templateCode: 'SMS_153055065', variables: { code: CODE } }
const vendorUnderTest = { file: alibaba, config, message }
const globe = { file: alibaba, config: abroad }
const type = describedType(alibaba)
const BIZ_ID = '9006197469364984^0'

const errorOf = (code: string) => {
  const status = /^(Internal|Service)/.test(code) ? 503 : /[a-z]/.test(code) ? 400 : 200
  const written = status === 200 ? `isv.${code}` : code
  return answered(status, { Code: written, Message: TEXT, RequestId: 'F655A8D5-B967-440B-8683-DAD6FF8DE990' })
}

describe('what is sent', () => {
  const signed = (url: string, action: string, version: string, nonce: string) => {
    const headers = { accept: 'application/json', 'x-acs-action': action, 'x-acs-version': version }
    const request = { method: 'POST', url, headers }
    return { ...request, headers: { ...headers, ...acs3Headers(request, KEYS, { now: NOW, nonce }) }, timeoutMs: 4_000 }
  }

  test('at the site for China: SendSms, as one signed request', async () => {
    const { vendor, provider } = connect(type, config)
    await provider.send(anOutbound({ ...message, to: '+8615900001234', variables: { code: '1234' } }))
    const [request] = vendor.requests
    const nonce = request?.headers['x-acs-signature-nonce'] ?? ''
    expect(nonce).toMatch(/^[0-9a-f]{32}$/)
    expect(request).toEqual({
      ...signed(
        'https://dysmsapi.aliyuncs.com/?OutId=019ca91c-4e00-7000-8000-0000000000aa&PhoneNumbers=8615900001234' +
          '&SignName=%E9%98%BF%E9%87%8C%E4%BA%91&TemplateCode=SMS_153055065&TemplateParam=%7B%22code%22%3A%221234%22%7D',
        'SendSms',
        '2017-05-25',
        nonce,
      ),
      body: undefined,
    })
  })

  test('at the international site: SendMessageToGlobe abroad, SendMessageWithTemplate to China', async () => {
    const { vendor, provider } = connect(type, abroad)
    await provider.send(anOutbound({ to: '+85212455671234', text: 'Hello' }))
    await provider.send(anOutbound({ ...message, to: '+8615038711234', variables: { code: '1234' } }))
    const [first, second] = vendor.requests
    const base = 'https://dysmsapi.ap-southeast-1.aliyuncs.com'
    expect(first).toMatchObject(
      signed(
        `${base}/?From=Alicloud&Message=Hello&TaskId=019ca91c-4e00-7000-8000-0000000000aa&To=85212455671234`,
        'SendMessageToGlobe',
        '2018-05-01',
        first?.headers['x-acs-signature-nonce'] ?? '',
      ),
    )
    expect(second?.headers['x-acs-action']).toBe('SendMessageWithTemplate')
    expect(second?.url).toBe(
      `${base}/?From=Alicloud&TemplateCode=SMS_153055065&TemplateParam=%7B%22code%22%3A%221234%22%7D&To=8615038711234`,
    )
  })

  test.each([
    [config, {}, 'TEMPLATE_CODE_MISSING'],
    [abroad, { to: '+8615900001234' }, 'TEMPLATE_CODE_MISSING'],
    [{ ...abroad, from: undefined }, { to: '+8615900001234', ...message }, 'SIGNATURE_MISSING'],
  ])('what is missing is refused before anything is sent', async (settings, changes, code) => {
    const { vendor, provider } = connect(type, settings)
    expect(await provider.send(anOutbound(changes))).toEqual({ kind: 'refused', retry: 'elsewhere', code })
    expect(vendor.requests).toEqual([])
  })
})

describe('answers', () => {
  testsAnswers(
    vendorUnderTest,
    {
      unfit: [
        'InvalidAccessKeyId.NotFound',
        'InvalidAccessKeyId.Inactive',
        'SignatureDoesNotMatch',
        'IncompleteSignature',
        'InvalidTimeStamp.Expired',
        'Forbidden.RAM',
        'RAM_PERMISSION_DENY',
        'AMOUNT_NOT_ENOUGH',
        'OUT_OF_SERVICE',
        'PRODUCT_UN_SUBSCRIPT',
        'PRODUCT_UNSUBSCRIBE',
        'PRODUCT_NOT_SUBSCRIBED',
        'ACCOUNT_NOT_EXISTS',
        'ACCOUNT_ABNORMAL',
        'ACCOUNT_ILLEGAL',
        'SECURITY_FROZEN_ACCOUNT',
        'FORBIDDEN_ACTION',
        'DAY_LIMIT_CONTROL',
        'MONTH_LIMIT_CONTROL',
      ],
      elsewhere: [
        'TEMPLATE_CODE_MISSING',
        'SIGNATURE_MISSING',
        'DENY_IP_RANGE',
        'SMS_SIGNATURE_ILLEGAL',
        'SMS_SIGN_NAME_ILLEGAL',
        'SMS_SIGN_ILLEGAL',
        'SMS_SIGNATURE_SCENE_ILLEGAL',
        'INVALID_SENDERID',
        'SMS_TEMPLATE_ILLEGAL',
        'SMS_CONTENT_CODE_ILLEGAL',
        'TEMPLATE_MISSING_PARAMETERS',
        'CONTENT_MISSING_PARAMETERS',
        'TEMPLATE_PARAMS_ILLEGAL',
        'INVALID_PARAMETERS',
        'INVALID_JSON_PARAM',
        'PARAM_LENGTH_LIMIT',
        'PARAM_NOT_SUPPORT_URL',
        'BLACK_KEY_CONTROL_LIMIT',
        'SMS_CONTENT_ILLEGAL',
        'SMS_TEST_NUMBER_LIMIT',
        'DOMESTIC_NUMBER_NOT_SUPPORTED',
        'NOT_SUPPORTED_COUNTRY',
        'SMS_SECURITY_INTERCEPTED',
        'BUSINESS_LIMIT_CONTROL',
      ],
      never: ['MOBILE_NUMBER_ILLEGAL'],
      later: ['QPS_LIMIT_CONTROL', 'Throttling', 'Throttling.User'],
      ambiguous: ['SignatureNonceUsed', 'SYSTEM_ERROR', 'ONLINE_BILLING_FAILED', 'InternalError', 'ServiceUnavailable'],
    },
    errorOf,
    ['USER_REJECT'],
  )

  test('OK is accepted: at the site for China by its BizId, at the other by its MessageId', async () => {
    const taken = { Code: 'OK', Message: 'OK', BizId: BIZ_ID, RequestId: 'F655A8D5-B967-440B-8683-DAD6FF8DE990' }
    expect(await outcomesOf(vendorUnderTest)(answered(200, taken))).toMatchObject({ carrierMessageId: BIZ_ID })
    const sent = { ResponseCode: 'OK', MessageId: '191921619919', To: '6581', Segments: '1' }
    expect(await outcomesOf(globe)(answered(200, sent))).toMatchObject({
      kind: 'accepted',
      carrierMessageId: '191921619919',
      reportAfterMs: 10_000,
    })
  })

  test.each([
    [
      200,
      { ResponseCode: 'NOT_SUPPORTED_COUNTRY' },
      { kind: 'refused', retry: 'elsewhere', code: 'NOT_SUPPORTED_COUNTRY' },
    ],
    [200, { ResponseCode: 'SOMETHING_NEW' }, { kind: 'ambiguous', code: 'SOMETHING_NEW' }],
    [403, { Code: 'Forbidden.SomethingNew' }, { kind: 'refused', retry: 'elsewhere', code: 'Forbidden.SomethingNew' }],
  ] as const)('of the international site: HTTP %d %j', async (status, body, expected) => {
    expect(await outcomesOf(globe)(answered(status, body))).toEqual(expected)
  })
})

describe('reports', () => {
  const read = reportsOf(vendorUnderTest)

  /** As the documentation of SmsReport shows one. */
  const report = (success: boolean, err_code: string) => ({
    phone_number: TO,
    send_time: '2017-01-01 00:00:00',
    report_time: '2017-01-01 00:00:00',
    success,
    err_code,
    err_msg: TEXT,
    sms_size: '1',
    biz_id: BIZ_ID,
    out_id: '67890',
  })

  test('of the site for China, several in a body', () => {
    const body = JSON.stringify([
      report(true, 'DELIVERED'),
      report(false, 'MOBILE_NOT_ON_SERVICE'),
      report(false, TEXT),
    ])
    expect(read(body)).toEqual([
      { messageId: BIZ_ID, status: 'delivered' },
      { messageId: BIZ_ID, status: 'failed', code: 'MOBILE_NOT_ON_SERVICE' },
      { messageId: BIZ_ID, status: 'failed', code: 'FAILED' },
    ])
    for (const code of ['MOBILE_NOT_ON_SERVICE', 'FAILED', 'MK:0005'])
      expect(type.explain(code, config)).toMatch(/\w{3}/)
    expect(read(body, 'another-secret-of-16')).toBeUndefined()
  })

  test.each([
    ['1', 'success', [{ messageId: '1234', status: 'delivered', code: 'success' }]],
    ['2', 'NO_ROUTE', [{ messageId: '1234', status: 'failed', code: 'NO_ROUTE' }]],
    ['6', '', [{ messageId: '1234', status: 'failed', code: 'FAILED' }]],
    ['3', '', []],
  ])('of the international site: status %s', (Status, ErrorCode, expected) => {
    expect(read(JSON.stringify([{ To: '8521234', Status, MessageId: '1234', TaskId: '1', ErrorCode }]))).toEqual(
      expected as never,
    )
  })
})

describe('asking for a message', () => {
  const ask = async (carrierMessageId: string, body: unknown) => {
    const { vendor, provider } = connect(type, abroad)
    vendor.answer = answered(200, body)
    return { told: await provider.query?.(anAwaited({ carrierMessageId })), requests: vendor.requests }
  }

  test('of the international site', async () => {
    const { told, requests } = await ask('1008030', { ResponseCode: 'OK', Status: '1', ErrorCode: 'DELIVERED' })
    expect(told).toEqual({ status: 'delivered', code: 'DELIVERED' })
    expect(requests[0]?.url).toBe('https://dysmsapi.ap-southeast-1.aliyuncs.com/?MessageId=1008030')
    expect(requests[0]?.headers['x-acs-action']).toBe('QueryMessage')
    const failed = { ResponseCode: 'OK', Status: '2', ErrorCode: 'MOBILE_IN_BLACK' }
    expect((await ask('1008030', failed)).told).toEqual({ status: 'failed', code: 'MOBILE_IN_BLACK' })
    const stopped = { ResponseCode: 'OK', Status: '2', ErrorCode: 'USER_REJECT' }
    expect((await ask('1008030', stopped)).told).toEqual({ status: 'failed', code: 'USER_REJECT', absence: 'stopped' })
    expect((await ask('1008030', { ResponseCode: 'OK', Status: '3' })).told).toEqual({ askAgainMs: 5_000 })
    expect((await ask('1008030', { ResponseCode: 'DATA_NOT_EXIST', Status: '2' })).told).toEqual({ askAgainMs: 5_000 })
  })

  test('the site for China would want the number, so it is not asked', async () => {
    const { told, requests } = await ask(BIZ_ID, {})
    expect(told).toEqual({ askAgainMs: 5_000 })
    expect(requests).toEqual([])
  })
})

test('the settings are checked', () => {
  expect(type.config.safeParse(config).success).toBe(true)
  expect(type.config.safeParse({ ...config, accessKeyId: '' }).success).toBe(false)
})
