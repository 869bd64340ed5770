/**
 * Keeps the traffic counters of apps up to date. All counters follow from stored issues. Every server that sends for an
 * app records each issue at once, and again at the age of 20 s, 80 s, 4 min and 10 min. So servers agree within seconds,
 * and a server that starts knows the last day, from a snapshot or from the issues. Issues of this server count at once.
 * The table in `docs/abuse.md` lists situations, the reactions of the rules, and the simulated worlds that show them.
 */

import type { Message } from '../../domain/message/message'
import { unavailable } from '../../domain/shared/error'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { Store } from '../../ports/store'
import type { CountedIssues, SegmentKey } from '../../ports/store/traffic'
import type { Findings, LostWishes, PendingRequest, Traffic } from '../../ports/traffic'
import { type ModeFilter, mayRefuse, type RequestFacts, type RuleHit } from '../rules/assess'
import { LEARNED_DAYS } from '../rules/baseline'
import type { Protection } from '../rules/protection'
import { AGE_MS, type AgeBucket, type IssueSample } from '../rules/wish'
import { AgeScheduler, sampleOf } from './age-scheduler'
import { AppTraffic, type Buckets, type InFlight, type RequestBuckets } from './app-traffic'
import { PrefixAndNetworkCounters } from './prefix-and-network-counters'
import { stateIn, textOf, type WatchedState } from './traffic-snapshot'

/** A transaction may become visible after one that began later. */
const LAG_MS = 2 * SECOND_MS
/** An app without requests for so long is not refreshed until the next request. */
const IDLE_AFTER_MS = 15 * MINUTE_MS
/** How often an idle app is refreshed until then, since its codes still age. */
const REFRESH_IDLE_EVERY_MS = 10 * SECOND_MS
const FORGET_AFTER_MS = DAY_MS
/** Apps that wait for the store at a time. Refreshes are batched by the store, so more of them may run. */
const MAX_CONCURRENT = 8
const MAX_CONCURRENT_REFRESHES = 64
/** Older counters are refreshed before a request is assessed. */
const STALE_MS = 5 * SECOND_MS
const KNOWN_MS = DAY_MS + AGE_MS.late
const STORE_EVERY_MS = 5 * SECOND_MS

/** Codes between two snapshots. Fewer are read within the time of a request. */
const SNAPSHOT_FROM = 2_000
/** So many codes of a longer day without a snapshot are read first: an upgrade or an import leaves such a day. */
const READ_FIRST = 5_000
const SNAPSHOT_EVERY_MS = MINUTE_MS

const RETRY_AFTER_MS = SECOND_MS
/**
 * A request waits at most so long for the first read: a code must not be sent after its caller has gone. Who is refused comes back
 * no sooner.
 */
const WAIT_FOR_LOAD_MS = RETRY_AFTER_MS

/** Apps whose last day is read before the server is ready. */
const MAX_LOADED_AT_START = 100

const ALL_AGES = Object.keys(AGE_MS) as AgeBucket[]

async function forEachConcurrently<T>(
  atOnce: number,
  all: IteratorObject<T>,
  act: (one: T) => Promise<unknown>,
): Promise<void> {
  const work = async (first: T) => {
    await act(first)
    // The workers share one iterator.
    for (const one of all) await act(one)
  }
  const workers: Promise<void>[] = []
  // None without work: this runs every second, and most servers have few apps.
  while (workers.length < atOnce) {
    const next = all.next()
    if (next.done) break
    workers.push(work(next.value))
  }
  await Promise.all(workers)
}

export type Recorder = (store: Store, findings: Findings) => Promise<void>

/** Apps with an incident are refreshed at every call, since operators end incidents and other servers pause countries. */
function refreshEveryMs({ hasIncident }: AppTraffic, restedMs: number): number {
  if (restedMs <= STALE_MS || hasIncident) return 0
  return restedMs <= IDLE_AFTER_MS ? REFRESH_IDLE_EVERY_MS : Number.POSITIVE_INFINITY
}

interface TrafficDependencies {
  store: Store
  clock: Clock
  /** Stores findings. */
  record: Recorder
  /** No other server issues on this store. */
  isAlone: boolean
}

interface WatchedApp {
  traffic: AppTraffic
  /** Times of the monotonic clock. */
  askedAt: number
  refreshedAt: number
  storedAt: number
  /** When the last snapshot was made, and how many codes were counted since. */
  snapshotAt: number
  sinceSnapshot: number
  /** By age: issues made before this time have been recorded; Unix milliseconds. */
  until: Record<AgeBucket, number>
  /**
   * Random parts of the ids of issues recorded as sent and not judged yet, by the second they were made. So each is
   * recorded as sent once.
   */
  counted: Map<number, Set<number>>
  refreshing: Promise<void> | undefined
  /** Only the newest codes are counted so far. */
  isPart: boolean
}

/** An issue with its buckets, which are looked up once for all ages. */
interface LocatedIssue {
  readonly sample: IssueSample
  readonly buckets: Buckets
  readonly createdAt: number
}

function forgetBefore(counted: WatchedApp['counted'], before: number): void {
  for (const second of counted.keys()) if ((second + 1) * SECOND_MS <= before) counted.delete(second)
}

const isFresh = ({ refreshedAt }: WatchedApp, now: number): boolean => now - refreshedAt < STALE_MS

class AssessedRequest implements PendingRequest {
  #inFlight: InFlight | undefined

  constructor(
    private readonly traffic: AppTraffic,
    private readonly buckets: RequestBuckets,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly issued: (message: Message) => void,
  ) {}

  isRefused(protection: Protection, price: number): boolean {
    return this.#assess(protection, price, mayRefuse)?.isRefused === true
  }

  assess(protection: Protection, price: number): RuleHit | undefined {
    return this.#assess(protection, price)
  }

  recordHit(hit: RuleHit): void {
    this.traffic.recordHit(hit, this.buckets, this.clock.now())
  }

  release(message: Message | undefined): void {
    this.#releaseInFlight()
    if (message) this.issued(message)
  }

  #assess(protection: Protection, price: number, modeFilter?: ModeFilter): RuleHit | undefined {
    const assessment = () => this.traffic.assess(protection, this.buckets, price, this.clock.now(), modeFilter)
    const found = this.#inFlight ? this.#inFlight.without(assessment) : assessment()
    // Other requests count it from here on.
    if (found?.isRefused) this.#releaseInFlight()
    else this.#inFlight ??= this.traffic.acquire(this.buckets)
    return found
  }

  #releaseInFlight(): void {
    this.#inFlight?.release()
    this.#inFlight = undefined
  }
}

/**
 * The last 48 bits of a UUID are random and identify an issue within its second. As text they would take three times
 * the memory.
 */
const randomPartOf = (issueId: string) => Number.parseInt(issueId.slice(-12), 16)

export class TrafficWatch implements Traffic {
  readonly #apps = new Map<string, WatchedApp>()
  readonly #loading = new Map<string, Promise<WatchedApp>>()
  readonly #counters = new PrefixAndNetworkCounters()
  /** When a whole day may be read, by the monotonic clock: one at a time, and later where that failed. */
  #readsWholeFrom = 0

  constructor(private readonly deps: TrafficDependencies) {}

  async acquire(appId: string, facts: RequestFacts): Promise<PendingRequest> {
    const askedAt = this.deps.clock.elapsed()
    const known = this.#apps.get(appId)
    const watched = known && isFresh(known, askedAt) ? known : await this.#current(appId)
    watched.askedAt = askedAt
    const { traffic } = watched
    const buckets = traffic.bucketsOfRequest(facts)
    return new AssessedRequest(traffic, buckets, this.deps.clock, (message) => {
      this.#recordSent(watched, sampleOf(message, facts), buckets)
      traffic.rememberDigits(facts.prefix, facts.digits)
    })
  }

  digitsOf(appId: string): ReadonlyMap<string, string> {
    return this.#apps.get(appId)?.traffic.digits() ?? new Map()
  }

  lostWishes(appId: string, segment: SegmentKey): LostWishes | undefined {
    return this.#apps.get(appId)?.traffic.lostWishes(segment)
  }

  /** Reads apps in use before the server is ready, so that their first request does not wait. */
  async begin(): Promise<void> {
    const { store, clock } = this.deps
    const apps = await store.read.traffic.appsSince(clock.now() - HOUR_MS, MAX_LOADED_AT_START)
    await forEachConcurrently(MAX_CONCURRENT, apps.values(), (appId) => this.#loadOnce(appId))
  }

  /** Runs every second or so: refreshes counters, stores findings and snapshots. */
  async maintain(): Promise<void> {
    await forEachConcurrently(MAX_CONCURRENT_REFRESHES, this.#apps.values(), (watched) => this.#refreshIfDue(watched))
    const now = this.deps.clock.elapsed()
    const toStore = this.#apps.values().filter(({ storedAt }) => now - storedAt >= STORE_EVERY_MS)
    await forEachConcurrently(MAX_CONCURRENT, toStore, (watched) => this.#storeFindings(watched))
    const toKeep = this.#apps
      .values()
      .filter(
        ({ isPart, sinceSnapshot, snapshotAt }) =>
          !isPart && sinceSnapshot >= SNAPSHOT_FROM && now - snapshotAt >= SNAPSHOT_EVERY_MS,
      )
    for (const watched of toKeep) await this.#saveSnapshot(watched)
    const part = this.#apps.values().find(({ isPart }) => isPart)
    if (part && now >= this.#readsWholeFrom) this.#readWhole(part).catch(() => {})
  }

  /** Reads the whole day beside, with counters of its own, while requests are assessed by the newest codes. */
  async #readWhole(part: WatchedApp): Promise<void> {
    const { appId } = part.traffic
    this.#readsWholeFrom = Number.POSITIVE_INFINITY
    let waitMs = SNAPSHOT_EVERY_MS
    try {
      const beside = new TrafficWatch(this.deps)
      const whole = await beside.#load(appId, Number.POSITIVE_INFINITY)
      await this.#storeFindings(part)
      // A second look reads the codes that were issued meanwhile, so that hardly any are left for the next request.
      whole.refreshedAt = Number.NEGATIVE_INFINITY
      await beside.#refresh(whole)
      whole.refreshedAt = Number.NEGATIVE_INFINITY
      whole.askedAt = part.askedAt
      if (this.#apps.get(appId) === part) this.#apps.set(appId, whole)
      waitMs = 0
    } finally {
      this.#readsWholeFrom = this.deps.clock.elapsed() + waitMs
    }
  }

  async #saveSnapshot(watched: WatchedApp): Promise<void> {
    // During a refresh the counters are ahead of `until`, and another server would count these codes twice.
    await watched.refreshing
    const { traffic, until, counted, sinceSnapshot } = watched
    const madeAt = this.deps.clock.now()
    const codes = [...counted].map(([second, numbers]) => [second, [...numbers]] as const)
    const state = textOf({ until, counted: codes, traffic: traffic.state })
    watched.snapshotAt = this.deps.clock.elapsed()
    await this.deps.store.transaction((tx) => tx.traffic.saveSnapshot({ appId: traffic.appId, madeAt, state }))
    watched.sinceSnapshot -= sinceSnapshot
  }

  async #refreshIfDue(watched: WatchedApp): Promise<void> {
    const elapsed = this.deps.clock.elapsed()
    const restedMs = elapsed - watched.askedAt
    if (restedMs > FORGET_AFTER_MS) this.#apps.delete(watched.traffic.appId)
    else if (elapsed - watched.refreshedAt >= refreshEveryMs(watched.traffic, restedMs)) await this.#refresh(watched)
  }

  /** Stores the last findings. */
  async stop(): Promise<void> {
    for (const watched of this.#apps.values()) await this.#storeFindings(watched)
  }

  /** Records an issue as sent once, whether it was issued here or read. */
  #recordSent(watched: WatchedApp, issue: IssueSample, buckets: Buckets): void {
    const { traffic, counted } = watched
    const second = Math.floor(issue.createdAt / SECOND_MS)
    const known = counted.get(second) ?? new Set()
    const number = randomPartOf(issue.issueId)
    if (known.has(number)) return
    counted.set(second, known.add(number))
    watched.sinceSnapshot++
    traffic.record(issue, 'sent', buckets)
  }

  async #current(appId: string): Promise<WatchedApp> {
    const watched = this.#apps.get(appId)
    if (watched && isFresh(watched, this.deps.clock.elapsed())) return watched
    if (watched) await this.#refresh(watched)
    const known = this.#apps.get(appId)
    if (known) return known
    return this.#withTimeout(this.#loadOnce(appId))
  }

  async #loadOnce(appId: string): Promise<WatchedApp> {
    const loading = this.#loading.get(appId) ?? this.#load(appId)
    this.#loading.set(appId, loading)
    try {
      return await loading
    } finally {
      this.#loading.delete(appId)
    }
  }

  async #withTimeout<T>(reading: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const cancel = this.deps.clock.after(WAIT_FOR_LOAD_MS, () =>
      late.reject(unavailable('The codes of the last day are still being read', RETRY_AFTER_MS)),
    )
    try {
      return await Promise.race([reading, late.promise])
    } finally {
      cancel()
    }
  }

  /** `atFirst`: so many of the newest codes are read where there is no snapshot. */
  async #load(appId: string, atFirst = READ_FIRST): Promise<WatchedApp> {
    const { store, clock } = this.deps
    const now = this.deps.clock.now()
    const day = now - KNOWN_MS
    const hours = await store.read.traffic.hours(appId, now - LEARNED_DAYS * DAY_MS)
    const elapsed = clock.elapsed()
    // After a clock step or an idle time old counters of the app are still there.
    this.#counters.forget(appId)
    const kept = stateIn(await store.read.traffic.snapshot(appId), day, now)
    const isBounded = !kept && atFirst < Number.POSITIVE_INFINITY
    const from = isBounded ? await store.read.traffic.nthNewest(appId, day, atFirst) : undefined
    const since = from ?? day
    const watched: WatchedApp = {
      traffic: new AppTraffic(appId, this.#counters, hours, since),
      ...{ askedAt: elapsed, refreshedAt: Number.NEGATIVE_INFINITY, storedAt: elapsed, refreshing: undefined },
      ...{ snapshotAt: Number.NEGATIVE_INFINITY, sinceSnapshot: 0, isPart: from !== undefined },
      until: { ...(kept?.until ?? { sent: since, early: since, soon: since, judged: since, late: since }) },
      counted: new Map(kept?.counted.map(([second, codes]) => [second, new Set(codes)])),
    }
    if (kept) await this.#restore(watched, kept)
    await this.#refresh(watched)
    this.#apps.set(appId, watched)
    return watched
  }

  /** Its open wishes are read again: a snapshot would grow with them. */
  async #restore({ traffic, until }: WatchedApp, kept: WatchedState): Promise<void> {
    traffic.restore(kept.traffic)
    for await (const page of this.deps.store.read.traffic.issues(traffic.appId, until.judged, until.sent, 'all'))
      for (const issue of page.map((seen) => sampleOf(seen))) traffic.open(issue, traffic.bucketsOf(issue))
  }

  #refresh(watched: WatchedApp): Promise<void> {
    watched.refreshing ??= this.#refreshNow(watched).finally(() => {
      watched.refreshing = undefined
    })
    return watched.refreshing
  }

  async #refreshNow(watched: WatchedApp): Promise<void> {
    const { store, clock } = this.deps
    const { traffic, until } = watched
    const now = this.deps.clock.now()
    // The clock was set back: new issues would look as if they had been recorded.
    if (now + LAG_MS < until.sent) {
      this.#apps.delete(traffic.appId)
      return
    }
    const incidents = store.read.traffic.openIncidents(traffic.appId)
    await Promise.all([incidents, this.#readIssues(watched, now)])
    traffic.applyIncidents(await incidents)
    watched.refreshedAt = clock.elapsed()
  }

  async #readIssues(watched: WatchedApp, now: number): Promise<void> {
    const { until, counted, refreshedAt } = watched
    const behindMs = now - until.sent
    // A server that starts alone sees all that was issued before it: otherwise its first wave would pass a cap once more.
    const isWhole = this.deps.isAlone && refreshedAt === Number.NEGATIVE_INFINITY
    const to = (age: AgeBucket) => Math.max(until[age], now - (isWhole ? -1 : LAG_MS) - AGE_MS[age])
    const ahead = { sent: to('sent'), early: to('early'), soon: to('soon'), judged: to('judged'), late: to('late') }
    // A long span is replayed in the order of ages, as a running server saw it: counters cannot go back in time.
    if (behindMs > AGE_MS.late) await this.#replay(watched, ALL_AGES, 'all', ahead)
    else if (behindMs > MINUTE_MS || refreshedAt === Number.NEGATIVE_INFINITY) {
      await this.#replay(watched, ['sent', 'early', 'soon', 'judged'], 'all', ahead)
      await this.#replay(watched, ['late'], 'late', ahead)
    } else
      await Promise.all([
        this.deps.isAlone ? this.#skipSent(watched, ahead) : this.#replay(watched, ['sent'], 'all', ahead),
        this.#replay(watched, ['early'], 'verified', ahead),
        this.#replay(watched, ['soon'], 'verified', ahead),
        this.#replay(watched, ['judged'], 'all', ahead),
        this.#replay(watched, ['late'], 'late', ahead),
      ])
    // Judged issues are not recorded as sent again.
    forgetBefore(counted, until.judged)
  }

  /** Where no other server issues, every issue was recorded when it was made. */
  async #skipSent({ until }: WatchedApp, ahead: Record<AgeBucket, number>): Promise<void> {
    until.sent = ahead.sent
  }

  async #replay(
    watched: WatchedApp,
    ages: readonly AgeBucket[],
    which: CountedIssues,
    ahead: Record<AgeBucket, number>,
  ): Promise<void> {
    const { traffic, until } = watched
    const from = Math.min(...ages.map((age) => until[age]))
    const to = Math.max(...ages.map((age) => ahead[age]))
    if (from >= to) return
    const spanOf = (age: AgeBucket) => ({ from: until[age], to: ahead[age] })
    const looks = new AgeScheduler<LocatedIssue>(ages, spanOf, ({ sample, buckets }, age) => {
      if (age !== 'late') this.#recordSent(watched, sample, buckets)
      if (age !== 'sent') traffic.record(sample, age, buckets)
    })
    for await (const page of this.deps.store.read.traffic.issues(traffic.appId, from, to, which)) {
      for (const seen of page) {
        const issue = sampleOf(seen)
        looks.add({ sample: issue, buckets: traffic.bucketsOf(issue), createdAt: issue.createdAt })
      }
      // Over a whole day they would be most of the memory. Concurrent replays may still need them.
      if (ages.includes('sent') && ages.includes('judged'))
        forgetBefore(watched.counted, (page.at(-1)?.createdAt ?? from) - AGE_MS.judged)
    }
    looks.finish()
    for (const age of ages) until[age] = ahead[age]
  }

  async #storeFindings(watched: WatchedApp): Promise<void> {
    watched.storedAt = this.deps.clock.elapsed()
    const now = this.deps.clock.now()
    const findings = watched.traffic.takeFindings(now - LAG_MS)
    const { decisions, incidentUpdates, hours } = findings
    if (decisions.length + incidentUpdates.length + hours.length === 0) return
    try {
      await this.deps.record(this.deps.store, findings)
      watched.traffic.markStored(findings, now)
    } catch (error) {
      watched.traffic.putBack(findings)
      throw error
    }
  }
}
