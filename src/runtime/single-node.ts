/** A server that shares its database with commands at most, and remembers what it needs in its own memory. */

import { type Recorder, TrafficWatch } from '../abuse/counters/traffic-watch'
import type { LimitsConfig } from '../domain/access/rate-limits'
import type { JobKind } from '../domain/operations/job'
import { LogSampler } from '../domain/operations/log-sampler'
import { errorFields } from '../domain/shared/error-fields'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Node, WakeUps } from '../ports/node'
import type { Random } from '../ports/random'
import type { Store } from '../ports/store'
import { NotedKeyUse } from './caches/key-use'
import { ReplayCache } from './caches/replay-cache'
import { SettingsCache } from './caches/settings-cache'
import { CountedBacklog } from './carriers/backlog'
import { LocalGates } from './carriers/concurrency-limiter'
import { followClock } from './clock-watch'
import { LocalLimits } from './limits/local-limits'
import { SignInPauses } from './limits/sign-in-pauses'
import { watched } from './store-load'

interface AloneDependencies {
  store: Store
  clock: Clock
  random: Random
  log: Log
  record: Recorder
  limits: LimitsConfig
  maxBacklog: number
  /** Called when what a start reads has been read. */
  settled?: (() => void) | undefined
}

export interface RunningNode extends Node {
  /** The store as this server must use it. */
  readonly store: Store
  /** Takes over what another process has left: where this one is `alone`, what is leased is lost. */
  start(how: { alone: boolean }): Promise<void>
  /** Reads once what is to be known of the last day, so that a request for a code need not wait for it; settles when that is done. */
  warm(): Promise<void>
  /** What is to be done every second or so. */
  tidy(): Promise<void>
  /** It takes no more work, and says so to whoever shares the store. */
  leave(): Promise<void>
  stop(): Promise<void>
}

export function singleNode({
  clock,
  random,
  log,
  limits: config,
  maxBacklog,
  record,
  settled = () => {},
  ...given
}: AloneDependencies): RunningNode {
  const { store: seen, load } = watched(given.store, clock)
  const store = followClock(seen, clock, random)
  const limits = new LocalLimits({ read: store.read, clock, limits: config })
  const keyUse = new NotedKeyUse(clock)
  const traffic = new TrafficWatch({ store, clock, record, isAlone: true })
  let warming: Promise<void> | undefined

  return {
    store,
    limits,
    backlog: new CountedBacklog(maxBacklog, store.read.jobs, clock),
    replays: new ReplayCache(),
    limiters: new LocalGates(),
    directory: new SettingsCache(store.read),
    keyUse,
    load,
    signInLimits: new SignInPauses(),
    logSampler: new LogSampler(),
    wakeUps: createWakeUps(),
    traffic,
    async start({ alone: isAlone }) {
      try {
        await store.transaction(async (tx) => {
          await tx.carriers.forgetHealth()
          if (isAlone) await tx.jobs.releaseLeases()
        })
      } catch (error) {
        // A disk that is full now must not keep the service from starting: leases also end by themselves.
        log.warn(errorFields(error), 'could not take over what was running')
      }
    },
    warm() {
      warming ??= Promise.allSettled([limits.begin(), traffic.begin()]).then(settled)
      return warming
    },
    async tidy() {
      limits.prune()
      await keyUse.tidy(store)
      await traffic.maintain()
    },
    async leave() {},
    async stop() {
      await keyUse.save(store).catch(() => {})
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
