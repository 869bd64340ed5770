/** Settings of an app against abuse, as its owner decides. Decisions: "Abuse". Live mode only. */

import type { CallerKind, KeyKind } from '../../domain/access/caller'
import { isNetwork } from '../../domain/access/network'
import { limited, phoneOf } from '../../domain/access/rate-limits'
import { isRegion, type Recipient } from '../../domain/phone/phone'
import { invalid, Refusal } from '../../domain/shared/error'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/shared/value'
import { isActive, type Verification } from '../../domain/verification/verification'
import { assertCaps, type Cap, NEW_CAPS } from './cap'
import type { ProtectionMode, RuleMatch } from './rule'

/** Requests that only the rules about countries hold back. */
export interface Trusted {
  /** Networks of end users, CIDR notation. */
  readonly networks: readonly string[]
  readonly countries: readonly string[]
  /** Keyed hashes, as hexadecimal digits. */
  readonly phones: readonly string[]
}

/** A country or prefix that an operator has blocked for a while. */
export interface ActiveBlock {
  readonly country: string
  /** Keyed hash of a prefix, hexadecimal digits; undefined: the whole country. */
  readonly prefix?: string | undefined
  /** Undefined: both kinds of key are blocked. */
  readonly kind?: CallerKind | undefined
  /** Unix milliseconds. */
  readonly until: number
}

/** A segment whose incident an operator has ended: no rule about unverified codes refuses there for a while. */
export interface Reopened {
  readonly kind: CallerKind
  /** Empty: the pooled segment. */
  readonly country: string
  /** Unix milliseconds. */
  readonly until: number
}

export const MAX_REOPENED_HOURS = 7 * 24

export const isReopened = (
  { reopened }: Protection,
  { kind, country = '' }: { kind: CallerKind; country: string | undefined },
  now: number,
): boolean => reopened.some((one) => one.kind === kind && one.country === country && now < one.until)

/** The settings of one app; times are milliseconds. */
export interface Protection {
  /** Mode for numbers of a type that receives no texts, or costs a premium. */
  readonly numberTypes: ProtectionMode
  /** Mode for codes of browser keys to countries that are not open. */
  readonly countries: ProtectionMode
  /** Mode for codes over a cap. */
  readonly capping: ProtectionMode
  readonly caps: readonly Cap[]
  /** Mode for traffic that nobody verifies; nothing is refused before the app's traffic is learned. */
  readonly conversion: ProtectionMode
  /** Mode for phones with too many wrong codes; they are counted in every mode. */
  readonly failures: ProtectionMode
  /** Factor on the limits of unverified and pending codes, 0.5 to 2. */
  readonly tolerance: number
  readonly trusted: Trusted
  readonly blocks: readonly ActiveBlock[]
  readonly reopened: readonly Reopened[]
  /** Countries that browser keys send to beside the app's region, ISO 3166. */
  readonly open: readonly string[]
  /** Countries that secret keys send to; empty: any. */
  readonly secretTo: readonly string[]
  /** Countries that no key sends to. */
  readonly closed: readonly string[]
  /** Least time between two codes for one phone and purpose, by kind of key. */
  readonly resendMs: Readonly<Record<KeyKind, number>>
  /** How long a phone stays locked after a hundred wrong codes; null: until an operator unlocks it. */
  readonly lockMs: number | null
}

/** Settings of new apps. */
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
  // Browser keys are public, and a button of a page asks for the next code.
  resendMs: { sk: 0, pk: 30 * SECOND_MS },
  lockMs: DAY_MS,
}

/** Settings of test mode, which has the specification's limits only. */
export const UNPROTECTED: Protection = {
  ...NEW_APP,
  numberTypes: 'off',
  countries: 'off',
  capping: 'off',
  conversion: 'off',
  failures: 'off',
  resendMs: { sk: 0, pk: 0 },
}

/** The settings of an app; those of a new one where the app was just removed. */
export const protectionOf = (app: { protection: Protection } | undefined): Protection => app?.protection ?? NEW_APP

type Lifetime = Pick<Verification, 'createdAt' | 'expiresAt' | 'promisedExpiresAt'>

/**
 * When the next code for the phone and purpose may be issued while this one is live, Unix milliseconds. It is the time
 * the caller was told, also after a clock step.
 */
export const resendAt = (
  { resendMs }: Protection,
  kind: CallerKind,
  { createdAt, expiresAt, promisedExpiresAt = expiresAt }: Lifetime,
): number => Math.min(createdAt + intervalMs(resendMs, kind), promisedExpiresAt)

const intervalMs = (resendMs: Protection['resendMs'], kind: CallerKind) => resendMs[kind as KeyKind] ?? 0

/**
 * The rule `resend`, where the live code before is too young. Codes of another kind of key do not count. After a clock
 * step nobody waits longer than the full time from now.
 */
export function findResend(
  protection: Protection,
  kind: CallerKind,
  before: Verification | undefined,
  now: number,
): (RuleMatch & { waitMs: number }) | undefined {
  if (!before || phoneOf(before).kind !== kind || !isActive(before, now)) return undefined
  const waitMs = Math.min(resendAt(protection, kind, before) - now, intervalMs(protection.resendMs, kind))
  return waitMs > 0 ? { rule: 'resend', waitMs, isRefused: true } : undefined
}

/** Throws `limited` where the rule `resend` applies. */
export function assertResendable(...asked: Parameters<typeof findResend>): void {
  const found = findResend(...asked)
  if (found) throw limited({ limit: 'resend', policy: 'platform' }, found.waitMs)
}

interface Sender {
  kind: CallerKind
  home: string
}

export type Destination = 'open' | 'closed' | 'not_open'

/** Browser keys send to open countries, secret keys and relays to all that are not closed to them, and nobody to closed ones. */
export function destinationOf(
  { open, secretTo, closed }: Protection,
  { kind, home }: Sender,
  { country }: Pick<Recipient, 'country'>,
): Destination {
  if (isIn(closed, country)) return 'closed'
  if (kind !== 'pk') return secretTo.length === 0 || isIn(secretTo, country) ? 'open' : 'closed'
  return country === home || isIn(open, country) ? 'open' : 'not_open'
}

/** Countries that a key sends to, where it does not send to all but the closed ones. */
export function openCountries(
  { countries, open, secretTo, closed }: Protection,
  { kind, home }: Sender,
): string[] | undefined {
  const isLimited = kind === 'pk' ? countries === 'block' : secretTo.length > 0
  if (!isLimited) return undefined
  return [...new Set(kind === 'pk' ? [home, ...open] : secretTo)].filter((country) => !isIn(closed, country))
}

const isIn = (countries: readonly string[], country: string | undefined): boolean =>
  country !== undefined && countries.includes(country)

/** The refusal 403 `country_closed`, naming the field. */
export function countryClosed(): Refusal {
  const problem = 'phoneNumber: codes are not sent to the country of this number'
  return new Refusal('forbidden', problem, { param: 'phoneNumber', reason: 'country_closed' })
}

/** Every code is checked against each list. */
const MOST_LISTED = 200
const LONGEST_LOCK_DAYS = 365
const MAX_RESEND_MS = 3_600 * SECOND_MS
const [LEAST_TOLERANCE, GREATEST_TOLERANCE] = [0.5, 2]

/** Throws `invalid` for settings that are not allowed. */
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
