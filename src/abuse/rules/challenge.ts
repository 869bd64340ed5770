/**
 * The proof of a human that an app may ask for where a rule would refuse: of a vendor whose widget makes a token in the
 * page, and whose server says whether the token is right. Decisions: "Abuse".
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

/** What happens while the vendor does not say whether a token is right. */
export const ON_OUTAGE = ['refuse', 'pass'] as const

/** Of one app. */
export interface ChallengeSettings {
  readonly vendor: Vendor
  /** Ours at the vendor. */
  readonly secret: string
  /** What the page shows its widget with: public, and kept for who writes that page. */
  readonly siteKey?: string | undefined
  readonly onOutage: (typeof ON_OUTAGE)[number]
  /** From 0 to 1, which is surely a human: the least that passes, where the vendor scores. */
  readonly minScore?: number | undefined
  /** Where the widget may have been shown; undefined: wherever the vendor lets it. */
  readonly hostnames?: readonly string[] | undefined
}

/** What may be shown of it. */
export type ShownChallenge = Omit<ChallengeSettings, 'secret'>

export function shownChallenge({ secret: _, ...shown }: ChallengeSettings): ShownChallenge {
  return shown
}

/** What people wait for who ask for a code. */
export const VERIFY_TIMEOUT_MS = 3 * SECOND_MS

const KEY_LENGTH = 256
const MAX_HOSTNAMES = 20
const HOSTNAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

/** Throws `invalid` for what no app may decide. */
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

/** The token is as good as it was. */
export const tooManyChecks = () => limited({ limit: 'perApp', policy: 'platform' }, CHECK_AGAIN_MS)
export const challengeRequired = () => refused('challenge_required', 'a proof is needed for this request')
export const challengeFailed = () => refused('challenge_failed', 'the proof is wrong, too old or was used already')

const refused = (reason: 'challenge_required' | 'challenge_failed', problem: string) =>
  new Refusal('forbidden', `challenge: ${problem}`, { param: 'challenge', reason })

/**
 * What came of a token. `too_many`: it was not looked at, since there were too many checks at a time, here or for the vendor.
 * `reason` says in a stable word why nothing came of it.
 */
export type Proof =
  | { kind: 'passed' }
  | { kind: 'failed' }
  | { kind: 'too_many' }
  | { kind: 'unavailable'; reason: string }

export const TOO_MANY: Proof = { kind: 'too_many' }

const PASSED: Proof = { kind: 'passed' }
const FAILED: Proof = { kind: 'failed' }

/** Of the vendor's answer, whose body is undefined where it is no JSON object. */
export interface VendorAnswer {
  status: number
  body: Readonly<Record<string, unknown>> | undefined
}

/**
 * What `error-codes` say that is not about the token: our secret, and a fault of theirs. Every other one is, such as
 * `invalid-input-response`, `timeout-or-duplicate`, or `expired-input-response` and `already-seen-response` of hCaptcha. Also
 * its `sitekey-secret-mismatch`: a token from a widget of somebody else.
 */
const NOT_THE_TOKEN: ReadonlyMap<unknown, string> = new Map([
  ['missing-input-secret', 'SECRET'],
  ['invalid-input-secret', 'SECRET'],
  ['internal-error', 'INTERNAL_ERROR'],
])

/**
 * Whether it passes. What a caller can bring about is never `unavailable`, since that may let it pass: a token that the vendor
 * cannot read is answered 400 by some, and too many tokens 429.
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

/** What Google says to begin with: version 3 takes every token, and leaves it to the score. */
const RECAPTCHA_SCORE = 0.5

/** reCAPTCHA scores humans, from 0 to 1; hCaptcha (Enterprise) threats. Other versions of them give none. */
function isHuman({ vendor, minScore }: ChallengeSettings, score: unknown): boolean {
  if (typeof score !== 'number') return minScore === undefined
  if (vendor === 'hcaptcha') return minScore === undefined || 1 - score >= minScore
  return vendor === 'turnstile' || score >= (minScore ?? RECAPTCHA_SCORE)
}
