/** Issuing and verifying a code, and its delivery status. Specification: `POST /issue`, `POST /verify`, `GET /status`. */
import { z } from 'zod'
import { because } from './reason'
import {
  channel,
  echoedIssueId,
  issueId,
  issueIdInput,
  mode,
  published,
  STRING_MAP,
  stringMap,
  text,
  timestamp,
} from './value'

export const verificationStatus = z
  .enum(['issued', 'verified', 'expired', 'max_attempts', 'replaced'])
  .meta({ description: 'Effective verification status: an issue past its expiry is `expired`.', examples: ['issued'] })

export const deliveryStatus = z
  .enum(['queued', 'sent', 'delivered', 'failed', 'unknown'])
  .meta({ description: 'Delivery status; `unknown` when the delivery tracker has no record.', examples: ['sent'] })

export const overallStatus = z
  .enum([
    'delivered',
    'delivery_failed',
    'expired',
    'in_progress',
    'max_attempts',
    'pending_lookup',
    'replaced',
    'verified',
  ])
  .meta({ description: 'The verification status, or while that is `issued`, one derived from the delivery.' })

export const attempts = {
  attemptsUsed: z
    .int()
    .nonnegative()
    .meta({ description: 'Wrong codes so far.', examples: [0] }),
  maxAttempts: z
    .int()
    .nonnegative()
    .meta({ description: 'Wrong codes allowed in all.', examples: [5] }),
  attemptsRemaining: z
    .int()
    .nonnegative()
    .meta({ description: 'Wrong codes still allowed.', examples: [5] }),
}

/** Visible ASCII, no spaces, 1 to 128 characters after trimming (rule 2 of `POST /issue`). */
export const idempotencyKey = published(
  z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 visible ASCII characters without spaces'),
  {
    type: 'string',
    pattern: '^\\s*[!-~]{1,128}\\s*$',
    description:
      'Alternative to the `Idempotency-Key` header: one of them is required, and where both are sent they must be equal. ' +
      '1 to 128 visible ASCII characters without spaces, after trimming.',
    examples: ['signup-8f14e45f'],
  },
)

const METADATA_MAX_KEYS = 32
const METADATA_KEY_LENGTH = 64
const METADATA_MAX_BYTES = 4096

const metadata = published(
  stringMap
    .refine(
      (map) => Object.keys(map).length <= METADATA_MAX_KEYS,
      because('too_many', `must have at most ${METADATA_MAX_KEYS} keys`, { max: METADATA_MAX_KEYS }),
    )
    .refine((map) => !Object.hasOwn(map, ''), because('too_short', 'keys must not be blank', { min: 1 }))
    .refine(
      (map) => Object.keys(map).every((key) => [...key].length <= METADATA_KEY_LENGTH),
      because('too_long', `keys must have at most ${METADATA_KEY_LENGTH} characters`, { max: METADATA_KEY_LENGTH }),
    )
    .refine(
      (map) => new TextEncoder().encode(JSON.stringify(map)).length <= METADATA_MAX_BYTES,
      because('metadata_too_large', `must be at most ${METADATA_MAX_BYTES} bytes of JSON`),
    ),
  {
    ...STRING_MAP,
    propertyNames: { ...STRING_MAP.propertyNames, minLength: 1, maxLength: METADATA_KEY_LENGTH },
    maxProperties: METADATA_MAX_KEYS,
    description:
      'Stored with the issue for webhooks; never returned. At most 32 keys of 1 to 64 characters and 4,096 bytes of JSON.',
    examples: [{ userId: 'u_42' }],
  },
)

const templateVariables = published(stringMap, {
  ...STRING_MAP,
  propertyNames: { ...STRING_MAP.propertyNames, not: { const: 'code' } },
  description:
    "Values for the template's declared variables, without line breaks and control characters; must not include `code`.",
  examples: [{}],
})

const LOCALE_LENGTH = 35

/** A well-formed language tag. The language need not exist. */
const locale = published(
  z
    .string()
    .max(LOCALE_LENGTH)
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag such as en or zh-TW'),
  {
    type: 'string',
    minLength: 2,
    maxLength: LOCALE_LENGTH,
    pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$',
    description:
      "Language of the message, as a tag such as `en` or `zh-TW`: the template's text in exactly that, else in its language, " +
      "else the template's own. It is no part of what a repeated idempotency key is held against.",
    examples: ['en'],
  },
)

const CHALLENGE_LENGTH = 4096

/** Token of a challenge: visible ASCII with every vendor. */
const challenge = published(
  z
    .string()
    .min(1)
    .max(CHALLENGE_LENGTH)
    .regex(/^[\x21-\x7e]*$/, 'must be visible ASCII characters without spaces'),
  {
    type: 'string',
    minLength: 1,
    maxLength: CHALLENGE_LENGTH,
    pattern: '^[!-~]*$',
    description:
      'Proof of a human: what the widget of Turnstile, hCaptcha or reCAPTCHA gave the page. Looked at only where the request ' +
      'looks like abuse and the app asks for proofs; then a request without one is 403 `challenge_required`. It is no part of ' +
      'what a repeated idempotency key is held against.',
    examples: ['0.zNmQ5kYx-as-the-widget-gives-it'],
  },
)

/** Body of `POST /issue`. Unknown fields are refused. */
export const issueInput = z
  .strictObject({
    phoneNumber: text({
      min: 1,
      max: 32,
      description: 'Phone number; national format of the default region or international. Test keys: a magic number.',
      examples: ['010-0000-0000'],
    }),
    purpose: text({ min: 1, max: 64, description: 'Label of what the code is for.', examples: ['signup'] }),
    channel: channel.optional().meta({ description: 'Delivery channel, `sms` when omitted.', examples: ['sms'] }),
    templateId: text({
      min: 1,
      max: 64,
      description: 'Template from `GET /templates`; the default template when omitted.',
      examples: ['otp_default_kr'],
    }).optional(),
    templateVariables: templateVariables.optional(),
    from: text({ min: 0, max: 64, description: 'Sender identity override.', examples: ['0212345678'] }).optional(),
    messageType: z
      .enum(['LMS', 'SMS'])
      .optional()
      .meta({ description: 'For the `sms` channel; chosen by length when omitted.', examples: ['SMS'] }),
    smsFallback: z
      .boolean()
      .optional()
      .meta({
        description: 'AlimTalk only: whether a failed AlimTalk falls back to SMS. True when omitted.',
        examples: [true],
      }),
    locale: locale.optional(),
    webOtp: z
      .literal(false, 'must be false')
      .optional()
      .meta({
        description:
          'Only `false`: this SMS goes without the line `@domain #code`, also where the app has set a domain. It is no part of ' +
          'what a repeated idempotency key is held against.',
        examples: [false],
      }),
    cost: published(z.int().min(1).max(100_000), {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      deprecated: true,
      description: 'Deprecated; range-checked and ignored for billing.',
      examples: [1],
    }).optional(),
    metadata: metadata.optional(),
    expiresInSec: z
      .int()
      .min(30)
      .max(600)
      .default(180)
      .meta({ description: 'Seconds until the code expires.', examples: [180] }),
    maxAttempts: z
      .int()
      .min(1)
      .max(10)
      .default(5)
      .meta({ description: 'Wrong codes allowed.', examples: [5] }),
    idempotencyKey: idempotencyKey.optional(),
    challenge: challenge.optional(),
  })
  .meta({ examples: [{ phoneNumber: '010-0000-0000', purpose: 'signup' }] })

export const issueOutput = z
  .object({
    issueId,
    expiresAt: timestamp,
    attemptsRemaining: attempts.attemptsRemaining,
    queuedAt: timestamp,
    resendAvailableAt: timestamp.meta({
      description:
        'From when on the same phone may get another code for the purpose; before it, while this one is live, that is 429 `resend`.',
      examples: ['2026-01-15T09:30:30.000Z'],
    }),
    mode,
  })
  .meta({
    description: 'The issue. An idempotent replay returns the same; the code is never returned.',
    examples: [
      {
        issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77',
        expiresAt: '2026-01-15T09:33:00.000Z',
        attemptsRemaining: 5,
        queuedAt: '2026-01-15T09:30:00.000Z',
        resendAvailableAt: '2026-01-15T09:30:00.000Z',
        mode: 'test',
      },
    ],
  })

export const reasonCode = z
  .enum(['ALREADY_VERIFIED', 'EXPIRED', 'MAX_ATTEMPTS', 'MISMATCH', 'NOT_FOUND', 'REPLACED'])
  .meta({ description: 'Why the code was not accepted.', examples: ['MISMATCH'] })

const SIX_DIGITS = /^[0-9]{6}$/

/** Body of `POST /verify`. Unknown fields are refused. */
export const verifyInput = z.strictObject({
  issueId: issueIdInput,
  code: published(
    z.string().refine((code) => SIX_DIGITS.test(code), because('code_not_six_digits', 'must be 6 digits')),
    { type: 'string', pattern: SIX_DIGITS.source, description: 'What the end user typed.', examples: ['000000'] },
  ),
  phoneNumber: text({
    min: 1,
    max: 32,
    description:
      'The number that the code was sent to, in any spelling. Where it is, a right code is answered with a `proof` of it.',
    examples: ['010-0000-0000'],
  }).optional(),
})

export const verifyOutput = z.object({
  issueId: echoedIssueId,
  verified: z.boolean().meta({ description: 'True only when the code matched an active, unexpired issue.' }),
  reasonCode: reasonCode.optional(),
  attemptsRemaining: attempts.attemptsRemaining,
  expiresAt: timestamp,
  verifiedAt: timestamp.optional(),
  proof: z
    .string()
    .optional()
    .meta({
      description:
        'A JWT for a backend that has not seen this happen: `phone_number` is verified, for `purpose`, in the app `aud`. Signed with a ' +
        'key of `/.well-known/jwks.json` (EdDSA). Only for a right code with the `phoneNumber` that it was sent to.',
      examples: ['eyJhbGciOiJFZERTQSJ9.eyJwaG9uZV9udW1iZXIiOiIrODIxMDAwMDAwMDAwIn0.c2lnbmF0dXJl'],
    }),
  mode,
})

export const statusInput = z.strictObject({ issueId: issueIdInput })

export const statusOutput = z
  .object({
    issueId,
    messageId: z.string().meta({ description: 'Outbound message id used for delivery tracking.' }),
    purpose: z.string(),
    templateId: z.string(),
    verificationStatus,
    deliveryStatus,
    overallStatus,
    providerOutcomeAmbiguous: z
      .boolean()
      .optional()
      .meta({ description: 'True when the provider outcome of the send is unknown; such sends are never retried.' }),
    providerOutcomeCode: z.string().max(128).optional().meta({ description: 'Provider result code when available.' }),
    expiresAt: timestamp,
    verifiedAt: timestamp.optional(),
    ...attempts,
    createdAt: timestamp,
    updatedAt: timestamp,
    mode,
  })
  .meta({ description: 'The status view of one issue.' })
