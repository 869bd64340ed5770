/** CM.com Business Messaging. It has no ID of its own: a message is known by the reference that we give it. */
import type { DescriptionFile } from '../description'

export const cm: DescriptionFile = {
  type: 'cm',
  title: 'CM.com',
  documentation: 'https://developers.cm.com/messaging/docs/responses-errors-json',
  channels: ['sms'],
  fields: {
    productToken: {
      title: 'Product token',
      secret: true,
      pattern: '^[\\x21-\\x7e]+$',
      says: 'must be the product token of the gateway',
    },
    from: { title: 'Sender', help: 'A number, or a name of up to 11 characters where the country allows it.' },
    apiBase: { title: 'API base', url: true, default: 'https://gw.messaging.cm.com' },
  },
  send: {
    sms: {
      request: {
        path: '/v1.0/message',
        json: {
          messages: {
            authentication: { producttoken: '{{productToken}}' },
            msg: [
              {
                from: '{{from}}',
                to: [{ number: '00{{toDigits}}' }],
                body: { type: 'auto', content: '{{text}}' },
                // CM.com sends one part only, unless it may send more.
                minimumNumberOfMessageParts: 1,
                maximumNumberOfMessageParts: 8,
                // References are up to 32 characters there.
                reference: '{{messageId|withoutHyphens}}',
                allowedChannels: ['SMS'],
              },
            ],
          },
        },
      },
      accepted: [{ path: 'messages.0.status', is: 'Accepted' }],
      id: 'messages.0.reference',
      codePath: ['messages.0.messageErrorCode', 'errorCode'],
      noCode: ['0'],
    },
  },
  codePattern: '^\\d{1,4}$',
  reports: {
    items: 'messages.msg',
    kinds: [
      {
        api: 'sms',
        id: 'reference',
        // 0 is with the operator; 4 has been read.
        result: {
          status: 'status.code',
          code: 'status.errorCode',
          codePrefix: 'DLR_',
          delivered: ['2', '4'],
          failed: ['1', '3'],
          failedCode: 'STATUS_{{status}}',
        },
      },
    ],
  },
  // developers.cm.com/messaging/docs/responses-errors-json
  codes: {
    '101': ['unfit', 'CM.com refused our credentials; check the product token'],
    '102': ['unfit', 'the CM.com account has no balance left; top it up'],
    '103': ['unfit', 'CM.com refused our credentials; check the product token'],
    // "Some or all messages" were refused, and the code of the message is missing.
    '201': ['ambiguous', 'CM.com found an error and did not say which; the message may be out'],
    '202': ['elsewhere', 'CM.com could not read our request; check the API base'],
    '203': ['elsewhere', 'CM.com could not read our request; check the API base'],
    '301': ['elsewhere', 'the sender is not valid at CM.com; check `from`'],
    '302': ['never', 'the recipient is no valid number'],
    '303': ['never', 'the recipient is no valid number'],
    '304': ['never', 'CM.com refused the text'],
    '305': ['elsewhere', 'a field of our request was not valid; check `from`'],
    '401': ['elsewhere', 'the filter of CM.com took the message for spam; review text and sender'],
    '402': ['elsewhere', 'the number is on a blocklist of CM.com'],
    '403': ['elsewhere', 'CM.com refused the message; ask its support'],
    '500': ['ambiguous', 'CM.com failed while it had the message; it may be out'],
    '999': ['ambiguous', 'CM.com failed while it had the message; it may be out'],
  },
  reasons: {
    STATUS_1: 'CM.com refused the message: credit, content or rules of the country; see its message log',
    STATUS_3: 'the operator could not deliver the message; see the message log of CM.com',
  },
  // The sources at hand do not list the numbers of its reports.
  explanations: [
    ['^DLR_\\d{1,4}$', 'see this number in the standard errors of CM.com: developers.cm.com, incoming status report'],
    ['^\\d{1,4}$', 'see this code in the documentation of CM.com'],
  ],
}
