/**
 * Decides whether a code may be sent, once, before credit is reserved. Rules run from the narrowest to the widest, so
 * that a refusal hits as few people as possible. Situations and what the guard does: docs/abuse.md. Decisions: "Abuse".
 * Live mode only.
 */

import type { KeyKind } from '../../domain/access/api-key'
import { cidrContains } from '../../domain/access/network'
import { limited } from '../../domain/access/rate-limits'
import { withoutTexts } from '../../domain/phone/phone'
import { Refusal } from '../../domain/shared/error'
import { HOUR_MS, MINUTE_MS } from '../../domain/shared/value'
import {
  type Allowed,
  allowedOf,
  allowedOfCountry,
  type Baseline,
  isTyped,
  type SequentialTest,
  SUSPECTED,
  TOO_MANY_COUNTRIES,
  tolerated,
  type UsualSent,
} from './baseline'
import { type Cap, capWaitMs } from './cap'
import { PENDING_AFTER_PAUSE } from './incident'
import { countryClosed, destinationOf, isReopened, type Protection } from './protection'
import { isProvable, limitOf, type ProtectionMode, type Rule, type RuleMatch, ruleMatch } from './rule'
import type { CountryCounter, NetworkCounter, TrafficCounter } from './traffic-counter'

/** The facts of a request that rules decide by. */
export interface RequestFacts {
  readonly kind: KeyKind
  /** The region of the app, ISO 3166. */
  readonly home: string
  readonly country: string | undefined
  /** The type of the number receives no texts, or costs a premium. */
  readonly withoutTexts?: true | undefined
  /** Keyed hashes, as hexadecimal digits. */
  readonly phone: string
  readonly prefix: string
  /** Digits of the prefix; never stored. */
  readonly digits: string
  /** Address of the end user, and the keyed hash of its network; undefined where unknown. */
  readonly address: string | undefined
  readonly network: string | undefined
  /** The app has a challenge, so a refusal for traffic asks for a proof instead. */
  readonly mayProve?: boolean
}

/** The counters that a request is assessed against. Other requests in flight count, too. */
export interface AssessmentContext {
  /** Price of the message, credits. */
  readonly price: number
  readonly app: TrafficCounter
  readonly country: CountryCounter
  readonly prefix: TrafficCounter
  readonly network: NetworkCounter | undefined
  readonly baseline: Baseline
  /** The usual number of messages, in all and to the country. */
  readonly usual?: { readonly app: UsualSent | undefined; readonly country: UsualSent }
  /** The country's own segment, then the pooled one where the country has no baseline of its own. */
  readonly segments: readonly SegmentView[]
}

/** The state of a segment that rules read. */
export interface SegmentView {
  readonly counter: CountryCounter
  readonly baseline: Baseline
  /** The state of the sequential test. */
  readonly suspicion: SequentialTest
  isSuspected(now: number): boolean
  readonly pausedUntil: number | undefined
}

/** A rule that is against a request. */
export interface RuleHit extends RuleMatch {
  /** Price of the message, credits. */
  readonly price: number
}

/** Selects the rules that compare counters, by mode: all that are noted, or only those that may refuse. */
export type ModeFilter = (mode: ProtectionMode) => boolean
const isNoted: ModeFilter = (mode) => mode !== 'off'
export const mayRefuse: ModeFilter = (mode) => mode === 'block'

export function assess(
  protection: Protection,
  facts: RequestFacts,
  context: AssessmentContext,
  now: number,
  modeFilter?: ModeFilter,
): RuleHit | undefined {
  const { hit } = decide(protection, facts, context, now, modeFilter)
  return hit && { ...hit, price: context.price }
}

/** Keeps the first rule that refuses, else the first one that is watched. */
class RuleDecision {
  hit: RuleMatch | undefined

  add(mode: ProtectionMode, rule: Rule, waitMs?: number): void {
    if (!this.hit || (mode === 'block' && !this.hit.isRefused)) this.hit = ruleMatch(mode, rule, waitMs)
  }
}

function decide(
  protection: Protection,
  facts: RequestFacts,
  context: AssessmentContext,
  now: number,
  modeFilter = isNoted,
): RuleDecision {
  const decision = decideByPlace(protection, facts, now)
  if (isTrusted(protection, facts)) return decision
  const { isLearned } = context.baseline
  const { tolerance } = protection
  const caps = modeFilter(protection.capping) ? protection.caps : []
  for (const cap of caps) {
    const waitMs =
      cap.kind === facts.kind
        ? capWaitMs(
            cap,
            counterOf(cap, context),
            context.price,
            { isKnown: isLearned, tolerance, usual: usualOf(cap, context) },
            now,
          )
        : 0
    if (waitMs > 0) decision.add(protection.capping, 'cap', waitMs)
  }
  const mode = protection.conversion === 'block' && !isLearned ? 'watch' : protection.conversion
  if (modeFilter(mode) && !isReopened(protection, facts, now))
    findUnverifiedTraffic(facts, context, tolerance, now, (rule, waitMs) => decision.add(mode, rule, waitMs))
  return decision
}

/** The rule that is against a number wherever its traffic stands. */
export const assessPlace = (...asked: Parameters<typeof decideByPlace>): RuleMatch | undefined =>
  decideByPlace(...asked).hit

function decideByPlace(protection: Protection, facts: PlaceFacts, now: number): RuleDecision {
  const decision = new RuleDecision()
  if (facts.withoutTexts) decision.add(protection.numberTypes, 'number_type')
  const destination = destinationOf(protection, facts, facts)
  if (destination === 'closed') decision.add('block', 'country_closed')
  if (destination === 'not_open') decision.add(protection.countries, 'country_closed')
  for (const block of protection.blocks)
    if (isBlockedBy(block, facts, now)) decision.add('block', 'blocked', block.until - now)
  return decision
}

type PlaceFacts = Pick<RequestFacts, 'kind' | 'home' | 'country' | 'withoutTexts' | 'prefix' | 'digits'>

const isBlockedBy = ({ country, prefix, kind, until }: Protection['blocks'][number], facts: PlaceFacts, now: number) =>
  now < until &&
  facts.country === country &&
  (prefix === undefined || prefix === facts.prefix) &&
  (kind === undefined || kind === facts.kind)

function isTrusted({ trusted }: Protection, { country, phone, address }: RequestFacts): boolean {
  return (
    (country !== undefined && trusted.countries.includes(country)) ||
    trusted.phones.includes(phone) ||
    (address !== undefined && isWithin(trusted.networks, address))
  )
}

const isWithin = (networks: readonly string[], address: string): boolean =>
  networks.some((network) => cidrContains(network, address))

const counterOf = ({ per }: Cap, context: AssessmentContext): TrafficCounter => context[per]

/** A prefix has no usual of its own. */
const usualOf = ({ per }: Cap, { usual }: AssessmentContext) => usual?.[per === 'app' ? per : 'country']

/** Young codes are judged within this time. */
const PENDING_RETRY_MS = MINUTE_MS

type ReportHit = (rule: Rule, waitMs: number) => void

/**
 * Finds traffic that nobody verifies, and how long it counts: by network (as Authgear by address), by prefix (as coss
 * Verify and Twilio's Fraud Guard) and by segment (as GitLab by country):
 *
 *   unverified ≥ allowed in an hour or a day ─▶ refused until fewer count;  pending ≥ allowed ─▶ refused for a minute
 *
 * Nobody is refused for a place where people verify codes (`isTyped`). With a challenge the proof is asked for there as
 * well: else an attacker gets a code for each that people verify. The limits and pauses are in `baseline.ts`.
 */
function findUnverifiedTraffic(
  facts: RequestFacts,
  context: AssessmentContext,
  tolerance: number,
  now: number,
  report: ReportHit,
): void {
  const { network, prefix, baseline, segments } = context
  const isOpen = (place: TrafficCounter, of: Baseline) => !facts.mayProve && isTyped(place, of, now)
  if (network && !isOpen(network, baseline)) {
    const counts = network.counts(now)
    findUnverified('network', network, tolerated(allowedOf('network', counts, baseline), tolerance), now, report)
    if (network.countries(now) >= TOO_MANY_COUNTRIES && counts.day.verified < 1) report('network_countries', HOUR_MS)
  }
  if (!isOpen(prefix, baseline))
    findUnverified(
      'prefix',
      prefix,
      tolerated(allowedOf('prefix', prefix.counts(now), baseline), tolerance),
      now,
      report,
    )
  for (const segment of segments) {
    const { pausedUntil, counter } = segment
    // Verified codes in the country's own segment outweigh the pooled one.
    if (isOpen(counter, segment.baseline)) return
    if (pausedUntil !== undefined && now < pausedUntil) report('country_paused', pausedUntil - now)
    else if (segment.isSuspected(now)) report('country_paused', PENDING_RETRY_MS)
    findUnverified('country', counter, allowedThere(segment, tolerance, now), now, report)
  }
}

/** After a pause a few codes at a time show whether the attack is over. */
function allowedThere(
  { counter, baseline, suspicion, pausedUntil }: SegmentView,
  tolerance: number,
  now: number,
): Allowed {
  const lately = { verified: counter.verifiedLately(now), wasPaused: pausedUntil !== undefined }
  const allowed = tolerated(allowedOfCountry(counter.counts(now), lately, baseline, now), tolerance)
  const isCareful = lately.wasPaused && suspicion.score >= SUSPECTED / 2
  return isCareful ? { ...allowed, pending: PENDING_AFTER_PAUSE } : allowed
}

function findUnverified(
  place: 'network' | 'prefix' | 'country',
  counter: TrafficCounter,
  allowed: Allowed,
  now: number,
  report: ReportHit,
): void {
  const waitMs = Math.max(
    counter.hour.waitMs('unverified', allowed.hour, now),
    counter.day.waitMs('unverified', allowed.day, now),
  )
  if (waitMs > 0) report(`${place}_unverified`, waitMs)
  if (counter.pending(now) >= allowed.pending) report(`${place}_pending`, PENDING_RETRY_MS)
}

/**
 * The refusal that the caller gets: 400 or 403 where waiting does not help, else 429. The rule is shown to operators
 * only.
 */
export function refusalOf({ rule, waitMs }: Pick<RuleHit, 'rule' | 'waitMs'>): Refusal {
  if (rule === 'number_type') return withoutTexts()
  if (waitMs === undefined) return countryClosed()
  const limit = limitOf(rule)
  const { message, detail } = limited(
    { limit, policy: 'platform' },
    limit === 'abuse' ? Math.max(1_000, waitMs) : waitMs,
  )
  return new Refusal('limited', message, { ...detail, provable: isProvable(rule) })
}
