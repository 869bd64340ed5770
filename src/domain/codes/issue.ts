/**
 * One issued code. Specification: "States and transitions"; decisions: "Interface".
 *
 *   issued ──right code──▶ verified
 *     │ ├────last wrong───▶ max_attempts
 *     │ ├────new issue────▶ replaced      (same app, mode, phone and purpose)
 *     │ └────expiry───────▶ expired       (effective at once, stored by the expiry sweep)
 *     └──wrong code──▶ issued, one attempt fewer
 */
import type { KeyKind } from '../access/api-key'
import type { PhoneOfApp } from '../access/rate-limits'
import type { PlannedLeg } from '../delivery/plan'
import type { Channel, Leg, Owner } from '../shared/value'
import type { BillingStatus, Settlement } from '../wallet/wallet'

export type VerificationStatus = 'issued' | 'verified' | 'expired' | 'max_attempts' | 'replaced'
export type DeliveryStatus = 'queued' | 'sent' | 'delivered' | 'failed'
export type OverallStatus =
  | 'delivered'
  | 'delivery_failed'
  | 'expired'
  | 'in_progress'
  | 'max_attempts'
  | 'pending_lookup'
  | 'replaced'
  | 'verified'

/** Times are Unix milliseconds, amounts credits. Holds neither number nor code, only their keyed hashes. */
export interface Issue extends Owner {
  readonly issueId: string
  readonly messageId: string
  readonly purpose: string
  readonly templateId: string
  readonly channel: Channel
  /** Whether a failed AlimTalk may fall back to SMS. */
  readonly smsFallback: boolean
  /** The kind of key that issued it. */
  readonly keyKind: KeyKind
  readonly phoneHash: Uint8Array
  readonly codeHash: Uint8Array
  readonly country: string | undefined
  readonly metadata: Readonly<Record<string, string>> | undefined
  readonly createdAt: number
  readonly expiresAt: number
  /** The expiry that the caller was told, where a clock step has changed `expiresAt` since. */
  readonly promisedExpiresAt: number | undefined
  readonly maxAttempts: number

  readonly verificationStatus: VerificationStatus
  readonly attemptsUsed: number
  readonly verifiedAt: number | undefined
  /** When each wrong code was checked. */
  readonly wrongAt: readonly number[] | undefined

  readonly deliveryStatus: DeliveryStatus
  /** The leg that carries the code now. */
  readonly leg: Leg
  /** With a delivery plan: the current leg and the legs that may follow. Undefined: the default of the channel. */
  readonly legs: readonly PlannedLeg[] | undefined
  /** Whether the current leg is still to be sent. */
  readonly sendPending: boolean
  readonly providerOutcomeAmbiguous: boolean
  readonly providerOutcomeCode: string | undefined

  readonly billingStatus: BillingStatus
  readonly price: number
  readonly debitedAmount: number

  readonly updatedAt: number

  /** Keyed hashes of the number's prefix and of the end user's network, for the rules against abuse. */
  readonly prefixHash: Uint8Array | undefined
  readonly networkHash: Uint8Array | undefined

  /** Undefined where the issue is older than the column. */
  readonly origin: Origin | undefined

  /** When the phone was erased. The issue cannot be looked up any more; it still counts for limits and billing. */
  readonly erasedAt?: number | undefined
}

/** The fields that the status view and a replay need. */
export const STANDING = [
  'mode',
  'issueId',
  'messageId',
  'purpose',
  'templateId',
  'createdAt',
  'expiresAt',
  'promisedExpiresAt',
  'maxAttempts',
  'verificationStatus',
  'attemptsUsed',
  'verifiedAt',
  'deliveryStatus',
  'providerOutcomeAmbiguous',
  'providerOutcomeCode',
  'updatedAt',
] as const satisfies ReadonlyArray<keyof Issue>
export type IssueStanding = Pick<Issue, (typeof STANDING)[number]>

/** The phone whose failures and limits the issue counts for. */
export const phoneOf = ({ appId, keyKind, phoneHash }: Issue): PhoneOfApp => ({
  appId,
  kind: keyKind,
  phoneHash,
})

/** An issue stored as `issued` whose expiry has passed counts as `expired`. */
export const effectiveStatus = (
  issue: Pick<IssueStanding, 'verificationStatus' | 'expiresAt'>,
  now: number,
): VerificationStatus =>
  issue.verificationStatus === 'issued' && now >= issue.expiresAt ? 'expired' : issue.verificationStatus

export const isActive = (issue: Issue, now: number) => effectiveStatus(issue, now) === 'issued'

export const attemptsRemaining = (issue: Pick<IssueStanding, 'maxAttempts' | 'attemptsUsed'>) =>
  issue.maxAttempts - issue.attemptsUsed

const WHILE_ISSUED: Readonly<Record<DeliveryStatus | 'unknown', OverallStatus>> = {
  delivered: 'delivered',
  failed: 'delivery_failed',
  queued: 'in_progress',
  sent: 'in_progress',
  unknown: 'pending_lookup',
}

export function overallStatus(issue: IssueStanding, now: number): OverallStatus {
  const status = effectiveStatus(issue, now)
  return status === 'issued' ? WHILE_ISSUED[issue.deliveryStatus] : status
}

export type ReasonCode = 'ALREADY_VERIFIED' | 'EXPIRED' | 'MAX_ATTEMPTS' | 'MISMATCH' | 'NOT_FOUND' | 'REPLACED'

/** The answer of verify, and the changed issue to store, if any. */
export interface CodeVerdict {
  verified: boolean
  reasonCode?: ReasonCode
  changed?: Issue
}

/** One-time verify. Order of checks: replaced, verified, max attempts, expired, then the code. */
export function check(issue: Issue, codeMatches: boolean, now: number): CodeVerdict {
  switch (effectiveStatus(issue, now)) {
    case 'replaced':
      return { verified: false, reasonCode: 'REPLACED' }
    case 'verified':
      return { verified: false, reasonCode: 'ALREADY_VERIFIED' }
    case 'max_attempts':
      return { verified: false, reasonCode: 'MAX_ATTEMPTS' }
    case 'expired':
      return { verified: false, reasonCode: 'EXPIRED' }
    case 'issued':
      return codeMatches ? { verified: true, changed: markVerified(issue, now) } : countWrongCode(issue, now)
  }
}

export const markVerified = (issue: Issue, now: number): Issue => ({
  ...issue,
  verificationStatus: 'verified',
  verifiedAt: now,
  updatedAt: now,
})

function countWrongCode(issue: Issue, now: number): CodeVerdict {
  const attemptsUsed = issue.attemptsUsed + 1
  const isLast = attemptsUsed >= issue.maxAttempts
  return {
    verified: false,
    reasonCode: isLast ? 'MAX_ATTEMPTS' : 'MISMATCH',
    changed: {
      ...issue,
      attemptsUsed,
      wrongAt: [...(issue.wrongAt ?? []), now],
      verificationStatus: isLast ? 'max_attempts' : 'issued',
      updatedAt: now,
    },
  }
}

/** Marks an issue as replaced by a newer one for the same phone and purpose; an expired code stays expired. */
export const markReplaced = (issue: Issue, now: number): Issue => ({
  ...issue,
  verificationStatus: now >= issue.expiresAt ? 'expired' : 'replaced',
  updatedAt: now,
})

export const markExpired = (issue: Issue, now: number): Issue => ({
  ...issue,
  verificationStatus: 'expired',
  updatedAt: now,
})

/** Marks the reservation as ended. The wallet is changed in the same transaction. */
export const settled = (issue: Issue, settlement: Settlement): Issue =>
  settlement === 'debit'
    ? { ...issue, billingStatus: 'debited', debitedAmount: issue.price }
    : { ...issue, billingStatus: 'released' }

/** The request that made an issue. Its ids connect log lines and spans over the life of the issue. */
export interface Origin {
  /** `X-Request-Id` of the request. */
  readonly requestId: string
  /** W3C `traceparent` of that request, and behind a space its `tracestate`, if any; undefined where it is not traced. */
  readonly trace?: string | undefined
}

/** Stored form, separated by a space: a request id contains none. */
export const originText = ({ requestId, trace }: Origin): string => (trace ? `${requestId} ${trace}` : requestId)

export function originOf(text: string): Origin {
  const [requestId = '', ...trace] = text.split(' ')
  return { requestId, trace: trace.join(' ') || undefined }
}

/** The headers that pass a trace on. */
export function traceHeaders(trace: Origin['trace']): { traceparent?: string; tracestate?: string } {
  const [traceparent, tracestate] = trace?.split(/ (.*)/) ?? []
  return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
}
