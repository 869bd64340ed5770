/**
 * One of several servers that share a database. Caches and counts of a single server may be off by a bound, which
 * docs/several-servers.md states. Exact counts are in the database.
 */

import { type Recorder, TrafficWatch } from '../abuse/counters/traffic-watch'
import { LogSampler } from '../domain/operations/log-sampler'
import { conditionOf, type NodeState } from '../domain/operations/node'
import { VERSION } from '../domain/operations/version'
import { errorFields } from '../domain/shared/error'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Fleet } from '../ports/node'
import type { Store } from '../ports/store'
import { NotedKeyUse, NotedReports, ReplayCache, SettingsCache } from './caches/store-cache'
import { LocalLimiters } from './carriers/concurrency-limiter'
import { ChangeFeed } from './change-feed'
import { CountedBacklog, SharedLimits } from './limits/request-limits'
import { SignInPauses } from './limits/sign-in-pauses'
import { createWakeUps, type RunningNode } from './single-node'
import { watchStore } from './store-watch'

interface ClusterDependencies {
  store: Store
  fleet: Fleet
  clock: Clock
  log: Log
  record: Recorder
  maxBacklog: number
  /** Called when the reads of a start are done. */
  warmedUp: (() => void) | undefined
  /** Shown to people. */
  name: string
}

export function cluster({
  fleet,
  clock,
  log,
  maxBacklog,
  name,
  record,
  warmedUp = () => {},
  ...given
}: ClusterDependencies): RunningNode {
  const changes = new ChangeFeed(clock, () => beat())
  const { store: watched, load } = watchStore(given.store, clock)
  const store = changes.watch(watched)
  const limits = new SharedLimits({ fleet, clock })
  const keyUse = new NotedKeyUse(clock)
  const reports = new NotedReports(clock)
  const traffic = new TrafficWatch({ store, clock, record, isAlone: false })
  let live: readonly NodeState[] = []
  let isLeaving = false
  let warming: Promise<void> | undefined
  const beat = async () => {
    const { isFollowed, counts } = changes
    const nodes = await fleet.heartbeat({ name, version: VERSION, isLeaving, isFollowed, changes: counts })
    live = nodes.filter((node) => conditionOf(node, clock.now()) === 'working')
    changes.learn(live.filter(({ nodeId }) => nodeId !== fleet.nodeId))
  }

  return {
    store,
    limits,
    backlog: new CountedBacklog(maxBacklog, store.read.jobs, clock),
    replays: new ReplayCache(),
    limiters: new LocalLimiters((places, servers) => shareOfSlots(places, live, fleet.nodeId, servers)),
    directory: new SettingsCache(store.read),
    keyUse,
    reports,
    load,
    signInLimits: new SignInPauses(),
    logSampler: new LogSampler(),
    wakeUps: createWakeUps(),
    traffic,
    changes,
    async start() {
      await beat()
    },
    warm() {
      warming ??= Promise.allSettled([traffic.begin()]).then(warmedUp)
      return warming
    },
    async tidy() {
      limits.prune()
      await beat()
      // A server without requests must learn of a changed key, too.
      await store.read.settingsVersion()
      await keyUse.tidy(store)
      await reports.tidy(store)
      await traffic.maintain()
    },
    async leave() {
      isLeaving = true
      changes.close()
      // If this fails, the other servers notice the missing heartbeats.
      await beat().catch(() => {})
    },
    async stop() {
      try {
        await keyUse.save(store)
        await reports.save(store)
        await traffic.stop()
        // Other servers can then claim these jobs at once.
        await store.transaction((tx) => tx.jobs.releaseLeases())
        await fleet.forget(fleet.nodeId)
      } catch (error) {
        log.warn(errorFields(error), 'could not hand over; leases end by themselves')
      }
    },
  }
}

/**
 * This server's share of a number of slots. All servers have the same order, so that the shares add up to all slots. Where at most
 * `servers` may use the carrier, the first ones in that order do.
 */
export function shareOfSlots(slots: number, working: readonly NodeState[], nodeId: string, servers?: number): number {
  if (working.length === 0) return slots
  const there = working.slice(0, servers)
  const rank = there.findIndex((node) => node.nodeId === nodeId)
  // The other servers do not know this one yet, or enough servers come before it.
  if (rank < 0) return 0
  return Math.floor(slots / there.length) + (rank < slots % there.length ? 1 : 0)
}
