/** Refusals that make an incident, by segment, until they are stored. */
import type { IncidentUpdate } from '../../ports/traffic'
import { INCIDENT_FROM, INCIDENT_WITHIN_MS } from '../rules/incident'
import type { Rule } from '../rules/rule'
import type { TrafficSegment } from './traffic-segment'

/** Refusals of one segment. */
export type Evidence = Pick<IncidentUpdate, 'refused' | 'isBlocked' | 'lastAt' | 'rules'>

interface EvidenceSum {
  refused: number
  isBlocked: boolean
  readonly since: number
  lastAt: number
  readonly rules: Set<Rule>
}

export class IncidentEvidence {
  readonly #confirmed = new Map<TrafficSegment, EvidenceSum>()
  /** Refusals that may have hit people: they count only once it is known that nobody verifies there. */
  readonly #doubtful = new Map<TrafficSegment, EvidenceSum>()

  add(segment: TrafficSegment, evidence: Evidence): void {
    addTo(this.#confirmed, segment, evidence)
  }

  addDoubtful(segment: TrafficSegment, evidence: Evidence): void {
    addTo(this.#doubtful, segment, evidence)
  }

  /** Doubtful refusals count where nobody verifies, and are dropped where somebody does. */
  settleDoubtful(segment: TrafficSegment, isUnverified: () => boolean, now: number): void {
    const doubtful = this.#doubtful.get(segment)
    if (!doubtful) return
    const isConfirmed = isUnverified()
    if (isConfirmed) this.add(segment, { ...doubtful, rules: [...doubtful.rules] })
    if (isConfirmed || hasExpired(doubtful, now)) this.#doubtful.delete(segment)
  }

  refused(segment: TrafficSegment): number {
    return this.#confirmed.get(segment)?.refused ?? 0
  }

  /** The evidence of a segment, where an incident is open or `refused` codes are enough to open one. */
  take(
    segment: TrafficSegment,
    { isOpen, refused }: { isOpen: boolean; refused: number },
    now: number,
  ): Evidence | undefined {
    const evidence = this.#confirmed.get(segment)
    if (!evidence) return undefined
    const isEnough = isOpen || refused >= INCIDENT_FROM
    if (isEnough || hasExpired(evidence, now)) this.#confirmed.delete(segment)
    if (!isEnough) return undefined
    const { since: _, rules, ...sums } = evidence
    return { ...sums, rules: [...rules] }
  }
}

const hasExpired = ({ since }: EvidenceSum, now: number): boolean => now - since > INCIDENT_WITHIN_MS

function addTo(
  sums: Map<TrafficSegment, EvidenceSum>,
  segment: TrafficSegment,
  { refused, isBlocked, lastAt, rules }: Evidence,
): void {
  const sum = sums.get(segment) ?? { refused: 0, isBlocked: false, since: lastAt, lastAt: 0, rules: new Set() }
  sum.refused += refused
  sum.isBlocked ||= isBlocked
  sum.lastAt = Math.max(sum.lastAt, lastAt)
  for (const rule of rules) sum.rules.add(rule)
  sums.set(segment, sum)
}
