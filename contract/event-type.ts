/** What a webhook may be about, by itself: a server needs the names before it makes the schemas. */
export const EVENT_TYPES = [
  'otp.sent',
  'otp.delivered',
  'otp.failed',
  'otp.verified',
  'otp.expired',
  'otp.max_attempts',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
