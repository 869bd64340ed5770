/** The answer of `POST /verify`. Specification: `POST /verify`. */
import { attemptsRemaining, type Issue, type ReasonCode } from './issue'

/** Times are Unix milliseconds. */
export interface Verification {
  issueId: string
  verified: boolean
  reasonCode?: ReasonCode | undefined
  attemptsRemaining: number
  expiresAt: number
  verifiedAt?: number | undefined
  /** A JWT that proves the verification, where the caller named the number. */
  proof?: string | undefined
}

/** The answer from the issue after the check. */
export const verificationOf = (
  issue: Issue,
  { verified, reasonCode }: Pick<Verification, 'verified' | 'reasonCode'>,
): Verification => ({
  issueId: issue.issueId,
  verified,
  reasonCode,
  attemptsRemaining: attemptsRemaining(issue),
  expiresAt: issue.expiresAt,
  verifiedAt: issue.verifiedAt,
})

/** The answer `NOT_FOUND`: no such issue of this app. */
export const unknownIssue = (issueId: string, now: number): Verification => ({
  issueId,
  verified: false,
  reasonCode: 'NOT_FOUND',
  attemptsRemaining: 0,
  expiresAt: now,
})
