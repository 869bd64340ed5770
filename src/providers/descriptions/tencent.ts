/**
 * Tencent Cloud SMS, which sends registered templates alone: the template code is the template's ID, and its numbered parameters are
 * variables of the message. Its reports are not signed, and are sent again until it gets an answer of its own form; that is harmless.
 */
import type { DescriptionFile } from '../description'

export const tencent: DescriptionFile = {
  type: 'tencent',
  title: 'Tencent Cloud',
  documentation: 'https://www.tencentcloud.com/document/product/382/40536',
  channels: ['sms'],
  fields: {
    secretId: { title: 'SecretId', pattern: '^[\\x21-\\x7e]+$', says: 'must be a SecretId' },
    secretKey: { title: 'SecretKey', secret: true, pattern: '^[\\x21-\\x7e]+$', says: 'must be a SecretKey' },
    sdkAppId: {
      title: 'SdkAppId',
      help: 'Of the application in the SMS console.',
      pattern: '^\\d+$',
      says: 'must be digits',
    },
    signName: { title: 'Signature', help: 'An approved signature; mainland China needs one.', optional: true },
    templateParams: {
      title: 'Template parameters',
      help: 'Names of variables in the order of {1}, {2}, …, such as code,minutes.',
      default: 'code',
      pattern: '^[A-Za-z]\\w*( *, *[A-Za-z]\\w*)*$',
      says: 'must be names, separated by commas',
    },
    from: { title: 'Sender ID', help: 'Outside mainland China, where you have one of your own.', optional: true },
    region: { title: 'Region', default: 'ap-guangzhou' },
    apiBase: { title: 'API base', url: true, default: 'https://sms.tencentcloudapi.com' },
  },
  auth: { type: 'tc3', service: 'sms', secretId: '{{secretId}}', secretKey: '{{secretKey}}' },
  send: {
    sms: {
      needs: [{ value: '{{templateCode}}', code: 'TEMPLATE_CODE_MISSING' }],
      request: {
        path: '/',
        headers: { 'x-tc-action': 'SendSms', 'x-tc-version': '2021-01-11', 'x-tc-region': '{{region}}' },
        contentType: 'application/json; charset=utf-8',
        json: {
          PhoneNumberSet: ['{{to}}'],
          SmsSdkAppId: '{{sdkAppId}}',
          TemplateId: '{{templateCode}}',
          SignName: '{{signName}}',
          TemplateParamSet: '{{templateParams|inOrder}}',
          SessionContext: '{{messageId}}',
          SenderId: '{{from}}',
        },
      },
      accepted: [{ path: 'Response.SendStatusSet.0.Code', is: 'Ok' }],
      id: 'Response.SendStatusSet.0.SerialNo',
      idPattern: '^[\\w:.-]{1,128}$',
      codePath: ['Response.SendStatusSet.0.Code', 'Response.Error.Code'],
      noCode: ['Ok'],
      // Every answer is a 2xx. Codes that are not listed here are ambiguous, but for these families.
      unlisted: [
        { code: '^(AuthFailure|UnauthorizedOperation)\\b', means: 'unfit' },
        { code: '^(InvalidParameter|InvalidParameterValue|MissingParameter|UnknownParameter)\\b', means: 'elsewhere' },
        { code: '^UnsupportedOperation\\b', means: 'elsewhere' },
        { code: '^RequestLimitExceeded\\b', means: 'later' },
        { code: '^LimitExceeded\\b', means: 'elsewhere' },
      ],
    },
  },
  codePattern: '^(?!.*\\d{6})[A-Za-z][A-Za-z0-9.:_-]{1,63}$',
  reports: {
    kinds: [
      {
        api: 'sms',
        id: 'sid',
        result: {
          status: 'report_status',
          delivered: ['SUCCESS'],
          failed: ['FAIL'],
          code: 'errmsg',
          failedCode: 'FAIL',
        },
      },
    ],
  },
  codes: {
    TEMPLATE_CODE_MISSING: [
      'elsewhere',
      'the template has no code of Tencent; give it the ID of the registered template',
    ],
    // The account and its signature.
    'AuthFailure.InvalidAuthorization': [
      'unfit',
      'Tencent found the signature malformed; check SecretId and SecretKey',
    ],
    'AuthFailure.InvalidSecretId': ['unfit', 'the SecretId is no key of the Tencent Cloud API'],
    'AuthFailure.SecretIdNotFound': ['unfit', 'Tencent knows no such SecretId, or it is disabled'],
    'AuthFailure.SignatureFailure': ['unfit', 'the SecretKey is wrong'],
    'AuthFailure.SignatureExpire': ['unfit', 'the clock of this machine is more than five minutes off'],
    'AuthFailure.TokenFailure': ['unfit', 'Tencent refused the token of the key'],
    'AuthFailure.UnauthorizedOperation': ['unfit', 'the key may not send SMS; check its CAM policy'],
    'InternalError.RequestTimeException': ['unfit', 'the clock of this machine is more than ten minutes off'],
    'UnauthorizedOperation.RequestIpNotInWhitelist': ['unfit', 'the address of this server is not on the allowlist'],
    'UnauthorizedOperation.RequestPermissionDeny': ['unfit', 'the account may not send SMS; contact Tencent'],
    'UnauthorizedOperation.SdkAppIdIsDisabled': ['unfit', 'Tencent has disabled the application (SdkAppId)'],
    'UnauthorizedOperation.ServiceSuspendDueToArrears': ['unfit', 'the account is in arrears; top it up'],
    'UnauthorizedOperation.SmsSdkAppIdVerifyFail': ['unfit', 'the SdkAppId is not of the account of the key'],
    'InvalidParameterValue.SdkAppIdNotExist': ['unfit', 'Tencent knows no such SdkAppId'],
    'FailedOperation.InsufficientBalanceInSmsPackage': ['unfit', 'the SMS package is used up; buy another'],
    'LimitExceeded.AppDailyLimit': ['unfit', 'the application has used up its messages of the day; raise its limit'],
    'LimitExceeded.AppGlobalDailyLimit': ['elsewhere', 'the messages of the day outside mainland China are used up'],
    'LimitExceeded.AppMainlandChinaDailyLimit': ['elsewhere', 'the messages of the day in mainland China are used up'],
    'LimitExceeded.AppCountryOrRegionDailyLimit': ['elsewhere', 'the messages of the day to this country are used up'],
    'LimitExceeded.AppCountryOrRegionInBlacklist': ['elsewhere', 'the application does not allow this country'],
    'LimitExceeded.DailyLimit': ['elsewhere', 'the messages of the day outside mainland China are used up'],
    // Signature, template and text.
    'FailedOperation.SignatureIncorrectOrUnapproved': ['elsewhere', 'the SMS signature is wrong or not approved'],
    'FailedOperation.TemplateIncorrectOrUnapproved': ['elsewhere', 'the template is not approved, or does not fit'],
    'FailedOperation.TemplateUnapprovedOrNotExist': ['elsewhere', 'Tencent knows no such approved template'],
    'FailedOperation.TemplateParamSetNotMatchApprovedTemplate': [
      'elsewhere',
      'the template has another number of parameters; see `templateParams`',
    ],
    'FailedOperation.ContainSensitiveWord': ['elsewhere', 'the text has a word that Tencent does not allow'],
    'FailedOperation.FailResolvePacket': ['elsewhere', 'Tencent could not read the request'],
    'FailedOperation.JsonParseFail': ['elsewhere', 'Tencent could not read the request'],
    'FailedOperation.MarketingSendTimeConstraint': ['elsewhere', 'the template is for marketing, which has its hours'],
    'InvalidParameterValue.ContentLengthLimit': ['elsewhere', 'the text is too long'],
    'InvalidParameterValue.TemplateParameterFormatError': ['elsewhere', 'a parameter may be up to six digits only'],
    'InvalidParameterValue.TemplateParameterLengthLimit': ['elsewhere', 'a parameter is longer than Tencent allows'],
    'InvalidParameterValue.ProhibitedUseUrlInTemplateParameter': ['elsewhere', 'a parameter may not be a URL'],
    'UnsupportedOperation.ChineseMainlandTemplateToGlobalPhone': [
      'elsewhere',
      'the template is for mainland China; use a global one for this number',
    ],
    'UnsupportedOperation.GlobalTemplateToChineseMainlandPhone': [
      'elsewhere',
      'the template is not for mainland China; use one that is for this number',
    ],
    'UnsupportedOperation.UnsupportedRegion': ['elsewhere', 'Tencent does not send to this region'],
    // The recipient.
    'FailedOperation.PhoneNumberInBlacklist': ['stopped', 'the recipient has opted out; tell them to opt in again'],
    'InvalidParameterValue.IncorrectPhoneNumber': ['never', 'the number is not valid'],
    'LimitExceeded.PhoneNumberThirtySecondLimit': ['later', 'this number got too many messages in 30 seconds'],
    'LimitExceeded.PhoneNumberOneHourLimit': ['elsewhere', 'this number got too many messages in an hour'],
    'LimitExceeded.PhoneNumberDailyLimit': ['elsewhere', 'this number got too many messages today'],
    'LimitExceeded.PhoneNumberSameContentDailyLimit': ['elsewhere', 'this number got the same text too often today'],
    'LimitExceeded.DeliveryFrequencyLimit': ['elsewhere', 'a frequency limit of the application was reached'],
    RequestLimitExceeded: ['later', 'Tencent asks for fewer requests at a time'],
    // The outcome is unknown.
    FailedOperation: ['ambiguous', 'Tencent says only that the operation failed; the message may be out'],
    'FailedOperation.OtherError': ['ambiguous', 'Tencent gave no reason; the message may be out'],
    InternalError: ['ambiguous', 'Tencent failed while it had the message; it may be out'],
    'InternalError.Timeout': ['ambiguous', 'Tencent ran out of time while it had the message; it may be out'],
    'InternalError.SendAndRecvFail': ['ambiguous', 'Tencent ran out of time while it had the message; it may be out'],
    'InternalError.OtherError': ['ambiguous', 'Tencent failed while it had the message; it may be out'],
    'InternalError.UnknownError': ['ambiguous', 'Tencent failed while it had the message; it may be out'],
    'InternalError.ParseBackendResponseFail': ['ambiguous', 'Tencent could not read the answer of the carrier'],
  },
  reasons: {
    UNDELIV: 'the message could not be delivered',
    EXPIRED: 'the phone could not be reached in time',
    REJECTD: 'the carrier rejected the message',
    UNKNOWN: 'the carrier does not know what became of the message',
    FAIL: 'the message was not delivered; Tencent gave no reason',
  },
  explanations: [
    ['^[A-Z][A-Za-z]+(\\.[A-Za-z]+)?$', 'see this code in the error codes of Tencent Cloud SMS'],
    ['.', 'the carrier gave this reason; see the receipt codes of Tencent Cloud SMS'],
  ],
}
