/** Vonage SMS API (formerly Nexmo). It answers 200 also where it refuses, and says so by a status of the message. */
import type { DescriptionFile } from '../description'

export const vonage: DescriptionFile = {
  type: 'vonage',
  title: 'Vonage',
  documentation: 'https://developer.vonage.com/en/api/sms',
  channels: ['sms'],
  fields: {
    apiKey: { title: 'API key', pattern: '^[0-9a-zA-Z]{1,32}$', says: 'must be the API key of the account' },
    apiSecret: { title: 'API secret', secret: true },
    from: { title: 'Sender', help: 'A Vonage number, or a name where the country allows it.' },
    signatureSecret: {
      title: 'Signature secret',
      help: 'Only where Vonage signs the webhooks of the account; choose SHA-256 HMAC there. Otherwise the report URL has a secret.',
      secret: true,
      optional: true,
    },
    apiBase: { title: 'API base', url: true, default: 'https://rest.nexmo.com' },
    lookupBase: { title: 'API base of Number Insight', url: true, default: 'https://api.nexmo.com' },
  },
  send: {
    sms: {
      request: {
        path: '/sms/json',
        form: {
          api_key: '{{apiKey}}',
          api_secret: '{{apiSecret}}',
          from: '{{from}}',
          to: '{{toDigits}}',
          text: '{{text}}',
          // Vonage does not find out by itself, and would send question marks.
          type: '{{text|ifUnicode:unicode|or:text}}',
          // Milliseconds; Vonage takes no less than 20 s and no more than a week.
          ttl: '{{expiresInSec|atLeast:20|atMost:604800|times:1000}}',
          callback: '{{reportUrlWithToken}}',
          'client-ref': '{{messageId}}',
          'entity-id': '{{dltEntityId}}',
          'content-id': '{{dltTemplateId}}',
        },
      },
      accepted: [{ path: 'messages.0.status', is: '0' }],
      id: 'messages.0.message-id',
      codePath: 'messages.0.status',
      noCode: ['0'],
      // A status that is not documented does not say that nothing was taken.
      unlisted: [{ code: '^\\d+$', means: 'ambiguous', only2xx: true }],
    },
  },
  // developer.vonage.com/en/number-insight; Vonage ends it on 4 February 2027.
  lookup: {
    request: { method: 'GET', base: 'lookupBase', path: '/ni/standard/json?number={{toDigits}}' },
    auth: { type: 'basic', user: '{{apiKey}}', password: '{{apiSecret}}' },
    channels: ['sms'],
    facts: {
      landline: [{ path: 'current_carrier.network_type', matches: '^landline' }],
      voip: [{ path: 'current_carrier.network_type', is: 'virtual' }],
      ported: [{ path: 'ported', is: 'ported' }],
    },
  },
  codePattern: '^\\d{1,3}$',
  reports: {
    signature: {
      type: 'sortedFields',
      secret: '{{signatureSecret}}',
      field: 'sig',
      timestampField: 'timestamp',
    },
    signedIf: 'signatureSecret',
    ownId: 'client-ref',
    kinds: [
      {
        api: 'sms',
        id: 'messageId',
        // `accepted`, `buffered` and `unknown` are not the end.
        result: {
          status: 'status',
          code: 'err-code',
          codePrefix: 'DLR_',
          delivered: ['delivered'],
          failed: ['expired', 'failed', 'rejected'],
          failedCode: '{{status|upper}}',
        },
      },
    ],
  },
  // developer.vonage.com/en/api-errors/sms
  codes: {
    '1': ['later', 'messages are sent faster than the Vonage account allows'],
    '2': ['elsewhere', 'a required field was missing in our request; set `from`'],
    '3': ['elsewhere', 'a field of our request was not valid; check `from`'],
    '4': ['unfit', 'Vonage refused our credentials; check API key and API secret'],
    '5': ['ambiguous', 'Vonage failed while it had the message; it may be out'],
    '6': ['elsewhere', 'Vonage cannot send to this number; its prefix is unknown there'],
    '7': ['elsewhere', 'the number is barred at Vonage'],
    '8': ['unfit', 'the Vonage account is suspended; ask the support of Vonage'],
    '9': ['unfit', 'the Vonage account has no credit left; top it up'],
    '10': ['later', 'too many connections to Vonage at a time; lower the concurrency'],
    '11': ['unfit', 'the Vonage account may not use the SMS API; ask the support of Vonage'],
    '12': ['never', 'the text is too long'],
    '14': ['unfit', 'the Vonage account takes signed requests only; turn that off in its settings'],
    '15': ['elsewhere', 'the sender may not be used for this destination; North America needs a Vonage number'],
    '22': ['elsewhere', 'Vonage refused the network code of the request'],
    '23': ['elsewhere', 'Vonage refused the report URL; check PUBLIC_URL'],
    '29': ['elsewhere', 'the Vonage account is in demo mode, and sends only to numbers on its list; top it up'],
    '32': ['unfit', 'the Vonage account takes signed requests only; turn that off in its settings'],
    '33': ['never', 'the number is deactivated'],
    // developer.vonage.com/en/opt-out-assist/guides/messaging-opted-out-numbers
    DLR_9: ['stopped', 'the recipient has opted out of messages from this sender (STOP); tell them to opt in again'],
  },
  // api.support.vonage.com/hc/en-us/articles/204014733
  reasons: {
    DLR_1: 'the message was not delivered, and nobody knows why',
    DLR_2: 'the phone was unreachable for the time being',
    DLR_3: 'the number is no longer active',
    DLR_4: 'the recipient has messages barred; only their operator lifts it',
    DLR_5: 'the number is being ported; its operator has to settle it',
    DLR_6: 'the filter of the operator took the message for spam; review text and sender',
    DLR_7: 'the phone was busy',
    DLR_8: 'the network failed',
    DLR_10: 'a field of the message was not valid, such as its encoding',
    DLR_11: 'Vonage has no route for this number',
    DLR_12: 'no route to the number; it may not exist',
    DLR_13: 'the recipient may not get such messages at their age',
    DLR_14: 'the operator blocks messages for this number',
    DLR_15: 'the prepaid balance of the recipient is used up',
    EXPIRED: 'the code expired before the message was delivered',
    FAILED: 'the message was not delivered; Vonage gave no reason',
    REJECTED: 'the network refused the message; Vonage gave no reason',
  },
  explanations: [['^(DLR_)?\\d{1,3}$', 'see this code in the documentation of Vonage']],
}
