/** What an app's owner decides about abuse. Decisions: "Abuse". Live mode only. */
import { invalid, Refusal } from './error'
import type { KeyKind } from './key'
import { limited } from './limit'
import { isRegion, type Recipient } from './phone'
import { DAY_MS, SECOND_MS } from './value'

export const COUNTRY_MODES = ['off', 'watch', 'block'] as const

/** Of one app; times are milliseconds. */
export interface Protection {
  /** What happens to a code for a country that is not open. */
  readonly countries: (typeof COUNTRY_MODES)[number]
  /** Beside the app's region, where browser keys send to: ISO 3166 countries. */
  readonly open: readonly string[]
  /** Where secret keys do not send to. */
  readonly closed: readonly string[]
  /** How long a kind of key waits before a next code for one phone and purpose. */
  readonly resendMs: Readonly<Record<KeyKind, number>>
  /** How long a phone stays locked after a hundred wrong codes; null: until an operator opens it. */
  readonly lockMs: number | null
}

/** Of apps made from now on. */
export const NEW_APP: Protection = {
  countries: 'block',
  open: [],
  closed: [],
  // Browser keys are public, and a page asks for a next code at the press of a button.
  resendMs: { sk: 0, pk: 30 * SECOND_MS },
  lockMs: DAY_MS,
}

/** Of an app that was there before it could be decided: nothing it did is refused. */
export const FORMER_APP: Protection = { ...NEW_APP, countries: 'watch' }

/** Test mode has the specification's limits and no others. */
export const UNPROTECTED: Protection = { ...NEW_APP, countries: 'off', resendMs: { sk: 0, pk: 0 } }

/** What holds for an app; for one that has just been removed, what holds for a new one. */
export const protectionOf = (app: { protection: Protection | undefined } | undefined): Protection =>
  app ? (app.protection ?? FORMER_APP) : NEW_APP

/** Unix milliseconds from which on a next code for the phone and purpose may be issued. */
export const resendAt = ({ resendMs }: Protection, kind: KeyKind, issuedAt: number): number => issuedAt + resendMs[kind]

/** Throws `limited` where the code before is too young. A clock that was set back makes nobody wait longer than from now on. */
export function assertResendable(protection: Protection, kind: KeyKind, before: number | undefined, now: number): void {
  if (before === undefined) return
  const waitMs = resendAt(protection, kind, Math.min(before, now)) - now
  if (waitMs > 0) throw limited({ limit: 'resend', policy: 'platform' }, waitMs)
}

/** Which kind of key sends, and where its app is at home. */
interface Sender {
  kind: KeyKind
  home: string
}

/** Whether an app sends there: browser keys where it says so, secret keys wherever it does not say otherwise. */
export function isOpenTo(
  { open, closed }: Protection,
  { kind, home }: Sender,
  { country }: Pick<Recipient, 'country'>,
): boolean {
  if (country === undefined) return kind === 'sk'
  if (closed.includes(country)) return false
  return kind === 'sk' || country === home || open.includes(country)
}

/** Throws `forbidden`, naming the field. */
export function assertOpenTo(protection: Protection, sender: Sender, recipient: Pick<Recipient, 'country'>): void {
  if (protection.countries !== 'block' || isOpenTo(protection, sender, recipient)) return
  const problem = 'phoneNumber: codes are not sent to the country of this number'
  throw new Refusal('forbidden', problem, { param: 'phoneNumber', reason: 'country_closed' })
}

const MAX_RESEND_MS = 3_600 * SECOND_MS

/** Throws `invalid` for what no app may decide. */
export function assertProtection({ open, closed, resendMs }: Protection): void {
  for (const [name, countries] of Object.entries({ open, closed }))
    for (const country of countries)
      if (!isRegion(country))
        throw invalid(name, 'invalid_country', `must be ISO 3166 country codes such as KR: ${country}`)
  if (!Object.values(resendMs).every((ms) => ms >= 0 && ms <= MAX_RESEND_MS && ms % SECOND_MS === 0))
    throw invalid('resend', 'out_of_range', 'must be whole seconds from 0 to 3600', { min: 0, max: 3_600 })
}
