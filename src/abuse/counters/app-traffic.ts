/** Where the codes of one app go, in the memory of one server. */

import type { KeyKind } from '../../domain/access/api-key'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/shared/value'
import type { Decision, SegmentKey as LaneName, SeenIssue, SegmentHour } from '../../ports/store/traffic'
import type { Findings, Trouble as FoundTrouble } from '../../ports/traffic'
import { assess, type Matters, type RequestFacts, type RuleHit, type Surroundings } from '../rules/assess'
import { LEARNED_DAYS, LOCAL_FROM, usualOf } from '../rules/baseline'
import { INCIDENT_FROM, INCIDENT_WITHIN_MS, type Incident, isDoubtful, isUntyped } from '../rules/incident'
import { isReopened, type Protection } from '../rules/protection'
import { isProvable, type Rule } from '../rules/rule'
import {
  type AgeBucket,
  type IssueSample,
  SHOWN_FROM_PHONES,
  STAGES,
  TrafficCounter,
  type TrafficCounterState,
} from '../rules/traffic-counter'
import type { Sighted } from './age-scheduler'
import {
  type Entered,
  networkName,
  type PlaceState,
  type PrefixAndNetworkCounters,
  prefixName,
} from './prefix-and-network-counters'
import { type LaneState, TrafficSegment } from './traffic-segment'

const MOST_PREFIXES_NAMED = 200
/** Places of a minute that are told apart, by what was found there; whatever else there is counts together. */
const MOST_DECISIONS = 100

/** A decision while it is counted, and its hashes as hexadecimal digits; empty: of several places. */
type CountedDecision = Omit<Decision, 'appId' | 'prefixHash' | 'networkHash' | 'times' | 'credits'> & {
  readonly prefix: string
  readonly network: string
  times: number
  credits: number
}

/** The country's own lane; where little is usual there, also what all such countries have together. */
type Ways = readonly [own: TrafficSegment] | readonly [own: TrafficSegment, beside: TrafficSegment]

/** Where a code goes: found once, and asked for again and again. */
export interface Whereabouts {
  readonly ways: Ways
  /** Names of places. */
  readonly prefix: string | undefined
  readonly network: string | undefined
}

/** A code somebody asks for. */
export interface Buckets extends Whereabouts {
  readonly facts: RequestFacts
  readonly prefix: string
}

interface IncidentDelta {
  refused: number
  isBlocked: boolean
  readonly since: number
  lastAt: number
  readonly rules: Set<Rule>
}

/** One that is on its way in: others find it there. */
export class InFlight {
  constructor(
    private readonly app: TrafficCounter,
    private readonly ways: Ways,
    private readonly places: readonly Entered[],
  ) {
    this.#countBefore(1)
  }

  /** It does not find itself there, until it is back. */
  stepAside(): void {
    this.#count(-1)
  }

  comeBack(): void {
    this.#count(1)
  }

  end(): void {
    this.#countBefore(-1)
    for (const place of this.places) place.leave()
  }

  #count(by: 1 | -1): void {
    this.#countBefore(by)
    for (const { counter } of this.places) counter.entering += by
  }

  #countBefore(by: 1 | -1): void {
    this.app.entering += by
    for (const { counter } of this.ways) counter.entering += by
  }
}

/** The state that `restore` takes: everything that was counted from codes. */
export interface AppTrafficState {
  readonly since: number
  readonly apps: Readonly<Record<KeyKind, TrafficCounterState>>
  readonly segments: ReadonlyArray<readonly [LaneName, LaneState]>
  readonly places: readonly PlaceState[]
}

export class AppTraffic {
  /** By their countries. */
  readonly #segments: Record<KeyKind, Map<string, TrafficSegment>> = { sk: new Map(), pk: new Map() }
  readonly #apps: Record<KeyKind, TrafficCounter> = { sk: new TrafficCounter(), pk: new TrafficCounter() }
  readonly #digits = new Map<string, string>()
  #decided = new Map<string, CountedDecision>()
  /** Of the running minute. */
  #apart = { minute: 0, places: new Set<string>() }
  readonly #troubles = new Map<TrafficSegment, IncidentDelta>()
  /** What is none, unless nobody types. */
  readonly #doubts = new Map<TrafficSegment, IncidentDelta>()
  #incidents: readonly Incident[] = []
  /** As the last one who asked found it. */
  #protection: Protection | undefined

  /** `hours`: of the last two weeks. `since`: whatever was issued from then on is shown to it. */
  constructor(
    readonly appId: string,
    private readonly places: PrefixAndNetworkCounters,
    hours: readonly SegmentHour[],
    private since: number,
  ) {
    for (const kind of KINDS)
      for (const [country, ofLane] of Map.groupBy(
        hours.filter((hour) => hour.kind === kind),
        ({ country }) => country,
      ))
        this.#segments[kind].set(country, new TrafficSegment({ kind, country }, ofLane, false))
    this.#learn()
  }

  get state(): AppTrafficState {
    return {
      since: this.since,
      apps: { sk: this.#apps.sk.state, pk: this.#apps.pk.state },
      segments: this.#all().map((segment) => [segment.name, segment.state] as const),
      places: this.places.stateOf(this.appId),
    }
  }

  restore({ since, apps, segments, places }: AppTrafficState): void {
    this.since = since
    for (const kind of KINDS) this.#apps[kind].restore(apps[kind])
    for (const [{ kind, country }, state] of segments) this.#segment(kind, country).restore(state)
    this.places.restore(places)
  }

  /** `where`: as it has been found before. */
  see(sighting: IssueSample, stage: AgeBucket, where: Whereabouts): void {
    const prefix = where.prefix === undefined ? undefined : this.places.prefix(where.prefix)
    const network = where.network === undefined ? undefined : this.places.network(where.network)
    const now = sighting.createdAt + STAGES[stage]
    const isLocal = hasUntyped(prefix, now) || hasUntyped(network, now)
    const mayPause = this.#protection?.conversion === 'block' && !isReopened(this.#protection, sighting, now)
    const how = { mayPause, isLocal }
    const [segment, beside] = where.ways
    const seen = segment.see(sighting, stage, how)
    beside?.judge(sighting, stage, how)
    this.#apps[sighting.kind].see(seen, stage)
    prefix?.see(seen, stage)
    network?.see(seen, stage)
  }

  /** Every code that was made before then has been looked at when it was `early`. */
  ripen(before: number): void {
    for (const { typing } of this.#all()) typing.ripen(before)
  }

  /** Where the code would go, as it is known here. */
  find(facts: RequestFacts): Buckets {
    const { kind, country = ELSEWHERE, prefix, network } = facts
    return {
      facts,
      ways: this.#ways(kind, country),
      prefix: prefixName(this.appId, kind, prefix),
      network: network === undefined ? undefined : networkName(this.appId, kind, network),
    }
  }

  /** The segments that a code belongs to. */
  whereabouts({ kind, country, prefix, network }: IssueSample): Whereabouts {
    return {
      ways: this.#ways(kind, country),
      prefix: prefix === undefined ? undefined : prefixName(this.appId, kind, prefix),
      network: network === undefined ? undefined : networkName(this.appId, kind, network),
    }
  }

  assess(protection: Protection, sought: Buckets, price: number, now: number, matters?: Matters): RuleHit | undefined {
    this.#protection = protection
    return assess(protection, sought.facts, this.#around(sought, price, now), now, matters)
  }

  #around(sought: Buckets, price: number, now: number): Surroundings {
    const { facts, ways, prefix, network } = sought
    for (const way of ways) way.resume(now)
    const [{ counter: country, usual }] = ways
    return {
      price,
      app: this.#apps[facts.kind],
      country,
      prefix: this.places.prefixSeen(prefix),
      network: network === undefined ? undefined : this.places.networkSeen(network),
      usual,
      ways,
    }
  }

  /** Counts one more that is on its way in, until it is over. */
  entering(sought: Buckets): InFlight {
    const { facts, ways, prefix, network } = sought
    const places = [this.places.enterPrefix(prefix)]
    if (network !== undefined) places.push(this.places.enterNetwork(network))
    return new InFlight(this.#apps[facts.kind], ways, places)
  }

  /** The digits of a prefix that a number of this server's own has. */
  name(prefix: string, digits: string): void {
    this.#digits.delete(prefix)
    this.#digits.set(prefix, digits)
    if (this.#digits.size <= MOST_PREFIXES_NAMED) return
    const [oldest = prefix] = this.#digits.keys()
    this.#digits.delete(oldest)
  }

  /** By their hashes. */
  digits(): ReadonlyMap<string, string> {
    const isShown = (prefix: string) =>
      KINDS.some((kind) => this.places.prefixSeen(prefixName(this.appId, kind, prefix)).phones >= SHOWN_FROM_PHONES)
    return new Map([...this.#digits].filter(([prefix]) => isShown(prefix)))
  }

  /** The open incidents as they are stored. */
  follow(incidents: readonly Incident[]): void {
    for (const segment of this.#all()) {
      const was = this.#incidents.some((incident) => isOf(incident, segment))
      const is = incidents.find((incident) => isOf(incident, segment))
      if (was || is) segment.follow(is)
    }
    this.#incidents = incidents
  }

  get hasIncident(): boolean {
    return this.#incidents.length > 0
  }

  /** What has been found since the last time; it is to be stored, or given back. */
  take(now: number): Findings {
    const decisions = [...this.#decided.values()].map((decided) => this.#decisionOf(decided))
    this.#decided = new Map()
    const whole = Math.ceil(this.since / HOUR_MS) * HOUR_MS
    const segments = this.#all()
    for (const segment of segments) this.#endDoubt(segment, now)
    const beside = { sk: this.#refusedElsewhere('sk'), pk: this.#refusedElsewhere('pk') }
    const refusedWith = (segment: TrafficSegment) =>
      segment.isUsual ? this.#refused(segment) : beside[segment.name.kind]
    return {
      appId: this.appId,
      decisions,
      troubles: segments.flatMap((segment) => this.#takeTrouble(segment, refusedWith(segment), now) ?? []),
      hours: segments.flatMap((segment) => segment.finished(whole, now)),
    }
  }

  /** They could not be stored. */
  giveBack({ decisions, troubles }: Findings): void {
    for (const { prefixHash, networkHash, ...decision } of decisions)
      this.#countDecided({ ...decision, prefix: hex(prefixHash), network: hex(networkHash) })
    for (const { segment, ...trouble } of troubles)
      this.#addTrouble(this.#troubles, this.#segment(segment.kind, segment.country), trouble)
  }

  stored({ hours }: Findings, now: number): void {
    for (const segment of this.#all()) {
      const ofLane = hours.filter((hour) => isOf(hour, segment))
      if (ofLane.length > 0) segment.learn(ofLane, now - LEARNED_DAYS * DAY_MS)
    }
    if (hours.length > 0) this.#learn()
  }

  #decisionOf({ prefix, network, ...decided }: CountedDecision): Decision {
    const places = { prefixHash: Buffer.from(prefix, 'hex'), networkHash: Buffer.from(network, 'hex') }
    return { appId: this.appId, ...decided, ...places }
  }

  /** Few are no incident, but where one is open they belong to it. `beside`: with those of places that are looked at together. */
  #takeTrouble(segment: TrafficSegment, beside: number, now: number): FoundTrouble | undefined {
    const { name, pause } = segment
    const known = this.#incidents.find((incident) => isOf(incident, segment))
    const trouble = this.#troubles.get(segment)
    const isNewlyPaused = (pause.pausedUntil ?? 0) > (known?.pausedUntil ?? 0)
    const isNew = isNewlyPaused || (!known && this.#isNewlyUntyped(segment, now))
    if (!isNew && (!trouble || (!known && beside < INCIDENT_FROM))) {
      if (trouble && now - trouble.since > INCIDENT_WITHIN_MS) this.#troubles.delete(segment)
      return undefined
    }
    this.#troubles.delete(segment)
    const nothing = { refused: 0, isBlocked: isNewlyPaused, lastAt: now, rules: [] }
    const { refused, isBlocked, lastAt, rules } = trouble ?? nothing
    return { segment: name, refused, isBlocked, lastAt, rules: [...rules], pause, cost: segment.cost(now) }
  }

  /** Few in each of many countries where little is usual are many together. */
  #refusedElsewhere(kind: KeyKind): number {
    const unusual = this.#segments[kind].values().filter((segment) => !segment.isUsual)
    return unusual.reduce((total, segment) => total + this.#refused(segment), 0)
  }

  #refused(segment: TrafficSegment): number {
    return this.#troubles.get(segment)?.refused ?? 0
  }

  /** It is trouble where nobody types, and nothing where somebody does. */
  #endDoubt(segment: TrafficSegment, now: number): void {
    const doubt = this.#doubts.get(segment)
    if (!doubt) return
    const { kind, country } = segment.name
    const isTrouble = this.#ways(kind, country).some(hasNobodyTyping)
    if (isTrouble) this.#addTrouble(this.#troubles, segment, { ...doubt, rules: [...doubt.rules] })
    if (isTrouble || now - doubt.since > INCIDENT_WITHIN_MS) this.#doubts.delete(segment)
  }

  /** Before it is known what is usual, that alone is an incident. Of many countries together it is what was found of each. */
  #isNewlyUntyped(segment: TrafficSegment, now: number): boolean {
    const isLooked = (this.#protection?.conversion ?? 'off') !== 'off'
    if (this.#protection && isReopened(this.#protection, segment.name, now)) return false
    return isLooked && !segment.usual.isLearned && segment.name.country !== ELSEWHERE && hasNobodyTyping(segment)
  }

  /** An app is learned by all its countries: one it never sent to is unusual. */
  #learn(): void {
    for (const kind of KINDS) {
      const segments = [...this.#segments[kind].values()]
      const { isLearned } = usualOf(segments.flatMap(({ hours }) => hours))
      for (const segment of segments) segment.setLearned(isLearned)
      const unusual = segments.filter((segment) => !segment.isUsual || segment.name.country === ELSEWHERE)
      this.#segment(kind, ELSEWHERE).setUsual(unusual.flatMap(({ hours }) => hours))
    }
  }

  #segment(kind: KeyKind, country: string): TrafficSegment {
    const segments = this.#segments[kind]
    const known = segments.get(country)
    if (known) return known
    const isLearned = segments.values().some(({ usual }) => usual.isLearned)
    const segment = new TrafficSegment({ kind, country }, [], isLearned)
    segments.set(country, segment)
    return segment
  }

  #ways(kind: KeyKind, country: string): Ways {
    const segment = this.#segment(kind, country)
    return segment.isUsual || country === ELSEWHERE ? [segment] : [segment, this.#segment(kind, ELSEWHERE)]
  }

  #all(): TrafficSegment[] {
    return KINDS.flatMap((kind) => [...this.#segments[kind].values()])
  }

  /** A code was refused for what was found, or would have been. */
  note(finding: RuleHit, sought: Buckets, now: number): void {
    const { rule, isRefused, price: credits } = finding
    const { kind, country = ELSEWHERE, prefix, network = '' } = sought.facts
    const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS
    this.#decide({ minute, kind, country, rule, isRefused, prefix, network, times: 1, credits })
    if (rule !== 'cap' && !isProvable(rule)) return
    const [segment, beside] = sought.ways
    segment.knock(now)
    beside?.knock(now)
    const found = isDoubtful(finding, segment.usual.isLearned) ? this.#doubts : this.#troubles
    this.#addTrouble(found, segment, { refused: 1, isBlocked: isRefused, lastAt: now, rules: [rule] })
  }

  #addTrouble(
    to: Map<TrafficSegment, IncidentDelta>,
    segment: TrafficSegment,
    added: Omit<FoundTrouble, 'segment' | 'pause' | 'cost'>,
  ): void {
    const known = to.get(segment) ?? { refused: 0, isBlocked: false, since: added.lastAt, lastAt: 0, rules: new Set() }
    known.refused += added.refused
    known.isBlocked ||= added.isBlocked
    known.lastAt = Math.max(known.lastAt, added.lastAt)
    for (const rule of added.rules) known.rules.add(rule)
    to.set(segment, known)
  }

  /** Whoever is refused may come from anywhere, for any number: a minute has so many rows, however often it is stored. */
  #decide(decided: CountedDecision): void {
    const { minute } = decided
    if (this.#apart.minute !== minute) this.#apart = { minute, places: new Set() }
    const { places } = this.#apart
    const name = nameOfDecided(decided)
    if (places.size < MOST_DECISIONS) places.add(name)
    if (places.has(name)) this.#count(name, decided)
    else this.#countDecided({ ...decided, prefix: '', network: '' })
  }

  #countDecided(decided: CountedDecision): void {
    this.#count(nameOfDecided(decided), decided)
  }

  #count(name: string, decided: CountedDecision): void {
    const known = this.#decided.get(name)
    if (!known) {
      this.#decided.set(name, decided)
      return
    }
    known.times += decided.times
    known.credits += decided.credits
  }
}

const nameOfDecided = ({ minute, kind, country, rule, isRefused, prefix, network }: CountedDecision): string =>
  `${minute}/${kind}/${country}/${rule}/${isRefused}/${prefix}/${network}`

const hasUntyped = (counter: TrafficCounter | undefined, now: number): boolean =>
  (counter?.untyped(now) ?? 0) >= LOCAL_FROM

const hasNobodyTyping = ({ typing, usual }: TrafficSegment): boolean => isUntyped(typing.score, usual.isLearned)

/** Countries where little is usual, together with numbers of no country. */
const ELSEWHERE = ''

const KINDS = ['sk', 'pk'] as const satisfies readonly KeyKind[]

const isOf = ({ kind, country }: LaneName, { name }: TrafficSegment): boolean =>
  kind === name.kind && country === name.country

const hex = (hash: Uint8Array) => hash.toHex()

const placesOf = ({ prefixHash, networkHash }: SeenIssue): Pick<Sighted, 'prefix' | 'network'> => ({
  prefix: prefixHash && hex(prefixHash),
  network: networkHash && hex(networkHash),
})

/** `places`: its hashes as they are known already. */
export const sightedOf = (issue: SeenIssue, { prefix, network } = placesOf(issue)): Sighted => ({
  issueId: issue.issueId,
  kind: issue.keyKind,
  country: issue.country ?? '',
  prefix,
  network,
  phone: issue.phoneHash[0] ?? 0,
  createdAt: issue.createdAt,
  verifiedAt: issue.verifiedAt,
  delivery: DELIVERY[issue.deliveryStatus],
  price: issue.price,
})

const DELIVERY = { delivered: 'delivered', sent: 'unknown', queued: 'undelivered', failed: 'undelivered' } as const
