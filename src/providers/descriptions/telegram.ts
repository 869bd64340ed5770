/** Telegram Gateway: our code from Telegram's own channel of verification codes. What expires undelivered is refunded. */
import type { DescriptionFile } from '../description'

// In the answer to a query, what a report says stands within `result`.
const isRefunded = '{{is_refunded ?? result.is_refunded|only:true|as:_REFUNDED}}'
const status = {
  delivered: ['delivered', 'read'],
  failed: ['expired', 'revoked'],
  failedCode: `{{status|upper}}${isRefunded}`,
}

export const telegram: DescriptionFile = {
  type: 'telegram',
  title: 'Telegram',
  documentation: 'https://core.telegram.org/gateway/api',
  channels: ['telegram'],
  fields: {
    token: {
      title: 'API token',
      help: 'Of the account at gateway.telegram.org; Telegram also signs its reports by it.',
      secret: true,
      pattern: '^[\\x21-\\x7e]{8,}$',
      says: 'must be the API token of the account',
    },
    senderUsername: {
      title: 'Sender channel',
      help: 'A verified channel of the account, without @; codes come from the channel of Telegram otherwise.',
      optional: true,
      pattern: '^[A-Za-z0-9_]{4,32}$',
      says: 'must be the name of a channel without @',
    },
    apiBase: { title: 'API base', url: true, default: 'https://gatewayapi.telegram.org' },
  },
  auth: { type: 'bearer', token: '{{token}}' },
  send: {
    telegram: {
      request: {
        path: '/sendVerificationMessage',
        json: {
          phone_number: '{{to}}',
          code: '{{code}}',
          sender_username: '{{senderUsername}}',
          // A message that is not delivered before the next leg starts costs nothing.
          ttl: '{{waitSec|atLeast:30|atMost:3600}}',
          callback_url: '{{reportUrl}}',
          payload: '{{messageId}}',
        },
      },
      accepted: [{ path: 'ok', is: 'true' }],
      id: 'result.request_id',
      codePath: 'error',
      unlisted: [
        { code: '^FLOOD_WAIT', means: 'later' },
        // An answer with a name of an error is a refusal.
        { code: '^(?!HTTP_)', means: 'elsewhere' },
      ],
      query: {
        request: { path: '/checkVerificationStatus', json: { request_id: '{{id}}' } },
        result: { status: 'result.delivery_status.status' },
        firstAfterSec: 60,
        firstAfterSecWithoutReports: 5,
      },
      // Telegram leaves a message that was delivered meanwhile where it is.
      revoke: { request: { path: '/revokeVerificationMessage', json: { request_id: '{{id}}' } } },
    },
  },
  codePattern: '^[A-Z][A-Z_]{2,60}(?:\\d{1,5})?$',
  result: status,
  reports: {
    signature: {
      type: 'hmac',
      secret: '{{token}}',
      hashedSecret: 'sha256',
      header: 'x-request-signature',
      timestampHeader: 'x-request-timestamp',
      signed: '{{timestamp}}\n{{body}}',
    },
    ownId: 'payload',
    kinds: [{ api: 'telegram', id: 'request_id', result: { status: 'delivery_status.status' } }],
  },
  codes: {
    ACCESS_TOKEN_INVALID: ['unfit', 'Telegram does not know the token'],
    ACCESS_TOKEN_REQUIRED: ['unfit', 'the token is missing'],
    ACCESS_DENIED: ['unfit', 'the account may not send; see gateway.telegram.org'],
    BALANCE_NOT_ENOUGH: ['unfit', 'the account at the Telegram Gateway has no balance left'],
    PHONE_NUMBER_INVALID: ['never', 'the recipient is no valid number'],
    PHONE_NUMBER_NOT_FOUND: ['absent', 'the number is not on Telegram'],
    PHONE_NUMBER_NOT_AVAILABLE: ['absent', 'the number is not on Telegram, or takes no codes there'],
    SENDER_NOT_VERIFIED: ['elsewhere', 'the sender channel is not verified for this account'],
    SENDER_USERNAME_INVALID: ['elsewhere', 'the sender channel is not valid'],
    CODE_INVALID: ['elsewhere', 'Telegram takes codes of 4 to 8 digits'],
    CALLBACK_URL_INVALID: ['elsewhere', 'Telegram cannot report to PUBLIC_URL; it must be https'],
    TTL_INVALID: ['elsewhere', 'Telegram refused how long the code may wait'],
    PAYLOAD_INVALID: ['elsewhere', 'Telegram refused the id of the message'],
    INTERNAL_ERROR: ['ambiguous', 'Telegram failed while it had the message; it may be out'],
  },
  reasons: {
    EXPIRED: 'the message was not delivered in time; Telegram has not given the fee back',
    EXPIRED_REFUNDED: 'the message was not delivered in time; Telegram gave the fee back',
    REVOKED: 'the message was revoked',
    REVOKED_REFUNDED: 'the message was revoked; Telegram gave the fee back',
  },
  explanations: [
    ['^FLOOD_WAIT', 'Telegram asks for fewer messages at a time'],
    ['^[A-Z][A-Z_]{2,60}$', 'Telegram refused the request with an error that is not listed'],
  ],
}
