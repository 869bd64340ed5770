/**
 * Names and numbers of the interface that need no schema. A server, the console and the domain use them without loading zod:
 * making the schemas is a large part of a start.
 */

/** Channels a caller may ask for. Specification: "Issue". */
export const CHANNELS = ['sms', 'alimtalk'] as const

export type Channel = (typeof CHANNELS)[number]

/** Channels by which a code may go: those, and what an app's delivery plan uses beside them. Events name them as `method`. */
export const LEGS = [...CHANNELS, 'whatsapp', 'telegram', 'voice'] as const

export type Leg = (typeof LEGS)[number]

/** Types of webhook events. Specification: "Events". */
export const EVENT_TYPES = [
  'otp.sent',
  'otp.delivered',
  'otp.failed',
  'otp.verified',
  'otp.expired',
  'otp.max_attempts',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** Types of events that webhooks tell: those of codes, and those of relayed messages, which are no part of the interface. */
export const HOOK_EVENT_TYPES = [...EVENT_TYPES, 'message.sent', 'message.delivered', 'message.failed'] as const
export type HookEventType = (typeof HOOK_EVENT_TYPES)[number]

/** REST path of each operation below `/v1`. Specification: "Endpoints". */
export const PATHS = {
  issue: '/issue',
  verify: '/verify',
  status: '/status',
  listIssues: '/issues',
  getIssue: '/issues/{issueId}',
  listCreditLedger: '/credit-ledger',
  balance: '/balance',
  listTemplates: '/templates',
  getTemplate: '/templates/{templateId}',
} as const

/** HTTP status of every error code. Specification: "Errors". */
export const STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const
