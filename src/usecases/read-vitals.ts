/** How this server is, for metrics: what waits, whom carriers serve, what is stored. */
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
  /** Whether apps are told of one by one. */
  tellsWallets: boolean
}

/** Throws `unavailable` where the database cannot be read. */
export async function readVitals({ store, clock, load, limiters, tellsWallets }: VitalsDependencies): Promise<Vitals> {
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
    waitingMs: load.waitingMs(),
    wallets: tellsWallets ? await walletsOf(store) : [],
  }
}

async function walletsOf({ read }: Store): Promise<Vitals['wallets']> {
  const apps = await read.apps.all()
  return Promise.all(
    apps.map(async ({ appId }) => {
      const { balance = 0, reserved = 0 } = (await read.wallets.find(appId)) ?? {}
      return { appId, balance, reserved }
    }),
  )
}
