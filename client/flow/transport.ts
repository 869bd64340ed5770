/** The transport of a flow: Watchword itself with a browser key, or the app's backend. */
import type { IssueInput } from '../client'
import type { ReasonCode } from '../types'

/**
 * A client made by `createOtpClient`, or functions of your own. They return Watchword's answers, and throw its errors:
 * the JSON body, or a `WatchwordError`. Any other exception counts as no answer.
 */
export interface FlowTransport<V extends FlowVerdict = FlowVerdict> {
  /**
   * Issues a code. Pass `idempotencyKey` on: the flow repeats requests with it after a lost answer or a reload, which
   * must answer the same issue and send nothing.
   */
  issue(order: IssueInput, options: { signal: AbortSignal }): Promise<FlowIssue>
  /** Verifies a code. The flow never repeats it where it may have been carried out. */
  verify(attempt: FlowAttempt, options: { signal: AbortSignal }): Promise<V>
  /**
   * Says whether the message was delivered, so that the user is told where it was not. Only a backend can: `status` needs
   * an `sk_` key. It is asked a few times while a code is awaited, and no more once it fails.
   */
  delivery?(
    issue: { issueId?: string | undefined },
    options: { signal: AbortSignal },
  ): Promise<FlowDelivery | undefined>
  /** Where the key sends codes, and the widget of its app. A client of `createOtpClient` has it. */
  screen?(options: { signal: AbortSignal }): Promise<ScreenSettings | undefined>
}

/** Settings that a screen reads before it asks for a code. */
export interface ScreenSettings {
  /** Countries that the key sends to, ISO 3166; all when omitted. */
  countries?: readonly string[] | undefined
  /** The app may ask for a proof of a human by this widget. */
  challenge?: ScreenChallenge | undefined
}

export interface ScreenChallenge {
  vendor: 'turnstile' | 'hcaptcha' | 'recaptcha'
  siteKey: string
}

/** The field of `status` that a flow needs. */
export interface FlowDelivery {
  deliveryStatus: string
}

/** The fields of an issue that a flow needs; `IssueOutput` of the client has them. */
export interface FlowIssue {
  /** A backend may keep it in its session instead. */
  issueId?: string | undefined
  /** RFC 3339 date-time. */
  expiresAt: string
  /** RFC 3339 date-time: when the issue was made, by the clock of `expiresAt`. */
  queuedAt: string
  /** RFC 3339 date-time; at once where omitted. */
  resendAvailableAt?: string | undefined
  /** Wrong codes still allowed. */
  attemptsRemaining?: number | undefined
  /** RFC 3339 date-time: when the service answered, by the clock of `expiresAt`; `queuedAt` is used without it. */
  serverTime?: string | undefined
}

export interface FlowAttempt {
  /** The `issueId` that `issue` answered. */
  issueId?: string | undefined
  code: string
  /** The number as it was sent to `issue`, for the proof. */
  phoneNumber?: string | undefined
}

/** The fields of a verification that a flow needs; `VerifyOutput` of the client has them. */
export interface FlowVerdict {
  verified: boolean
  reasonCode?: ReasonCode | undefined
  /** Wrong codes still allowed. */
  attemptsRemaining?: number | undefined
  verifiedAt?: string | undefined
  /** The proof for a backend: see `verifyProof` in `@watchword/client/server`. */
  proof?: string | undefined
}

/** A failed request. */
export interface Refusal {
  /** HTTP status; 0 where there was no answer. */
  status: number
  /** The field at fault. */
  param: string | undefined
  /** `data.reason` of the error, or on 429 its `data.limit`. */
  reason: string | undefined
  retryAfterMs: number | undefined
}

/** Reads a `WatchwordError`, the body of an error, or any other exception. */
export function refusalOf(thrown: unknown): Refusal {
  const error = recordOf(thrown)
  const data = recordOf(error.data)
  const retryAfterMs = error.retryAfterMs ?? data.retryAfterMs
  return {
    status: typeof error.status === 'number' ? error.status : 0,
    param: textOf(data.param),
    reason: textOf(data.reason) ?? textOf(data.limit),
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
  }
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Whether it is unknown if the request was carried out, or it is still running. */
export const isLost = ({ status }: Refusal) => status === 0 || status >= 500
