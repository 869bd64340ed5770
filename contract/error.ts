/** Every error the interface defines. Specification: "Errors"; live 429 and 413: decisions. */
import { z } from 'zod'
import { STATUS } from './constants'
import { reason } from './reason'
import { published } from './value'

/** Published as any string, so that older generated clients can read values that are added later. */
function open<S extends z.ZodType>(words: S): S {
  const { description, examples } = words.meta() ?? {}
  return published(words, { type: 'string', enum: undefined, description, examples } as Parameters<typeof published>[1])
}

/** A mistake of the caller: the field, and the reason. */
const mistake = z.object({
  param: z
    .string()
    .optional()
    .meta({
      description: 'The field, parameter or header that is to blame; `templateVariables.name` for one inside another.',
      examples: ['phoneNumber'],
    }),
  reason: open(reason).optional(),
})

const wrongNumber = mistake.extend({
  code: z.enum(['TEST_NUMBER_REQUIRED', 'TEST_NUMBER_IN_LIVE_MODE']).optional().meta({
    description: 'Present only when a number and the key belong to different modes; then the message begins with it.',
  }),
})

export const paymentRequiredData = z.object({
  code: z.enum(['INSUFFICIENT_CREDIT', 'OVERDRAFT_LIMIT_EXCEEDED', 'TRIAL_DAILY_LIMIT_EXCEEDED']).meta({
    description: 'Why the issue was not admitted; `TRIAL_DAILY_LIMIT_EXCEEDED` in test mode only.',
    examples: ['INSUFFICIENT_CREDIT'],
  }),
  resetAt: z.iso
    .datetime()
    .optional()
    .meta({ description: 'With `TRIAL_DAILY_LIMIT_EXCEEDED`: when the limit resets.' }),
})

export const tooManyRequestsData = z.object({
  limit: open(
    z
      .enum([
        'perKey',
        'perApp',
        'perIp',
        'perPhone',
        'perKeyDaily',
        'perOrgDaily',
        'testModeDaily',
        'abuse',
        'failures',
        'resend',
      ])
      .meta({
        description:
          'The rule that was exceeded: `perKey`, `perApp` (all browser keys of the app together, or the checks of `challenge` in flight), `perIp`, `perPhone`, `perKeyDaily`, `perOrgDaily`, `testModeDaily`, `abuse` (what protects the app from traffic that nobody verifies, or from too much of it), `failures` (too many wrong codes at the phone), `resend` (the code before is too young); more may come.',
        examples: ['perPhone'],
      }),
  ),
  policy: z
    .enum(['key', 'platform'])
    .meta({ description: "Whose rule it is: the key's own, or the platform's.", examples: ['platform'] }),
  retryAfterMs: z
    .int()
    .nonnegative()
    .meta({
      description: 'Milliseconds until a request may succeed; `Retry-After` has the seconds.',
      examples: [60000],
    }),
})

/** Errors any operation can answer. */
export const commonErrors = {
  BAD_REQUEST: { status: STATUS.BAD_REQUEST, message: 'Invalid request', data: mistake.optional() },
  UNAUTHORIZED: { status: STATUS.UNAUTHORIZED, message: 'API key missing, malformed, inactive or unrecognized' },
  FORBIDDEN: { status: STATUS.FORBIDDEN, message: 'The key does not allow this request', data: mistake.optional() },
  CONFLICT: { status: STATUS.CONFLICT, message: 'State conflict', data: mistake.optional() },
  TOO_MANY_REQUESTS: { status: STATUS.TOO_MANY_REQUESTS, message: 'Too many requests', data: tooManyRequestsData },
  INTERNAL_SERVER_ERROR: { status: STATUS.INTERNAL_SERVER_ERROR, message: 'Unexpected failure' },
  SERVICE_UNAVAILABLE: { status: STATUS.SERVICE_UNAVAILABLE, message: 'Temporarily unavailable; retry with backoff' },
} as const

export const notFound = { NOT_FOUND: { status: STATUS.NOT_FOUND, message: 'No such resource for this app' } } as const

/** On `POST /issue` and `POST /verify` a 400 may have a code for a number and a key of different modes. */
export const wrongMode = {
  BAD_REQUEST: { status: STATUS.BAD_REQUEST, message: 'Invalid request', data: wrongNumber.optional() },
} as const

export const paymentRequired = {
  PAYMENT_REQUIRED: { status: STATUS.PAYMENT_REQUIRED, message: 'Not enough credit', data: paymentRequiredData },
} as const

/** Error of operations with a body. */
export const payloadTooLarge = {
  PAYLOAD_TOO_LARGE: { status: STATUS.PAYLOAD_TOO_LARGE, message: 'The request body is larger than 64 KiB' },
} as const

/** All errors of the interface. */
export const errors = { ...commonErrors, ...notFound, ...paymentRequired, ...payloadTooLarge }

export type ErrorCode = keyof typeof errors

export const errorCode = z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]).meta({
  description: 'What kind of error; branch on it.',
  examples: ['BAD_REQUEST'],
})

/** `data` of any error in one shape, so that a client can read it before it knows the code. */
export const errorData = mistake
  .extend({
    ...paymentRequiredData.shape,
    ...tooManyRequestsData.shape,
    code: z
      .enum([...wrongNumber.shape.code.unwrap().options, ...paymentRequiredData.shape.code.options])
      .meta({ description: 'On 402, why the issue was not admitted; on 400, that number and key are of two modes.' }),
  })
  .partial()
  .meta({ description: 'More about the error, for programs.' })

/** Body of every answer that is not 2xx. */
export const errorBody = z
  .object({
    defined: z.boolean().meta({ description: 'False only for what nobody foresaw.' }),
    code: errorCode,
    status: z
      .int()
      .min(400)
      .max(599)
      .meta({ description: 'The HTTP status.', examples: [400] }),
    message: z.string().meta({ description: 'For people; its wording may change.' }),
    data: errorData.optional(),
  })
  .meta({ description: 'An error, over REST and (under `json`) over RPC.' })
