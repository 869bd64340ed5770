/** Telnyx Messaging. Its reports are signed by Ed25519; where one is lost, the message is asked for. */
import type { DescriptionFile } from '../description'

export const telnyx: DescriptionFile = {
  type: 'telnyx',
  title: 'Telnyx',
  documentation: 'https://developers.telnyx.com/docs/messaging/messages/send-message',
  channels: ['sms'],
  fields: {
    apiKey: { title: 'API key', secret: true, pattern: '^[\\x21-\\x7e]+$', says: 'must be an API key (v2)' },
    publicKey: {
      title: 'Public key',
      help: 'Of the account, in base64: Keys & Credentials in the portal. Telnyx signs its reports with it.',
      pattern: '^[A-Za-z0-9+/]{43}=$',
      says: 'must be the public key of the account, 44 characters of base64',
    },
    from: { title: 'Sender', help: 'A number in E.164 on a messaging profile, a short code, or a name.' },
    messagingProfileId: {
      title: 'Messaging profile',
      help: 'Needed where the sender is a name.',
      optional: true,
    },
    apiBase: { title: 'API base', url: true, default: 'https://api.telnyx.com' },
  },
  auth: { type: 'bearer', token: '{{apiKey}}' },
  send: {
    sms: {
      request: {
        path: '/v2/messages',
        json: {
          from: '{{from}}',
          messaging_profile_id: '{{messagingProfileId}}',
          to: '{{to}}',
          text: '{{text}}',
          webhook_url: '{{reportUrl}}',
        },
      },
      id: 'data.id',
      codePath: 'errors.0.code',
      query: {
        request: { method: 'GET', path: '/v2/messages/{{id}}' },
        result: { status: 'data.to.0.status', code: 'data.errors.0.code' },
        firstAfterSec: 60,
        firstAfterSecWithoutReports: 10,
      },
    },
  },
  // developers.telnyx.com/api-reference/number-lookup/lookup-phone-number-data
  lookup: {
    request: { method: 'GET', path: '/v2/number_lookup/{{to}}?type=carrier' },
    channels: ['sms'],
    facts: {
      landline: [{ path: 'data.carrier.type', is: 'fixed line' }],
      voip: [{ path: 'data.carrier.type', is: 'voip' }],
      ported: [{ path: 'data.portability.ported_status', is: 'Y' }],
    },
  },
  // Five digits that begin so; anything else may be of the message.
  codePattern: '^[1-4]\\d{4}$',
  result: {
    // `delivery_unconfirmed` is nobody's failure: most American networks confirm nothing.
    delivered: ['delivered'],
    failed: ['sending_failed', 'delivery_failed'],
    failedCode: '{{status|upper}}',
  },
  reports: {
    signature: {
      type: 'ed25519',
      header: 'telnyx-signature-ed25519',
      publicKey: '{{publicKey}}',
      signed: '{{timestamp}}|{{body}}',
      timestampHeader: 'telnyx-timestamp',
    },
    if: [{ path: 'data.event_type', is: 'message.finalized' }],
    items: 'data.payload',
    kinds: [{ api: 'sms', id: 'id', result: { status: 'to.0.status', code: 'errors.0.code' } }],
  },
  // developers.telnyx.com/docs/messaging/messages/error-codes
  codes: {
    '10002': ['elsewhere', 'Telnyx takes the number for an invalid one'],
    '10004': ['elsewhere', 'a required field was missing in our request; set `from`'],
    '10007': ['ambiguous', 'Telnyx failed while it had the message; it may be out'],
    '10009': ['unfit', 'Telnyx refused our credentials; check the API key'],
    '10010': ['unfit', 'the Telnyx account may not send messages; check the rights of the API key'],
    '10011': ['later', 'too many requests to Telnyx at a time'],
    '10016': ['never', 'the recipient is no valid number'],
    '20100': ['unfit', 'the Telnyx account has no balance left; top it up'],
    '40100': ['elsewhere', 'the sender is not enabled for messages; put it on a messaging profile'],
    '40300': ['stopped', 'the recipient has replied STOP to this sender; tell them to reply START'],
    '40301': ['elsewhere', 'the number takes no such messages from this sender'],
    '40302': ['never', 'the text is too long'],
    '40305': ['elsewhere', 'the sender is not valid, or is on no messaging profile of the account'],
    '40306': ['elsewhere', 'the messaging profile has no name as its sender; set one there'],
    '40309': ['elsewhere', 'sending to this country is not enabled; see the messaging profile'],
    '40310': ['never', 'the recipient is no valid number'],
    '40312': ['unfit', 'the messaging profile is disabled; enable it in the portal'],
    '40314': ['unfit', 'the Telnyx account may not send messages; ask the support of Telnyx'],
    '40315': ['elsewhere', 'the sender has too many spam reports; use another'],
    '40318': ['later', 'the queue of this sender is full; add senders or send more slowly'],
    '40320': ['elsewhere', 'the sender is still being set up'],
    '40321': ['elsewhere', 'the messaging profile has no number that can be used'],
    '40322': ['elsewhere', 'Telnyx blocked the message for its text'],
  },
  reasons: {
    '40001': 'the number is a landline, or cannot be reached',
    '40002': 'the operator took the message for spam, for now; send more slowly and review the text',
    '40003': 'the operator has blocked the sender; use another and ask the support of Telnyx',
    '40004': 'the operator of the recipient refused the message without a reason',
    '40005': 'the message expired on its way',
    '40006': 'the operator of the recipient did not answer',
    '40008': 'the operator did not take the message; the number may not exist',
    '40009': 'the operator refused the text',
    '40010': 'the US number is not registered for A2P 10DLC',
    '40011': 'messages are sent faster than the operator allows',
    '40012': 'the operator takes the number for an invalid one',
    '40013': 'the operator refused the sender',
    '40014': 'the message expired in the queue of the sender',
    '40015': 'the filter of Telnyx took the message for spam',
    SENDING_FAILED: 'the message was not sent; Telnyx gave no reason',
    DELIVERY_FAILED: 'the message was not delivered; Telnyx gave no reason',
  },
  explanations: [['^[1-4]\\d{4}$', 'see this code in the error codes of Telnyx']],
}
