/** API keys: how they are written, what they may do. Specification: "Authentication"; decisions: "Keys". */
import { createHash, hash, timingSafeEqual } from 'node:crypto'
import type { OperationAccess, Scope } from '../../../contract/scope'
import { forbidden, invalid } from '../shared/error'
import type { Mode } from '../shared/value'
import { cidrContains, isNetwork } from './network'

export type KeyKind = 'sk' | 'pk'

/** What a live browser key may do beyond the usual. `from`: set the sender. `text`: fill template variables that have no pattern with any text. */
export const ALLOWANCES = ['from', 'text'] as const
export type Allowance = (typeof ALLOWANCES)[number]

/** What a key may do and how often; never the key itself. */
export interface ApiKey {
  keyId: string
  appId: string
  organizationId: string
  kind: KeyKind
  mode: Mode
  scopes: readonly Scope[]
  /** Exact origins a `pk_` key may be used from. */
  allowedOrigins: readonly string[]
  /** Networks an `sk_` key may be used from; empty: any. */
  allowedCidrs: readonly string[]
  limits: KeyLimits
  /** What a live `pk_` key may do beyond the usual; see `browser-key.ts`. Means nothing for others. */
  allows: readonly Allowance[]
  /** Of its app: ISO 3166 country whose national phone formats are read; undefined: the server's default. */
  region: string | undefined
  expiresAt: number | undefined
  revokedAt: number | undefined
}

/** A key as a server knows it. */
export interface KnownKey extends ApiKey {
  /** With a live browser key: those of its app, itself among them, since what all of them do counts together. */
  browserKeys?: readonly ApiKey[]
}

/** A key's own policy; each may only be tighter than the platform's ceiling. */
export interface KeyLimits {
  issuesPerMin?: number
  verifiesPerMin?: number
  readsPerMin?: number
  issuesPerMinPerIp?: number
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 32 bytes need at most 43 base62 digits; shorter numbers are padded, so that all keys are equally long. */
const BODY_LENGTH = 43
const CHECKSUM_LENGTH = 6
const KEY_PATTERN = new RegExp(`^(sk|pk)_(test_)?[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}$`)

function base62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits
  return digits.padStart(length, '0')
}

/** Catches typos and lets scanners recognise a leaked key, without a look-up. */
const checksum = (text: string) => base62(BigInt(Bun.hash.crc32(text)), CHECKSUM_LENGTH)

/** Every request asks: so its digits are compared, and not written first. */
function hasItsChecksum(text: string): boolean {
  const start = text.length - CHECKSUM_LENGTH
  let rest = Bun.hash.crc32(text.slice(0, start))
  for (let at = text.length - 1; at >= start; at--) {
    if (text.charCodeAt(at) !== BASE62.charCodeAt(rest % 62)) return false
    rest = Math.floor(rest / 62)
  }
  return true
}

const keyPrefix = (kind: KeyKind, mode: Mode) => `${kind}_${mode === 'test' ? 'test_' : ''}`

/** Writes a key from 32 random bytes. */
export function formatKey(kind: KeyKind, mode: Mode, secret: Uint8Array): string {
  const text = keyPrefix(kind, mode) + base62(BigInt(`0x${Buffer.from(secret).toString('hex')}`), BODY_LENGTH)
  return text + checksum(text)
}

/** Kind and mode a well-formed key claims, or undefined. Says nothing about whether such a key exists. */
export function parseKey(text: string): { kind: KeyKind; mode: Mode } | undefined {
  const match = KEY_PATTERN.exec(text)
  if (!match || !hasItsChecksum(text)) return undefined
  return { kind: match[1] as KeyKind, mode: match[2] ? 'test' : 'live' }
}

/** What look-ups by key use; the key itself is stored nowhere. */
export const keyHash = (key: string): Uint8Array => hash('sha256', key, 'buffer')

/** The same in hexadecimal, which is what those in use are remembered by. */
export const keyHashText = (key: string): string => Bun.SHA256.hash(key, 'hex')

export const isActive = (key: ApiKey, now: number) =>
  key.revokedAt === undefined && (key.expiresAt === undefined || now < key.expiresAt)

const PUBLIC_SCOPES: ReadonlySet<Scope> = new Set(['otp:issue', 'otp:verify'])

/** A public key with any further scope is no key at all (rule 3). */
export const hasPoisonousScope = (key: Pick<ApiKey, 'kind' | 'scopes'>) =>
  key.kind === 'pk' && key.scopes.some((scope) => !PUBLIC_SCOPES.has(scope))

/** http and https on `localhost` and `127.0.0.1`, any port: open to `pk_test_` keys without registration. */
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1)(:\d{1,5})?$/

/** A port beyond 65535 is none. */
export const isLocalOrigin = (origin: string) => LOCAL_ORIGIN.test(origin) && URL.canParse(origin)

/** Whether a browser page from `origin` may use the key. Origins are compared exactly. */
export const listsOrigin = (key: ApiKey, origin: string) =>
  key.kind === 'pk' && (key.allowedOrigins.includes(origin) || (key.mode === 'test' && isLocalOrigin(origin)))

/** Throws `forbidden` unless the key may call the operation from there. */
export function authorize(key: ApiKey, access: OperationAccess, origin: string | undefined, clientIp: string): void {
  if (key.kind === 'pk') {
    if (!access.publicKey) throw forbidden('server_only', 'A public key may only issue and verify')
    if (origin === undefined) throw forbidden('origin_missing', 'A public key needs an Origin header')
    if (!listsOrigin(key, origin))
      throw forbidden('origin_not_allowed', 'This origin is not among the allowed origins of the key')
  } else if (key.allowedCidrs.length > 0 && !key.allowedCidrs.some((cidr) => cidrContains(cidr, clientIp))) {
    throw forbidden('address_not_allowed', 'The key may not be used from this address')
  }
  const { requiredScope: scope, alsoAccepted } = access
  if (!key.scopes.includes(scope) && !key.scopes.some((other) => alsoAccepted.includes(other))) {
    throw forbidden('scope_missing', `The key lacks the scope ${scope}`, { scope })
  }
}

const MAX_ORIGINS = 20
/** Each is read with every request of the key. */
const MAX_CIDRS = 100

/** Throws `invalid` for a key that must not be made. */
export function assertKey(key: Pick<ApiKey, 'kind' | 'mode' | 'scopes' | 'allowedOrigins' | 'allowedCidrs'>): void {
  if (key.scopes.length === 0) throw invalid('scope', 'required', 'at least one scope')
  if (hasPoisonousScope(key))
    throw invalid('scope', 'public_key_scope', 'a pk key may hold otp:issue and otp:verify only')
  if (key.kind === 'sk' && key.allowedOrigins.length > 0)
    throw invalid('origin', 'origins_on_secret_key', 'origins belong to pk keys')
  if (key.kind === 'pk' && key.allowedCidrs.length > 0)
    throw invalid('cidr', 'networks_on_public_key', 'address lists belong to sk keys')
  if (key.kind === 'pk' && key.mode === 'live' && key.allowedOrigins.length === 0)
    throw invalid('origin', 'required', 'a live pk key needs at least one origin')
  if (key.allowedOrigins.length > MAX_ORIGINS)
    throw invalid('origin', 'too_many', `at most ${MAX_ORIGINS} origins`, { max: MAX_ORIGINS })
  if (key.allowedCidrs.length > MAX_CIDRS)
    throw invalid('cidr', 'too_many', `at most ${MAX_CIDRS} networks`, { max: MAX_CIDRS })
  for (const origin of key.allowedOrigins) assertOrigin(origin)
  for (const cidr of key.allowedCidrs) {
    if (!isNetwork(cidr))
      throw invalid('cidr', 'invalid_network', `not a network in CIDR notation: ${cidr}`, { network: cidr })
  }
}

function assertOrigin(origin: string): void {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  if (!url || url.origin !== origin || !['http:', 'https:'].includes(url.protocol) || origin.includes('*')) {
    const problem = `must be an exact origin such as https://app.example.com, without path or wildcard: ${origin}`
    throw invalid('origin', 'invalid_origin', problem, { origin })
  }
}

/** A key as it is stored: what it may do, and how people recognise it. */
export interface StoredKey extends ApiKey {
  /** SHA-256 of the key. */
  hash: Uint8Array
  prefix: string
  lastFour: string
  lastUsedAt?: number | undefined
  createdAt: number
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** In constant time, also for texts of different length. */
export const isSameSecret = (shown: string, secret: string): boolean => timingSafeEqual(digest(shown), digest(secret))
