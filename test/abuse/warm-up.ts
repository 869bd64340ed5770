/** Two weeks of a world before its day, as they would be stored: lived through where everything is sent. */
import { sampleOf } from '../../src/abuse/counters/age-scheduler'
import { AppTraffic } from '../../src/abuse/counters/app-traffic'
import { PrefixAndNetworkCounters } from '../../src/abuse/counters/prefix-and-network-counters'
import { LEARNED_DAYS } from '../../src/abuse/rules/baseline'
import { AGE_MS, type AgeBucket } from '../../src/abuse/rules/wish'
import { DAY_MS } from '../../src/domain/shared/value'
import type { Issue } from '../../src/domain/verification/issue'
import type { SegmentHour } from '../../src/ports/store/traffic'
import { seededRandom } from '../support/random'
import { APP_ID, orderOf } from './made'
import { play } from './play'
import type { Asked, Sent, Service } from './service'
import type { AbuseWorld } from './worlds'

export interface Past {
  readonly hours: readonly SegmentHour[]
  /** In the order of their making. */
  readonly lastDay: readonly Issue[]
}

export const NO_PAST: Past = { hours: [], lastDay: [] }

/** The world of those weeks: nothing out of the ordinary happens before the day that is looked at. */
export const ordinaryDaysOf = ({ crowds, reports }: AbuseWorld): AbuseWorld => ({
  name: 'before',
  crowds: crowds.map(({ surge, typesInTheEnd: _, ...crowd }) =>
    surge?.times(0) === 0 ? { ...crowd, aDay: 0 } : crowd,
  ),
  reports,
  isKnown: false,
})

export async function pastOf(world: AbuseWorld, seed: number, until: number): Promise<Past> {
  const service = new Unguarded(until - LEARNED_DAYS * DAY_MS)
  const stage = { service, world, seed: seed + 500_000, from: until - LEARNED_DAYS * DAY_MS, to: until }
  await play(stage)
  const issues = service.issues.filter(({ createdAt }) => createdAt < until)
  const lastDay = issues.filter(({ createdAt }) => createdAt >= until - DAY_MS)
  return { hours: hoursOf(issues, until), lastDay: lastDay.map((issue) => asOf(issue, until)) }
}

/** What has come of it by then: who asked before does not come back. */
const asOf = (issue: Issue, now: number): Issue =>
  issue.verifiedAt !== undefined && issue.verifiedAt < now
    ? issue
    : {
        ...issue,
        verifiedAt: undefined,
        verificationStatus: issue.verificationStatus === 'replaced' ? 'replaced' : 'expired',
      }

function hoursOf(issues: readonly Issue[], until: number): readonly SegmentHour[] {
  const traffic = new AppTraffic(APP_ID, new PrefixAndNetworkCounters(), [], 0)
  const looks = issues
    .flatMap((issue) =>
      (Object.keys(AGE_MS) as AgeBucket[]).map((stage) => ({ issue, stage, at: issue.createdAt + AGE_MS[stage] })),
    )
    .sort((one, other) => one.at - other.at)
  for (const { issue, stage } of looks) {
    const sighted = sampleOf(issue)
    traffic.record(sighted, stage, traffic.bucketsOf(sighted))
  }
  return traffic.takeFindings(until).hours
}

/** Sends everything. */
class Unguarded implements Service {
  readonly #random = seededRandom(1)
  readonly #issues = new Map<string, Issue>()
  /** By phone. */
  readonly #newest = new Map<string, string>()
  #now: number

  constructor(from: number) {
    this.#now = from
  }

  get issues(): Issue[] {
    return [...this.#issues.values()]
  }

  async until(at: number): Promise<void> {
    this.#now = at
  }

  async issue(asked: Asked): Promise<Sent> {
    const issue = orderOf(asked, this.#random, this.#now).issue()
    const before = this.#issues.get(this.#newest.get(asked.phone) ?? '')
    if (before?.verificationStatus === 'issued' && this.#now < before.expiresAt)
      this.#issues.set(before.issueId, { ...before, verificationStatus: 'replaced' })
    this.#newest.set(asked.phone, issue.issueId)
    this.#issues.set(issue.issueId, issue)
    return { issueId: issue.issueId, phone: asked.phone, kind: asked.kind, price: issue.price }
  }

  async verify({ issueId }: Sent): Promise<void> {
    const issue = this.#issues.get(issueId)
    if (!issue || this.#now >= issue.expiresAt) return
    this.#issues.set(issueId, { ...issue, verificationStatus: 'verified', verifiedAt: this.#now })
  }

  async arrived({ issueId }: Sent): Promise<void> {
    const issue = this.#issues.get(issueId)
    if (issue) this.#issues.set(issueId, { ...issue, deliveryStatus: 'delivered' })
  }

  async incidents(): Promise<number[]> {
    return []
  }

  async stop(): Promise<void> {}
}
