/**
 * Decides whether a code may be sent, once, before credit is reserved. Rules run from the narrowest to the widest, so
 * that a refusal hits as few people as possible. Situations and what the guard does: docs/abuse.md. Decisions: "Abuse".
 * Live mode only.
 */

import type { CallerKind } from '../../domain/access/caller'
import { cidrContains } from '../../domain/access/network'
import { limited } from '../../domain/access/rate-limits'
import { withoutTexts } from '../../domain/phone/phone'
import { Refusal } from '../../domain/shared/error'
import { SECOND_MS } from '../../domain/shared/value'
import type { UsualSent } from './baseline'
import { type Cap, capWaitMs } from './cap'
import type { Place } from './place'
import { countryClosed, destinationOf, isReopened, type Protection } from './protection'
import { isProvable, limitOf, type PlaceRule, type ProtectionMode, type Rule, type RuleMatch, ruleMatch } from './rule'

/** The facts of a request that rules decide by. */
export interface RequestFacts {
  readonly kind: CallerKind
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
}

/** The counters that a request is assessed against. Other requests in flight count, too. */
export interface AssessmentContext {
  /** Price of the message, credits. */
  readonly price: number
  readonly app: Place
  readonly country: Place
  readonly prefix: Place
  /** The baseline is not known yet, and a server of the app asks. */
  readonly isOnlyWatched: boolean
  /** The usual number of messages, in all and to the country. */
  readonly usual: { readonly app: UsualSent | undefined; readonly country: UsualSent }
  /**
   * The rule of the narrowest place where more wishes are lost than usual. None for whoever was refused for it and comes
   * back, as long as such wishes are kept.
   */
  readonly suspected: (tolerance: number) => PlaceRule | undefined
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
  const { tolerance } = protection
  for (const cap of modeFilter(protection.capping) ? protection.caps : []) {
    if (cap.kind !== facts.kind) continue
    const waitMs = capWaitMs(cap, context[cap.per], context.price, { tolerance, usual: baselineOf(cap, context) }, now)
    if (waitMs > 0) decision.add(protection.capping, 'cap', waitMs)
  }
  const mode = protection.conversion === 'block' && context.isOnlyWatched ? 'watch' : protection.conversion
  if (!modeFilter(mode) || isReopened(protection, facts, now)) return decision
  const rule = context.suspected(tolerance)
  if (rule) decision.add(mode, rule, RETRY_AFTER_MS)
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

/** A prefix has no usual of its own. */
const baselineOf = ({ per }: Cap, { usual }: AssessmentContext) => usual[per === 'app' ? per : 'country']

/**
 * Whoever is refused for a place may come back after so long, and is then let in: people do, and those who rotate numbers do
 * not (greylisting, Harris 2003).
 */
export const RETRY_AFTER_MS = 30 * SECOND_MS

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
