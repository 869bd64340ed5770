/**
 * The live codes of one app, in the memory of one server.
 *
 * A request finds its buckets (segment, prefix, network), is assessed against them, and is acquired. Until its release,
 * other requests count it as in flight. Each stored issue is recorded once at each age. The caller takes the findings
 * of a server, stores them, and marks them as stored or puts them back.
 */
import { CALLER_KINDS, type CallerKind, SEES_TYPING } from '../../domain/access/caller'
import { DAY_MS, HOUR_MS } from '../../domain/shared/value'
import type { SegmentHour, SegmentKey } from '../../ports/store/traffic'
import type { Findings, IncidentUpdate, LostWishes } from '../../ports/traffic'
import { type AssessmentContext, assess, type ModeFilter, type RequestFacts, type RuleHit } from '../rules/assess'
import { baselineOf, LEARNED_DAYS, type UsualSent, usualSentOf } from '../rules/baseline'
import type { Incident } from '../rules/incident'
import { Place, type PlaceState, SHOWN_FROM_PHONES } from '../rules/place'
import type { Protection } from '../rules/protection'
import { isOfPlace, isProvable, type PlaceRule } from '../rules/rule'
import { AGE_MS, type AgeBucket, type IssueSample, resultAt } from '../rules/wish'
import { DecisionCounter } from './decision-counter'
import { IncidentEvidence } from './incident-evidence'
import { OpenWishes } from './open-wishes'
import {
  type AcquiredCounter,
  networkName,
  type PrefixAndNetworkCounters,
  prefixName,
  type SavedCounter,
} from './prefix-and-network-counters'
import { type SegmentState, TrafficSegment } from './traffic-segment'
import { TurnedAway } from './turned-away'

const MAX_PREFIXES_WITH_DIGITS = 200
/** Codes of a day that are not typed, from which places of a new app may be suspected. */
const NEW_FROM = 300

/** The counters a code belongs to. They are looked up once and used at every age of the code. */
export interface Buckets {
  readonly own: TrafficSegment
  /** The segment that its wishes are judged in: its own, or that of all countries with little traffic. */
  readonly judged: TrafficSegment
  /** Names of counters, see `prefixName` and `networkName`. */
  readonly prefix: string | undefined
  readonly network: string | undefined
}

type Places = Pick<Buckets, 'judged'> & Record<'prefix' | 'network', Place | undefined>

/** The same for a request, whose prefix is always known. */
export interface RequestBuckets extends Buckets {
  readonly facts: RequestFacts
  readonly prefix: string
}

/** A request that is in flight: other requests count it until it is released. */
export class InFlight {
  constructor(
    private readonly wide: readonly Place[],
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
    for (const place of this.wide) place.inFlight += by
  }
}

/** The state that `restore` takes: everything that was counted from codes. A snapshot stores these names. */
export interface AppTrafficState {
  readonly since: number
  readonly apps: Readonly<Record<CallerKind, PlaceState>>
  readonly segments: ReadonlyArray<readonly [SegmentKey, SegmentState]>
  readonly places: readonly SavedCounter[]
}

const byKind = <T>(make: (kind: CallerKind) => T) =>
  Object.fromEntries(CALLER_KINDS.map((kind) => [kind, make(kind)])) as Record<CallerKind, T>

export class AppTraffic {
  readonly #segments = byKind(() => new Map<string, TrafficSegment>())
  readonly #apps = byKind(() => new Place())
  readonly #learned = new Set<CallerKind>()
  readonly #usual = new Map<CallerKind, UsualSent>()
  /** In the hours that are learned. A server that verifies elsewhere tells of no typed code. */
  #hasServerVerified = false
  readonly #wishes = byKind(() => new OpenWishes())
  readonly #turnedAway = new TurnedAway()
  readonly #digits = new Map<string, string>()
  readonly #decisions: DecisionCounter
  readonly #evidence = new IncidentEvidence()
  #incidents: readonly Incident[] = []

  /** `hours`: of the last two weeks. `since`: every issue made from then on is recorded. */
  constructor(
    readonly appId: string,
    private readonly counters: PrefixAndNetworkCounters,
    hours: readonly SegmentHour[],
    private since: number,
  ) {
    this.#decisions = new DecisionCounter(appId)
    for (const kind of CALLER_KINDS) {
      const ofKind = hours.filter((hour) => hour.kind === kind)
      for (const [country, ofCountry] of Map.groupBy(ofKind, (hour) => hour.country))
        this.#segments[kind].set(country, new TrafficSegment({ kind, country }, ofCountry))
    }
    this.#learn()
  }

  get state(): AppTrafficState {
    return {
      since: this.since,
      apps: byKind((kind) => this.#apps[kind].state),
      segments: this.#all().map((segment) => [segment.name, segment.state] as const),
      places: this.counters.stateOf(this.appId),
    }
  }

  restore({ since, apps, segments, places }: AppTrafficState): void {
    this.since = since
    for (const kind of CALLER_KINDS) this.#apps[kind].restore(apps[kind])
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
    const own = this.#segment(kind, country)
    return {
      ...{ own, judged: this.#judgedIn(own) },
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
    return assess(protection, buckets.facts, this.#contextOf(buckets, price, now), now, modeFilter)
  }

  #contextOf({ facts, own, judged, ...names }: RequestBuckets, price: number, now: number): AssessmentContext {
    const prefix = this.counters.peek(names.prefix)
    const network = names.network === undefined ? undefined : this.counters.peek(names.network)
    return {
      ...{ price, prefix, country: own.country, app: this.#apps[facts.kind] },
      usual: { app: this.#usual.get(facts.kind), country: own.usualSent },
      isOnlyWatched: facts.kind === 'sk' && !this.#hasServerVerified && this.#apps.sk.day.total('kept', now) === 0,
      suspected: (tolerance) => {
        const found = this.#suspected(facts.kind, { judged, prefix, network }, tolerance, now)
        if (!found) return undefined
        if (isDeserted(prefix, now)) return found.rule
        const times = this.#turnedAway.timesBack(phoneOf(facts), now)
        return judged.letIn(found.place, times, tolerance, now) ? undefined : found.rule
      },
    }
  }

  /** In a new app nothing is refused before some hundred codes of the day were not typed. */
  #suspected(kind: CallerKind, { judged, prefix, network }: Places, tolerance: number, now: number) {
    const { day } = this.#apps[kind]
    if (!this.#learned.has(kind) && day.total('sent', now) - day.total('kept', now) < NEW_FROM * tolerance)
      return undefined
    return judged.suspected({ prefix, network }, tolerance, now)
  }

  acquire({ facts, judged, prefix, network }: RequestBuckets): InFlight {
    const acquired = [this.counters.acquire(prefix)]
    if (network !== undefined) acquired.push(this.counters.acquire(network))
    return new InFlight([this.#apps[facts.kind], judged.country], acquired)
  }

  record(sample: IssueSample, age: AgeBucket, buckets: Buckets): void {
    const at = sample.createdAt + AGE_MS[age]
    const result = age === 'sent' ? undefined : resultAt(sample, age)
    const { own, judged, prefix, network } = this.#placesOf(buckets)
    const places = new Set([this.#apps[sample.kind], own.country, judged.country, prefix, network])
    for (const place of places) place?.count(sample, age, result, at)
    own.countInHour(sample, age, result)
    if (age === 'sent') {
      this.open(sample, buckets)
      if (this.#turnedAway.noteBack(sample.phone, sample.createdAt)) this.#evidence.addBack(own)
    }
    if ((age === 'early' || age === 'soon') && result === 'kept') this.#wishes[sample.kind].keep(sample)
    if (age === 'judged') this.#wishes[sample.kind].judge(sample, at)
  }

  /** A wish begins, or goes on with a newer code. */
  open(sample: IssueSample, buckets: Buckets): void {
    const places = this.#placesOf(buckets)
    const suspected = this.#suspected(sample.kind, places, 1, sample.createdAt)
    const times = this.#turnedAway.timesBack(sample.phone, sample.createdAt)
    const back =
      suspected && (places.judged.letIn(suspected.place, times, 1, sample.createdAt) ?? suspected.place.after(1))
    this.#wishes[sample.kind].open(sample, { ...places, back })
  }

  #placesOf({ own, judged, prefix, network }: Buckets): Places & Pick<Buckets, 'own'> {
    return {
      ...{ own, judged },
      prefix: prefix === undefined ? undefined : this.counters.place(prefix),
      network: network === undefined ? undefined : this.counters.place(network),
    }
  }

  /** Counts a rule hit, whether or not the code was refused for it. */
  recordHit(hit: RuleHit, buckets: RequestBuckets, now: number): void {
    const { rule, isRefused } = hit
    const { facts, own } = buckets
    this.#decisions.add(hit, facts, now)
    if (rule !== 'cap' && !isProvable(rule)) return
    if (isRefused && isOfPlace(rule)) this.#turnAway(rule, buckets, now)
    this.#evidence.add(own, { refused: 1, isBlocked: isRefused, lastAt: now, rules: [rule] })
  }

  /** Notes the phone: unless it comes back, it was no person's wish. */
  #turnAway(rule: PlaceRule, { facts, own, judged, prefix, network }: RequestBuckets, now: number): void {
    const name = { prefix_unverified: prefix, network_unverified: network, country_unverified: undefined }[rule]
    const narrow = this.counters.known(name)
    const { lostShare } = judged.usual
    own.refusedFor = { rule, place: narrow ?? judged.country, lostShare, prefix: facts.prefix }
    // A refusal that a narrow place explains says nothing about the country.
    const all = [this.counters.known(prefix), this.counters.known(network), judged.country]
    const times = this.#turnedAway.timesBack(phoneOf(facts), now)
    const again = (narrow ?? judged.country).after(times)
    const places = narrow || times > 0 ? [again] : all.filter((place) => place !== undefined)
    this.#turnedAway.note(phoneOf(facts), { places, lostShare }, now)
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
      CALLER_KINDS.some((kind) => this.counters.peek(prefixName(this.appId, kind, prefix)).phones >= SHOWN_FROM_PHONES)
    return new Map([...this.#digits].filter(([prefix]) => isShown(prefix)))
  }

  lostWishes({ kind, country }: SegmentKey): LostWishes | undefined {
    const refused = this.#segments[kind].get(country)?.refusedFor
    if (!refused) return undefined
    const { rule, place, lostShare, prefix } = refused
    const { kept, lost } = place.suspicion.state
    const digits = rule === 'prefix_unverified' ? this.digits().get(prefix) : undefined
    return { place: rule, digits, wishes: kept + lost, lost, usually: Math.round((kept + lost) * lostShare) }
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
    this.#turnedAway.advance(now)
    const firstWholeHour = Math.ceil(this.since / HOUR_MS) * HOUR_MS
    const segments = this.#all()
    const refused = new Map(
      segments.map((one) => [one, this.#evidence.refused(one, this.#judgedIn(one).isProven(now), now)]),
    )
    // A few refusals in each of many countries are many together.
    const pooled = byKind(() => 0)
    for (const [{ name, isOwn }, count] of refused) if (!isOwn) pooled[name.kind] += count
    const counted = (segment: TrafficSegment) =>
      segment.isOwn ? (refused.get(segment) ?? 0) : pooled[segment.name.kind]
    return {
      appId: this.appId,
      decisions: this.#decisions.take(),
      incidentUpdates: segments.flatMap((segment) => this.#takeIncidentUpdate(segment, counted(segment), now) ?? []),
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

  #takeIncidentUpdate(segment: TrafficSegment, refused: number, now: number): IncidentUpdate | undefined {
    const isOpen = this.#incidents.some((incident) => isOf(incident, segment))
    const evidence = this.#evidence.take(segment, { isOpen, refused }, now)
    return evidence && { segment: segment.name, ...evidence, cost: segment.cost(now) }
  }

  /** Learns what is usual of the app in all, and of countries with little traffic together. */
  #learn(): void {
    for (const kind of CALLER_KINDS) {
      const segments = [...this.#segments[kind].values()]
      const hours = segments.flatMap((segment) => segment.hours)
      this.#usual.set(kind, usualSentOf(hours))
      if (SEES_TYPING[kind] ? baselineOf(hours).isLearned : usualSentOf(hours).isKnown) this.#learned.add(kind)
      else this.#learned.delete(kind)
      if (kind === 'sk') this.#hasServerVerified = hours.some(({ verified }) => verified > 0)
      const pooled = segments.filter((segment) => !segment.isOwn)
      this.#segment(kind, POOLED).setUsual(pooled.flatMap((segment) => segment.hours))
    }
  }

  #segment(kind: CallerKind, country: string): TrafficSegment {
    const segments = this.#segments[kind]
    const known = segments.get(country)
    if (known) return known
    const segment = new TrafficSegment({ kind, country }, [])
    segments.set(country, segment)
    return segment
  }

  #judgedIn(segment: TrafficSegment): TrafficSegment {
    return segment.isOwn ? segment : this.#segment(segment.name.kind, POOLED)
  }

  #all(): TrafficSegment[] {
    return CALLER_KINDS.flatMap((kind) => [...this.#segments[kind].values()])
  }
}

/** 48 bits of the phone's hash. */
const phoneOf = ({ phone }: Pick<RequestFacts, 'phone'>): number => Number.parseInt(phone.slice(0, 12), 16)

/**
 * Fifty of the ten thousand numbers of a prefix were refused within a quarter of an hour, and so few came back: one
 * that does has the number of another by chance. A network has no such numbers.
 */
const DESERTED = { from: 50, share: 1 / 3 } as const
const isDeserted = ({ refused, returned }: Place, now: number): boolean =>
  refused.total(now) >= DESERTED.from && returned.total(now) < DESERTED.share * refused.total(now)

/** The country of the pooled segment: numbers of no country, and all countries with little traffic. */
const POOLED = ''

const isOf = ({ kind, country }: SegmentKey, { name }: TrafficSegment): boolean =>
  kind === name.kind && country === name.country
