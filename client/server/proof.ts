/** Verifies proofs: JWTs that Watchword signs and a browser passes on. */
import { type Keys, keysAt } from './keys'

/** A valid proof: its sender had access to the phone of this number a moment ago. */
export interface Proof {
  /** The issue id. There is one proof of an issue. */
  issueId: string
  /** E.164. */
  phoneNumber: string
  purpose: string
  mode: 'live' | 'test'
  /** The number is a review number of the app: its code is fixed, and proves nothing about a phone. */
  test?: true
  /** Metadata of the issue, where the app's setting includes it. */
  metadata: Readonly<Record<string, string>>
  /** When it was verified. */
  verifiedAt: Date
  /** When the proof expires. */
  expiresAt: Date
}

export type ProofFailure =
  /** The text is no proof. */
  | 'malformed'
  /** The signature is not of a key of the service. */
  | 'bad_signature'
  | 'expired'
  /** The proof is of another app. */
  | 'other_app'
  /** The proof is of another purpose. */
  | 'other_purpose'
  /** The proof is of test mode. */
  | 'test_mode'
  /** The proof is of a review number, whose code is fixed. */
  | 'review_number'
  /** The proof was used before. */
  | 'used'

/** The proof is invalid. Answer 400 or 401. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly reason: ProofFailure
  /** Status that Express and others use for an uncaught error. */
  readonly status = 400

  constructor(reason: ProofFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface ProofOptions {
  /** The service's `{base_url}`, which ends with `/v1`; its keys are at `/.well-known/jwks.json` beside that. */
  baseUrl: string
  /** Proofs of other apps are refused. */
  appId: string
  /** Required purpose: a proof for a newsletter must not sign anybody in. */
  purpose: string | readonly string[]
  /** Accepts proofs of test keys, whose code everybody knows: for development only. */
  allowTestMode?: boolean
  /** Accepts proofs of review numbers, so that reviewers of an app store can sign in. */
  allowReviewNumbers?: boolean
  /**
   * Stores the proof until `expiresAt` and answers whether it is new, for example by an INSERT of `issueId` that may
   * conflict. In this process's memory when omitted.
   */
  isFirstUse?: (proof: Proof) => boolean | Promise<boolean>
  /** Seconds that this clock and the service's may differ; 30 when omitted. */
  toleranceSec?: number
  /** The clock, Unix milliseconds; `Date.now` when omitted. */
  now?: () => number
  /** Replaces the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>
}

/** Verifies a proof, once. Throws `ProofError` for an invalid proof, and `TypeError` where keys cannot be loaded. */
export type VerifyProof = (proof: unknown) => Promise<Proof>

/**
 * Create it once: it caches the service's keys and the used proofs.
 *
 * ```ts
 * const verifyProof = createProofVerifier({ baseUrl, appId, purpose: 'signup' })
 * const { phoneNumber } = await verifyProof(form.get('proof'))
 * ```
 */
export function createProofVerifier(options: ProofOptions): VerifyProof {
  const { baseUrl, now = Date.now, toleranceSec = 30 } = options
  if (!options.appId || options.purpose.length === 0) throw new TypeError('appId and purpose have to be set')
  const keys = keysAt(baseUrl, { now, send: options.fetch ?? ((request) => fetch(request)) })
  const isFirstUse = options.isFirstUse ?? rememberedUntilExpired(now, toleranceSec)
  return async (proof) => {
    const claims = await signedClaims(proof, keys)
    const proven = believed(claims, options, now() / 1_000 - toleranceSec)
    if (!(await isFirstUse(proven))) throw new ProofError('used', 'The proof was used before')
    return proven
  }
}

/** Longer than any proof with 4 KB of metadata. */
const MAX_LENGTH = 16_384

interface Head {
  alg: string
  kid: string
}

async function signedClaims(proof: unknown, keys: Keys): Promise<Record<string, unknown>> {
  const [, head, body, signature] =
    typeof proof === 'string' && proof.length <= MAX_LENGTH ? (COMPACT.exec(proof) ?? []) : []
  const { alg, kid, crit } = jsonIn(head) as Partial<Head> & { crit?: unknown }
  if (alg !== 'EdDSA' || typeof kid !== 'string' || crit !== undefined) throw malformed()
  const key = await keys.find(kid)
  const signed = new TextEncoder().encode(`${head}.${body}`)
  if (!key || !(await crypto.subtle.verify('Ed25519', key, bytesIn(signature), signed)))
    throw new ProofError('bad_signature', 'The proof is not signed with a key of the service')
  return jsonIn(body)
}

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/

const malformed = () => new ProofError('malformed', 'This is no proof')

function jsonIn(part = ''): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesIn(part)))
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>
  } catch {
    // Falls through.
  }
  throw malformed()
}

function bytesIn(base64url = ''): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** Signed claims are complete; here they are checked against the options. */
function believed(claims: Record<string, unknown>, options: ProofOptions, soonestEnd: number): Proof {
  const { sub, aud, exp, phone_number, phone_number_verified, purpose, mode, test } = claims
  if (aud !== options.appId) throw new ProofError('other_app', 'The proof is of another app')
  if (typeof exp !== 'number' || exp <= soonestEnd) throw new ProofError('expired', 'The proof has expired')
  if (![options.purpose].flat().includes(purpose as string))
    throw new ProofError('other_purpose', 'The proof is for something else')
  if (mode !== 'live' && !(mode === 'test' && options.allowTestMode))
    throw new ProofError('test_mode', 'The proof is of test mode: set allowTestMode where that is wanted')
  if (test !== undefined && !options.allowReviewNumbers)
    throw new ProofError('review_number', 'The proof is of a review number: set allowReviewNumbers to let reviewers in')
  if (phone_number_verified !== true || typeof phone_number !== 'string' || typeof sub !== 'string') throw malformed()
  return told(claims)
}

/** Reads a proof that the service has just answered, so its signature need not be checked. */
export const proofIn = (answered: string): Proof => told(jsonIn(answered.split('.')[1]))

const told = ({ sub, iat, exp, phone_number, purpose, mode, test, metadata = {} }: Record<string, unknown>): Proof => ({
  issueId: sub as string,
  phoneNumber: phone_number as string,
  purpose: purpose as string,
  mode: mode as Proof['mode'],
  ...(test === true && { test }),
  metadata: metadata as Proof['metadata'],
  verifiedAt: new Date(Number(iat) * 1_000),
  expiresAt: new Date(Number(exp) * 1_000),
})

/** Expired proofs need not be remembered: they are refused anyway. */
function rememberedUntilExpired(now: () => number, toleranceSec: number) {
  const used = new Map<string, number>()
  return ({ issueId, expiresAt }: Proof): boolean => {
    for (const [known, endsAt] of used) {
      if (endsAt > now()) break
      used.delete(known)
    }
    if (used.has(issueId)) return false
    used.set(issueId, expiresAt.getTime() + toleranceSec * 1_000)
    return true
  }
}
