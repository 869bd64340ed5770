/** Who issues and verifies for a flow: Watchword itself, asked with a browser key, or the app's own backend. */
import type { IssueInput } from '../client'
import type { ReasonCode } from '../types'

/**
 * A client made by `createOtpClient` is one. Functions of your own are one, too: they may answer what Watchword has answered
 * to your backend, and throw what it was refused with (the JSON body of the error, or a `WatchwordError`); anything else that
 * is thrown counts as no answer.
 */
export interface FlowTransport<V extends FlowVerdict = FlowVerdict> {
  /**
   * Makes a code and has it delivered. Pass `idempotencyKey` on: the flow repeats a request whose answer was lost, and asks
   * again after a reload what became of it, with the same key, which must answer the same issue and send nothing.
   */
  issue(order: IssueInput, options: { signal: AbortSignal }): Promise<FlowIssue>
  /** Checks a code. Never repeated by the flow where it may have been carried out. */
  verify(attempt: FlowAttempt, options: { signal: AbortSignal }): Promise<V>
}

/** What a flow has to know of an issue: `IssueOutput` of the client is enough. */
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
  /** RFC 3339 date-time: when it was answered, by the clock of `expiresAt`; without it `queuedAt` is taken. */
  serverTime?: string | undefined
}

export interface FlowAttempt {
  /** As `issue` has answered it. */
  issueId?: string | undefined
  code: string
  /** As it was sent to `issue`: for a proof of it. */
  phoneNumber?: string | undefined
}

/** What a flow has to know of a verification: `VerifyOutput` of the client is enough. */
export interface FlowVerdict {
  verified: boolean
  reasonCode?: ReasonCode | undefined
  /** Wrong codes still allowed. */
  attemptsRemaining?: number | undefined
  verifiedAt?: string | undefined
  /** Who has not seen the verification believes this: see `verifyProof` in `@watchword/client/server`. */
  proof?: string | undefined
}

/** Why there is no answer, or none that helps. */
export interface Refusal {
  /** HTTP status; 0 where there was no answer. */
  status: number
  /** The field that is to blame. */
  param: string | undefined
  /** `data.reason` of the error, or on 429 its `data.limit`. */
  reason: string | undefined
  retryAfterMs: number | undefined
}

/** Of a `WatchwordError`, of the body of an error, and of whatever else is thrown. */
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

/** Nobody knows whether the request was carried out, or it is being carried out now. */
export const isLost = ({ status }: Refusal) => status === 0 || status >= 500
