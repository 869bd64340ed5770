/** API keys: their format, their rights, and comparing secrets. Specification: "Authentication"; decisions: "Keys". */
import { createHash, hash, timingSafeEqual } from 'node:crypto'
import type { OperationAccess, Scope } from '../../../contract/scope'
import { forbidden, invalid } from '../shared/error'
import type { Mode } from '../shared/value'
import type { Caller, KeyKind } from './caller'
import { cidrContains, isNetwork } from './network'

/**
 * Allowances of live browser keys. `from`: set the sender. `text`: fill template variables without a pattern with any
 * text.
 */
export const ALLOWANCES = ['from', 'text'] as const
export type Allowance = (typeof ALLOWANCES)[number]

/** Rights and limits of a key; never the key itself. */
export interface ApiKey extends Caller {
  kind: KeyKind
  scopes: readonly Scope[]
  /** Exact origins a `pk_` key may be used from. */
  allowedOrigins: readonly string[]
  /** Networks an `sk_` key may be used from; empty: any. */
  allowedCidrs: readonly string[]
  /** Allowances of a live `pk_` key, see `browser-key.ts`. Other keys ignore them. */
  allows: readonly Allowance[]
  expiresAt: number | undefined
  revokedAt: number | undefined
}

/** A key as servers cache it. */
export interface KnownKey extends ApiKey {
  /** For a live browser key: all browser keys of its app, itself included, since their limits count together. */
  browserKeys?: readonly ApiKey[]
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

/** Lets typos and leaked keys be recognised without a look-up. */
const checksum = (text: string) => base62(BigInt(Bun.hash.crc32(text)), CHECKSUM_LENGTH)

/** Compares digit by digit, since it runs on every request. */
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

/** Kind and mode of a well-formed key, undefined otherwise. The key need not exist. */
export function parseKey(text: string): { kind: KeyKind; mode: Mode } | undefined {
  const match = KEY_PATTERN.exec(text)
  if (!match || !hasItsChecksum(text)) return undefined
  return { kind: match[1] as KeyKind, mode: match[2] ? 'test' : 'live' }
}

/** SHA-256 of a key, by which it is looked up. The key itself is not stored. */
export const keyHash = (key: string): Uint8Array => hash('sha256', key, 'buffer')

/** The same as hexadecimal digits, the key of the cache. */
export const keyHashText = (key: string): string => Bun.SHA256.hash(key, 'hex')

export const isActive = (key: ApiKey, now: number) =>
  key.revokedAt === undefined && (key.expiresAt === undefined || now < key.expiresAt)

const PUBLIC_SCOPES: ReadonlySet<Scope> = new Set(['otp:issue', 'otp:verify'])

/** Whether a public key has a scope that makes it invalid at authentication (rule 3). */
export const hasPoisonousScope = (key: Pick<ApiKey, 'kind' | 'scopes'>) =>
  key.kind === 'pk' && key.scopes.some((scope) => !PUBLIC_SCOPES.has(scope))

/** http and https on `localhost` and `127.0.0.1`, any port: open to `pk_test_` keys without registration. */
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1)(:\d{1,5})?$/

/** `URL.canParse` refuses ports beyond 65535. */
export const isLocalOrigin = (origin: string) => LOCAL_ORIGIN.test(origin) && URL.canParse(origin)

/** Whether a browser page from `origin` may use the key. Origins are compared exactly. */
export const listsOrigin = (key: ApiKey, origin: string) =>
  key.kind === 'pk' && (key.allowedOrigins.includes(origin) || (key.mode === 'test' && isLocalOrigin(origin)))

/** Throws `forbidden` unless the key may call the operation from that origin or address. */
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
/** Every request of the key is checked against each network. */
const MAX_CIDRS = 100

/** Throws `invalid` for a key that must not be created. */
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
  for (const cidr of key.allowedCidrs) assertCidr(cidr)
}

/** Throws `invalid`. */
export function assertCidr(cidr: string): void {
  if (!isNetwork(cidr))
    throw invalid('cidr', 'invalid_network', `not a network in CIDR notation: ${cidr}`, { network: cidr })
}

/** Scheme, host and port, as browsers and app shells send them, such as `capacitor://localhost`: RFC 6454, 6.2. */
const APP_ORIGIN =
  /^(?!(?:https?|wss?|ftp|file|data|blob|javascript|about):)[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::\d{1,5})?$/

function assertOrigin(origin: string): void {
  const isOfWeb = URL.canParse(origin) && new URL(origin).origin === origin && /^https?:/.test(origin)
  if (!(isOfWeb || (APP_ORIGIN.test(origin) && URL.canParse(origin))) || origin.includes('*')) {
    const problem = `must be an exact origin such as https://app.example.com, without path or wildcard: ${origin}`
    throw invalid('origin', 'invalid_origin', problem, { origin })
  }
}

/** A stored key, with the parts that people recognise it by. */
export interface StoredKey extends ApiKey {
  kind: KeyKind
  /** SHA-256 of the key. */
  hash: Uint8Array
  prefix: string
  lastFour: string
  lastUsedAt?: number | undefined
  createdAt: number
  name: string | undefined
  /** An operator, or `cli`. */
  createdBy: string
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compares in constant time, also texts of different length. */
export const isSameSecret = (shown: string, secret: string): boolean => timingSafeEqual(digest(shown), digest(secret))
