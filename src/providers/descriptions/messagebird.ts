/** Bird's SMS API, as MessageBird made it. Reports are GETs, proven by a token with a hash of the address. */
import type { DescriptionFile } from '../description'

export const messagebird: DescriptionFile = {
  type: 'messagebird',
  title: 'MessageBird (Bird)',
  documentation: 'https://developers.messagebird.com/api/sms-messaging/',
  channels: ['sms'],
  fields: {
    accessKey: { title: 'Access key', secret: true, pattern: '^[\\x21-\\x7e]+$', says: 'must be a live access key' },
    signingKey: {
      title: 'Signing key',
      help: 'Developer settings of the dashboard. Bird signs its reports with it.',
      secret: true,
      pattern: '^[\\x21-\\x7e]{8,}$',
      says: 'must be the signing key of the account',
    },
    from: { title: 'Sender', help: 'A number, or a name of up to 11 characters where the country allows it.' },
    apiBase: { title: 'API base', url: true, default: 'https://rest.messagebird.com' },
  },
  auth: { type: 'header', name: 'authorization', value: 'AccessKey {{accessKey}}' },
  send: {
    sms: {
      request: {
        path: '/messages',
        form: {
          recipients: '{{toDigits}}',
          originator: '{{from}}',
          body: '{{text}}',
          datacoding: 'auto',
          validity: '{{expiresInSec}}',
          // Bird reports only where there is a reference too.
          reference: '{{messageId}}',
          reportUrl: '{{reportUrl}}',
        },
      },
      id: 'id',
      idPattern: '^[0-9a-f]{32}$',
      codePath: 'errors.0.code',
      query: {
        request: { method: 'GET', path: '/messages/{{id}}' },
        result: { status: 'recipients.items.0.status', code: 'recipients.items.0.statusErrorCode' },
        firstAfterSec: 60,
        firstAfterSecWithoutReports: 10,
      },
    },
  },
  codePattern: '^[1-9]\\d{0,4}$',
  result: {
    codePrefix: 'DLR_',
    delivered: ['delivered'],
    failed: ['expired', 'delivery_failed'],
    failedCode: '{{status|upper}}',
  },
  reports: {
    signature: {
      type: 'jwt',
      algorithm: 'HS256',
      key: '{{signingKey}}',
      header: 'messagebird-signature-jwt',
      urlHash: 'url_hash',
    },
    ownId: 'reference',
    kinds: [{ api: 'sms', id: 'id', result: { status: 'status', code: 'statusErrorCode' } }],
  },
  // developers.messagebird.com/api/#errors
  codes: {
    '2': ['unfit', 'Bird refused our credentials; check the access key'],
    '9': ['elsewhere', 'a field of our request was missing; check number and sender'],
    '10': ['elsewhere', 'a field of our request was not valid; check number and sender'],
    '20': ['elsewhere', 'Bird did not find what the request is about; check the API base'],
    '21': ['elsewhere', 'Bird could not read our request; check the API base'],
    '25': ['unfit', 'the Bird account has no balance left; top it up'],
    '98': ['elsewhere', 'Bird has no such API; check the API base'],
    '99': ['ambiguous', 'Bird failed while it had the message; it may be out'],
  },
  // The numbers of GSM MAP, which networks give.
  reasons: {
    DLR_1: 'the number is unknown to its network',
    DLR_5: 'the number is unknown where its phone should be',
    DLR_6: 'the phone was unreachable: switched off, or out of coverage',
    DLR_9: 'the network bars this number',
    DLR_11: 'the number takes no SMS',
    DLR_12: 'the network bars this phone',
    DLR_13: 'the operator has barred messages to this number',
    DLR_21: 'the network of the recipient takes no SMS',
    DLR_27: 'the phone was unreachable: switched off, or out of coverage',
    DLR_31: 'the phone was busy',
    DLR_32: 'the network could not hand the message to the phone; its inbox may be full',
    DLR_34: 'the network of the recipient failed',
    EXPIRED: 'the code expired before the message was delivered',
    DELIVERY_FAILED: 'the message was not delivered; Bird gave no reason',
  },
  explanations: [['^(DLR_)?[1-9]\\d{0,4}$', 'see this code in the SMS error codes of Bird']],
}
