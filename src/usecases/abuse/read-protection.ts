/** The console's view of the rules against abuse: hits, waiting phones, recent traffic and destinations. Live mode only. */

import { standingOf } from '../../abuse/rules/failure-budget'
import { protectionOf } from '../../abuse/rules/protection'
import type { FailureRule, Rule } from '../../abuse/rules/rule'
import {
  type Against,
  addTo,
  COMPARED_HOURS,
  compareRefused,
  nothingAgainst,
  placeIn,
  type RefusedLately,
  RuleReport,
} from '../../abuse/rules/rule-report'
import { isActive } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import { type CallerKind, type KeyKind, SEES_TYPING } from '../../domain/access/caller'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { Lists, Reader } from '../../ports/store'
import type { Decision, SegmentHour } from '../../ports/store/traffic'

interface Dependencies {
  store: { readonly lists: Pick<Lists, 'traffic'> }
  clock: Pick<Clock, 'now' | 'elapsed'>
}

/** Number of waiting phones by rule. */
export type WaitingCounts = Readonly<Record<FailureRule, number>>

export interface WaitingPhones {
  readonly sk: WaitingCounts
  readonly pk: WaitingCounts
  /** False: there are more phones than counted; those with the latest wrong codes are counted. */
  readonly areAll: boolean
}

/** Bounds the work: each row is read. */
const MOST_HELD = 1_000

/** Phones that wrong codes pause or lock, or would where the rule is only watched. */
export async function readWaitingPhones(
  { store, clock }: { store: { read: Pick<Reader, 'phones'> }; clock: Pick<Clock, 'now'> },
  app: App,
): Promise<WaitingPhones> {
  const found = await store.read.phones.held(app.appId, MOST_HELD + 1)
  const counts = {
    sk: { failures_paused: 0, failures_locked: 0, failures_seldom: 0 },
    pk: { failures_paused: 0, failures_locked: 0, failures_seldom: 0 },
  }
  for (const { kind, failures } of found.slice(0, MOST_HELD)) {
    const { rule } = standingOf(failures, protectionOf(app), clock.now())
    if (rule && SEES_TYPING[kind]) counts[kind as KeyKind][rule]++
  }
  return { ...counts, areAll: found.length <= MOST_HELD }
}

/** Codes sent and refused in the last hour, for operators who are about to change a rule. */
export interface RecentTraffic {
  /** Active live keys. */
  readonly keys: Readonly<Record<CallerKind, number>>
  /** Codes of the last hour by segment, largest first. */
  readonly codes: readonly RecentCodes[]
  /** False: more codes were sent than counted. */
  readonly areAll: boolean
}

interface RecentCodes {
  readonly kind: CallerKind
  readonly country: string
  readonly sent: number
  readonly refused: number
}

/** Bounds the work: each row is read. */
const MOST_LATELY = 20_000

/** `prefix`: only codes to this prefix, by its keyed hash. */
export async function readRecentTraffic(
  {
    store,
    clock,
  }: {
    store: { read: Pick<Reader, 'keys' | 'relays' | 'traffic'>; lists: Pick<Lists, 'traffic'> }
    clock: Pick<Clock, 'now'>
  },
  appId: string,
  prefix?: string,
): Promise<RecentTraffic> {
  const now = clock.now()
  const from = now - HOUR_MS
  const counts = new Map<string, { kind: CallerKind; country: string; sent: number; refused: number }>()
  const add = ({
    kind,
    country,
    sent = 0,
    refused = 0,
  }: Partial<RecentCodes> & Pick<RecentCodes, 'kind' | 'country'>) => {
    const known = counts.get(`${kind}/${country}`) ?? { kind, country, sent: 0, refused: 0 }
    counts.set(`${kind}/${country}`, { ...known, sent: known.sent + sent, refused: known.refused + refused })
  }
  let seen = 0
  for await (const page of store.read.traffic.issues(appId, from, now + 1, 'all')) {
    for (const { keyKind, country = '', prefixHash = NO_HASH } of page)
      if (keyKind && (prefix === undefined || hex(prefixHash) === prefix)) add({ kind: keyKind, country, sent: 1 })
    seen += page.length
    if (seen >= MOST_LATELY) break
  }
  for await (const page of store.lists.traffic.decisions(appId, from, now + 1))
    for (const { kind, country, prefixHash, isRefused, times } of page)
      if (isRefused && (prefix === undefined || hex(prefixHash) === prefix)) add({ kind, country, refused: times })
  const keys = (await store.read.keys.ofApp(appId)).filter((key) => key.mode === 'live' && isActive(key, now))
  const relays = (await store.read.relays.ofApp(appId)).filter(({ mode }) => mode === 'live')
  const keysOf = (kind: CallerKind) => keys.filter((key) => key.kind === kind).length
  const codes = [...counts.values()].sort((one, other) => other.sent + other.refused - one.sent - one.refused)
  return { keys: { sk: keysOf('sk'), pk: keysOf('pk'), relay: relays.length }, codes, areAll: seen < MOST_LATELY }
}

const NO_HASH = new Uint8Array()

const SENT_TO_DAYS = 90

/** Countries that an app's secret keys sent to lately. */
export interface Destinations {
  readonly days: number
  /** Countries with a verified code, and those without one; most codes first. */
  readonly typed: readonly string[]
  readonly untyped: readonly string[]
}

/** Read before an owner closes all other countries. */
export async function readDestinations({ store, clock }: Dependencies, appId: string): Promise<Destinations> {
  const now = clock.now()
  const counts = new Map<string, { sent: number; verified: number }>()
  for await (const page of store.lists.traffic.sent(appId, now - SENT_TO_DAYS * DAY_MS, now + HOUR_MS))
    for (const { kind, country, sent, verified } of page) {
      if (kind !== 'sk' || country === '') continue
      const known = counts.get(country) ?? { sent: 0, verified: 0 }
      counts.set(country, { sent: known.sent + sent, verified: known.verified + verified })
    }
  const all = [...counts].sort(([, one], [, other]) => other.sent - one.sent)
  const named = (isTyped: boolean) =>
    all.filter(([, { verified }]) => verified > 0 === isTyped).map(([country]) => country)
  return { days: SENT_TO_DAYS, typed: named(true), untyped: named(false) }
}

export interface ProtectionQuery {
  from: number
  to: number
  by: 'hour' | 'day'
}

/** Codes sent and their results. The last hour is not counted yet. */
export interface SentTraffic {
  sent: number
  verified: number
  unverified: number
  /** Credits of unverified codes, estimated by the share of each hour. */
  untypedCredits: number
}

type CountedTraffic = Against & SentTraffic

export interface ProtectionReport {
  total: CountedTraffic
  series: Array<CountedTraffic & { at: number }>
  /** Most hits first. */
  rules: Array<Against & { rule: Rule }>
  countries: Array<CountedTraffic & { country: string }>
  /** Keyed hashes, as hexadecimal digits. */
  prefixes: Array<Against & { country: string; prefix: string }>
  networks: Array<Against & { network: string }>
}

/** Sums are cached by hour: the page reloads often, and an attack may have a row for each code. */
export class ProtectionHistory {
  readonly #hours: HourlyReports

  constructor(private readonly deps: Dependencies) {
    this.#hours = new HourlyReports(deps)
  }

  async read(appId: string, { from, to, by }: ProtectionQuery): Promise<ProtectionReport> {
    const stepMs = by === 'hour' ? HOUR_MS : DAY_MS
    const start = Math.floor(from / stepMs) * stepMs
    const end = Math.min(Math.ceil(to / stepMs) * stepMs, start + MOST_STEPS * stepMs)
    const steps = Math.max(0, (end - start) / stepMs)
    const series = Array.from({ length: steps }, (_, step) => ({ at: start + step * stepMs, ...nothing() }))
    const stepAt = (at: number) => series[Math.floor((at - start) / stepMs)]
    const total = nothing()
    const countries = new Map<string, CountedTraffic>()
    const decided = new RuleReport()
    for (const [hour, ofHour] of await this.#hours.of(appId, start, end)) {
      decided.include(ofHour)
      for (const sum of [total, stepAt(hour)]) if (sum) addTo(sum, ofHour.total)
    }
    for (const [name, against] of decided.most('country')) countries.set(name, { ...nothing(), ...against })
    for await (const page of this.deps.store.lists.traffic.sent(appId, start, end))
      for (const hour of page) {
        const country = countries.get(hour.country) ?? nothing()
        countries.set(hour.country, country)
        for (const sum of [total, stepAt(hour.hour), country]) if (sum) addSent(sum, hour)
      }
    return {
      total: rounded(total),
      series: series.map(rounded),
      rules: decided.most('rule').map(([rule, sum]) => ({ rule: rule as Rule, ...sum })),
      countries: mostOf(countries),
      prefixes: decided.most('prefix').map(([name, sum]) => ({ ...placeIn(name), ...sum })),
      networks: decided.most('network').map(([network, sum]) => ({ network, ...sum })),
    }
  }

  /** Refused codes of the last 24 hours and of the 24 hours before, and whether there are more than usual. */
  async refused(appId: string): Promise<RefusedReport> {
    const end = (Math.floor(this.deps.clock.now() / HOUR_MS) + 1) * HOUR_MS
    const from = end - COMPARED_HOURS * HOUR_MS
    const decided = await this.#hours.of(appId, from, end)
    const byHour = Array.from(
      { length: COMPARED_HOURS },
      (_, hour) => decided.get(from + hour * HOUR_MS)?.total.refused ?? 0,
    )
    const rules = new Map<Rule, { refused: number; before: number }>()
    for (const [hour, ofHour] of decided)
      for (const [rule, { refused }] of hour < end - 2 * DAY_MS ? [] : ofHour.most('rule')) {
        const known = rules.get(rule as Rule) ?? { refused: 0, before: 0 }
        known[hour < end - DAY_MS ? 'before' : 'refused'] += refused
        rules.set(rule as Rule, known)
      }
    return { series: byHour.slice(-DAY_HOURS), rules, ...compareRefused(byHour) }
  }
}

/** Refused codes of the last 24 hours, by hour and by rule; by rule also of the 24 hours before. */
export interface RefusedReport extends RefusedLately {
  readonly series: readonly number[]
  readonly rules: ReadonlyMap<Rule, { readonly refused: number; readonly before: number }>
}

const MOST_STEPS = 1_000
const DAY_HOURS = 24
const MOST_COUNTRIES = 200

const nothing = (): CountedTraffic => ({ ...nothingAgainst(), sent: 0, verified: 0, unverified: 0, untypedCredits: 0 })

function addSent(sum: SentTraffic, { sent, credits, verified, unverified }: SegmentHour): void {
  sum.sent += sent
  sum.verified += verified
  sum.unverified += unverified
  // The price of each code is not stored.
  sum.untypedCredits += sent > 0 ? (credits * Math.min(unverified, sent)) / sent : 0
}

const rounded = <T extends SentTraffic>(sum: T): T => ({ ...sum, untypedCredits: Math.round(sum.untypedCredits) })

/** Most hits first, then most codes. */
const mostOf = (countries: ReadonlyMap<string, CountedTraffic>) =>
  [...countries]
    .map(([country, sum]) => ({ country, ...rounded(sum) }))
    .sort((one, other) => against(other) - against(one) || other.sent - one.sent)
    .slice(0, MOST_COUNTRIES)

const against = ({ refused, watched }: Against) => refused + watched

/** After so long nothing is added to an hour. */
const SETTLED_AFTER_MS = 10 * MINUTE_MS
/** Sums of running hours are cached for so many times the time they took, which bounds the load. */
const REST_AFTER_READ = 20
const MOST_HOURS_KEPT = 3_000

/** Rule hits by hour. A past hour is summed once. */
class HourlyReports {
  readonly #kept = new Map<string, { decided: RuleReport; until: number }>()

  constructor(private readonly deps: Dependencies) {}

  async of(appId: string, from: number, to: number): Promise<Map<number, RuleReport>> {
    const { clock } = this.deps
    const elapsed = clock.elapsed()
    const hours = new Map<number, RuleReport>()
    const missing: number[] = []
    for (let hour = from; hour < to && hour <= clock.now(); hour += HOUR_MS) {
      const kept = this.#kept.get(`${appId}/${hour}`)
      if (kept && elapsed < kept.until) hours.set(hour, kept.decided)
      else missing.push(hour)
    }
    const [first] = missing
    const last = missing.at(-1)
    if (first !== undefined && last !== undefined)
      for (const [hour, decided] of await this.#read(appId, first, last)) hours.set(hour, decided)
    return hours
  }

  async #read(appId: string, first: number, last: number): Promise<Map<number, RuleReport>> {
    const { store, clock } = this.deps
    const startedAt = clock.elapsed()
    const hours = new Map<number, RuleReport>()
    for (let hour = first; hour <= last; hour += HOUR_MS) hours.set(hour, new RuleReport())
    let adding: RuleReport | undefined
    for await (const page of store.lists.traffic.decisions(appId, first, last + HOUR_MS))
      for (const decision of page) {
        const decided = hours.get(Math.floor(decision.minute / HOUR_MS) * HOUR_MS)
        // Decisions come in order of time.
        if (decided !== adding) adding?.trim()
        adding = decided
        decided?.add(foundOf(decision))
      }
    adding?.trim()
    this.#keep(appId, hours, startedAt)
    return hours
  }

  #keep(appId: string, hours: ReadonlyMap<number, RuleReport>, startedAt: number): void {
    const { clock } = this.deps
    const now = clock.now()
    const elapsed = clock.elapsed()
    if (this.#kept.size + hours.size > MOST_HOURS_KEPT) this.#kept.clear()
    for (const [hour, decided] of hours) {
      const isSettled = hour + HOUR_MS + SETTLED_AFTER_MS <= now
      const until = isSettled ? Number.POSITIVE_INFINITY : elapsed + (elapsed - startedAt) * REST_AFTER_READ
      this.#kept.set(`${appId}/${hour}`, { decided, until })
    }
  }
}

const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')

const foundOf = ({ rule, country, prefixHash, networkHash, isRefused, times, credits }: Decision) => ({
  ...{ rule, country, prefix: hex(prefixHash), network: hex(networkHash) },
  ...nothingAgainst(),
  ...(isRefused ? { refused: times, refusedCredits: credits } : { watched: times, watchedCredits: credits }),
})
