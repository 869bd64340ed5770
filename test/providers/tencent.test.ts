import { describe, expect, test } from 'bun:test'
import { describedType } from '../../src/providers/described'
import { tencent } from '../../src/providers/descriptions/tencent'
import { tc3Headers } from '../../src/providers/signers/tc3'
import { NOW } from '../domain/sample'
import { anOutbound, answered, CODE, connect, TEXT, TO } from './fake-vendor-twilio-aligo'
import { outcomesOf, REPORT_SECRET, reportsOf, testsAnswers } from './vendor-answers'

const KEYS = { secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE', secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' }
const config = { ...KEYS, sdkAppId: '1400006666', signName: '腾讯云', reportSecret: REPORT_SECRET }
const message = { templateCode: '1110' }
const vendorUnderTest = { file: tencent, config, message }
const type = describedType(tencent)
const SERIAL = '5000:1045710669157053657849499619'

const statusOf = (Code: string) => ({
  Response: {
    SendStatusSet: [{ SerialNo: '', PhoneNumber: TO, Fee: 0, SessionContext: '', Code, Message: TEXT, IsoCode: 'CN' }],
    RequestId: 'a0aabda6-cf91-4f3e-a81f-9198114a2279',
  },
})
const errorOf = (code: string) =>
  answered(
    200,
    /^(AuthFailure|RequestLimit)/.test(code)
      ? { Response: { Error: { Code: code, Message: TEXT }, RequestId: 'ed93f3cb-f35e-473f-b9f3-0d451b8b79c6' } }
      : statusOf(code),
  )

describe('what is sent', () => {
  test("Tencent's example, as one signed JSON request", async () => {
    const { vendor, provider } = connect(type, config)
    await provider.send(anOutbound({ to: '+8618501234444', code: '4370', variables: { code: '4370' }, ...message }))
    const unsigned = {
      method: 'POST',
      url: 'https://sms.tencentcloudapi.com/',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json; charset=utf-8',
        'x-tc-action': 'SendSms',
        'x-tc-version': '2021-01-11',
        'x-tc-region': 'ap-guangzhou',
      },
      body:
        '{"PhoneNumberSet":["+8618501234444"],"SmsSdkAppId":"1400006666","TemplateId":"1110","SignName":"腾讯云",' +
        '"TemplateParamSet":["4370"],"SessionContext":"019ca91c-4e00-7000-8000-0000000000aa"}',
    }
    const signature = tc3Headers(unsigned, { service: 'sms', ...KEYS }, NOW)
    expect(vendor.requests).toEqual([{ ...unsigned, headers: { ...unsigned.headers, ...signature }, timeoutMs: 4_000 }])
  })

  test('parameters are variables in the order of the settings', async () => {
    const { vendor, provider } = connect(type, { ...config, templateParams: 'shop, code,expiresInSec', from: 'ACME' })
    await provider.send(anOutbound({ ...message, variables: { code: CODE, shop: 'Ada' } }))
    expect(JSON.parse(vendor.only().body ?? '')).toMatchObject({
      TemplateParamSet: ['Ada', CODE, '180'],
      SenderId: 'ACME',
    })
  })

  test('a template without a code is refused before anything is sent', async () => {
    const { vendor, provider } = connect(type, config)
    expect(await provider.send(anOutbound())).toEqual({
      kind: 'refused',
      retry: 'elsewhere',
      code: 'TEMPLATE_CODE_MISSING',
    })
    expect(vendor.requests).toEqual([])
  })
})

describe('answers', () => {
  testsAnswers(
    vendorUnderTest,
    {
      unfit: [
        'AuthFailure.InvalidAuthorization',
        'AuthFailure.InvalidSecretId',
        'AuthFailure.SecretIdNotFound',
        'AuthFailure.SignatureFailure',
        'AuthFailure.SignatureExpire',
        'AuthFailure.TokenFailure',
        'AuthFailure.UnauthorizedOperation',
        'InternalError.RequestTimeException',
        'UnauthorizedOperation.RequestIpNotInWhitelist',
        'UnauthorizedOperation.RequestPermissionDeny',
        'UnauthorizedOperation.SdkAppIdIsDisabled',
        'UnauthorizedOperation.ServiceSuspendDueToArrears',
        'UnauthorizedOperation.SmsSdkAppIdVerifyFail',
        'InvalidParameterValue.SdkAppIdNotExist',
        'FailedOperation.InsufficientBalanceInSmsPackage',
        'LimitExceeded.AppDailyLimit',
      ],
      elsewhere: [
        'TEMPLATE_CODE_MISSING',
        'LimitExceeded.AppGlobalDailyLimit',
        'LimitExceeded.AppMainlandChinaDailyLimit',
        'LimitExceeded.AppCountryOrRegionDailyLimit',
        'LimitExceeded.AppCountryOrRegionInBlacklist',
        'LimitExceeded.DailyLimit',
        'FailedOperation.SignatureIncorrectOrUnapproved',
        'FailedOperation.TemplateIncorrectOrUnapproved',
        'FailedOperation.TemplateUnapprovedOrNotExist',
        'FailedOperation.TemplateParamSetNotMatchApprovedTemplate',
        'FailedOperation.ContainSensitiveWord',
        'FailedOperation.FailResolvePacket',
        'FailedOperation.JsonParseFail',
        'FailedOperation.MarketingSendTimeConstraint',
        'InvalidParameterValue.ContentLengthLimit',
        'InvalidParameterValue.TemplateParameterFormatError',
        'InvalidParameterValue.TemplateParameterLengthLimit',
        'InvalidParameterValue.ProhibitedUseUrlInTemplateParameter',
        'UnsupportedOperation.ChineseMainlandTemplateToGlobalPhone',
        'UnsupportedOperation.GlobalTemplateToChineseMainlandPhone',
        'UnsupportedOperation.UnsupportedRegion',
        'LimitExceeded.PhoneNumberOneHourLimit',
        'LimitExceeded.PhoneNumberDailyLimit',
        'LimitExceeded.PhoneNumberSameContentDailyLimit',
        'LimitExceeded.DeliveryFrequencyLimit',
      ],
      never: ['InvalidParameterValue.IncorrectPhoneNumber'],
      stopped: ['FailedOperation.PhoneNumberInBlacklist'],
      later: ['LimitExceeded.PhoneNumberThirtySecondLimit', 'RequestLimitExceeded'],
      ambiguous: [
        'FailedOperation',
        'FailedOperation.OtherError',
        'InternalError',
        'InternalError.Timeout',
        'InternalError.SendAndRecvFail',
        'InternalError.OtherError',
        'InternalError.UnknownError',
        'InternalError.ParseBackendResponseFail',
      ],
    },
    errorOf,
  )

  test('a status of Ok with a serial number is accepted', async () => {
    const taken = statusOf('Ok')
    taken.Response.SendStatusSet[0] = { ...taken.Response.SendStatusSet[0], SerialNo: SERIAL } as never
    expect(await outcomesOf(vendorUnderTest)(answered(200, taken))).toEqual({
      kind: 'accepted',
      carrierMessageId: SERIAL,
    })
  })

  test.each([
    ['AuthFailure.SomethingNew', { kind: 'refused', retry: 'unfit' }],
    ['InvalidParameterValue.SomethingNew', { kind: 'refused', retry: 'elsewhere' }],
    ['RequestLimitExceeded.IPLimitExceeded', { kind: 'refused', retry: 'later' }],
    ['FailedOperation.SomethingNew', { kind: 'ambiguous' }],
  ] as const)('%s, which is not listed', async (code, expected) => {
    expect(await outcomesOf(vendorUnderTest)(errorOf(code))).toEqual({ ...expected, code } as never)
  })
})

describe('reports', () => {
  const read = reportsOf(vendorUnderTest)
  /** As the documentation shows one. */
  const report = (report_status: string, errmsg: string) => ({
    user_receive_time: '2015-10-17 08:03:04',
    nationcode: '86',
    mobile: '13800000000',
    report_status,
    errmsg,
    description: 'The SMS message is successfully delivered',
    sid: SERIAL,
  })

  test('several in a body', () => {
    expect(
      read(JSON.stringify([report('SUCCESS', 'DELIVRD'), report('FAIL', 'MK:0001'), report('FAIL', TEXT)])),
    ).toEqual([
      { messageId: SERIAL, status: 'delivered', code: 'DELIVRD' },
      { messageId: SERIAL, status: 'failed', code: 'MK:0001' },
      { messageId: SERIAL, status: 'failed', code: 'FAIL' },
    ])
    for (const code of ['UNDELIV', 'MK:0001', 'FAIL']) expect(type.explain(code, config)).toMatch(/\w{3}/)
  })

  test('an unknown status decides nothing, and without the secret nothing is believed', () => {
    expect(read(JSON.stringify([report('MAYBE', 'X')]))).toEqual([])
    expect(read(JSON.stringify([report('SUCCESS', 'DELIVRD')]), 'another-secret-of-16')).toBeUndefined()
  })
})

test('the settings are checked', () => {
  expect(type.config.safeParse(config).success).toBe(true)
  for (const wrong of [{ sdkAppId: 'x' }, { templateParams: 'code;more' }, { secretKey: '' }])
    expect(type.config.safeParse({ ...config, ...wrong }).success).toBe(false)
})
