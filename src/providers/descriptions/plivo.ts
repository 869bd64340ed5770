/**
 * Plivo Messaging. What it signs of a report is its address alone, so that a report proves little: the message is asked for
 * before it counts.
 */
import type { DescriptionFile } from '../description'

export const plivo: DescriptionFile = {
  type: 'plivo',
  title: 'Plivo',
  documentation: 'https://www.plivo.com/docs/messaging/api/message/send-a-message',
  channels: ['sms'],
  fields: {
    authId: { title: 'Auth ID', pattern: '^[A-Z0-9]{20}$', says: 'must be an Auth ID: 20 capitals and digits' },
    authToken: { title: 'Auth token', secret: true, pattern: '^[\\x21-\\x7e]{8,}$', says: 'must be the auth token' },
    from: { title: 'Sender', help: 'A Plivo number, a short code, or a name where the country allows it.' },
    apiBase: { title: 'API base', url: true, default: 'https://api.plivo.com' },
  },
  auth: { type: 'basic', user: '{{authId}}', password: '{{authToken}}' },
  send: {
    sms: {
      request: {
        path: '/v1/Account/{{authId}}/Message/',
        json: {
          ...{ src: '{{from}}', dst: '{{toDigits}}', text: '{{text}}', url: '{{reportUrl}}', method: 'POST' },
          ...{ dlt_entity_id: '{{dltEntityId}}', dlt_template_id: '{{dltTemplateId}}' },
        },
      },
      id: 'message_uuid.0',
      idPattern: '^[0-9a-fA-F-]{32,36}$',
      query: {
        request: { method: 'GET', path: '/v1/Account/{{authId}}/Message/{{id}}/' },
        result: { status: 'message_state', code: 'error_code' },
        firstAfterSec: 60,
        firstAfterSecWithoutReports: 10,
      },
    },
  },
  codePattern: '^[1-9]\\d{1,3}$',
  result: {
    delivered: ['delivered'],
    failed: ['failed', 'undelivered', 'rejected'],
    failedCode: '{{status|upper}}',
  },
  reports: {
    isForm: true,
    signature: {
      type: 'hmac',
      algorithm: 'sha256',
      encoding: 'base64',
      secret: '{{authToken}}',
      header: 'x-plivo-signature-v2',
      signed: '{{url}}{{header.x-plivo-signature-v2-nonce}}',
    },
    kinds: [{ api: 'sms', id: 'MessageUUID', result: { status: 'Status', code: 'ErrorCode' } }],
    mustAsk: true,
  },
  // A refusal has words only, no code of its own. plivo.com/docs/messaging/api/response
  codes: {
    // Codes of reports.
    '200': ['stopped', 'the recipient has replied STOP to this sender; tell them to reply START'],
    HTTP_400: ['elsewhere', 'Plivo refused the request; check sender and number'],
    HTTP_401: ['unfit', 'Plivo refused our credentials; check Auth ID and auth token'],
    HTTP_404: ['unfit', 'Plivo knows no such account; check Auth ID and API base'],
  },
  // plivo.com/docs/messaging/troubleshooting/error-codes
  reasons: {
    '10': 'the operator refused the message as invalid',
    '20': 'the network of the operator failed for the time being',
    '30': 'the operator took the message for spam; review text and sender',
    '40': 'the sender is not valid, cannot send SMS, or is not of this Plivo account',
    '50': 'the number is not valid',
    '60': 'the operator saw a loop of messages between both numbers',
    '70': 'the number is not active',
    '80': 'the phone was unreachable: switched off, or out of coverage',
    '90': 'no operator had a route to the number',
    '100': 'the network of the recipient takes no such messages',
    '110': 'the text is too long',
    '201': 'a US toll-free sender cannot send to Canada',
    '1000': 'the message was not delivered, and nobody knows why',
    FAILED: 'the message was not sent; Plivo gave no reason',
    UNDELIVERED: 'the message was not delivered; Plivo gave no reason',
    REJECTED: 'the message was refused; Plivo gave no reason',
  },
  explanations: [['^[1-9]\\d{1,3}$', 'see this code in the SMS error codes of Plivo']],
}
