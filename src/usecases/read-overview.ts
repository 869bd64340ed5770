/** The overview of one app or of all of them, added up from what is counted already. */
import type { Incident } from '../abuse/rules/incident'
import type { Rule } from '../abuse/rules/rule'
import { isActive, type StoredKey } from '../domain/access/api-key'
import { hasAllowances } from '../domain/access/browser-key'
import { addUp, totalOfTallies, type UsageCounts, type UsageRow } from '../domain/operations/usage'
import { DAY_MS, HOUR_MS, type Mode } from '../domain/shared/value'
import type { Issue } from '../domain/verification/issue'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import type { ProtectionHistory, RefusedReport } from './abuse/read-protection'
import { existingApp } from './administer'
import { type CarrierState, type InspectDependencies, listCarriers } from './inspect'

interface OverviewDependencies extends Pick<InspectDependencies, 'explain'> {
  store: Store
  clock: Pick<Clock, 'now' | 'elapsed'>
  history: ProtectionHistory
}

export interface OverviewReport {
  total: UsageCounts
  before: UsageCounts
  series: Array<UsageCounts & { at: number }>
  refused: RefusedOverview
  incidents: Incident[]
  carriers: CarrierReport[]
  apps: AppReport[]
  failures: FailureReport[]
  openKeys: StoredKey[]
  /** The apps that it is of. */
  appIds: string[]
}

interface RefusedOverview {
  total: number
  before: number
  series: number[]
  rules: Array<{ rule: Rule; refused: number; before: number }>
  unusual: Array<{ appId: string; lately: number; usual: number }>
}

interface CarrierReport extends Pick<CarrierState, 'name' | 'state' | 'since' | 'code' | 'explanation' | 'retryAt'> {
  recent: { accepted: number; refused: number; ambiguous: number }
  p50Ms?: number
  p95Ms?: number
}

interface AppReport extends Pick<UsageCounts, 'issued' | 'delivered' | 'failed' | 'verified'> {
  appId: string
  refused: number
  available: number
  alertBelow?: number | undefined
  spentPerDay: number
  daysLeft?: number
}

interface FailureReport extends Pick<Issue, 'appId' | 'issueId' | 'purpose' | 'country' | 'createdAt'> {
  carrier?: string
  code?: string | undefined
  explanation?: string | undefined
}

/** A report is kept for so many times the time that it took, which bounds the load of pages that poll. */
const REST_AFTER_READ = 20
const MOST_KEPT = 200
const SPENT_DAYS = 7
const MOST_INCIDENTS = 100
const MOST_LISTED = 50
const MOST_FAILURES = 5
/** Failures are looked for among so many of the newest codes of an app. */
const MOST_LOOKED_AT = 500

export class Overview {
  readonly #kept = new Map<string, { report: Promise<OverviewReport>; until: number }>()

  constructor(private readonly deps: OverviewDependencies) {}

  /** Of one app, of some, or of all. Throws `not_found` where the one is unknown. */
  read(of: string | readonly string[] | undefined, mode: Mode): Promise<OverviewReport> {
    const { clock } = this.deps
    const name = `${mode}/${of ?? ''}`
    const startedAt = clock.elapsed()
    const known = this.#kept.get(name)
    if (known && startedAt < known.until) return known.report
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    // Until it is there, everybody waits for the same one.
    const kept = { report: this.#read(of, mode), until: Number.POSITIVE_INFINITY }
    this.#kept.set(name, kept)
    kept.report.then(
      () => {
        const endedAt = clock.elapsed()
        kept.until = endedAt + (endedAt - startedAt) * REST_AFTER_READ
      },
      () => this.#kept.delete(name),
    )
    return kept.report
  }

  async #read(of: string | readonly string[] | undefined, mode: Mode): Promise<OverviewReport> {
    const { store, clock } = this.deps
    const now = clock.now()
    const apps = typeof of === 'string' ? [await existingApp(this.deps, of)] : await store.read.apps.all()
    const appIds = apps.map((app) => app.appId).filter((appId) => of?.includes(appId) ?? true)
    const end = Math.ceil(now / HOUR_MS) * HOUR_MS
    const rows: UsageRow[] = []
    const live: UsageRow[] = []
    const refused = new Map<string, RefusedReport>()
    const reports: AppReport[] = []
    const failures: Issue[] = []
    const openKeys: StoredKey[] = []
    for (const appId of appIds) {
      const ofMode = await store.lists.usage.rows({ appId, mode }, end - 2 * DAY_MS, end, now)
      const ofLive =
        mode === 'live' ? ofMode : await store.lists.usage.rows({ appId, mode: 'live' }, end - DAY_MS, end, now)
      for (const row of ofMode) rows.push(row)
      for (const row of ofLive) if (row.at >= end - DAY_MS) live.push(row)
      const refusals = await this.deps.history.refused(appId)
      refused.set(appId, refusals)
      const { issued, delivered, failed, verified } = addUp(ofMode.filter(({ at }) => at >= end - DAY_MS))
      const counts = { issued, delivered, failed, verified, refused: sumOf(refusals.series) }
      reports.push({ appId, ...counts, ...(await this.#creditOf(appId, end, now)) })
      const newest = { createdFrom: now - DAY_MS, limit: MOST_LOOKED_AT }
      const codes = await store.lists.issues.page({ appId, mode }, newest, now)
      failures.push(...codes.filter(({ deliveryStatus }) => deliveryStatus === 'failed').slice(0, MOST_FAILURES))
      const keys = await store.read.keys.ofApp(appId)
      openKeys.push(...keys.filter((key) => isActive(key, now) && hasAllowances(key)))
    }
    const lastDay = rows.filter(({ at }) => at >= end - DAY_MS)
    const byHour = Map.groupBy(lastDay, ({ at }) => at - (at % HOUR_MS))
    return {
      total: addUp(lastDay),
      before: addUp(rows.filter(({ at }) => at < end - DAY_MS)),
      series: hoursBefore(end).map((at) => ({ at, ...addUp(byHour.get(at) ?? []) })),
      refused: refusedOf(refused),
      incidents: await this.#incidents(of === undefined ? [undefined] : appIds),
      carriers: await this.#carriers(live, now),
      apps: reports.sort(byDaysLeft).slice(0, MOST_LISTED),
      failures: await Promise.all(
        failures
          .sort(byAge)
          .slice(0, MOST_FAILURES)
          .map((issue) => this.#failureOf(issue)),
      ),
      openKeys,
      appIds,
    }
  }

  async #incidents(appIds: ReadonlyArray<string | undefined>): Promise<Incident[]> {
    const { traffic } = this.deps.store.lists
    const open = await Promise.all(appIds.map((appId) => traffic.open({ appId, limit: MOST_INCIDENTS })))
    return open
      .flat()
      .sort((one, other) => other.since - one.since)
      .slice(0, MOST_INCIDENTS)
  }

  async #creditOf(appId: string, end: number, now: number) {
    const {
      balance = 0,
      reserved = 0,
      overdraftLimit = 0,
      alertBelow,
    } = (await this.deps.store.read.wallets.find(appId)) ?? {}
    const available = balance - reserved
    const period = { from: end - SPENT_DAYS * DAY_MS, to: end, offsetMs: 0, stepMs: DAY_MS, byPurpose: false }
    const sums = await this.deps.store.lists.usage.sums({ appId, mode: 'live' }, period, now)
    const first = sums.reduce((oldest, { step }) => Math.min(oldest, step * DAY_MS), end)
    const days = Math.min(SPENT_DAYS, Math.max(1, (end - first) / DAY_MS))
    const spentPerDay = totalOfTallies(sums).spent / days
    const daysLeft = Math.max(0, available + overdraftLimit) / spentPerDay
    return { available, alertBelow, spentPerDay, ...(spentPerDay > 0 && { daysLeft }) }
  }

  /** `live`: usage of the last day. */
  async #carriers(live: readonly UsageRow[], now: number): Promise<CarrierReport[]> {
    const recent = await this.deps.store.read.attempts.outcomesSince(now - HOUR_MS)
    const byCarrier = Map.groupBy(live, ({ carrier }) => carrier)
    return (await listCarriers(this.deps)).map(({ name, state, since, code, explanation, retryAt }) => {
      const { p50Ms, p95Ms } = addUp(byCarrier.get(name) ?? [])
      return {
        ...{ name, state, code, explanation, retryAt },
        ...(since !== undefined && { since }),
        recent: recent.get(name) ?? { accepted: 0, refused: 0, ambiguous: 0 },
        ...(p50Ms !== undefined && { p50Ms }),
        ...(p95Ms !== undefined && { p95Ms }),
      }
    })
  }

  async #failureOf(issue: Issue): Promise<FailureReport> {
    const { appId, issueId, purpose, country, createdAt, providerOutcomeCode: code } = issue
    const known = { appId, issueId, purpose, country, createdAt, code }
    const last = (await this.deps.store.read.attempts.ofIssue(issue, issueId)).at(-1)
    if (!last) return known
    const explanation = code === undefined ? undefined : await this.deps.explain(last.carrier, code)
    return { ...known, carrier: last.carrier, explanation }
  }
}

const DAY_HOURS = 24
const hoursBefore = (end: number) => Array.from({ length: DAY_HOURS }, (_, hour) => end - (DAY_HOURS - hour) * HOUR_MS)

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

const byDaysLeft = (one: AppReport, other: AppReport) =>
  (one.daysLeft ?? Number.POSITIVE_INFINITY) - (other.daysLeft ?? Number.POSITIVE_INFINITY) ||
  one.available - other.available
const byAge = (one: Issue, other: Issue) => other.createdAt - one.createdAt

function refusedOf(reports: ReadonlyMap<string, RefusedReport>): RefusedOverview {
  const rules = new Map<Rule, { refused: number; before: number }>()
  const series = hoursBefore(0).map(() => 0)
  for (const report of reports.values()) {
    for (const [hour, refused] of report.series.entries()) series[hour] = (series[hour] ?? 0) + refused
    for (const [rule, { refused, before }] of report.rules) {
      const known = rules.get(rule) ?? { refused: 0, before: 0 }
      rules.set(rule, { refused: known.refused + refused, before: known.before + before })
    }
  }
  return {
    total: sumOf(series),
    before: sumOf([...rules.values()].map(({ before }) => before)),
    series,
    rules: [...rules]
      .map(([rule, counts]) => ({ rule, ...counts }))
      .sort((one, other) => other.refused - one.refused || other.before - one.before),
    unusual: [...reports]
      .filter(([, { isUnusual }]) => isUnusual)
      .map(([appId, { lately, usual }]) => ({ appId, lately, usual })),
  }
}
