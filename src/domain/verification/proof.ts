/** The answer to whoever checks a code, and the signed proof of a verification. */

import type { App } from '../access/app'
import { DAY_MS, type Mode } from '../shared/value'
import { isReviewed } from './review-number'
import { attemptsRemaining, type ReasonCode, type Verification } from './verification'

/**
 * The answer to whoever checks a code. Specification: `POST /verify`.
 *
 * Times are Unix milliseconds.
 */
export interface VerifyAnswer {
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
export const verifyAnswerOf = (
  issue: Verification,
  { verified, reasonCode }: Pick<VerifyAnswer, 'verified' | 'reasonCode'>,
): VerifyAnswer => ({
  issueId: issue.issueId,
  verified,
  reasonCode,
  attemptsRemaining: attemptsRemaining(issue),
  expiresAt: issue.expiresAt,
  verifiedAt: issue.verifiedAt,
})

/** The answer `NOT_FOUND`: no such issue of this app. */
export const unknownIssue = (issueId: string, now: number): VerifyAnswer => ({
  issueId,
  verified: false,
  reasonCode: 'NOT_FOUND',
  attemptsRemaining: 0,
  expiresAt: now,
})

/**
 * A verification as a JWT proves it to others. OpenID Connect Core 5.1 (`phone_number`, `phone_number_verified`), RFC 7519;
 * decisions: "Proof of verification".
 *
 * Times are Unix seconds.
 */
export interface ProofClaims {
  /** Origin of the service, where the operator has set one. */
  iss?: string
  /** The issue id. An issue is verified once, so it has one proof. */
  sub: string
  jti: string
  /** The app id. */
  aud: string
  iat: number
  exp: number
  /** The number that the code was sent to, E.164. */
  phone_number: string
  phone_number_verified: true
  purpose: string
  /** `test` proves nothing about a phone. */
  mode: Mode
  /** The code was the fixed one of a review number, which proves nothing about a phone. */
  test?: true
  /** Metadata of the issue, where the app's setting includes it. */
  metadata?: Readonly<Record<string, string>>
}

/** Default validity of a proof. */
export const PROOF_LIFETIME_SEC = 600

/** Settings of proofs. */
export interface ProofSettings {
  issuer: string | undefined
  lifetimeMs: number
}

/** A verified code, and the number that the caller named. */
export interface Proven {
  verification: Verification
  /** E.164. */
  to: string
  app: Pick<App, 'provesMetadata'> | undefined
  /** Time of the verification, Unix milliseconds. */
  at: number
}

export function proofClaims({ verification, to, app, at }: Proven, { issuer, lifetimeMs }: ProofSettings): ProofClaims {
  const { issueId, appId, purpose, mode, metadata } = verification
  const iat = Math.floor(at / 1_000)
  return {
    ...(issuer !== undefined && { iss: issuer }),
    ...{ sub: issueId, jti: issueId, aud: appId },
    ...{ iat, exp: iat + lifetimeMs / 1_000 },
    ...{ phone_number: to, phone_number_verified: true, purpose, mode },
    ...(isReviewed(verification) && { test: true as const }),
    ...(app?.provesMetadata && metadata && { metadata }),
  }
}

/** Each key signs for one period, so that keys rotate by themselves. */
const PERIOD_MS = 90 * DAY_MS

const period = (now: number) => Math.floor(now / PERIOD_MS)

/** Name of the key that signs now. */
export const signingKeyName = (now: number): string => `proof ${period(now)}`

/**
 * Names of the published keys: the previous, the current and the next one. Proofs of the previous key are still valid,
 * and cached key sets get the next one in time. A server whose clock is slightly off signs with one of these, too.
 */
export const publishedKeyNames = (now: number): string[] =>
  [-1, 0, 1].map((after) => signingKeyName(now + after * PERIOD_MS))
