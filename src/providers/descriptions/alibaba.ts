/**
 * Alibaba Cloud SMS. The site for China sends registered templates under a registered signature (SendSms). The international site
 * sends texts abroad (SendMessageToGlobe), and templates to mainland China (SendMessageWithTemplate). A signature among the settings
 * says that it is the site for China. Reports are not signed, and come again until they get an answer of their own form: no harm.
 */
import type { DescriptionFile } from '../description'

const templateNeeded = { value: '{{templateCode}}', code: 'TEMPLATE_CODE_MISSING' }
const action = (name: string, version: string) => ({ 'x-acs-action': name, 'x-acs-version': version })
const GLOBE_VERSION = '2018-05-01'

const globe = {
  channel: 'sms',
  accepted: [{ path: 'ResponseCode', is: 'OK' }],
  id: 'MessageId',
  idPattern: '^\\d{1,64}$',
  codePath: ['ResponseCode', 'Code'],
  noCode: ['OK'],
  query: {
    request: { base: 'globeApiBase', path: '/?MessageId={{id}}', headers: action('QueryMessage', GLOBE_VERSION) },
    if: [{ path: 'ResponseCode', is: 'OK' }],
    result: { status: 'Status', delivered: ['1'], failed: ['2'], code: 'ErrorCode', failedCode: 'FAILED' },
    firstAfterSec: 60,
    firstAfterSecWithoutReports: 10,
  },
}

export const alibaba: DescriptionFile = {
  type: 'alibaba',
  title: 'Alibaba Cloud',
  documentation: 'https://help.aliyun.com/zh/sms/developer-reference/api-dysmsapi-2017-05-25-sendsms',
  channels: ['sms'],
  fields: {
    accessKeyId: { title: 'AccessKey ID', pattern: '^[\\x21-\\x7e]+$', says: 'must be an AccessKey ID' },
    accessKeySecret: {
      title: 'AccessKey secret',
      secret: true,
      pattern: '^[\\x21-\\x7e]+$',
      says: 'must be an AccessKey secret',
    },
    signName: { title: 'Signature', help: 'Site for China only: an approved signature.', optional: true },
    from: {
      title: 'Sender ID',
      help: 'International site only; to mainland China an approved signature.',
      optional: true,
    },
    apiBase: { title: 'API base of the site for China', url: true, default: 'https://dysmsapi.aliyuncs.com' },
    globeApiBase: {
      title: 'API base of the international site',
      url: true,
      default: 'https://dysmsapi.ap-southeast-1.aliyuncs.com',
    },
  },
  auth: { type: 'acs3', accessKeyId: '{{accessKeyId}}', accessKeySecret: '{{accessKeySecret}}' },
  send: {
    'sms-template': {
      channel: 'sms',
      when: [{ value: '{{signName}}' }],
      needs: [templateNeeded],
      request: {
        path: '/?OutId={{messageId}}&PhoneNumbers={{toDigits}}&SignName={{signName}}&TemplateCode={{templateCode}}&TemplateParam={{variables}}',
        headers: action('SendSms', '2017-05-25'),
      },
      accepted: [{ path: 'Code', is: 'OK' }],
      id: 'BizId',
      idPattern: '^\\d{1,64}\\^\\d{1,8}$',
      codePath: 'Code',
      noCode: ['OK'],
    },
    'sms-to-china': {
      ...globe,
      when: [{ value: '{{to}}', matches: '^\\+86' }],
      needs: [templateNeeded, { value: '{{from}}', code: 'SIGNATURE_MISSING' }],
      request: {
        base: 'globeApiBase',
        path: '/?From={{from}}&TemplateCode={{templateCode}}&TemplateParam={{variables}}&To={{toDigits}}',
        headers: action('SendMessageWithTemplate', GLOBE_VERSION),
      },
    },
    sms: {
      ...globe,
      request: {
        base: 'globeApiBase',
        path: '/?From={{from}}&Message={{text}}&TaskId={{messageId}}&To={{toDigits}}',
        headers: action('SendMessageToGlobe', GLOBE_VERSION),
      },
    },
  },
  // The sites write the same code with and without `isv.` or `isp.` in front.
  codePattern: '^(?!.*\\d{6})(?:is[vp]\\.)?([A-Za-z][A-Za-z0-9._:-]{1,63})$',
  reports: {
    kinds: [
      // SmsReport of the site for China.
      {
        api: 'sms-template',
        if: [{ path: 'success', is: 'true' }],
        id: 'biz_id',
        result: { status: 'biz_id', delivered: { matches: '.' } },
      },
      {
        api: 'sms-template',
        if: [{ path: 'success', is: 'false' }],
        id: 'biz_id',
        result: { status: 'biz_id', failed: { matches: '.' }, code: 'err_code', failedCode: 'FAILED' },
      },
      // The international site. Its 1 is called sent here, and delivered where a message is asked for.
      {
        api: 'sms',
        id: 'MessageId',
        result: { status: 'Status', delivered: ['1'], failed: ['2', '6'], code: 'ErrorCode', failedCode: 'FAILED' },
      },
    ],
  },
  // help.aliyun.com/document_detail/101346.html, alibabacloud.com/help/en/sms/developer-reference/error-codes. A code that is not
  // listed and comes with a 2xx is ambiguous.
  codes: {
    TEMPLATE_CODE_MISSING: ['elsewhere', 'the template has no code of Alibaba Cloud; give it one such as SMS_12345678'],
    SIGNATURE_MISSING: ['elsewhere', 'mainland China needs an approved signature; set `from`'],
    // The account and its signature.
    'InvalidAccessKeyId.NotFound': ['unfit', 'Alibaba Cloud does not know the AccessKey ID'],
    'InvalidAccessKeyId.Inactive': ['unfit', 'the AccessKey is disabled'],
    SignatureDoesNotMatch: ['unfit', 'the AccessKey secret is wrong'],
    IncompleteSignature: ['unfit', 'Alibaba Cloud found the signature malformed; check the AccessKey ID'],
    'InvalidTimeStamp.Expired': ['unfit', 'the clock of this machine is more than 15 minutes off'],
    'Forbidden.RAM': ['unfit', 'the AccessKey may not send SMS; check its RAM policy'],
    RAM_PERMISSION_DENY: ['unfit', 'the AccessKey may not send SMS; check its RAM policy'],
    AMOUNT_NOT_ENOUGH: ['unfit', 'the account has no balance left'],
    OUT_OF_SERVICE: ['unfit', 'SMS is suspended for lack of balance; top up the account'],
    PRODUCT_UN_SUBSCRIPT: ['unfit', 'the account has not activated SMS'],
    PRODUCT_UNSUBSCRIBE: ['unfit', 'the account has not activated this product'],
    PRODUCT_NOT_SUBSCRIBED: ['unfit', 'the account has not activated SMS'],
    ACCOUNT_NOT_EXISTS: ['unfit', 'Alibaba Cloud knows no such account'],
    ACCOUNT_ABNORMAL: ['unfit', 'something is wrong with the account; contact Alibaba Cloud'],
    ACCOUNT_ILLEGAL: ['unfit', 'the account was blocked for what it sent; contact Alibaba Cloud'],
    SECURITY_FROZEN_ACCOUNT: ['unfit', 'the account is frozen for security; contact Alibaba Cloud'],
    FORBIDDEN_ACTION: ['unfit', 'the account may not use this API at present; contact Alibaba Cloud'],
    DAY_LIMIT_CONTROL: ['unfit', 'the messages of the day are used up; raise the limit in the console'],
    MONTH_LIMIT_CONTROL: ['unfit', 'the messages of the month are used up; raise the limit in the console'],
    // Sender, template and text.
    DENY_IP_RANGE: ['elsewhere', 'mainland China is served only to addresses there; this server is elsewhere'],
    SMS_SIGNATURE_ILLEGAL: ['elsewhere', 'the signature is unknown or not approved'],
    SMS_SIGN_NAME_ILLEGAL: ['elsewhere', 'the signature is unknown or not approved'],
    SMS_SIGN_ILLEGAL: ['elsewhere', 'the signature is forbidden'],
    SMS_SIGNATURE_SCENE_ILLEGAL: ['elsewhere', 'signature and template are of different kinds'],
    INVALID_SENDERID: ['elsewhere', 'the sender ID is not approved'],
    SMS_TEMPLATE_ILLEGAL: ['elsewhere', 'the template is unknown or not approved'],
    SMS_CONTENT_CODE_ILLEGAL: ['elsewhere', 'the template is unknown or not approved'],
    TEMPLATE_MISSING_PARAMETERS: ['elsewhere', 'the template has a variable that the message lacks'],
    CONTENT_MISSING_PARAMETERS: ['elsewhere', 'the template has a variable that the message lacks'],
    TEMPLATE_PARAMS_ILLEGAL: ['elsewhere', 'a variable does not fit the rules of the template'],
    INVALID_PARAMETERS: ['elsewhere', 'Alibaba Cloud found a field of the request not valid'],
    INVALID_JSON_PARAM: ['elsewhere', 'Alibaba Cloud found the variables not valid'],
    PARAM_LENGTH_LIMIT: ['elsewhere', 'a variable is longer than the template allows'],
    PARAM_NOT_SUPPORT_URL: ['elsewhere', 'a variable may not be a URL'],
    BLACK_KEY_CONTROL_LIMIT: ['elsewhere', 'a variable has a word that Alibaba Cloud does not allow'],
    SMS_CONTENT_ILLEGAL: ['elsewhere', 'the text has something that Alibaba Cloud does not allow'],
    SMS_TEST_NUMBER_LIMIT: ['elsewhere', 'the test signature sends to test numbers only'],
    DOMESTIC_NUMBER_NOT_SUPPORTED: ['elsewhere', 'the template is for abroad; use one for mainland China'],
    NOT_SUPPORTED_COUNTRY: ['elsewhere', 'Alibaba Cloud does not send to this country'],
    SMS_SECURITY_INTERCEPTED: ['elsewhere', 'the risk control of Alibaba Cloud stopped the message'],
    // The recipient, and how often.
    MOBILE_NUMBER_ILLEGAL: ['never', 'the number is not valid'],
    BUSINESS_LIMIT_CONTROL: ['elsewhere', 'this number got too many messages; see the frequency limits in the console'],
    QPS_LIMIT_CONTROL: ['later', 'Alibaba Cloud asks for fewer messages at a time'],
    Throttling: ['later', 'Alibaba Cloud asks for fewer requests at a time'],
    'Throttling.User': ['later', 'Alibaba Cloud asks for fewer requests at a time'],
    // The outcome is unknown. A nonce is fresh for every call: seen twice means that the network repeated it, and the first one counted.
    SignatureNonceUsed: ['ambiguous', 'the request arrived twice; the first one was taken, its answer got lost'],
    SYSTEM_ERROR: ['ambiguous', 'Alibaba Cloud failed while it had the message; it may be out'],
    ONLINE_BILLING_FAILED: ['ambiguous', 'Alibaba Cloud could not bill the message; it may be out'],
    InternalError: ['ambiguous', 'Alibaba Cloud failed while it had the message; it may be out'],
    ServiceUnavailable: ['ambiguous', 'Alibaba Cloud was unavailable while it had the message; it may be out'],
    // Codes of reports.
    USER_REJECT: ['stopped', 'the recipient has opted out; tell them to opt in again'],
  },
  // help.aliyun.com/document_detail/101347.htm
  reasons: {
    MOBILE_NOT_ON_SERVICE: 'the phone is off, out of coverage, or nobody has this number',
    MOBILE_SEND_LIMIT: 'this number got too many messages',
    MOBILE_ACCOUNT_ABNORMAL: 'something is wrong with the account of the number at its carrier',
    MOBILE_IN_BLACK: 'the recipient has opted out, or is blocked by the carrier',
    MOBLLE_TERMINAL_ERROR: 'the phone had a problem, such as no room for messages',
    CONTENT_KEYWORD: 'the carrier stopped the message for a word in it',
    CONTENT_ERROR: 'the carrier stopped the message for its text',
    INVALID_NUMBER: 'the number is not valid or out of service',
    IS_CLOSE: 'the route was closed; Alibaba Cloud takes another one next time',
    PARAMS_ILLEGAL: 'signature, text or number was not valid',
    SP_NOT_BY_INTER_SMS: 'the recipient does not take international SMS',
    SP_UNKNOWN_ERROR: 'the carrier gave no reason',
    NO_ROUTE: 'there is no route to this number',
    SIGNATURE_BLACKLIST: 'the signature is blocked',
    FAILED: 'the message was not delivered; Alibaba Cloud gave no reason',
  },
  explanations: [['.', 'see this code in the error codes of Alibaba Cloud SMS']],
}
