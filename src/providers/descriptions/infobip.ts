/** Infobip SMS API v3. It signs no reports, so that the report URL of each message has a secret. */
import type { DescriptionFile } from '../description'

export const infobip: DescriptionFile = {
  type: 'infobip',
  title: 'Infobip',
  documentation: 'https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages',
  channels: ['sms'],
  fields: {
    apiKey: { title: 'API key', secret: true, pattern: '^[\\x21-\\x7e]+$', says: 'must be an API key of the account' },
    from: { title: 'Sender', help: 'A name or a number that is registered with Infobip.' },
    apiBase: {
      title: 'API base',
      help: 'Your own host: https://….api.infobip.com, as the Infobip portal shows it.',
      url: true,
    },
  },
  auth: { type: 'header', name: 'authorization', value: 'App {{apiKey}}' },
  send: {
    sms: {
      request: {
        path: '/sms/3/messages',
        json: {
          messages: [
            {
              sender: '{{from}}',
              destinations: [{ to: '{{toDigits}}' }],
              content: { text: '{{text}}' },
              options: {
                validityPeriod: { amount: '{{expiresInSec}}', timeUnit: 'SECONDS' },
                regional: {
                  indiaDlt: { contentTemplateId: '{{dltTemplateId}}', principalEntityId: '{{dltEntityId}}' },
                },
              },
              webhooks: { delivery: { url: '{{reportUrlWithToken}}' } },
            },
          ],
        },
      },
      accepted: [{ path: 'messages.0.status.groupName', is: ['PENDING', 'DELIVERED'] }],
      id: 'messages.0.messageId',
      codePath: ['messages.0.status.name', 'requestError.serviceException.messageId', 'errorCode'],
      noCode: ['NO_ERROR'],
      unlisted: [{ code: '^(REJECTED|UNDELIVERABLE)_', means: 'elsewhere' }],
      query: {
        request: { method: 'GET', path: '/sms/3/logs?messageId={{id}}' },
        items: 'results',
        idPath: 'messageId',
        firstAfterSec: 60,
        firstAfterSecWithoutReports: 10,
      },
    },
  },
  codePattern: '^[A-Z][A-Z0-9_]{2,59}$',
  result: {
    status: 'status.name',
    code: ['error.name', 'status.name'],
    // The operator has it; the phone may not. And where no report came, the message may be there.
    open: ['DELIVERED_TO_OPERATOR', 'EXPIRED_DLR_UNKNOWN'],
    delivered: ['DELIVERED_TO_HANDSET'],
    failed: { matches: '^(UNDELIVERABLE|EXPIRED|REJECTED|SIGNALS_BLOCKED)' },
  },
  reports: { items: 'results', kinds: [{ api: 'sms', id: 'messageId' }] },
  // infobip.com/docs/essentials/api-essentials/response-status-and-error-codes
  codes: {
    UNDELIVERABLE_REJECTED_OPERATOR: ['elsewhere', 'the operator of the recipient refused the message'],
    UNDELIVERABLE_NOT_DELIVERED: ['elsewhere', 'the number cannot be reached'],
    REJECTED_NETWORK: ['elsewhere', 'the network of the recipient is not set up on the Infobip account'],
    REJECTED_PREFIX_MISSING: ['elsewhere', 'Infobip knows no such number; its prefix or length is wrong'],
    REJECTED_DND: ['elsewhere', 'the recipient takes no such messages (do not disturb)'],
    REJECTED_SOURCE: ['elsewhere', 'the sender is not registered on the Infobip account'],
    REJECTED_NOT_ENOUGH_CREDITS: ['unfit', 'the Infobip account has no credit left; top it up'],
    REJECTED_SENDER: ['elsewhere', 'the sender is on the blocklist of the Infobip account'],
    // infobip.com/docs/blocklist: opt-outs are put there.
    REJECTED_DESTINATION_BLOCKLISTED: [
      'stopped',
      'the recipient has opted out, or the operator blocks the number; see the Do Not Contact list of Infobip',
    ],
    REJECTED_PREPAID_PACKAGE_EXPIRED: ['unfit', 'the credit of the Infobip account has expired; top it up'],
    REJECTED_DESTINATION_NOT_REGISTERED: ['elsewhere', 'the Infobip account is a trial, and sends to one number only'],
    REJECTED_ROUTE_NOT_AVAILABLE: ['elsewhere', 'the Infobip account has no route to this number'],
    REJECTED_FLOODING_FILTER: ['elsewhere', 'the number got too many messages within an hour'],
    REJECTED_SYSTEM_ERROR: ['later', 'Infobip failed and did not take the message'],
    // Not a refusal of this request alone: the message of that ID may be out.
    REJECTED_DUPLICATE_MESSAGE_ID: ['ambiguous', 'Infobip has such a message already; it may be out'],
    REJECTED_MESSAGE_TOO_LONG: ['never', 'the text is too long'],
    REJECTED_DESTINATION: ['elsewhere', 'Infobip takes the number for an invalid one'],
    MISSING_TO: ['never', 'the message has no recipient'],
    SIGNALS_BLOCKED: ['elsewhere', 'Infobip blocked the message on suspicion of fraud'],
    UNDELIVERABLE_REJECTED_PLATFORM: ['elsewhere', 'Infobip refused the request, or cannot take it for now'],
    UNAUTHORIZED: ['unfit', 'Infobip refused our credentials; check API key and API base'],
  },
  reasons: {
    EXPIRED_EXPIRED: 'the code expired before the message was delivered',
    UNDELIVERABLE_NOT_SENT: 'the message was not sent',
    EC_UNKNOWN_SUBSCRIBER: 'the number is unknown to its network',
    EC_UNIDENTIFIED_SUBSCRIBER: 'the number is unknown where its phone should be',
    EC_ABSENT_SUBSCRIBER: 'the phone was unreachable: switched off, or out of coverage',
    EC_ABSENT_SUBSCRIBER_SM: 'the phone was unreachable: switched off, or out of coverage',
    EC_ILLEGAL_SUBSCRIBER: 'the network bars this number',
    EC_TELESERVICE_NOT_PROVISIONED: 'the number takes no SMS',
    EC_CALL_BARRED: 'the operator has suspended the number',
    EC_SUBSCRIBER_BUSY_FOR_MT_SMS: 'the phone was busy',
    EC_SM_DELIVERY_FAILURE: 'the network could not hand the message to the phone',
    EC_SM_DF_MEMORYCAPACITYEXCEEDED: 'the inbox of the phone is full',
    EC_SYSTEM_FAILURE: 'the network of the recipient failed',
  },
  explanations: [['^[A-Z][A-Z0-9_]{2,59}$', 'see this name in the response status and error codes of Infobip']],
}
