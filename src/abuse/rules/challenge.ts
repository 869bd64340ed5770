/**
 * Challenges: where a rule would refuse, an app may ask for a proof of a human. A vendor's widget makes a token in the
 * page, and the vendor's server verifies it. Decisions: "Abuse".
 *
 * - Turnstile: developers.cloudflare.com/turnstile/get-started/server-side-validation. A token is good for 5 minutes and once.
 * - hCaptcha: docs.hcaptcha.com, "Verify the User Response Server Side". Once, for 2 minutes unless set otherwise.
 * - reCAPTCHA: developers.google.com/recaptcha/docs/verify and …/docs/v3. Once, for 2 minutes.
 */

import { limited } from '../../domain/access/rate-limits'
import { invalid, Refusal } from '../../domain/shared/error'
import { SECOND_MS } from '../../domain/shared/value'

export const VENDORS = ['turnstile', 'hcaptcha', 'recaptcha'] as const
export type Vendor = (typeof VENDORS)[number]

/** The behaviour while the vendor cannot verify tokens. */
export const ON_OUTAGE = ['refuse', 'pass'] as const

/** Settings of one app. */
export interface ChallengeSettings {
  readonly vendor: Vendor
  /** Our secret at the vendor. */
  readonly secret: string
  /** Public key of the widget, stored for the author of the page. */
  readonly siteKey?: string | undefined
  readonly onOutage: (typeof ON_OUTAGE)[number]
  /** Least score that passes, 0 to 1 (surely a human), where the vendor scores. */
  readonly minScore?: number | undefined
  /** Hosts whose pages may show the widget; undefined: any that the vendor allows. */
  readonly hostnames?: readonly string[] | undefined
}

/** Settings without the secret. */
export type ShownChallenge = Omit<ChallengeSettings, 'secret'>

export function shownChallenge({ secret: _, ...shown }: ChallengeSettings): ShownChallenge {
  return shown
}

/** People wait for the answer. */
export const VERIFY_TIMEOUT_MS = 3 * SECOND_MS

const KEY_LENGTH = 256
const MAX_HOSTNAMES = 20
const HOSTNAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

/** Throws `invalid` for settings that are not allowed. */
export function assertChallenge({ vendor, secret, siteKey, minScore, hostnames = [] }: ChallengeSettings): void {
  assertKey('secret', secret)
  if (siteKey !== undefined) assertKey('siteKey', siteKey)
  if (minScore !== undefined) {
    if (vendor === 'turnstile') throw invalid('minScore', 'vendor_without_score', 'Turnstile gives no score')
    if (!(minScore >= 0 && minScore <= 1)) throw invalid('minScore', 'invalid_score', 'must be a number from 0 to 1')
  }
  if (hostnames.length > MAX_HOSTNAMES)
    throw invalid('hostnames', 'too_many', `must have at most ${MAX_HOSTNAMES} entries`, { max: MAX_HOSTNAMES })
  for (const hostname of hostnames)
    if (!HOSTNAME.test(hostname))
      throw invalid('hostnames', 'invalid_format', `must be names such as app.example.com: ${hostname}`)
}

function assertKey(param: string, text: string): void {
  if (text === '') throw invalid(param, 'required', 'must not be blank')
  if (text.length > KEY_LENGTH || !/^[\x21-\x7e]+$/.test(text)) {
    const problem = `must be at most ${KEY_LENGTH} visible ASCII characters without spaces`
    throw invalid(param, 'not_visible_ascii', problem, { max: KEY_LENGTH })
  }
}

/** When there may be room for another check: the vendor answers within `VERIFY_TIMEOUT_MS`, and mostly much sooner. */
const CHECK_AGAIN_MS = SECOND_MS

/** The token was not used up. */
export const tooManyChecks = () => limited({ limit: 'perApp', policy: 'platform' }, CHECK_AGAIN_MS)
export const challengeRequired = () => refused('challenge_required', 'a proof is needed for this request')
export const challengeFailed = () => refused('challenge_failed', 'the proof is wrong, too old or was used already')

const refused = (reason: 'challenge_required' | 'challenge_failed', problem: string) =>
  new Refusal('forbidden', `challenge: ${problem}`, { param: 'challenge', reason })

/**
 * Result of verifying a token. `too_many`: it was not verified, since too many checks run at a time here or at the
 * vendor. `reason`: a stable word.
 */
export type Proof =
  | { kind: 'passed' }
  | { kind: 'failed' }
  | { kind: 'too_many' }
  | { kind: 'unavailable'; reason: string }

export const TOO_MANY: Proof = { kind: 'too_many' }

const PASSED: Proof = { kind: 'passed' }
const FAILED: Proof = { kind: 'failed' }

/** The vendor's answer; `body` is undefined where it is no JSON object. */
export interface VendorAnswer {
  status: number
  body: Readonly<Record<string, unknown>> | undefined
}

/**
 * Error codes about our secret or a fault of the vendor. All others are about the token, such as `invalid-input-
 * response`, `timeout-or-duplicate`, and hCaptcha's `expired-input-response`, `already-seen-response` and `sitekey-
 * secret-mismatch`.
 */
const NOT_THE_TOKEN: ReadonlyMap<unknown, string> = new Map([
  ['missing-input-secret', 'SECRET'],
  ['invalid-input-secret', 'SECRET'],
  ['internal-error', 'INTERNAL_ERROR'],
])

/**
 * Judges the vendor's answer. A caller must not be able to cause `unavailable`, since that may let it pass. Some
 * vendors answer an unreadable token with 400, and too many tokens with 429.
 */
export function judge(settings: ChallengeSettings, { status, body }: VendorAnswer): Proof {
  if (status === 429) return TOO_MANY
  if (status !== 200 && status !== 400) return { kind: 'unavailable', reason: `HTTP_${status}` }
  if (typeof body?.success !== 'boolean') return status === 400 ? FAILED : { kind: 'unavailable', reason: 'UNREADABLE' }
  if (!body.success) {
    const reason = NOT_THE_TOKEN.get(codesOf(body).find((code) => NOT_THE_TOKEN.has(code)))
    return reason === undefined ? FAILED : { kind: 'unavailable', reason }
  }
  return isShownAt(settings, body.hostname) && isHuman(settings, body.score) ? PASSED : FAILED
}

const codesOf = ({ 'error-codes': codes }: Record<string, unknown>): unknown[] => (Array.isArray(codes) ? codes : [])

const isShownAt = ({ hostnames }: ChallengeSettings, hostname: unknown): boolean =>
  !hostnames || (typeof hostname === 'string' && hostnames.includes(hostname.toLowerCase()))

/** Google's recommended threshold: version 3 accepts every token and leaves the decision to the score. */
const RECAPTCHA_SCORE = 0.5

/** reCAPTCHA scores humans from 0 to 1, hCaptcha (Enterprise) threats. Other versions give no score. */
function isHuman({ vendor, minScore }: ChallengeSettings, score: unknown): boolean {
  if (typeof score !== 'number') return minScore === undefined
  if (vendor === 'hcaptcha') return minScore === undefined || 1 - score >= minScore
  return vendor === 'turnstile' || score >= (minScore ?? RECAPTCHA_SCORE)
}
