/** What whoever checks a code is told. Specification: `POST /verify`. */
import { attemptsRemaining, type Issue, type ReasonCode } from './issue'

/** Times are Unix milliseconds. */
export interface Verification {
  issueId: string
  verified: boolean
  reasonCode?: ReasonCode | undefined
  attemptsRemaining: number
  expiresAt: number
  verifiedAt?: number | undefined
  /** A JWT: that the number of the request is verified. */
  proof?: string | undefined
}

/** Of the issue as it is after the check. */
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

/** Of one that there is not, or not for this app. */
export const unknownIssue = (issueId: string, now: number): Verification => ({
  issueId,
  verified: false,
  reasonCode: 'NOT_FOUND',
  attemptsRemaining: 0,
  expiresAt: now,
})
