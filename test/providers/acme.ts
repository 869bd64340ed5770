/** A vendor that exists nowhere, by a description alone: form-encoded, HMAC-signed, with form reports. */
import type { DescriptionFile } from '../../src/providers/description'

export const ACME: DescriptionFile = {
  type: 'acme',
  title: 'Acme',
  documentation: 'https://acme.example/docs',
  channels: ['sms'],
  fields: {
    account: { title: 'Account', pattern: '^\\d+$', says: 'must be digits' },
    key: { title: 'Key', secret: true },
    from: { title: 'Sender', optional: true },
    apiBase: { title: 'API base', url: true, default: 'https://api.acme.example' },
  },
  auth: {
    type: 'hmac',
    secret: '{{key}}',
    signed: '{{method}} {{path}}\n{{unixSeconds}}\n{{bodyHash}}',
    header: 'x-acme-signature',
    value: '{{account}}:{{signature}}',
    headers: { 'x-acme-time': '{{unixSeconds}}' },
  },
  send: {
    sms: {
      request: {
        path: '/v1/{{account}}/messages',
        form: {
          to: '{{to|digits}}',
          from: '{{from}}',
          text: '{{text}}',
          lang: '{{locale|language|upper}}',
          ttl: '{{expiresInSec|atMost:60}}',
          ref: '{{messageId}}',
        },
      },
      accepted: [{ path: 'ok', is: 'true' }],
      id: 'message.id',
      codePath: 'error.code',
      query: {
        request: { method: 'GET', path: '/v1/{{account}}/messages/{{id}}' },
        result: { status: 'message.state', code: 'message.reason' },
        firstAfterSec: 20,
      },
    },
  },
  codePattern: '^E\\d+$',
  result: { delivered: ['DONE'], failed: ['LOST'] },
  reports: {
    signature: {
      type: 'hmac',
      secret: '{{key}}',
      header: 'x-acme-signature',
      signed: '{{header.x-acme-nonce}}.{{url}}.{{sortedForm}}',
    },
    isForm: true,
    ownId: 'ref',
    kinds: [{ id: 'id', result: { status: 'state', code: 'reason' } }],
  },
  codes: { E1: ['unfit', 'the account is closed'], E2: ['never', 'no such number'] },
  reasons: { E9: 'the phone was off' },
}
