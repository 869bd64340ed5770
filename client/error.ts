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

/** Error codes of the interface, and of failures before it was reached. */
export type WatchwordErrorCode =
  | InterfaceErrorCode
  /** No answer within `timeoutMs`. Whether the request was carried out is unknown. */
  | 'TIMEOUT'
  /** The caller's `AbortSignal` fired. */
  | 'ABORTED'
  /** No connection, or an answer that is not Watchword's. */
  | 'NETWORK_ERROR'
  /** An `sk_` key in a browser. */
  | 'SECRET_KEY_IN_BROWSER'
  | (string & {})

/** Reason of a refusal; see `docs/errors.md`. More reasons may be added. */
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
  /** The field at fault, as it was sent: `phoneNumber`, `templateVariables.name`. */
  readonly param: string | undefined
  /** Reason for programs, where the caller can act on it: `invalid_phone_number`, `code_not_six_digits`, … */
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
