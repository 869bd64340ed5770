/**
 * Incidents: codes of a segment that nobody verifies, or more than a cap allows. Operators are notified of them, and
 * sending may pause. One is open for each app, kind of key and country. Decisions: "Abuse". Live mode only.
 */

import type { CallerKind } from '../../domain/access/caller'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/shared/value'
import type { Rule } from './rule'

/** Times are Unix milliseconds, amounts credits. */
export interface Incident {
  readonly incidentId: string
  readonly appId: string
  readonly kind: CallerKind
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

/** An incident ends after so long without a refusal. */
const QUIET_MS = HOUR_MS

/** Whether the incident has become quiet. A time far ahead was stored before the clock was set back. */
export const isOver = ({ lastAt }: Pick<Incident, 'lastAt'>, now: number): boolean => Math.abs(now - lastAt) >= QUIET_MS

/** Ends the incident. */
export const ended = (incident: Incident, now: number): Incident => ({
  ...incident,
  endedAt: now,
})

/** How long a segment stays reopened after an operator ended its incident. */
export const REOPENED_MS = DAY_MS

/** The cost of an incident begins so long before it was seen. */
export const SEEN_AFTER_MS = HOUR_MS

/** Retention of decisions, and of network hashes in issues. */
export const DECISIONS_KEPT_MS = 30 * DAY_MS
