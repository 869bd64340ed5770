/** What a server knows of where an app's codes go, and whether they pay. */
import type { RequestFacts, RuleHit } from '../abuse/rules/assess'
import type { Pause } from '../abuse/rules/incident'
import type { Protection } from '../abuse/rules/protection'
import type { Rule } from '../abuse/rules/rule'
import type { Issue } from '../domain/codes/issue'
import type { Decision, SegmentHour, SegmentKey } from './store/traffic'

/** One code that somebody asks for, on its way in. */
export interface PendingRequest {
  /** Whether a rule would refuse it at that price in credits, as things are. Unless one does it counts for others until it leaves. */
  isRefused(protection: Protection, price: number): boolean
  /** What a rule finds against it, at that price in credits. Unless it is refused it counts for others until it leaves. May be asked again. */
  assess(protection: Protection, price: number): RuleHit | undefined
  /** It was refused for what was found, or is stored although that would have refused it. */
  recordHit(finding: RuleHit): void
  /** It is over: the code is stored, or there is none. Called once. */
  release(issue: Issue | undefined): void
}

export interface Traffic {
  /** What rules need is in memory, or is read first where the app has rested. Throws `unavailable`. */
  acquire(appId: string, facts: RequestFacts): Promise<PendingRequest>
  /** Digits of prefixes that enough phones share, by their hashes: as far as this server has seen them lately. */
  digitsOf(appId: string): ReadonlyMap<string, string>
}

/** What is to be added to the incident of a lane. */
export interface IncidentUpdate {
  readonly segment: SegmentKey
  /** How many were refused, or would have been. */
  readonly refused: number
  readonly isBlocked: boolean
  readonly lastAt: number
  readonly rules: readonly Rule[]
  readonly pause: Pause
  /** What codes have cost in all that nobody typed, credits. */
  readonly cost: number
}

/** What a server has found out of an app and not stored yet. */
export interface Findings {
  readonly appId: string
  readonly decisions: readonly Decision[]
  readonly incidentUpdates: readonly IncidentUpdate[]
  readonly hours: readonly SegmentHour[]
}
