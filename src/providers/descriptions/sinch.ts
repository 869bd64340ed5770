/** Sinch SMS (REST): a batch of one message. Where a report is lost, the batch is asked for. */
import type { DescriptionFile } from '../description'

export const sinch: DescriptionFile = {
  type: 'sinch',
  title: 'Sinch',
  documentation: 'https://developers.sinch.com/docs/sms/api-reference',
  channels: ['sms'],
  fields: {
    servicePlanId: {
      title: 'Service plan ID',
      pattern: '^[0-9a-zA-Z_-]+$',
      says: 'must be the ID of a service plan',
    },
    apiToken: { title: 'API token', secret: true, pattern: '^[\\x21-\\x7e]+$', says: 'must be the token of the plan' },
    from: { title: 'Sender', help: 'A Sinch number, a short code or a name.' },
    webhookSecret: {
      title: 'Webhook secret',
      help: 'Only where Sinch signs the callbacks of the plan (HMAC). Otherwise the report URL has a secret.',
      secret: true,
      optional: true,
    },
    apiBase: {
      title: 'API base',
      help: 'By region: us, eu, au, br or ca before .sms.api.sinch.com.',
      url: true,
      default: 'https://us.sms.api.sinch.com',
    },
  },
  auth: { type: 'bearer', token: '{{apiToken}}' },
  send: {
    sms: {
      request: {
        path: '/xms/v1/{{servicePlanId}}/batches',
        json: {
          from: '{{from}}',
          to: ['{{to}}'],
          body: '{{text}}',
          delivery_report: 'per_recipient_final',
          callback_url: '{{reportUrlWithToken}}',
          expire_at: '{{expiresAt}}',
          client_reference: '{{messageId}}',
        },
      },
      id: 'id',
      codePath: 'code',
      noCode: ['0'],
      query: {
        request: { method: 'GET', path: '/xms/v1/{{servicePlanId}}/batches/{{id}}/delivery_report' },
        items: 'statuses',
        firstAfterSec: 60,
        firstAfterSecWithoutReports: 10,
      },
    },
  },
  codePattern: '^(\\d{1,4}|[a-z][a-z_]{2,39})$',
  result: {
    status: 'status',
    code: 'code',
    // `Unknown` is the end for Sinch, but the message may be on the phone.
    delivered: ['Delivered'],
    failed: ['Aborted', 'Cancelled', 'Rejected', 'Deleted', 'Failed', 'Expired'],
    failedCode: '{{status|upper}}',
  },
  reports: {
    signature: {
      type: 'hmac',
      encoding: 'base64',
      secret: '{{webhookSecret}}',
      header: 'x-sinch-webhook-signature',
      signed: '{{body}}.{{header.x-sinch-webhook-signature-nonce}}.{{timestamp}}',
      timestampHeader: 'x-sinch-webhook-signature-timestamp',
    },
    signedIf: 'webhookSecret',
    if: [{ path: 'type', is: 'recipient_delivery_report_sms' }],
    ownId: 'client_reference',
    kinds: [{ api: 'sms', id: 'batch_id' }],
  },
  // developers.sinch.com/docs/sms/api-reference/status-codes
  codes: {
    syntax_invalid_json: ['elsewhere', 'Sinch could not read our request; check the API base'],
    syntax_invalid_parameter_format: ['elsewhere', 'Sinch refused a field of our request; check number and sender'],
    syntax_constraint_violation: ['elsewhere', 'Sinch refused a field of our request; check the sender'],
    unknown_campaign: ['elsewhere', 'the campaign does not belong to this sender'],
    missing_callback_url: ['elsewhere', 'Sinch has no report URL; set PUBLIC_URL, or a callback URL of the plan'],
    illegal_number_type: ['elsewhere', 'the number is of a type that may not be reached from this region'],
    blocked_account: ['unfit', 'the Sinch account is blocked; check its balance, or ask its manager'],
    HTTP_404: ['unfit', 'Sinch knows no such service plan; check its ID and the API base'],
  },
  // developers.sinch.com/docs/sms/api-reference/sms/delivery-reports/delivery-report-error-codes
  reasons: {
    '402': 'Sinch has no route for this number',
    '403': 'Sinch failed inside; ask its support if this goes on',
    '404': 'the message could not be delivered for now',
    '406': 'the code expired before the message left Sinch',
    '407': 'the message was canceled at Sinch',
    '408': 'Sinch refused the message; trying again will not help',
    '410': 'the account has no sender for this number; set `from`',
    '411': 'the message has too many parts',
    '412': 'the account may not send to this region',
    ABORTED: 'the message was stopped before it left Sinch; it gave no reason',
    CANCELLED: 'the message was canceled at Sinch',
    REJECTED: 'the operator refused the message; Sinch gave no reason',
    DELETED: 'the operator deleted the message; the number may not exist, or has opted out',
    FAILED: 'the message was not delivered; Sinch gave no reason',
    EXPIRED: 'the code expired before the message was delivered',
  },
  explanations: [['^\\d{1,4}$', 'see this code in the delivery report error codes of Sinch']],
}
