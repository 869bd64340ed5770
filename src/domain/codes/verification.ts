/** A verification, and the signed proof of one. */

import type { App } from '../access/app'
import { DAY_MS, type Mode } from '../shared/value'
import { attemptsRemaining, type Issue, type ReasonCode } from './issue'

/**
 * The answer to whoever checks a code. Specification: `POST /verify`.
 *
 * Times are Unix milliseconds.
 */
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

/**
 * A verification as a JWT proves it to others. OpenID Connect Core 5.1 (`phone_number`, `phone_number_verified`), RFC 7519;
 * decisions: "Proof of verification".
 *
 * Times are Unix seconds.
 */
export interface ProofClaims {
  /** Origin of the service, where its operator has set one. */
  iss?: string
  /** The issue: it is verified once, so there is one proof of it. */
  sub: string
  jti: string
  /** The app. */
  aud: string
  iat: number
  exp: number
  /** E.164, of the number that was sent with this very code. */
  phone_number: string
  phone_number_verified: true
  purpose: string
  /** `test` proves nothing of any phone: its numbers are nobody's. */
  mode: Mode
  /** Of the issue, where the app has decided that whoever verifies may read it. */
  metadata?: Readonly<Record<string, string>>
}

/** How long a proof is good for where the operator has not set another time. */
export const PROOF_LIFETIME_SEC = 600

/** How an installation makes proofs. */
export interface ProofSettings {
  issuer: string | undefined
  lifetimeMs: number
}

/** A code was right, and the caller has named its number. */
export interface Proven {
  issue: Issue
  /** E.164. */
  to: string
  app: Pick<App, 'provesMetadata'> | undefined
  /** When; Unix milliseconds. */
  at: number
}

export function proofClaims({ issue, to, app, at }: Proven, { issuer, lifetimeMs }: ProofSettings): ProofClaims {
  const { issueId, appId, purpose, mode, metadata } = issue
  const iat = Math.floor(at / 1_000)
  return {
    ...(issuer !== undefined && { iss: issuer }),
    ...{ sub: issueId, jti: issueId, aud: appId },
    ...{ iat, exp: iat + lifetimeMs / 1_000 },
    ...{ phone_number: to, phone_number_verified: true, purpose, mode },
    ...(app?.provesMetadata && metadata && { metadata }),
  }
}

/** How long a key signs: nobody has to remember to change it. */
const PERIOD_MS = 90 * DAY_MS

const period = (now: number) => Math.floor(now / PERIOD_MS)

/** The name of the key that signs now. */
export const signingKeyName = (now: number): string => `proof ${period(now)}`

/**
 * Those that are published: of the period before, whose proofs are still about, and of the next one, so that whoever keeps
 * the keys for a while knows it when it comes. A server whose time is a little off signs with one of them, too.
 */
export const publishedKeyNames = (now: number): string[] =>
  [-1, 0, 1].map((after) => signingKeyName(now + after * PERIOD_MS))
