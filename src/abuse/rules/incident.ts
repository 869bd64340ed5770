/**
 * Codes for a country that nobody types, or more than a cap allows: what an operator is told of, and how long nothing more is
 * sent there. One for an app, a kind of key and a country. Decisions: "Abuse". Live mode only.
 *
 *   suspected ──▶ paused 30 min ──▶ three at a time ──verified again──▶ quiet for an hour ──▶ ended
 *                    ▲ 3 times as long ──not verified──┘
 */

import type { KeyKind } from '../../domain/access/api-key'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/shared/value'
import { HARDLY_ANYBODY_TYPES, NOBODY_TYPES } from './early-conversion-test'
import type { Rule, RuleMatch } from './rule'

/** Times are Unix milliseconds, amounts credits. */
export interface Incident {
  readonly incidentId: string
  readonly appId: string
  readonly kind: KeyKind
  readonly country: string
  readonly since: number
  /** When something was refused, or would have been, for the last time. */
  readonly lastAt: number
  readonly endedAt: number | undefined
  /** Whether codes were refused; otherwise they would have been. */
  readonly isBlocked: boolean
  /** How many were refused, or would have been. */
  readonly refused: number
  /** Which rules were against them. */
  readonly rules: readonly Rule[]
  /** Until when nothing is sent there; undefined: it was never paused. */
  readonly pausedUntil: number | undefined
  readonly pauses: number
  /** What codes have cost that nobody typed, as far as it is known: from an hour before it on. */
  readonly cost: number
  /** When the operator is to be told next of how it stands; undefined: nothing is to be told. */
  readonly tellAt: number | undefined
  /** How often telling has failed in a row. */
  readonly tells: number
  /** Credits given back for it. */
  readonly refunded: number | undefined
}

/** There were too many codes, whether somebody types them or not. */
export const isCapIncident = ({ rules }: Pick<Incident, 'rules'>): boolean =>
  rules.length > 0 && rules.every((rule) => rule === 'cap')

/**
 * An incident is opened once so many codes were refused, or would have been, within so long, or where a pause began. In an
 * outage people ask again, and some of them too soon. Of our own, by the simulation: of 100 days of outages none is taken for an
 * attack, and every attack there is an incident within a minute.
 */
export const INCIDENT_FROM = 10
export const INCIDENT_WITHIN_MS = 10 * MINUTE_MS

/**
 * Whether what a rule was against may be people: many young codes are a crowd, and before it is known what is usual, little is
 * unusual. It is a matter of an incident only where nobody types.
 */
export const isDoubtful = ({ rule, isRefused }: Pick<RuleMatch, 'rule' | 'isRefused'>, isLearned: boolean): boolean =>
  rule === 'country_pending' || !(isRefused || isLearned)

/** `score`: of the test whether anybody types. Where it is known what is usual, there is more to tell an attack by. */
export const isUntyped = (score: number, isLearned: boolean): boolean =>
  score >= (isLearned ? HARDLY_ANYBODY_TYPES : NOBODY_TYPES)

export type Pause = Pick<Incident, 'pauses' | 'pausedUntil'>

export const NO_PAUSE: Pause = { pauses: 0, pausedUntil: undefined }

/** Growing pauses are Auth0's; how long they are is of our own: a code lives no longer than the first. */
const FIRST_PAUSE_MS = 30 * MINUTE_MS
const PAUSE_TIMES = 3
const LONGEST_PAUSE_MS = 12 * HOUR_MS
/** Without a refusal for so long it is over. */
const QUIET_MS = HOUR_MS

/** Where the country is suspected. */
export function pause({ pauses }: Pause, now: number): Pause {
  const forMs = Math.min(FIRST_PAUSE_MS * PAUSE_TIMES ** pauses, LONGEST_PAUSE_MS)
  return { pausedUntil: now + forMs, pauses: pauses + 1 }
}

/** As long again, where whoever was kept out still knocks: no code is spent on finding out. */
export const prolong = ({ pauses }: Pause, now: number): Pause =>
  pause({ pauses: pauses - 1, pausedUntil: undefined }, now)

export const isPaused = ({ pausedUntil }: Pause, now: number): boolean => pausedUntil !== undefined && now < pausedUntil

/** A pause that has ended is still remembered: the next one is longer. */
export function isOver({ lastAt, pausedUntil = 0 }: Pick<Incident, 'lastAt' | 'pausedUntil'>, now: number): boolean {
  const latest = Math.max(lastAt, pausedUntil)
  return now >= latest + QUIET_MS || latest > now + FURTHEST_AHEAD_MS
}

/** No pause is that long: the clock was ahead and was set back, and nothing stays closed until it is there again. */
const FURTHEST_AHEAD_MS = LONGEST_PAUSE_MS + QUIET_MS

/** By an operator, or because it has become quiet. */
export const ended = (incident: Incident, now: number): Incident => ({
  ...incident,
  endedAt: now,
  pausedUntil: undefined,
  tells: 0,
  tellAt: now,
})

/** How long a place stays open in which an operator has ended an incident, milliseconds. */
export const REOPENED_MS = DAY_MS

/** What is spent by an incident was spent from so long before it was seen. */
export const SEEN_AFTER_MS = HOUR_MS

/** While it is open and no pause: so few at a time may be too young to be judged, which is what the next pause costs. */
export const PENDING_AFTER_PAUSE = 3

/** An operator whose receiver does not answer is told again, and in the end no more. */
const TELL_AGAIN_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS] as const

export function notifyFailed(incident: Incident, now: number): Incident {
  const againMs = TELL_AGAIN_MS[incident.tells]
  return { ...incident, tells: incident.tells + 1, tellAt: againMs === undefined ? undefined : now + againMs }
}

export const markNotified = (incident: Incident): Incident => ({ ...incident, tells: 0, tellAt: undefined })

/** How long what was decided is kept: addresses of end users are no older than this either. */
export const DECISIONS_KEPT_MS = 30 * DAY_MS
