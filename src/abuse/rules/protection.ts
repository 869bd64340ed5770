/** What an app's owner decides about abuse. Decisions: "Abuse". Live mode only. */

import type { KeyKind } from '../../domain/access/api-key'
import { isNetwork } from '../../domain/access/network'
import { limited } from '../../domain/access/rate-limits'
import { type Issue, isActive, phoneOf } from '../../domain/codes/issue'
import { isRegion, type Recipient } from '../../domain/phone/phone'
import { invalid, Refusal } from '../../domain/shared/error'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/shared/value'
import { assertCaps, type Cap, NEW_CAPS } from './cap'
import type { ProtectionMode, RuleMatch } from './rule'

/** Who is held to nothing but the countries. */
export interface Trusted {
  /** Of whoever asks for a code, in CIDR notation. */
  readonly networks: readonly string[]
  readonly countries: readonly string[]
  /** Keyed hashes, as hexadecimal digits. */
  readonly phones: readonly string[]
}

/** What an operator has stopped for a while. */
export interface ActiveBlock {
  readonly country: string
  /** Of the digits of a prefix, as hexadecimal digits; undefined: the whole country. */
  readonly prefix?: string | undefined
  /** Undefined: no kind of key sends there. */
  readonly kind?: KeyKind | undefined
  /** Unix milliseconds. */
  readonly until: number
}

/** Where an operator has ended an incident: no rule about typing refuses anything there for a while, whatever it finds. */
export interface Reopened {
  readonly kind: KeyKind
  /** Empty: numbers of no country, and countries to which little is sent, together. */
  readonly country: string
  /** Unix milliseconds. */
  readonly until: number
}

export const MAX_REOPENED_HOURS = 7 * 24

export const isReopened = (
  { reopened }: Protection,
  { kind, country = '' }: { kind: KeyKind; country: string | undefined },
  now: number,
): boolean => reopened.some((one) => one.kind === kind && one.country === country && now < one.until)

/** Of one app; times are milliseconds. */
export interface Protection {
  /** Of numbers of a type that gets no texts, or costs a premium. */
  readonly numberTypes: ProtectionMode
  /** Of codes of browser keys for countries that are not open. */
  readonly countries: ProtectionMode
  /** Of what is over a cap. */
  readonly capping: ProtectionMode
  readonly caps: readonly Cap[]
  /** Of traffic that nobody verifies; nothing is refused before the app's own traffic is known. */
  readonly conversion: ProtectionMode
  /** Of phones at which too many codes were wrong; they are counted whatever this is. */
  readonly failures: ProtectionMode
  /** So many times as many codes may be unverified, or too young to tell, as usually: 0.5 to 2. */
  readonly tolerance: number
  readonly trusted: Trusted
  readonly blocks: readonly ActiveBlock[]
  readonly reopened: readonly Reopened[]
  /** Beside the app's region, where browser keys send to: ISO 3166 countries. */
  readonly open: readonly string[]
  /** Where secret keys send to; empty: anywhere. */
  readonly secretTo: readonly string[]
  /** Where no key sends to. */
  readonly closed: readonly string[]
  /** How long a kind of key waits before a next code for one phone and purpose. */
  readonly resendMs: Readonly<Record<KeyKind, number>>
  /** How long a phone stays locked after a hundred wrong codes; null: until an operator opens it. */
  readonly lockMs: number | null
}

/** Of apps made from now on. */
export const NEW_APP: Protection = {
  numberTypes: 'block',
  countries: 'block',
  capping: 'block',
  caps: NEW_CAPS,
  conversion: 'block',
  failures: 'block',
  tolerance: 1,
  trusted: { networks: [], countries: [], phones: [] },
  blocks: [],
  reopened: [],
  open: [],
  secretTo: [],
  closed: [],
  // Browser keys are public, and a page asks for a next code at the press of a button.
  resendMs: { sk: 0, pk: 30 * SECOND_MS },
  lockMs: DAY_MS,
}

/** Test mode has the specification's limits and no others. */
export const UNPROTECTED: Protection = {
  ...NEW_APP,
  numberTypes: 'off',
  countries: 'off',
  capping: 'off',
  conversion: 'off',
  failures: 'off',
  resendMs: { sk: 0, pk: 0 },
}

/** What holds for an app; for one that has just been removed, what holds for a new one. */
export const protectionOf = (app: { protection: Protection } | undefined): Protection => app?.protection ?? NEW_APP

type Lifetime = Pick<Issue, 'createdAt' | 'expiresAt' | 'promisedExpiresAt'>

/**
 * Unix milliseconds from which on a next code for the phone and purpose may be issued, also while this one is live: as its
 * caller was told, whatever has become of the clock since.
 */
export const resendAt = (
  { resendMs }: Protection,
  kind: KeyKind,
  { createdAt, expiresAt, promisedExpiresAt = expiresAt }: Lifetime,
): number => Math.min(createdAt + resendMs[kind], promisedExpiresAt)

/**
 * Where the live code before is too young. One that another kind of key has brought about holds nobody up. A clock that was set
 * back makes nobody wait longer than from now on.
 */
export function findResend(
  protection: Protection,
  kind: KeyKind,
  before: Issue | undefined,
  now: number,
): (RuleMatch & { waitMs: number }) | undefined {
  if (!before || phoneOf(before).kind !== kind || !isActive(before, now)) return undefined
  const waitMs = Math.min(resendAt(protection, kind, before) - now, protection.resendMs[kind])
  return waitMs > 0 ? { rule: 'resend', waitMs, isRefused: true } : undefined
}

/** Throws `limited` where it is. */
export function assertResendable(...asked: Parameters<typeof findResend>): void {
  const found = findResend(...asked)
  if (found) throw limited({ limit: 'resend', policy: 'platform' }, found.waitMs)
}

/** Which kind of key sends, and where its app is at home. */
interface Sender {
  kind: KeyKind
  home: string
}

export type Destination = 'open' | 'closed' | 'not_open'

/** Browser keys send where it is open, secret keys where it is not closed to them, and no key where it is closed. */
export function destinationOf(
  { open, secretTo, closed }: Protection,
  { kind, home }: Sender,
  { country }: Pick<Recipient, 'country'>,
): Destination {
  if (isIn(closed, country)) return 'closed'
  if (kind === 'sk') return secretTo.length === 0 || isIn(secretTo, country) ? 'open' : 'closed'
  return country === home || isIn(open, country) ? 'open' : 'not_open'
}

const isIn = (countries: readonly string[], country: string | undefined): boolean =>
  country !== undefined && countries.includes(country)

/** 403, naming the field. */
export function countryClosed(): Refusal {
  const problem = 'phoneNumber: codes are not sent to the country of this number'
  return new Refusal('forbidden', problem, { param: 'phoneNumber', reason: 'country_closed' })
}

/** Each is looked through for every code. */
const MOST_LISTED = 200
const LONGEST_LOCK_DAYS = 365
const MAX_RESEND_MS = 3_600 * SECOND_MS
const [LEAST_TOLERANCE, GREATEST_TOLERANCE] = [0.5, 2]

/** Throws `invalid` for what no app may decide. */
export function assertProtection(protection: Protection): void {
  const { open, secretTo, closed, resendMs, lockMs, caps, trusted, blocks, reopened, tolerance } = protection
  for (const [name, countries] of Object.entries({
    ...{ open, secretTo, closed, trusted: trusted.countries },
    blocks: blocks.map(({ country }) => country),
  }))
    for (const country of countries)
      if (!isRegion(country))
        throw invalid(name, 'invalid_country', `must be ISO 3166 country codes such as KR: ${country}`)
  for (const network of trusted.networks)
    if (!isNetwork(network)) throw invalid('networks', 'invalid_network', `not a network: ${network}`, { network })
  for (const [name, list] of Object.entries({ ...trusted, blocks, reopened }))
    if (list.length > MOST_LISTED) throw invalid(name, 'too_many', `at most ${MOST_LISTED}`, { max: MOST_LISTED })
  assertCaps(caps)
  if (!(tolerance >= LEAST_TOLERANCE && tolerance <= GREATEST_TOLERANCE))
    throw invalid('tolerance', 'out_of_range', 'must be from 0.5 to 2', {
      min: LEAST_TOLERANCE,
      max: GREATEST_TOLERANCE,
    })
  if (!Object.values(resendMs).every((ms) => ms >= 0 && ms <= MAX_RESEND_MS && ms % SECOND_MS === 0))
    throw invalid('resend', 'out_of_range', 'must be whole seconds from 0 to 3600', { min: 0, max: 3_600 })
  if (lockMs !== null && !(Number.isInteger(lockMs) && lockMs >= HOUR_MS && lockMs <= LONGEST_LOCK_DAYS * DAY_MS))
    throw invalid('lock', 'out_of_range', 'must be from an hour to a year', { min: 1, max: LONGEST_LOCK_DAYS * 24 })
}
