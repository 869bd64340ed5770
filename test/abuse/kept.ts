/** What a store keeps of where codes go, in memory. */
import type { Incident } from '../../src/abuse/rules/incident'
import { AGE_MS } from '../../src/abuse/rules/wish'
import type { Issue } from '../../src/domain/verification/issue'
import type { Store, Tx } from '../../src/ports/store'
import type {
  CountedIssues,
  SegmentHour,
  TrafficReader,
  TrafficSnapshot,
  TrafficTx,
} from '../../src/ports/store/traffic'
import { APP_ID } from './made'
import type { Past } from './warm-up'

interface Row {
  issue: Issue
}

export class Kept {
  /** In the order of their making. */
  readonly #rows: Row[]
  readonly #byId = new Map<string, Row>()
  readonly #byPhone = new Map<string, Row>()
  readonly #hours = new Map<string, SegmentHour>()
  readonly #incidents = new Map<string, Incident>()
  /** How often somebody has looked at what was sent, and how many issues that has read. */
  reads = 0
  issuesRead = 0
  snapshot: TrafficSnapshot | undefined
  refusesSnapshots = false
  /** What a transaction fails with, for now. */
  failure: Error | undefined

  constructor(
    { hours, lastDay }: Past,
    private readonly now: () => number,
  ) {
    this.#save(hours)
    this.#rows = lastDay.map((issue) => ({ issue }))
  }

  add(phone: string, issue: Issue): void {
    const row = { issue }
    const before = this.#byPhone.get(phone)
    if (before?.issue.verificationStatus === 'issued' && issue.createdAt < before.issue.expiresAt)
      before.issue = { ...before.issue, verificationStatus: 'replaced' }
    this.#byId.set(issue.issueId, row)
    this.#byPhone.set(phone, row)
    this.#rows.splice(this.#firstSince(issue.createdAt + 1), 0, row)
  }

  liveOf(phone: string): Issue | undefined {
    return this.#byPhone.get(phone)?.issue
  }

  change(issueId: string, to: (issue: Issue, now: number) => Issue): void {
    const row = this.#byId.get(issueId)
    if (row) row.issue = to(row.issue, this.now())
  }

  get incidents(): Incident[] {
    return [...this.#incidents.values()]
  }

  get store(): Store {
    const tx = { traffic: this.#tx, afterCommit: (effect: () => void) => effect() }
    const transaction = async (work: (tx: Tx) => Promise<unknown>) => {
      if (this.failure) throw this.failure
      return work({ ...tx, now: this.now() } as unknown as Tx)
    }
    return { read: { traffic: this.#reader }, transaction } as unknown as Store
  }

  readonly #reader: Pick<
    TrafficReader,
    'appsSince' | 'issues' | 'nthNewest' | 'snapshot' | 'hours' | 'openIncidents' | 'allOpenIncidents'
  > = {
    snapshot: async () => this.snapshot,
    appsSince: async (from) => (this.#rows.length > this.#firstSince(from) ? [APP_ID] : []),
    issues: (_, from, to, which) => this.#between(from, to, which),
    nthNewest: async (_, from, nth) => this.#rows.slice(this.#firstSince(from)).at(-1 - nth)?.issue.createdAt,
    hours: async (_, since) => [...this.#hours.values()].filter(({ hour }) => hour >= since),
    openIncidents: async () => this.#open(),
    allOpenIncidents: async () => this.#open(),
  }

  readonly #tx: Pick<
    TrafficTx,
    'saveSnapshot' | 'saveHours' | 'addDecisions' | 'lockIncident' | 'saveIncident' | 'lockIncidentById'
  > = {
    saveSnapshot: async (snapshot) => {
      if (this.refusesSnapshots) throw new Error('The disk is full')
      this.snapshot = snapshot
    },
    saveHours: async (_, hours) => this.#save(hours),
    addDecisions: async () => {},
    lockIncident: async (_, { kind, country }) =>
      this.#open().find((one) => one.kind === kind && one.country === country),
    saveIncident: async (incident) => void this.#incidents.set(incident.incidentId, incident),
    lockIncidentById: async (incidentId) => this.#incidents.get(incidentId),
  }

  #save(hours: readonly SegmentHour[]): void {
    for (const hour of hours) this.#hours.set(`${hour.kind}${hour.country}${hour.hour}`, hour)
  }

  #open(): Incident[] {
    return this.incidents.filter(({ endedAt }) => endedAt === undefined)
  }

  async *#between(from: number, to: number, which: CountedIssues): AsyncIterable<Issue[]> {
    this.reads++
    const found = this.#rows.slice(this.#firstSince(from), this.#firstSince(to)).map(({ issue }) => issue)
    const fromMs = { all: Number.NEGATIVE_INFINITY, verified: 0, late: AGE_MS.judged }[which]
    const wanted = found.filter((issue) => tookMs(issue) >= fromMs)
    this.issuesRead += wanted.length
    if (wanted.length > 0) yield wanted
  }

  /** Where those begin that were made since. */
  #firstSince(at: number): number {
    let [from, to] = [0, this.#rows.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#rows[middle]?.issue.createdAt ?? 0) < at) from = middle + 1
      else to = middle
    }
    return from
  }
}

/** Until it was verified; less than any time where it was not. */
const tookMs = ({ createdAt, verifiedAt }: Issue): number =>
  verifiedAt === undefined ? Number.NEGATIVE_INFINITY : Math.max(0, verifiedAt - createdAt)
