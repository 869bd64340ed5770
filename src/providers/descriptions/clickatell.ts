/** Clickatell One API. Its callbacks are set up at Clickatell for the whole integration, and not signed. */
import type { DescriptionFile } from '../description'

export const clickatell: DescriptionFile = {
  type: 'clickatell',
  title: 'Clickatell',
  documentation:
    'https://guides.clickatell.com/clickatell-chat-commerce-platform/developer/channels/whatsapp-and-sms-one-api/api-reference/messages/send-messages',
  channels: ['sms'],
  fields: {
    apiKey: {
      title: 'API key',
      secret: true,
      pattern: '^[\\x21-\\x7e]+$',
      says: 'must be the API key of the integration',
    },
    from: {
      title: 'Sender',
      help: 'A two-way number of the integration, for countries that need one.',
      optional: true,
    },
    apiBase: { title: 'API base', url: true, default: 'https://platform.clickatell.com' },
  },
  auth: { type: 'header', name: 'authorization', value: '{{apiKey}}' },
  send: {
    sms: {
      request: {
        path: '/v1/message',
        json: {
          messages: [
            {
              channel: 'sms',
              to: '{{toDigits}}',
              content: '{{text}}',
              from: '{{from}}',
              clientMessageId: '{{messageId}}',
            },
          ],
        },
      },
      accepted: [{ path: 'messages.0.accepted', is: 'true' }],
      id: 'messages.0.apiMessageId',
      codePath: ['messages.0.error.code', 'error.code', 'messages.0.error', 'error'],
    },
  },
  codePattern: '^(\\d{1,3}|[A-Z][A-Z_]{2,59})$',
  reports: {
    items: 'event.messageStatusUpdate',
    ownId: 'clientMessageId',
    kinds: [
      {
        api: 'sms',
        id: 'messageId',
        result: {
          status: 'status',
          code: 'status',
          delivered: ['DEVICE_ACK', 'READ'],
          failed: [
            'EXPIRED',
            'STOPPED_BY_USER',
            'STOPPED_BY_ADMIN',
            'DELIVERY_FAILURE',
            'INSUFFICIENT_ACCOUNT_BALANCE',
            'VOLUME_LIMIT',
            'VOLUME_LIMIT_DAILY',
            'VOLUME_LIMIT_MONTHLY',
            'RECIPIENT_DOES_NOT_EXIST',
            'ROUTING_ERROR',
          ],
        },
      },
    ],
  },
  // docs.clickatell.com, One API errors table
  codes: {
    '1': ['unfit', 'Clickatell refused our credentials; check the API key'],
    '2': ['unfit', 'the Clickatell account is not active'],
    '3': ['unfit', 'the integration is not active; activate it at Clickatell'],
    '7': ['unfit', 'the Clickatell account takes no requests from the address of this server'],
    '18': ['ambiguous', 'Clickatell failed while it had the message; it may be out'],
    // "Please retry" does not say that nothing was taken.
    '19': ['ambiguous', 'Clickatell failed while it had the message; it may be out'],
    '20': ['unfit', 'the Clickatell account has no balance left; top it up'],
    '21': ['elsewhere', 'Clickatell could not read our request; check the API base'],
    '23': ['elsewhere', 'a field of our request was missing or not valid; check `from`'],
    '24': ['never', 'the text is too long'],
    '25': ['never', 'the recipient is no valid number'],
    '26': ['stopped', 'the recipient has opted out of messages from this account; tell them to opt in again'],
    '27': ['elsewhere', 'the number cannot be reached by SMS'],
    '28': ['elsewhere', 'the integration is a sandbox, and sends to numbers on its list only'],
    '38': ['unfit', 'SMS is not active on the integration; activate it at Clickatell'],
    '39': ['unfit', 'the integration has no SMS; add it at Clickatell'],
    '41': ['elsewhere', 'Clickatell did not find what the request is about; check the API base'],
    '43': ['later', 'too many requests to Clickatell at a time'],
    '44': ['elsewhere', 'the sender is suspended'],
    '45': ['elsewhere', 'the sender does not belong to the integration'],
    '46': ['unfit', 'the demo of the Clickatell account has ended'],
    '100': ['never', 'the text has too many parts'],
    '101': ['elsewhere', 'the destination takes no two-way messages; use an integration without a number'],
    '110': ['elsewhere', 'the USA needs a two-way integration; set `from`'],
    '111': ['elsewhere', 'the USA needs the STOP command on the integration'],
  },
  // docs.clickatell.com, One API message status table
  reasons: {
    EXPIRED: 'the message expired before it was delivered',
    STOPPED_BY_USER: 'the message was stopped at Clickatell by its user',
    STOPPED_BY_ADMIN: 'Clickatell stopped the message; ask its support',
    DELIVERY_FAILURE: 'the network could not deliver the message',
    INSUFFICIENT_ACCOUNT_BALANCE: 'the Clickatell account has no balance left; top it up',
    VOLUME_LIMIT: 'the account has used up its messages',
    VOLUME_LIMIT_DAILY: 'the account has used up its messages of the day',
    VOLUME_LIMIT_MONTHLY: 'the account has used up its messages of the month',
    RECIPIENT_DOES_NOT_EXIST: 'the number cannot be reached by SMS',
    ROUTING_ERROR: 'Clickatell had no route to the number',
  },
  explanations: [['^\\d{1,3}$', 'see this code in the errors table of the One API of Clickatell']],
}
