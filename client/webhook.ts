/**
 * Verifying the service's webhooks, for Node 20 and newer, Bun, Deno and edge runtimes. It imports nothing and needs
 * nothing but WebCrypto, whose `verify` compares in constant time.
 *
 * ```ts
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret })
 * if (event.type === 'otp.verified') await signIn(event.data.id)
 * ```
 */
import type { OtpEvent } from './types'

export type { EventType, OtpEvent, OtpEventOf } from './types'

export type WebhookFailure =
  /** It carries no signature, or only part of one. */
  | 'missing_header'
  /** The timestamp is no number of seconds. */
  | 'bad_timestamp'
  /** Its timestamp is further from the clock than `toleranceSec`, in the past or in the future. */
  | 'expired'
  /** No secret made the signature for this body and timestamp. */
  | 'bad_signature'
  /** The service did sign it, but it is no event: the endpoint may have a payload template. */
  | 'bad_body'

/** The request is not authentic. Answer 400, which is not retried. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookFailure

  constructor(reason: WebhookFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

/** `Headers` of any runtime, Node's `IncomingHttpHeaders`, or a plain object with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookRequest {
  /** The raw body. Parsing and serializing it again would change the text. */
  body: string | Uint8Array
  headers: WebhookHeaders
  /** The secret as the console shows it (`whsec_…`); both secrets during a rotation. */
  secret: string | readonly string[]
  /** Seconds the timestamp may be away from the clock; 300 when omitted. */
  toleranceSec?: number
  /** The clock, Unix milliseconds; `Date.now()` when omitted. */
  now?: number
}

/**
 * Verifies a request and returns its event. Throws `WebhookVerificationError` with a `reason`, and `TypeError` for a
 * wrong setup: no secret, or a body that was parsed before.
 *
 * An event whose type this version does not know passes, so that a newer service breaks no receiver: give a `switch`
 * over `event.type` a `default`.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<OtpEvent> {
  await verifyWebhookSignature(request)
  return readEvent(request.body)
}

/** The same without parsing the body, for endpoints with a payload template. */
export async function verifyWebhookSignature(request: WebhookRequest): Promise<void> {
  const { headers, toleranceSec = 300, now = Date.now() } = request
  const secrets = secretsOf(request.secret)
  const body = bytesOf(request.body)
  for (const claim of claimsOf(headers)) {
    checkAge(claim.timestamp, toleranceSec, now)
    if (await isTrue(claim, secrets, body)) return
  }
  throw new WebhookVerificationError('bad_signature', 'The signature is not of this body, timestamp and secret')
}

/** One signature scheme of the request. */
interface Claim {
  timestamp: string
  /** Signed text before the body. */
  prefix: string
  signatures: readonly Uint8Array<ArrayBuffer>[]
  keyOf(secret: string): Uint8Array<ArrayBuffer> | undefined
}

/**
 * Ours decides where it is there. It has room for one signature, made with the newest secret. While a secret is rotated
 * there are several Standard Webhooks signatures. They count too, for receivers that have the older secret.
 */
function claimsOf(headers: WebhookHeaders): Claim[] {
  const own = ownClaim(headers)
  const standard = standardClaim(headers)
  if (own && standard && standard.signatures.length > 1) return [own, standard]
  const claim = own ?? standard
  if (claim) return [claim]
  throw new WebhookVerificationError(
    'missing_header',
    'The request has neither X-Watchword-Signature nor the three headers of Standard Webhooks',
  )
}

function ownClaim(headers: WebhookHeaders): Claim | undefined {
  const signature = headerOf(headers, 'x-watchword-signature')
  const timestamp = headerOf(headers, 'x-watchword-timestamp')
  if (signature === undefined && timestamp === undefined) return undefined
  if (signature === undefined || timestamp === undefined) {
    throw new WebhookVerificationError(
      'missing_header',
      'X-Watchword-Signature and X-Watchword-Timestamp belong together',
    )
  }
  return { timestamp, prefix: `${timestamp}.`, signatures: listed(fromHex(signature)), keyOf: encode }
}

/** More than any rotation needs. A bound, so that a forged request cannot cause hundreds of hashes. */
const MAX_SIGNATURES = 8

function standardClaim(headers: WebhookHeaders): Claim | undefined {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signature = headerOf(headers, 'webhook-signature')
  if (id === undefined || timestamp === undefined || signature === undefined) return undefined
  const signatures = signature
    .split(' ', MAX_SIGNATURES)
    .flatMap((each) => (each.startsWith('v1,') ? listed(fromBase64(each.slice(3))) : []))
  return { timestamp, prefix: `${id}.${timestamp}.`, signatures, keyOf: standardKey }
}

/** Standard Webhooks signs with the decoded bytes of the secret, not with its text. */
const standardKey = (secret: string) => fromBase64(secret.replace(/^whsec_/, ''))

function checkAge(timestamp: string, toleranceSec: number, now: number): void {
  if (!/^\d{1,15}$/.test(timestamp)) {
    throw new WebhookVerificationError('bad_timestamp', 'The timestamp is no number of seconds')
  }
  const awaySec = Math.abs(Math.floor(now / 1_000) - Number(timestamp))
  // Written so that a tolerance of NaN refuses everything.
  if (!(awaySec <= toleranceSec)) {
    throw new WebhookVerificationError('expired', `The timestamp is ${awaySec} s away from the clock`)
  }
}

async function isTrue(claim: Claim, secrets: readonly string[], body: Uint8Array): Promise<boolean> {
  const prefix = encode(claim.prefix)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  for (const secret of secrets) {
    const bytes = claim.keyOf(secret)
    if (bytes === undefined) continue
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of claim.signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
    }
  }
  return false
}

/** An empty secret is a missing setting, and a key that everybody knows. */
function secretsOf(secret: string | readonly string[]): readonly string[] {
  // Plain JavaScript passes an unset variable too.
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? [])
  if (secrets.length === 0 || secrets.some((each) => typeof each !== 'string' || each === '')) {
    throw new TypeError('secret: the webhook secret is not set')
  }
  return secrets
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  if (typeof body === 'string') return encode(body)
  // Not `instanceof`: test runners and sandboxes have a `Uint8Array` of their own.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  throw new TypeError('body: must be the raw body, as text or bytes; a body parser may have come first')
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []))
  // Repeated headers are joined as `Headers` does, so they are neither a number nor a signature.
  return values.length > 0 ? values.join(', ') : undefined
}

const isHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function'

function readEvent(body: string | Uint8Array): OtpEvent {
  const event = parse(body)
  // A signed body is the service's own, so its shape is not checked in full: newer services may send more.
  const isEvent =
    isRecord(event) &&
    typeof event.id === 'string' &&
    typeof event.type === 'string' &&
    Number.isInteger(event.created) &&
    isRecord(event.data)
  if (!isEvent) throw new WebhookVerificationError('bad_body', 'The body is signed, but it is no event')
  return event as unknown as OtpEvent
}

function parse(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const listed = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value])

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  const pairs = /^(?:[0-9a-f]{2})+$/i.test(text) ? text.match(/../g) : null
  return pairs ? Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)) : undefined
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return bytes.length > 0 ? bytes : undefined
  } catch {
    return undefined
  }
}
