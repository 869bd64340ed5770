/**
 * Bodies of outbound webhooks. Specification: "Events"; what it leaves open: decisions, "Webhooks".
 *
 * These are the bodies without a payload template.
 */
import { z } from 'zod'
import { EVENT_TYPES, type EventType, type HookEventType } from './constants'
import { issueId, leg, timestamp } from './value'

export { EVENT_TYPES, type EventType }

export const eventType = z
  .enum(EVENT_TYPES)
  .meta({ description: 'What happened. More types may come: ignore those you do not know.', examples: ['otp.sent'] })

/** Fields of `data` that several events share. */
const field = {
  id: issueId,
  to: z
    .string()
    .regex(/^\+[0-9]{1,3}\*+[0-9]{0,4}$/)
    .meta({ description: 'The phone number, masked.', examples: ['+82******5678'] }),
  /** The channel that carried the code. */
  method: leg,
  type: z.string().meta({ description: 'The `purpose` of the issue.', examples: ['signup'] }),
  metadata: z
    .record(z.string(), z.string())
    .meta({ description: 'The `metadata` of the issue; empty where it has none.', examples: [{ userId: 'u_42' }] }),
  maxAttempts: z
    .int()
    .min(1)
    .meta({ description: 'Wrong codes allowed in all.', examples: [5] }),
  wrongCodes: z
    .int()
    .nonnegative()
    .meta({ description: 'Wrong codes so far.', examples: [2] }),
}

/** The envelope of every event. */
const event = <T extends EventType, D extends z.ZodRawShape>(type: T, description: string, data: D) =>
  z
    .object({
      id: z
        .string()
        .min(1)
        .meta({
          description: 'Identifier of the event, the same in every attempt to deliver it: handle each id once.',
          examples: [SAMPLE_EVENT_ID],
        }),
      type: z.literal(type).meta({ description }),
      created: z.int().nonnegative().meta({ description: 'When it happened, Unix time in seconds.' }),
      data: z.object(data),
    })
    .meta({ description, examples: [SAMPLES[type]] })

const SAMPLE_EVENT_ID = '0199f2a4-9a41-7e08-b1c5-3d7f60a2e914'
const SAMPLE_ISSUE_ID = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'

const sample = <T extends EventType, D extends { id: string }>(type: T, at: string, data: D) => ({
  id: SAMPLE_EVENT_ID,
  type,
  created: Date.parse(at) / 1_000,
  data,
})

const SAMPLES = {
  'otp.sent': sample('otp.sent', '2026-01-15T09:30:01Z', {
    id: SAMPLE_ISSUE_ID,
    to: '+82******5678',
    method: 'sms' as const,
    type: 'signup',
    status: 'sent' as const,
    sent_at: '2026-01-15T09:30:01.000Z',
  }),
  'otp.delivered': sample('otp.delivered', '2026-01-15T09:30:04Z', {
    id: SAMPLE_ISSUE_ID,
    status: 'delivered' as const,
    delivered_at: '2026-01-15T09:30:04.000Z',
    carrier: 'main',
    country: 'KR',
    method: 'sms' as const,
    type: 'signup',
    cost: { amount: 1, currency: 'CREDIT' },
    metadata: { userId: 'u_42' },
  }),
  'otp.failed': sample('otp.failed', '2026-01-15T09:30:04Z', {
    id: SAMPLE_ISSUE_ID,
    status: 'failed' as const,
    failed_at: '2026-01-15T09:30:04.000Z',
    error: { code: 'UNREACHABLE', message: 'The message could not be delivered' },
  }),
  'otp.verified': sample('otp.verified', '2026-01-15T09:30:20Z', {
    id: SAMPLE_ISSUE_ID,
    status: 'verified' as const,
    verified_at: '2026-01-15T09:30:20.000Z',
    attempts: 1,
    method: 'sms' as const,
    type: 'signup',
    metadata: { userId: 'u_42' },
  }),
  'otp.expired': sample('otp.expired', '2026-01-15T09:33:00Z', {
    id: SAMPLE_ISSUE_ID,
    status: 'expired' as const,
    expired_at: '2026-01-15T09:33:00.000Z',
    attempts: 2,
    max_attempts: 5,
    method: 'sms' as const,
    type: 'signup',
    metadata: { userId: 'u_42' },
  }),
  'otp.max_attempts': sample('otp.max_attempts', '2026-01-15T09:30:40Z', {
    id: SAMPLE_ISSUE_ID,
    status: 'max_attempts' as const,
    max_attempts_at: '2026-01-15T09:30:40.000Z',
    attempts: 5,
    max_attempts: 5,
    method: 'sms' as const,
    type: 'signup',
    metadata: { userId: 'u_42' },
  }),
} satisfies { [T in EventType]: { type: T } }

/** Schemas of events by type. */
export const eventSchemas = {
  'otp.sent': event('otp.sent', 'A provider accepted the message. An AlimTalk that falls back to SMS is sent twice.', {
    id: field.id,
    to: field.to,
    method: field.method,
    type: field.type,
    status: z.literal('sent'),
    sent_at: timestamp,
  }),
  'otp.delivered': event('otp.delivered', 'The message reached the recipient.', {
    id: field.id,
    status: z.literal('delivered'),
    delivered_at: timestamp,
    carrier: z.string().meta({ description: 'Who delivered it.', examples: ['main'] }),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .meta({ description: 'ISO 3166 country of the number; `ZZ` where it has none.', examples: ['KR'] }),
    to: field.to.optional(),
    method: field.method.optional(),
    type: field.type.optional(),
    cost: z
      .object({
        amount: z.number().meta({ description: 'Credits, not money.', examples: [1] }),
        currency: z.string().meta({ description: 'Credit unit.', examples: ['CREDIT'] }),
      })
      .optional()
      .meta({ description: 'What the issue costs.' }),
    metadata: field.metadata.optional(),
  }),
  'otp.failed': event('otp.failed', 'The delivery failed for good, on every provider and channel it could take.', {
    id: field.id,
    status: z.literal('failed'),
    failed_at: timestamp,
    error: z.object({
      code: z.string().meta({ description: 'Result code of the provider, or of the service.' }),
      message: z.string().meta({ description: 'The same for people.' }),
    }),
  }),
  'otp.verified': event('otp.verified', 'The code was verified.', {
    id: field.id,
    status: z.literal('verified'),
    verified_at: timestamp,
    attempts: z
      .int()
      .min(1)
      .meta({ description: 'Codes tried, the right one included.', examples: [1] }),
    method: field.method.optional(),
    type: field.type.optional(),
    metadata: field.metadata.optional(),
  }),
  'otp.expired': event('otp.expired', 'The code expired without being verified.', {
    id: field.id,
    status: z.literal('expired'),
    expired_at: timestamp,
    attempts: field.wrongCodes,
    max_attempts: field.maxAttempts,
    method: field.method,
    type: field.type,
    metadata: field.metadata,
  }),
  'otp.max_attempts': event('otp.max_attempts', 'A wrong code used the last attempt.', {
    id: field.id,
    status: z.literal('max_attempts'),
    max_attempts_at: timestamp,
    attempts: field.wrongCodes,
    max_attempts: field.maxAttempts,
    method: field.method,
    type: field.type,
    metadata: field.metadata,
  }),
} satisfies Record<EventType, z.ZodType>

export const otpEvent = z
  .discriminatedUnion('type', [
    eventSchemas['otp.sent'],
    eventSchemas['otp.delivered'],
    eventSchemas['otp.failed'],
    eventSchemas['otp.verified'],
    eventSchemas['otp.expired'],
    eventSchemas['otp.max_attempts'],
  ])
  .meta({ description: 'Body of a webhook request.' })

export type OtpEvent = z.infer<typeof otpEvent>

/** The event of one type. */
export type OtpEventOf<T extends EventType> = Extract<OtpEvent, { type: T }>

/** A sample event with fixed values, for previews, tests and the published description. */
export const sampleEvent = <T extends EventType>(type: T): OtpEventOf<T> =>
  structuredClone(SAMPLES[type]) as unknown as OtpEventOf<T>

/** A sample of any event. Those of relays have the fields of their `otp` siblings. */
export const sampleHookEvent = (type: HookEventType): { type: HookEventType; data: OtpEvent['data'] } => ({
  ...sampleEvent(type.replace('message.', 'otp.') as EventType),
  type,
})
