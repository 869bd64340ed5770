/** What a store keeps of where codes go, in memory. */
import type { Incident } from '../../src/domain/incident'
import type { Issue } from '../../src/domain/issue'
import type { Store, Tx } from '../../src/ports/store'
import type { LaneHour, TrafficReader, TrafficTx } from '../../src/ports/store/traffic'
import type { Past } from './warm-up'

export class Kept {
  /** In the order of their making. */
  readonly #issues: Issue[]
  readonly #places = new Map<string, number>()
  readonly #newest = new Map<string, string>()
  readonly #hours: LaneHour[]
  readonly #incidents = new Map<string, Incident>()

  constructor(
    { hours, lastDay }: Past,
    private readonly now: () => number,
  ) {
    this.#hours = [...hours]
    this.#issues = [...lastDay]
  }

  add(phone: string, issue: Issue): void {
    this.#places.set(issue.issueId, this.#issues.length)
    this.#newest.set(phone, issue.issueId)
    this.#issues.push(issue)
  }

  liveOf(phone: string): Issue | undefined {
    const place = this.#places.get(this.#newest.get(phone) ?? '')
    return place === undefined ? undefined : this.#issues[place]
  }

  change(issueId: string, to: (issue: Issue, now: number) => Issue): void {
    const place = this.#places.get(issueId)
    const issue = place === undefined ? undefined : this.#issues[place]
    if (place !== undefined && issue) this.#issues[place] = to(issue, this.now())
  }

  get store(): Store {
    const tx = { traffic: this.#tx, afterCommit: (effect: () => void) => effect() }
    const store = {
      read: { traffic: this.#reader },
      transaction: (unit: (tx: Tx) => Promise<unknown>) => unit({ ...tx, now: this.now() } as unknown as Tx),
    }
    return store as unknown as Store
  }

  readonly #reader: Pick<TrafficReader, 'seen' | 'hours' | 'openIncidents' | 'allOpenIncidents'> = {
    seen: (_, from, to, which) => this.#between(from, to, which),
    hours: async (_, since) => this.#hours.filter(({ hour }) => hour >= since),
    openIncidents: async () => this.#open(),
    allOpenIncidents: async () => this.#open(),
  }

  #open = () => [...this.#incidents.values()].filter(({ endedAt }) => endedAt === undefined)

  async *#between(from: number, to: number, which: 'all' | 'verified'): AsyncIterable<Issue[]> {
    const found = this.#issues.slice(this.#firstSince(from), this.#firstSince(to))
    const wanted = which === 'all' ? found : found.filter(({ verifiedAt }) => verifiedAt !== undefined)
    if (wanted.length > 0) yield wanted
  }

  /** Where those begin that were made since. */
  #firstSince(at: number): number {
    let [from, to] = [0, this.#issues.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#issues[middle]?.createdAt ?? 0) < at) from = middle + 1
      else to = middle
    }
    return from
  }

  readonly #tx: Pick<TrafficTx, 'saveHours' | 'addDecisions' | 'lockIncident' | 'saveIncident' | 'lockIncidentById'> = {
    saveHours: async (_, hours) => void this.#hours.push(...hours),
    addDecisions: async () => {},
    lockIncident: async (_, { kind, country }) =>
      this.#open().find((one) => one.kind === kind && one.country === country),
    saveIncident: async (incident) => void this.#incidents.set(incident.incidentId, incident),
    lockIncidentById: async (incidentId) => this.#incidents.get(incidentId),
  }
}
