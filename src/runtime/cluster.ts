/**
 * One of several servers that share a database. What each remembers for itself is bounded, what must be exact is asked; the
 * bounds stand in docs/several-servers.md.
 */

import { type Recorder, TrafficWatch } from '../abuse/counters/traffic-watch'
import { LogSampler } from '../domain/operations/log-sampler'
import { conditionOf, type NodeState } from '../domain/operations/node'
import { VERSION } from '../domain/operations/version'
import { errorFields } from '../domain/shared/error-fields'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Fleet } from '../ports/node'
import type { Store } from '../ports/store'
import { NotedKeyUse } from './caches/key-use'
import { ReplayCache } from './caches/replay-cache'
import { SettingsCache } from './caches/settings-cache'
import { CountedBacklog } from './carriers/backlog'
import { LocalGates } from './carriers/concurrency-limiter'
import { SharedLimits } from './limits/shared-limits'
import { SignInPauses } from './limits/sign-in-pauses'
import { createWakeUps, type RunningNode } from './single-node'
import { watched } from './store-load'

interface SeveralDependencies {
  store: Store
  fleet: Fleet
  clock: Clock
  log: Log
  record: Recorder
  maxBacklog: number
  /** Called when what a start reads has been read. */
  settled?: (() => void) | undefined
  /** What people know this server by. */
  name: string
}

export function cluster({
  fleet,
  clock,
  log,
  maxBacklog,
  name,
  record,
  settled = () => {},
  ...given
}: SeveralDependencies): RunningNode {
  const { store, load } = watched(given.store, clock)
  const limits = new SharedLimits({ fleet, clock })
  const keyUse = new NotedKeyUse(clock)
  const traffic = new TrafficWatch({ store, clock, record, isAlone: false })
  let working: readonly NodeState[] = []
  let isLeaving = false
  let warming: Promise<void> | undefined
  const beat = async () => {
    const nodes = await fleet.heartbeat({ name, version: VERSION, isLeaving })
    working = nodes.filter((node) => conditionOf(node, clock.now()) === 'working')
  }

  return {
    store,
    limits,
    backlog: new CountedBacklog(maxBacklog, store.read.jobs, clock),
    replays: new ReplayCache(),
    limiters: new LocalGates((places, servers) => shareOf(places, working, fleet.nodeId, servers)),
    directory: new SettingsCache(store.read),
    keyUse,
    load,
    signInLimits: new SignInPauses(),
    logSampler: new LogSampler(),
    wakeUps: createWakeUps(),
    traffic,
    async start() {
      await beat()
    },
    warm() {
      warming ??= Promise.allSettled([traffic.begin()]).then(settled)
      return warming
    },
    async tidy() {
      limits.prune()
      await beat()
      // Also where nobody asks anything: a key that seals from now on is heard of here.
      await store.read.settingsVersion()
      await keyUse.tidy(store)
      await traffic.maintain()
    },
    async leave() {
      isLeaving = true
      // Whoever cannot be told finds out by its silence.
      await beat().catch(() => {})
    },
    async stop() {
      try {
        await keyUse.save(store)
        await traffic.stop()
        // What is still leased here is nobody's: others go on with it at once.
        await store.transaction((tx) => tx.jobs.releaseLeases())
        await fleet.forget(fleet.nodeId)
      } catch (error) {
        log.warn(errorFields(error), 'could not hand over; leases end by themselves')
      }
    },
  }
}

/**
 * Places are dealt out one by one, in one order everywhere, so that all shares together are all places. Where no more
 * than `servers` may be there, those that come first are.
 */
export function shareOf(places: number, working: readonly NodeState[], nodeId: string, servers?: number): number {
  if (working.length === 0) return places
  const there = working.slice(0, servers)
  const rank = there.findIndex((node) => node.nodeId === nodeId)
  // Nobody knows of it yet, or there is no room for one more.
  if (rank < 0) return 0
  return Math.floor(places / there.length) + (rank < places % there.length ? 1 : 0)
}
