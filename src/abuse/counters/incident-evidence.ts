/** Refusals that make an incident, by segment, until they are stored. */
import { MINUTE_MS } from '../../domain/shared/value'
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
  /** Number of refused phones that came back. */
  back: number
}

/** People come back within so long, and of a crowd at least so many. */
const BACK_WITHIN_MS = MINUTE_MS
const BACK_SHARE = 0.2

export class IncidentEvidence {
  readonly #sums = new Map<TrafficSegment, EvidenceSum>()

  add(segment: TrafficSegment, { refused, isBlocked, lastAt, rules }: Evidence): void {
    const sum = this.#sums.get(segment) ?? {
      ...{ refused: 0, isBlocked: false, since: lastAt, lastAt: 0, rules: new Set(), back: 0 },
    }
    sum.refused += refused
    sum.isBlocked ||= isBlocked
    sum.lastAt = Math.max(sum.lastAt, lastAt)
    for (const rule of rules) sum.rules.add(rule)
    this.#sums.set(segment, sum)
  }

  addBack(segment: TrafficSegment): void {
    const sum = this.#sums.get(segment)
    if (sum) sum.back++
  }

  /** Refusals that are no crowd's: nobody comes back, lost wishes prove it, or a cap is exceeded. */
  refused(segment: TrafficSegment, isProven: boolean, now: number): number {
    const sum = this.#sums.get(segment)
    if (!sum) return 0
    const areGone = sum.isBlocked && now - sum.since >= BACK_WITHIN_MS && sum.back < BACK_SHARE * sum.refused
    return isProven || areGone || sum.rules.has('cap') ? sum.refused : 0
  }

  /** The evidence of a segment, where an incident is open or `refused` codes are enough to open one. */
  take(
    segment: TrafficSegment,
    { isOpen, refused }: { isOpen: boolean; refused: number },
    now: number,
  ): Evidence | undefined {
    const sum = this.#sums.get(segment)
    if (!sum) return undefined
    const isEnough = isOpen || refused >= INCIDENT_FROM
    if (isEnough || now - sum.since > INCIDENT_WITHIN_MS) this.#sums.delete(segment)
    if (!isEnough) return undefined
    const { since: _, back: __, rules, ...sums } = sum
    return { ...sums, rules: [...rules] }
  }
}
