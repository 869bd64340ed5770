/**
 * Kaleyra (Tata Communications): SMS to most countries, in India with DLT. Its public documentation does not list the codes of a
 * refusal, so the HTTP status alone decides, and what it does not say is ambiguous. What a report looks like is said by the operator's
 * callback profile; here it has the fields `id`, `status` and `code`.
 */
import type { DescriptionFile } from '../description'

export const kaleyra: DescriptionFile = {
  type: 'kaleyra',
  title: 'Kaleyra',
  documentation: 'https://developers.kaleyra.io/docs/send-your-first-sms',
  channels: ['sms'],
  fields: {
    sid: { title: 'SID', pattern: '^[A-Za-z0-9]{8,64}$', says: 'must be the SID of the account' },
    apiKey: { title: 'API key', secret: true, pattern: '^[\\x21-\\x7e]+$', says: 'must be an API key' },
    from: { title: 'Sender ID', help: 'A registered sender ID or number.' },
    callbackProfileId: {
      title: 'Callback profile',
      help: 'It calls the report URL with id (message ID), status (status) and code (status trace), and with the report secret.',
      optional: true,
    },
    apiBase: {
      title: 'API base',
      help: 'Of your region: api.in.kaleyra.io, api.ap.kaleyra.io or api.eu.kaleyra.io.',
      url: true,
      default: 'https://api.kaleyra.io',
    },
  },
  auth: { type: 'header', name: 'api-key', value: '{{apiKey}}' },
  send: {
    sms: {
      request: {
        path: '/v1/{{sid}}/messages',
        form: {
          to: '{{to}}',
          sender: '{{from}}',
          type: 'OTP',
          body: '{{text}}',
          // The ID that India's DLT gave the template.
          template_id: '{{dltTemplateId ?? templateCode|only:^\\d{6,30}$}}',
          ref: '{{messageId}}',
          callback_profile_id: '{{callbackProfileId}}',
        },
      },
      id: 'data.0.message_id',
      idPattern: '^[\\w:.-]{1,128}$',
    },
  },
  codePattern: '^(?!.*\\d{6})[A-Z][A-Z0-9-]{1,31}$',
  reports: {
    kinds: [
      {
        api: 'sms',
        id: 'id',
        result: {
          status: 'status',
          // Sent, SUBMITTED, ENROUTE and «SENT - NO DLR» decide nothing.
          delivered: { matches: '^(?i:delivered|delivrd)$' },
          failed: { matches: '^(?i:failed|undelivered|undeliv|not-?sent|expired)$' },
          code: 'code',
          failedCode: '{{status|upper}}',
        },
      },
    ],
  },
  codes: {
    HTTP_400: ['elsewhere', 'Kaleyra found the request malformed; check sender and template'],
    HTTP_401: ['unfit', 'Kaleyra does not know the API key, or not for this SID'],
    HTTP_403: ['elsewhere', 'Kaleyra refused the request; check sender, SID and region'],
    HTTP_404: ['elsewhere', 'Kaleyra knows no such account; check SID and API base'],
    // Codes of reports.
    'OPT-OUT': ['stopped', 'the recipient has opted out; tell them to opt in again'],
  },
  // developers.kaleyra.io/docs/sms-status-and-status-trace-codes
  reasons: {
    NOTALLOWED: 'the country is not enabled for the account; ask Kaleyra to enable it',
    'NO-CREDITS': 'the account has no credit left; top it up',
    BLACKLIST: 'the number is on the blacklist of the account',
    'CON-DND': 'the number is on the list against promotions; send it transactional messages only',
    'TEMPLATE-NOT-FOUND': 'the template is not registered and mapped (DLT)',
    'INVALID-SUB': 'nobody has this number',
    'MOB-OFF': 'the phone was off',
    'BLOCKED-COUNTRY': 'the country is blocked for the account; ask Kaleyra to unblock it',
    'KYC-NOT-APPROVED': 'Kaleyra has not approved the account yet; complete its KYC',
    EXPIRED: 'the phone could not be reached in time',
    FAILED: 'the message could not be delivered',
    UNDELIVERED: 'number or text was wrong or unsuitable',
    UNDELIV: 'number or text was wrong or unsuitable',
    'NOT-SENT': 'Kaleyra did not send the message',
    NOTSENT: 'Kaleyra did not send the message',
  },
  explanations: [['^[A-Z][A-Z0-9-]{1,31}$', 'see this code in the status trace codes of Kaleyra']],
}
