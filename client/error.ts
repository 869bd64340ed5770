/** The one error every call of the client throws. */
import type { Reason } from './types'

/** The errors of the interface. */
export type InterfaceErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'PAYMENT_REQUIRED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'TOO_MANY_REQUESTS'
  | 'INTERNAL_SERVER_ERROR'
  | 'SERVICE_UNAVAILABLE'

/** Codes of the interface, and those for what never reached it. */
export type WatchwordErrorCode =
  | InterfaceErrorCode
  /** No answer within `timeoutMs`. Whether the request was carried out is unknown. */
  | 'TIMEOUT'
  /** The caller's `AbortSignal` fired. */
  | 'ABORTED'
  /** No connection, or an answer that is none of Watchword's. */
  | 'NETWORK_ERROR'
  /** An `sk_` key in a browser. */
  | 'SECRET_KEY_IN_BROWSER'
  | (string & {})

/** Why the service refused what the caller can mend; `docs/errors.md` has the list. More may come. */
export type WatchwordErrorReason = Reason | (string & {})

interface ErrorFields {
  code: WatchwordErrorCode
  message: string
  /** HTTP status; 0 where there was no answer. */
  status?: number
  data?: unknown
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  retryable?: boolean
  cause?: unknown
}

export class WatchwordError extends Error {
  override readonly name = 'WatchwordError'
  readonly code: WatchwordErrorCode
  /** HTTP status; 0 where there was no answer. */
  readonly status: number
  /** The field that is to blame, as it was sent: `phoneNumber`, `templateVariables.name`. */
  readonly param: string | undefined
  /** Why, where the caller can mend it: `invalid_phone_number`, `code_not_six_digits`, … */
  readonly reason: WatchwordErrorReason | undefined
  /** `data` of the error envelope, for example `{ code: 'INSUFFICIENT_CREDIT' }` on 402. */
  readonly data: unknown
  /** `X-Request-Id` of the answer: quote it when you ask the operator. */
  readonly requestId: string | undefined
  /** Milliseconds the service asks you to wait. */
  readonly retryAfterMs: number | undefined
  /**
   * Whether the same call, with the same idempotency key, may be made again. False for a `verify` whose outcome is
   * unknown: it has no idempotency key, and a wrong code would use another attempt.
   */
  readonly retryable: boolean

  constructor({ code, message, status = 0, data, requestId, retryAfterMs, retryable = false, cause }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.data = data
    this.param = textIn(data, 'param')
    this.reason = textIn(data, 'reason')
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
    this.retryable = retryable
  }
}

function textIn(data: unknown, name: string): string | undefined {
  const value = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}
