/** How this server is, for metrics: what waits, whom carriers serve, what is stored. */
import type { DiskUsage } from '../domain/operations/disk'
import { conditionsOf } from '../domain/operations/node'
import type { Clock } from '../ports/clock'
import type { ConcurrencyLimiter, StoreLoad } from '../ports/node'
import type { Store } from '../ports/store'
import type { Vitals } from '../ports/telemetry'

export interface VitalsDependencies {
  store: Store
  clock: Clock
  load: StoreLoad
  limiters: () => Map<string, ConcurrencyLimiter>
  disk?: (() => DiskUsage) | undefined
  /** Whether apps are told of one by one. */
  tellsWallets: boolean
}

/** Throws `unavailable` where the database cannot be read. */
export async function readVitals({
  store,
  clock,
  load,
  limiters,
  disk,
  tellsWallets,
}: VitalsDependencies): Promise<Vitals> {
  const { read } = store
  const now = clock.now()
  return {
    queues: await read.jobs.queues(now),
    carrierQueues: await read.jobs.carrierQueues(now),
    carriers: [...limiters()].map(([name, limiter]) => {
      const { inFlight, concurrency } = limiter
      return { name, isHealthy: limiter.health(now).isHealthy, inFlight, concurrency }
    }),
    nodes: conditionsOf(await read.nodes(), now).map(({ condition: state }) => ({ state })),
    pool: store.pool(),
    databaseBytes: await read.size(),
    logBytes: store.logBytes(),
    freeBytes: disk?.().free,
    notices: (await read.notices.open()).map(({ kind }) => kind),
    waitingMs: load.waitingMs(),
    wallets: tellsWallets ? await walletsOf(store) : [],
  }
}

async function walletsOf({ read }: Store): Promise<Vitals['wallets']> {
  const wallets = new Map((await read.wallets.all()).map((wallet) => [wallet.appId, wallet]))
  return (await read.apps.all()).map(({ appId }) => {
    const { balance = 0, reserved = 0 } = wallets.get(appId) ?? {}
    return { appId, balance, reserved }
  })
}
