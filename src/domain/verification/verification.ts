/**
 * A verification: a code of ours, and whether somebody has typed it. Specification: "States and transitions"; decisions: "Interface".
 *
 *   issued ──right code──▶ verified
 *     │ ├────last wrong───▶ max_attempts
 *     │ ├────new issue────▶ replaced      (same app, mode, phone and purpose)
 *     │ └────expiry───────▶ expired       (effective at once, stored by the expiry sweep)
 *     └──wrong code──▶ issued, one attempt fewer
 */
import type { DeliveryStatus, Message } from '../message/message'
import type { Addressed, VerificationStatus } from '../shared/addressed'
import type { Leg } from '../shared/value'

/** Times are Unix milliseconds. Holds no code, only its keyed hash. */
export interface Verification extends Addressed {
  readonly codeHash: Uint8Array
  /** The expiry that the caller was told, where a clock step has changed `expiresAt` since. */
  readonly promisedExpiresAt: number | undefined
  readonly maxAttempts: number
  readonly verificationStatus: VerificationStatus
  readonly attemptsUsed: number
  readonly verifiedAt: number | undefined
  /** When each wrong code was checked. */
  readonly wrongAt: readonly number[] | undefined
}

/** One row: an issue, a message alone, such as a relayed text, or a verification alone, as of a review number. */
export interface Stored extends Addressed {
  /** Undefined where it has no message. */
  readonly deliveryStatus?: DeliveryStatus | undefined
  /** Undefined where it has no code of ours. */
  readonly verificationStatus?: VerificationStatus | undefined
}

export const hasMessage = <S extends Stored>(stored: S): stored is S & Message => stored.deliveryStatus !== undefined

/** The leg that carries its message, or the channel that was asked for. */
export const legOf = (stored: Stored): Leg => (hasMessage(stored) ? stored.leg : stored.channel)

export const hasCode = <S extends Stored>(stored: S): stored is S & Verification =>
  stored.verificationStatus !== undefined

/** A verification stored as `issued` whose expiry has passed counts as `expired`. */
export const effectiveStatus = (
  issue: Pick<Verification, 'verificationStatus' | 'expiresAt'>,
  now: number,
): VerificationStatus =>
  issue.verificationStatus === 'issued' && now >= issue.expiresAt ? 'expired' : issue.verificationStatus

export const isActive = (verification: Pick<Verification, 'verificationStatus' | 'expiresAt'>, now: number) =>
  effectiveStatus(verification, now) === 'issued'

export const attemptsRemaining = (issue: Pick<Verification, 'maxAttempts' | 'attemptsUsed'>) =>
  issue.maxAttempts - issue.attemptsUsed

export type ReasonCode = 'ALREADY_VERIFIED' | 'EXPIRED' | 'MAX_ATTEMPTS' | 'MISMATCH' | 'NOT_FOUND' | 'REPLACED'

/** The answer of verify, and what is to be stored instead, if any. */
export interface CodeVerdict<V extends Verification> {
  verified: boolean
  reasonCode?: ReasonCode
  changed?: V
}

/** One-time verify. Order of checks: replaced, verified, max attempts, expired, then the code. */
export function check<V extends Verification>(issue: V, codeMatches: boolean, now: number): CodeVerdict<V> {
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

export const markVerified = <V extends Verification>(issue: V, now: number): V => ({
  ...issue,
  verificationStatus: 'verified',
  verifiedAt: now,
  updatedAt: now,
})

function countWrongCode<V extends Verification>(issue: V, now: number): CodeVerdict<V> {
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

/** Marks it as replaced by a newer one for the same phone and purpose; an expired code stays expired. */
export const markReplaced = <V extends Verification>(issue: V, now: number): V => ({
  ...issue,
  verificationStatus: now >= issue.expiresAt ? 'expired' : 'replaced',
  updatedAt: now,
})

export const markExpired = <V extends Verification>(issue: V, now: number): V => ({
  ...issue,
  verificationStatus: 'expired',
  updatedAt: now,
})
