/**
 * What a verification proves to somebody who has not seen it: the claims of a JWT, and when it is signed with which key.
 * OpenID Connect Core 5.1 (`phone_number`, `phone_number_verified`), RFC 7519; decisions: "Proof of verification".
 */
import type { App } from '../access/app'
import { DAY_MS, type Mode } from '../shared/value'
import type { Issue } from './issue'

/** Times are Unix seconds. */
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
