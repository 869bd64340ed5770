/**
 * Incidents: codes of a segment that nobody verifies, or more than a cap allows. Operators are notified of them, and
 * sending may pause. One is open for each app, kind of key and country. Decisions: "Abuse". Live mode only.
 *
 *   suspected ──▶ paused 30 min ──▶ three at a time ──verified again──▶ quiet for an hour ──▶ ended
 *                    ▲ 3 times as long ──not verified──┘
 */

import type { KeyKind } from '../../domain/access/api-key'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/shared/value'
import { HARDLY_ANYBODY_TYPES, NOBODY_TYPES } from './early-conversion-test'
import type { Rule, RuleMatch } from './rule'

/** Times are Unix milliseconds, amounts credits. */
export interface Incident {
  readonly incidentId: string
  readonly appId: string
  readonly kind: KeyKind
  readonly country: string
  readonly since: number
  /** Last time a code was refused, or would have been where the rule is only watched. */
  readonly lastAt: number
  readonly endedAt: number | undefined
  /** Whether codes were refused; false: the rules are only watched. */
  readonly isBlocked: boolean
  /** Codes that were refused, or would have been. */
  readonly refused: number
  /** Rules that were against them. */
  readonly rules: readonly Rule[]
  /** End of the last pause; undefined: never paused. */
  readonly pausedUntil: number | undefined
  readonly pauses: number
  /** Credits of unverified codes, from an hour before the incident on. */
  readonly cost: number
  /** Credits refunded for it. */
  readonly refunded: number | undefined
}

/** Whether only caps were exceeded, whoever verifies the codes. */
export const isCapIncident = ({ rules }: Pick<Incident, 'rules'>): boolean =>
  rules.length > 0 && rules.every((rule) => rule === 'cap')

/**
 * An incident opens after so many refused or watched codes within so long, or with a pause. In an outage people ask
 * again, some of them too soon. From our simulation: none of 100 outage days opens an incident, and every attack opens
 * one within a minute.
 */
export const INCIDENT_FROM = 10
export const INCIDENT_WITHIN_MS = 10 * MINUTE_MS

/**
 * Whether refused codes may be of people: many young codes may be a crowd, and without a baseline nothing is unusual.
 * They count for an incident only where nobody verifies.
 */
export const isDoubtful = ({ rule, isRefused }: Pick<RuleMatch, 'rule' | 'isRefused'>, isLearned: boolean): boolean =>
  rule === 'country_pending' || !(isRefused || isLearned)

/** `score`: of the early conversion test. With a baseline a lower score is enough, since other rules add evidence. */
export const isUntyped = (score: number, isLearned: boolean): boolean =>
  score >= (isLearned ? HARDLY_ANYBODY_TYPES : NOBODY_TYPES)

export type Pause = Pick<Incident, 'pauses' | 'pausedUntil'>

export const NO_PAUSE: Pause = { pauses: 0, pausedUntil: undefined }

/** Growing pauses are Auth0's idea. The first one is longer than any code lives. */
const FIRST_PAUSE_MS = 30 * MINUTE_MS
const PAUSE_TIMES = 3
const LONGEST_PAUSE_MS = 12 * HOUR_MS
/** An incident ends after so long without a refusal. */
const QUIET_MS = HOUR_MS

/** Starts the next pause of a suspected segment. */
export function pause({ pauses }: Pause, now: number): Pause {
  const forMs = Math.min(FIRST_PAUSE_MS * PAUSE_TIMES ** pauses, LONGEST_PAUSE_MS)
  return { pausedUntil: now + forMs, pauses: pauses + 1 }
}

/** Repeats the last pause where refused requests still flood in, without sending codes to test it. */
export const prolong = ({ pauses }: Pause, now: number): Pause =>
  pause({ pauses: pauses - 1, pausedUntil: undefined }, now)

export const isPaused = ({ pausedUntil }: Pause, now: number): boolean => pausedUntil !== undefined && now < pausedUntil

/** Whether the incident has become quiet. Until then an ended pause is remembered, and the next one is longer. */
export function isOver({ lastAt, pausedUntil = 0 }: Pick<Incident, 'lastAt' | 'pausedUntil'>, now: number): boolean {
  const latest = Math.max(lastAt, pausedUntil)
  return now >= latest + QUIET_MS || latest > now + FURTHEST_AHEAD_MS
}

/** Longer than any pause: such a time was stored before the clock was set back, and must not keep a country closed. */
const FURTHEST_AHEAD_MS = LONGEST_PAUSE_MS + QUIET_MS

/** Ends the incident and its pause. */
export const ended = (incident: Incident, now: number): Incident => ({
  ...incident,
  endedAt: now,
  pausedUntil: undefined,
})

/** How long a segment stays reopened after an operator ended its incident. */
export const REOPENED_MS = DAY_MS

/** The cost of an incident begins so long before it was seen. */
export const SEEN_AFTER_MS = HOUR_MS

/** Pending codes allowed after a pause. As many are lost when the next pause starts. */
export const PENDING_AFTER_PAUSE = 3

/** Retention of decisions, and of network hashes in issues. */
export const DECISIONS_KEPT_MS = 30 * DAY_MS
