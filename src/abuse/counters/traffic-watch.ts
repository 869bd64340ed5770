/**
 * Watches where live codes go and whether they pay. All that rules need follows from what is stored of issues: each is looked
 * at when it was made and when it is 20 s, 2 min and 10 min old, by every server that sends for its app. So servers agree but
 * for some seconds, and one that starts knows the last day: of many codes from a snapshot that is stored now and then, of few
 * from the codes. What this server itself issues counts at once.
 */

import type { Issue } from '../../domain/codes/issue'
import { unavailable } from '../../domain/shared/error'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { Store } from '../../ports/store'
import type { CountedIssues } from '../../ports/store/traffic'
import type { Findings, PendingRequest, Traffic } from '../../ports/traffic'
import { type Matters, mayRefuse, type RequestFacts, type RuleHit } from '../rules/assess'
import { LEARNED_DAYS } from '../rules/baseline'
import type { Protection } from '../rules/protection'
import { type AgeBucket, STAGES } from '../rules/traffic-counter'
import { AgeScheduler, type Sighted } from './age-scheduler'
import { AppTraffic, type Buckets, type InFlight, sightedOf, type Whereabouts } from './app-traffic'
import { PrefixAndNetworkCounters } from './prefix-and-network-counters'
import { stateIn, textOf } from './traffic-snapshot'

/** A unit that is being stored may be seen after one that began later. */
const LAG_MS = 2 * SECOND_MS
/** An app of which nobody has asked anything for so long is not looked at, until somebody does. */
const RESTS_AFTER_MS = 15 * MINUTE_MS
/** Until then its codes still come of age. */
const RESTING_EVERY_MS = 10 * SECOND_MS
const FORGOTTEN_AFTER_MS = DAY_MS
/** So many apps wait for the store at a time; for a look at what is new, which it takes for many at once, so many. */
const AT_ONCE = 8
const LOOKED_AT_ONCE = 64
/** What was seen longer ago is looked at anew before anything is decided by it. */
const STALE_MS = 5 * SECOND_MS
const KNOWN_MS = DAY_MS + STAGES.late
const STORED_EVERY_MS = 5 * SECOND_MS

/** A snapshot spares reading so many codes; that many are read within a request's time. */
const SNAPSHOT_FROM = 2_000
const SNAPSHOT_EVERY_MS = MINUTE_MS

/** Longer nobody is kept waiting for what is still being read: a caller that has gone must not be sent a code. */
const WAIT_MS = 250
const RETRY_AFTER_MS = SECOND_MS

/** So many apps are known before anybody asks: their last day is read meanwhile. */
const MOST_AT_START = 100

const EVERY_STAGE = Object.keys(STAGES) as AgeBucket[]

async function someAtOnce<T>(atOnce: number, all: IteratorObject<T>, act: (one: T) => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      // Each takes what is next.
      for (const one of all) await act(one)
    }),
  )
}

export type Recorder = (store: Store, findings: Findings) => Promise<void>

/** Where an operator may end an incident, or another server pause a country, that is to hold here at once. */
function lookedEveryMs({ hasIncident }: AppTraffic, restedMs: number): number {
  if (restedMs <= STALE_MS || hasIncident) return 0
  return restedMs <= RESTS_AFTER_MS ? RESTING_EVERY_MS : Number.POSITIVE_INFINITY
}

interface TrafficDependencies {
  store: Store
  clock: Clock
  /** Stores what was found. */
  record: Recorder
  /** Nobody else issues on this store. */
  isAlone: boolean
}

interface Watched {
  traffic: AppTraffic
  /** Moments of the clock that never steps. */
  askedAt: number
  lookedAt: number
  storedAt: number
  /** When a snapshot was made last, and how many codes were counted since. */
  snapshotAt: number
  unkept: number
  /** What was made before has been looked at, by age; Unix milliseconds. */
  until: Record<AgeBucket, number>
  /** Counted as sent, and not judged yet, by the second in which each was made. A code is counted once, and before what has become of it. */
  counted: Map<number, Set<number>>
  looking: Promise<void> | undefined
}

/** A code, and where it went: found once for all ages at which it is looked at. */
interface LocatedIssue {
  readonly issue: Sighted
  readonly where: Whereabouts
  readonly createdAt: number
}

function forgetBefore(counted: Watched['counted'], before: number): void {
  for (const second of counted.keys()) if ((second + 1) * SECOND_MS <= before) counted.delete(second)
}

const isFresh = ({ lookedAt }: Watched, now: number): boolean => now - lookedAt < STALE_MS

class OnItsWay implements PendingRequest {
  #presence: InFlight | undefined

  constructor(
    private readonly traffic: AppTraffic,
    private readonly sought: Buckets,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly issued: (issue: Issue) => void,
  ) {}

  isRefused(protection: Protection, price: number): boolean {
    return this.#ask(protection, price, mayRefuse)?.isRefused === true
  }

  assess(protection: Protection, price: number): RuleHit | undefined {
    return this.#ask(protection, price)
  }

  note(finding: RuleHit): void {
    this.traffic.note(finding, this.sought, this.clock.now())
  }

  leave(issue: Issue | undefined): void {
    this.#goAway()
    if (issue) this.issued(issue)
  }

  #ask(protection: Protection, price: number, matters?: Matters): RuleHit | undefined {
    const found = this.#look(protection, price, matters)
    // From here on others find it there.
    if (found?.isRefused) this.#goAway()
    else this.#presence ??= this.traffic.entering(this.sought)
    return found
  }

  #look(protection: Protection, price: number, matters: Matters | undefined): RuleHit | undefined {
    this.#presence?.stepAside()
    try {
      return this.traffic.assess(protection, this.sought, price, this.clock.now(), matters)
    } finally {
      this.#presence?.comeBack()
    }
  }

  #goAway(): void {
    this.#presence?.end()
    this.#presence = undefined
  }
}

/** What tells an issue from all others of its second: of a UUID the last 48 bits are random. As text it would take three times as much. */
const numberOf = (issueId: string) => Number.parseInt(issueId.slice(-12), 16)

export class TrafficWatch implements Traffic {
  readonly #apps = new Map<string, Watched>()
  readonly #loading = new Map<string, Promise<Watched>>()
  readonly #places = new PrefixAndNetworkCounters()

  constructor(private readonly deps: TrafficDependencies) {}

  async enter(appId: string, facts: RequestFacts): Promise<PendingRequest> {
    const askedAt = this.deps.clock.elapsed()
    const known = this.#apps.get(appId)
    const watched = known && isFresh(known, askedAt) ? known : await this.#fresh(appId)
    watched.askedAt = askedAt
    const { traffic } = watched
    const sought = traffic.find(facts)
    return new OnItsWay(traffic, sought, this.deps.clock, (issue) => {
      this.#seeSent(watched, sightedOf(issue, facts), sought)
      traffic.name(facts.prefix, facts.digits)
    })
  }

  digitsOf(appId: string): ReadonlyMap<string, string> {
    return this.#apps.get(appId)?.traffic.digits() ?? new Map()
  }

  /** Looks at apps that are in use: else whoever asks first waits while their last day is read. */
  async begin(): Promise<void> {
    const { store, clock } = this.deps
    const apps = await store.read.traffic.appsSince(clock.now() - HOUR_MS, MOST_AT_START)
    await someAtOnce(AT_ONCE, apps.values(), (appId) => this.#loadOnce(appId))
  }

  /** What is to be done every second or so; some apps at a time, since each waits for the store. */
  async tidy(): Promise<void> {
    await someAtOnce(LOOKED_AT_ONCE, this.#apps.values(), (watched) => this.#lookInTime(watched))
    const now = this.deps.clock.elapsed()
    const toStore = this.#apps.values().filter(({ storedAt }) => now - storedAt >= STORED_EVERY_MS)
    await someAtOnce(AT_ONCE, toStore, (watched) => this.#store(watched))
    const toKeep = this.#apps
      .values()
      .filter(({ unkept, snapshotAt }) => unkept >= SNAPSHOT_FROM && now - snapshotAt >= SNAPSHOT_EVERY_MS)
    for (const watched of toKeep) await this.#keep(watched)
  }

  async #keep(watched: Watched): Promise<void> {
    // In the middle of a look some codes are counted that the next server would count again.
    await watched.looking
    const { traffic, until, counted } = watched
    const madeAt = this.deps.clock.now()
    const codes = [...counted].map(([second, numbers]) => [second, [...numbers]] as const)
    const state = textOf({ until, counted: codes, traffic: traffic.state })
    watched.snapshotAt = this.deps.clock.elapsed()
    watched.unkept = 0
    await this.deps.store.transaction((tx) => tx.traffic.saveSnapshot({ appId: traffic.appId, madeAt, state }))
  }

  async #lookInTime(watched: Watched): Promise<void> {
    const elapsed = this.deps.clock.elapsed()
    const restedMs = elapsed - watched.askedAt
    if (restedMs > FORGOTTEN_AFTER_MS) this.#apps.delete(watched.traffic.appId)
    else if (elapsed - watched.lookedAt >= lookedEveryMs(watched.traffic, restedMs)) await this.#look(watched)
  }

  /** Stores what was found last. */
  async stop(): Promise<void> {
    for (const watched of this.#apps.values()) await this.#store(watched)
  }

  /** Once, whether it was issued here or found; what was stored late is found when it is older. */
  #seeSent(watched: Watched, issue: Sighted, where: Whereabouts): void {
    const { traffic, counted } = watched
    const second = Math.floor(issue.createdAt / SECOND_MS)
    const known = counted.get(second) ?? new Set()
    const number = numberOf(issue.issueId)
    if (known.has(number)) return
    counted.set(second, known.add(number))
    watched.unkept++
    traffic.see(issue, 'sent', where)
  }

  async #fresh(appId: string): Promise<Watched> {
    const watched = this.#apps.get(appId)
    if (watched && isFresh(watched, this.deps.clock.elapsed())) return watched
    if (watched) await this.#look(watched)
    const known = this.#apps.get(appId)
    if (known) return known
    return this.#inTime(this.#loadOnce(appId))
  }

  async #loadOnce(appId: string): Promise<Watched> {
    const loading = this.#loading.get(appId) ?? this.#load(appId)
    this.#loading.set(appId, loading)
    try {
      return await loading
    } finally {
      this.#loading.delete(appId)
    }
  }

  async #inTime<T>(reading: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const cancel = this.deps.clock.after(WAIT_MS, () =>
      late.reject(unavailable('The codes of the last day are still being read', RETRY_AFTER_MS)),
    )
    try {
      return await Promise.race([reading, late.promise])
    } finally {
      cancel()
    }
  }

  async #load(appId: string): Promise<Watched> {
    const { store, clock } = this.deps
    const now = this.deps.clock.now()
    const since = now - KNOWN_MS
    const hours = await store.read.traffic.hours(appId, now - LEARNED_DAYS * DAY_MS)
    const elapsed = clock.elapsed()
    // Where the clock was set back, or the app has rested, they are still there from before.
    this.#places.forget(appId)
    const kept = stateIn(await store.read.traffic.snapshot(appId), since, now)
    const watched: Watched = {
      traffic: new AppTraffic(appId, this.#places, hours, since),
      ...{ askedAt: elapsed, lookedAt: Number.NEGATIVE_INFINITY, storedAt: elapsed, looking: undefined },
      ...{ snapshotAt: Number.NEGATIVE_INFINITY, unkept: 0 },
      until: { ...(kept?.until ?? { sent: since, early: since, judged: since, late: since }) },
      counted: new Map(kept?.counted.map(([second, codes]) => [second, new Set(codes)])),
    }
    if (kept) watched.traffic.restore(kept.traffic)
    await this.#look(watched)
    this.#apps.set(appId, watched)
    return watched
  }

  #look(watched: Watched): Promise<void> {
    watched.looking ??= this.#lookNow(watched).finally(() => {
      watched.looking = undefined
    })
    return watched.looking
  }

  async #lookNow(watched: Watched): Promise<void> {
    const { store, clock } = this.deps
    const { traffic, until } = watched
    const now = this.deps.clock.now()
    // The clock was set back: what is made from now on would look as if it had been seen.
    if (now + LAG_MS < until.sent) {
      this.#apps.delete(traffic.appId)
      return
    }
    const incidents = store.read.traffic.openIncidents(traffic.appId)
    await Promise.all([incidents, this.#see(watched, now)])
    traffic.follow(await incidents)
    watched.lookedAt = clock.elapsed()
  }

  async #see(watched: Watched, now: number): Promise<void> {
    const { until, counted, lookedAt } = watched
    const behindMs = now - until.sent
    const to = (stage: AgeBucket) => Math.max(until[stage], now - LAG_MS - STAGES[stage])
    const ahead = { sent: to('sent'), early: to('early'), judged: to('judged'), late: to('late') }
    // What is read at once is shown as it was seen by who was there: a count does not go back in time.
    if (behindMs > STAGES.late) await this.#show(watched, EVERY_STAGE, 'all', ahead)
    else if (behindMs > MINUTE_MS || lookedAt === Number.NEGATIVE_INFINITY) {
      await this.#show(watched, ['sent', 'early', 'judged'], 'all', ahead)
      await this.#show(watched, ['late'], 'late', ahead)
    } else
      await Promise.all([
        this.deps.isAlone ? this.#pass(watched, ahead) : this.#show(watched, ['sent'], 'all', ahead),
        this.#show(watched, ['early'], 'verified', ahead),
        this.#show(watched, ['judged'], 'all', ahead),
        this.#show(watched, ['late'], 'late', ahead),
      ])
    watched.traffic.ripen(until.early)
    // None of these is looked at again.
    forgetBefore(counted, until.judged)
  }

  /** What is sent here alone was counted when it was sent. */
  async #pass({ until }: Watched, ahead: Record<AgeBucket, number>): Promise<void> {
    until.sent = ahead.sent
  }

  async #show(
    watched: Watched,
    stages: readonly AgeBucket[],
    which: CountedIssues,
    ahead: Record<AgeBucket, number>,
  ): Promise<void> {
    const { traffic, until } = watched
    const from = Math.min(...stages.map((stage) => until[stage]))
    const to = Math.max(...stages.map((stage) => ahead[stage]))
    if (from >= to) return
    const spanOf = (stage: AgeBucket) => ({ from: until[stage], to: ahead[stage] })
    const looks = new AgeScheduler<LocatedIssue>(stages, spanOf, ({ issue, where }, stage) => {
      if (stage !== 'late') this.#seeSent(watched, issue, where)
      if (stage !== 'sent') traffic.see(issue, stage, where)
    })
    for await (const page of this.deps.store.read.traffic.seen(traffic.appId, from, to, which)) {
      for (const seen of page) {
        const issue = sightedOf(seen)
        looks.add({ issue, where: traffic.whereabouts(issue), createdAt: issue.createdAt })
      }
      // Of a whole day they would be most of what is in memory. Where ages are looked at side by side another one may need them.
      if (stages.includes('sent') && stages.includes('judged'))
        forgetBefore(watched.counted, (page.at(-1)?.createdAt ?? from) - STAGES.judged)
    }
    looks.end()
    for (const stage of stages) until[stage] = ahead[stage]
  }

  async #store(watched: Watched): Promise<void> {
    watched.storedAt = this.deps.clock.elapsed()
    const now = this.deps.clock.now()
    const findings = watched.traffic.take(now - LAG_MS)
    const { decisions, troubles, hours } = findings
    if (decisions.length + troubles.length + hours.length === 0) return
    try {
      await this.deps.record(this.deps.store, findings)
      watched.traffic.stored(findings, now)
    } catch (error) {
      watched.traffic.giveBack(findings)
      throw error
    }
  }
}
