/** A single server: all counts and caches are in its own memory. Only commands use the same database. */
import { type Recorder, TrafficWatch } from '../abuse/counters/traffic-watch'
import type { LimitsConfig } from '../domain/access/rate-limits'
import type { JobKind } from '../domain/operations/job'
import { LogSampler } from '../domain/operations/log-sampler'
import { errorFields } from '../domain/shared/error'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Node, WakeUps } from '../ports/node'
import type { Store } from '../ports/store'
import { NotedKeyUse, NotedReports, ReplayCache, SettingsCache } from './caches/store-cache'
import { LocalLimiters } from './carriers/concurrency-limiter'
import { ChangeFeed } from './change-feed'
import { CountedBacklog, LocalLimits } from './limits/request-limits'
import { SignInPauses } from './limits/sign-in-pauses'
import { watchStore } from './store-watch'

interface SingleNodeDependencies {
  store: Store
  clock: Clock
  log: Log
  record: Recorder
  limits: LimitsConfig
  maxBacklog: number
  /** Called when the reads of a start are done. */
  warmedUp: (() => void) | undefined
}

export interface RunningNode extends Node {
  /** The store as this server must use it. */
  readonly store: Store
  /** Takes over from an earlier process. `alone`: no other process runs jobs, so their leases are released. */
  start(how: { alone: boolean }): Promise<void>
  /** Reads the counts of the last day once, so that the first issue need not wait for them. */
  warm(): Promise<void>
  /** Periodic work, called about every second. */
  tidy(): Promise<void>
  /** Takes no more work, and announces that to the other servers. */
  leave(): Promise<void>
  stop(): Promise<void>
}

export function singleNode({
  clock,
  log,
  limits: config,
  maxBacklog,
  record,
  warmedUp = () => {},
  ...given
}: SingleNodeDependencies): RunningNode {
  const { store: watched, load } = watchStore(given.store, clock)
  const changes = new ChangeFeed(clock)
  const store = changes.watch(watched)
  const limits = new LocalLimits({ read: store.read, clock, limits: config })
  const keyUse = new NotedKeyUse(clock)
  const reports = new NotedReports(clock)
  const traffic = new TrafficWatch({ store, clock, record, isAlone: true })
  let warming: Promise<void> | undefined

  return {
    store,
    limits,
    backlog: new CountedBacklog(maxBacklog, store.read.jobs, clock),
    replays: new ReplayCache(),
    limiters: new LocalLimiters(),
    directory: new SettingsCache(store.read),
    keyUse,
    reports,
    load,
    signInLimits: new SignInPauses(),
    logSampler: new LogSampler(),
    wakeUps: createWakeUps(),
    traffic,
    changes,
    async start({ alone: isAlone }) {
      try {
        await store.transaction(async (tx) => {
          await tx.carriers.forgetHealth()
          if (isAlone) await tx.jobs.releaseLeases()
        })
      } catch (error) {
        // A full disk must not prevent a start: leases end by themselves.
        log.warn(errorFields(error), 'could not take over what was running')
      }
    },
    warm() {
      warming ??= Promise.allSettled([limits.begin(), traffic.begin()]).then(warmedUp)
      return warming
    },
    async tidy() {
      limits.prune()
      await keyUse.tidy(store)
      await reports.tidy(store)
      await traffic.maintain()
    },
    async leave() {
      changes.close()
    },
    async stop() {
      await keyUse.save(store).catch(() => {})
      await reports.save(store).catch(() => {})
      await traffic.stop().catch(() => {})
    },
  }
}

/** Wakes the dispatcher of this process. */
export function createWakeUps(): WakeUps {
  const listeners: Array<(kind: JobKind) => void> = []
  return {
    wake(kind) {
      for (const look of listeners) look(kind)
    },
    subscribe: (look) => void listeners.push(look),
  }
}
