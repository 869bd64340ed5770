/**
 * The live codes of one app, in the memory of one server.
 *
 * A request finds its buckets (segment, prefix, network), is assessed against them, and is acquired. Until its release,
 * other requests count it as in flight. Each stored issue is recorded once at each age. The caller takes the findings
 * of a server, stores them, and marks them as stored or puts them back.
 */
import { KEY_KINDS, type KeyKind } from '../../domain/access/api-key'
import { DAY_MS, HOUR_MS } from '../../domain/shared/value'
import type { SegmentHour, SegmentKey } from '../../ports/store/traffic'
import type { Findings, IncidentUpdate } from '../../ports/traffic'
import { type AssessmentContext, assess, type ModeFilter, type RequestFacts, type RuleHit } from '../rules/assess'
import { baselineOf, LEARNED_DAYS, LOCAL_FROM, type UsualSent, usualSentOf } from '../rules/baseline'
import { type Incident, isDoubtful, isUntyped } from '../rules/incident'
import { isReopened, type Protection } from '../rules/protection'
import { isProvable } from '../rules/rule'
import {
  AGE_MS,
  type AgeBucket,
  type IssueSample,
  SHOWN_FROM_PHONES,
  TrafficCounter,
  type TrafficCounterState,
} from '../rules/traffic-counter'
import { DecisionCounter } from './decision-counter'
import { IncidentEvidence } from './incident-evidence'
import {
  type AcquiredCounter,
  networkName,
  type PrefixAndNetworkCounters,
  prefixName,
  type SavedCounter,
} from './prefix-and-network-counters'
import { type SegmentState, TrafficSegment } from './traffic-segment'

const MAX_PREFIXES_WITH_DIGITS = 200

/** The country's own segment, and behind it the pooled one where the country has no baseline of its own. */
type Segments = readonly [own: TrafficSegment] | readonly [own: TrafficSegment, pooled: TrafficSegment]

/** The counters a code belongs to. They are looked up once and used at every age of the code. */
export interface Buckets {
  readonly segments: Segments
  /** Names of counters, see `prefixName` and `networkName`. */
  readonly prefix: string | undefined
  readonly network: string | undefined
}

/** The same for a request, whose prefix is always known. */
export interface RequestBuckets extends Buckets {
  readonly facts: RequestFacts
  readonly prefix: string
}

/** A request that is in flight: other requests count it until it is released. */
export class InFlight {
  constructor(
    private readonly app: TrafficCounter,
    private readonly segments: Segments,
    private readonly acquired: readonly AcquiredCounter[],
  ) {
    this.#countWide(1)
  }

  /** Assesses the request itself, which does not count against itself. */
  without<T>(assessment: () => T): T {
    this.#count(-1)
    try {
      return assessment()
    } finally {
      this.#count(1)
    }
  }

  release(): void {
    this.#countWide(-1)
    for (const counter of this.acquired) counter.release()
  }

  #count(by: 1 | -1): void {
    this.#countWide(by)
    for (const { counter } of this.acquired) counter.inFlight += by
  }

  #countWide(by: 1 | -1): void {
    this.app.inFlight += by
    for (const { counter } of this.segments) counter.inFlight += by
  }
}

/** The state that `restore` takes: everything that was counted from codes. A snapshot stores these names. */
export interface AppTrafficState {
  readonly since: number
  readonly apps: Readonly<Record<KeyKind, TrafficCounterState>>
  readonly segments: ReadonlyArray<readonly [SegmentKey, SegmentState]>
  readonly places: readonly SavedCounter[]
}

export class AppTraffic {
  readonly #segments: Record<KeyKind, Map<string, TrafficSegment>> = {
    sk: new Map(),
    pk: new Map(),
    relay: new Map(),
  }
  readonly #apps: Record<KeyKind, TrafficCounter> = {
    sk: new TrafficCounter(),
    pk: new TrafficCounter(),
    relay: new TrafficCounter(),
  }
  readonly #usual = new Map<KeyKind, UsualSent>()
  readonly #digits = new Map<string, string>()
  readonly #decisions: DecisionCounter
  readonly #evidence = new IncidentEvidence()
  #incidents: readonly Incident[] = []
  /** The settings of the last request; undefined before the first one. */
  #protection: Protection | undefined

  /** `hours`: of the last two weeks. `since`: every issue made from then on is recorded. */
  constructor(
    readonly appId: string,
    private readonly counters: PrefixAndNetworkCounters,
    hours: readonly SegmentHour[],
    private since: number,
  ) {
    this.#decisions = new DecisionCounter(appId)
    for (const kind of KEY_KINDS) {
      const ofKind = hours.filter((hour) => hour.kind === kind)
      for (const [country, ofCountry] of Map.groupBy(ofKind, (hour) => hour.country))
        this.#segments[kind].set(country, new TrafficSegment({ kind, country }, ofCountry, false))
    }
    this.#learn()
  }

  get state(): AppTrafficState {
    return {
      since: this.since,
      apps: { sk: this.#apps.sk.state, pk: this.#apps.pk.state, relay: this.#apps.relay.state },
      segments: this.#all().map((segment) => [segment.name, segment.state] as const),
      places: this.counters.stateOf(this.appId),
    }
  }

  restore({ since, apps, segments, places }: AppTrafficState): void {
    this.since = since
    for (const kind of KEY_KINDS) this.#apps[kind].restore(apps[kind])
    for (const [{ kind, country }, state] of segments) this.#segment(kind, country).restore(state)
    this.counters.restore(places)
  }

  bucketsOfRequest(facts: RequestFacts): RequestBuckets {
    const { kind, country, prefix } = facts
    return {
      facts,
      ...this.bucketsOf({ ...facts, country: country ?? POOLED }),
      prefix: prefixName(this.appId, kind, prefix),
    }
  }

  bucketsOf({ kind, country, prefix, network }: Pick<IssueSample, 'kind' | 'country' | 'prefix' | 'network'>): Buckets {
    return {
      segments: this.#segmentsOf(kind, country),
      prefix: prefix === undefined ? undefined : prefixName(this.appId, kind, prefix),
      network: network === undefined ? undefined : networkName(this.appId, kind, network),
    }
  }

  /** `price`: credits. `modeFilter`: which rules are looked at; all that are noted when omitted. */
  assess(
    protection: Protection,
    buckets: RequestBuckets,
    price: number,
    now: number,
    modeFilter?: ModeFilter,
  ): RuleHit | undefined {
    this.#protection = protection
    for (const segment of buckets.segments) segment.resumeAfterPause(now)
    return assess(protection, buckets.facts, this.#contextOf(buckets, price), now, modeFilter)
  }

  #contextOf({ facts, segments, prefix, network }: RequestBuckets, price: number): AssessmentContext {
    const [{ counter: country, baseline, usual }] = segments
    return {
      ...{ price, segments, country, baseline, app: this.#apps[facts.kind] },
      usual: { app: this.#usual.get(facts.kind), country: usual },
      prefix: this.counters.peekPrefix(prefix),
      network: network === undefined ? undefined : this.counters.peekNetwork(network),
    }
  }

  acquire({ facts, segments, prefix, network }: RequestBuckets): InFlight {
    const acquired = [this.counters.acquirePrefix(prefix)]
    if (network !== undefined) acquired.push(this.counters.acquireNetwork(network))
    return new InFlight(this.#apps[facts.kind], segments, acquired)
  }

  record(sample: IssueSample, age: AgeBucket, buckets: Buckets): void {
    const prefix = buckets.prefix === undefined ? undefined : this.counters.prefix(buckets.prefix)
    const network = buckets.network === undefined ? undefined : this.counters.network(buckets.network)
    const now = sample.createdAt + AGE_MS[age]
    const isLocal = hasUntyped(prefix, now) || hasUntyped(network, now)
    const mayPause = this.#protection?.conversion === 'block' && !isReopened(this.#protection, sample, now)
    const options = { mayPause, isLocal }
    const [own, pooled] = buckets.segments
    const counted = own.record(sample, age, options)
    pooled?.recordWithoutHours(sample, age, options)
    for (const counter of [this.#apps[sample.kind], prefix, network]) counter?.record(counted, age)
  }

  /** Every code made before `before` has been recorded at the age `early`. */
  advance(before: number): void {
    for (const { earlyConversion } of this.#all()) earlyConversion.advance(before)
  }

  /** Counts a rule hit, whether or not the code was refused for it. */
  recordHit(hit: RuleHit, { facts, segments }: RequestBuckets, now: number): void {
    const { rule, isRefused } = hit
    this.#decisions.add(hit, facts, now)
    if (rule !== 'cap' && !isProvable(rule)) return
    const [own] = segments
    for (const segment of segments) segment.recordRuleHit(now)
    const evidence = { refused: 1, isBlocked: isRefused, lastAt: now, rules: [rule] }
    if (isDoubtful(hit, own.baseline.isLearned)) this.#evidence.addDoubtful(own, evidence)
    else this.#evidence.add(own, evidence)
  }

  /** Remembers the digits of a prefix that this server has sent to; they are stored nowhere. */
  rememberDigits(prefix: string, digits: string): void {
    this.#digits.delete(prefix)
    this.#digits.set(prefix, digits)
    if (this.#digits.size <= MAX_PREFIXES_WITH_DIGITS) return
    const [oldest = prefix] = this.#digits.keys()
    this.#digits.delete(oldest)
  }

  /** Digits by the hash of their prefix, where enough phones share the prefix. */
  digits(): ReadonlyMap<string, string> {
    const isShown = (prefix: string) =>
      KEY_KINDS.some(
        (kind) => this.counters.peekPrefix(prefixName(this.appId, kind, prefix)).phones >= SHOWN_FROM_PHONES,
      )
    return new Map([...this.#digits].filter(([prefix]) => isShown(prefix)))
  }

  /** Takes over the open incidents as they are stored: other servers open them, and operators end them. */
  applyIncidents(incidents: readonly Incident[]): void {
    for (const segment of this.#all()) {
      const was = this.#incidents.some((incident) => isOf(incident, segment))
      const is = incidents.find((incident) => isOf(incident, segment))
      if (was || is) segment.applyIncident(is)
    }
    this.#incidents = incidents
  }

  get hasIncident(): boolean {
    return this.#incidents.length > 0
  }

  /** Takes the findings since the last call. The caller stores them and calls `markStored`, or calls `putBack`. */
  takeFindings(now: number): Findings {
    const firstWholeHour = Math.ceil(this.since / HOUR_MS) * HOUR_MS
    const segments = this.#all()
    for (const segment of segments)
      this.#evidence.settleDoubtful(
        segment,
        () => this.#segmentsOf(segment.name.kind, segment.name.country).some(hasNobodyTyping),
        now,
      )
    const pooled = {
      sk: this.#refusedInPool('sk'),
      pk: this.#refusedInPool('pk'),
      relay: this.#refusedInPool('relay'),
    }
    const refused = (segment: TrafficSegment) =>
      segment.hasOwnBaseline ? this.#evidence.refused(segment) : pooled[segment.name.kind]
    return {
      appId: this.appId,
      decisions: this.#decisions.take(),
      incidentUpdates: segments.flatMap((segment) => this.#takeIncidentUpdate(segment, refused(segment), now) ?? []),
      hours: segments.flatMap((segment) => segment.finishedHours(firstWholeHour, now)),
    }
  }

  putBack({ decisions, incidentUpdates }: Findings): void {
    this.#decisions.putBack(decisions)
    for (const { segment, ...evidence } of incidentUpdates)
      this.#evidence.add(this.#segment(segment.kind, segment.country), evidence)
  }

  markStored({ hours }: Findings, now: number): void {
    for (const segment of this.#all()) {
      const ofSegment = hours.filter((hour) => isOf(hour, segment))
      if (ofSegment.length > 0) segment.learn(ofSegment, now - LEARNED_DAYS * DAY_MS)
    }
    if (hours.length > 0) this.#learn()
  }

  /** `refused`: how many count towards opening an incident, for a pooled segment those of the whole pool. */
  #takeIncidentUpdate(segment: TrafficSegment, refused: number, now: number): IncidentUpdate | undefined {
    const { name, pause } = segment
    const open = this.#incidents.find((incident) => isOf(incident, segment))
    const isNewlyPaused = (pause.pausedUntil ?? 0) > (open?.pausedUntil ?? 0)
    const isNew = isNewlyPaused || (!open && this.#isNewlyUntyped(segment, now))
    const evidence = this.#evidence.take(segment, { isOpen: isNew || open !== undefined, refused }, now)
    if (!evidence && !isNew) return undefined
    const none = { refused: 0, isBlocked: isNewlyPaused, lastAt: now, rules: [] }
    return { segment: name, ...(evidence ?? none), pause, cost: segment.cost(now) }
  }

  /** A few refusals in each of many pooled countries are many together. */
  #refusedInPool(kind: KeyKind): number {
    const pooled = this.#segments[kind].values().filter((segment) => !segment.hasOwnBaseline)
    return pooled.reduce((total, segment) => total + this.#evidence.refused(segment), 0)
  }

  /**
   * Until the app's baseline is learned, codes that nobody verifies are an incident by themselves. The pooled segment opens none:
   * its countries open theirs.
   */
  #isNewlyUntyped(segment: TrafficSegment, now: number): boolean {
    const isWatched = (this.#protection?.conversion ?? 'off') !== 'off'
    if (this.#protection && isReopened(this.#protection, segment.name, now)) return false
    return isWatched && !segment.baseline.isLearned && segment.name.country !== POOLED && hasNobodyTyping(segment)
  }

  /** Whether the app is learned follows from all its countries, so a country it never sent to is unusual. */
  #learn(): void {
    for (const kind of KEY_KINDS) {
      const segments = [...this.#segments[kind].values()]
      const hours = segments.flatMap((segment) => segment.hours)
      const { isLearned } = baselineOf(hours)
      this.#usual.set(kind, usualSentOf(hours))
      for (const segment of segments) segment.setLearned(isLearned)
      const pooled = segments.filter((segment) => !segment.hasOwnBaseline || segment.name.country === POOLED)
      this.#segment(kind, POOLED).setBaseline(pooled.flatMap(({ hours }) => hours))
    }
  }

  #segment(kind: KeyKind, country: string): TrafficSegment {
    const segments = this.#segments[kind]
    const known = segments.get(country)
    if (known) return known
    const isLearned = segments.values().some(({ baseline }) => baseline.isLearned)
    const segment = new TrafficSegment({ kind, country }, [], isLearned)
    segments.set(country, segment)
    return segment
  }

  #segmentsOf(kind: KeyKind, country: string): Segments {
    const own = this.#segment(kind, country)
    return own.hasOwnBaseline || country === POOLED ? [own] : [own, this.#segment(kind, POOLED)]
  }

  #all(): TrafficSegment[] {
    return KEY_KINDS.flatMap((kind) => [...this.#segments[kind].values()])
  }
}

const hasUntyped = (counter: TrafficCounter | undefined, now: number): boolean =>
  (counter?.untyped(now) ?? 0) >= LOCAL_FROM

const hasNobodyTyping = ({ earlyConversion, baseline }: TrafficSegment): boolean =>
  isUntyped(earlyConversion.score, baseline.isLearned)

/** The country of the pooled segment: numbers of no country, and all countries without a baseline of their own. */
const POOLED = ''

const isOf = ({ kind, country }: SegmentKey, { name }: TrafficSegment): boolean =>
  kind === name.kind && country === name.country
