/** Traffic of an app's live codes, as a server counts it for the rules against abuse. */
import type { RequestFacts, RuleHit } from '../abuse/rules/assess'
import type { Protection } from '../abuse/rules/protection'
import type { PlaceRule, Rule } from '../abuse/rules/rule'
import type { Message } from '../domain/message/message'
import type { Decision, SegmentHour, SegmentKey } from './store/traffic'

/** A request that is in flight. It is acquired before it is assessed, and released once. */
export interface PendingRequest {
  /**
   * Whether a rule refuses it now at this price in credits. Unless one does, other requests count it until it is
   * released.
   */
  isRefused(protection: Protection, price: number): boolean
  /**
   * The rule that is against it, at this price in credits. Unless it is refused, other requests count it until it is
   * released. May be called again.
   */
  assess(protection: Protection, price: number): RuleHit | undefined
  /** Counts the rule hit: the request was refused for it, or would have been if the rule were not only watched. */
  recordHit(finding: RuleHit): void
  /** Ends it; `issue` is the stored one, undefined where none was made. */
  release(message: Message | undefined): void
}

export interface Traffic {
  /** Reads the traffic of the last day first where the app was idle. Throws `unavailable` where that takes too long. */
  acquire(appId: string, facts: RequestFacts): Promise<PendingRequest>
  /** Digits of prefixes by their keyed hashes, where enough phones share them and this server has seen them lately. */
  digitsOf(appId: string): ReadonlyMap<string, string>
  /** The place that this server has refused codes of a segment for last. */
  lostWishes(appId: string, segment: SegmentKey): LostWishes | undefined
}

/** Reason of refusals for a place: so many of its wishes are lost, and so many usually are. */
export interface LostWishes {
  readonly place: PlaceRule
  /** Digits of the prefix, where enough phones share it. */
  readonly digits: string | undefined
  readonly wishes: number
  readonly lost: number
  readonly usually: number
}

/** An addition to the incident of a segment, which it opens if there is none. */
export interface IncidentUpdate {
  readonly segment: SegmentKey
  /** How many codes were refused, or would have been where the rule is only watched. */
  readonly refused: number
  readonly isBlocked: boolean
  readonly lastAt: number
  readonly rules: readonly Rule[]
  /** Credits of all codes that nobody verified. */
  readonly cost: number
}

/** Findings of a server about an app's traffic that are not stored yet. */
export interface Findings {
  readonly appId: string
  readonly decisions: readonly Decision[]
  readonly incidentUpdates: readonly IncidentUpdate[]
  readonly hours: readonly SegmentHour[]
}
