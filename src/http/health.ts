/**
 * `/healthz`: the process answers. `/readyz`: the server can do its work. Only requests from this machine see the details.
 */
import { presentableCode } from '../domain/delivery/delivery'
import { conditionsOf, type NodeCondition, type NodeState } from '../domain/operations/node'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { ConcurrencyLimiter, StoreLoad } from '../ports/node'
import type { Store } from '../ports/store'
import type { PoolUsage } from '../ports/telemetry'

export interface HealthDependencies {
  store: Store
  load: StoreLoad
  clock: Clock
  log: Log
  isDispatching: () => boolean
  /** Settles when the counts of the last day have been read. */
  warm: () => Promise<void>
  /** The server is about to stop. */
  isLeaving: () => boolean
  /** The limiters of carriers, by name. */
  limiters: () => Map<string, ConcurrencyLimiter>
}

export interface Readiness {
  status: 'ready' | 'not_ready'
  /** `traffic`: the codes of the last day are counted. No code is issued before. */
  checks: { database: boolean; migrations: boolean; dispatcher: boolean; traffic: boolean }
  /** The servers that share the database; left out for a single server. */
  nodes?: NodeReport[]
  /** This server's connections for transactions. */
  pool?: PoolUsage
  /** Informative: an unhealthy carrier does not make the service unready, since another may deliver. */
  providers: Record<string, CarrierHealthState>
}

interface NodeReport {
  id: string
  name: string
  version: string
  state: NodeCondition
  seenAt: string
  lagMs: number
}

const nodeReports = (nodes: readonly NodeState[], now: number): NodeReport[] =>
  conditionsOf(nodes, now).map(({ nodeId: id, name, version, condition: state, seenAt, lagMs }) => ({
    ...{ id, name, version, state },
    ...{ seenAt: new Date(seenAt).toISOString(), lagMs },
  }))

interface CarrierHealthState {
  state: 'healthy' | 'unhealthy'
  inFlight: number
  concurrency: number
  /** Only for an unhealthy carrier: since when, its last error code, and when the next message probes it. */
  since?: string
  code?: string
  retryAt?: string
}

function carrierState(limiter: ConcurrencyLimiter, now: number): CarrierHealthState {
  const { isHealthy, since, code, retryAt } = limiter.health(now)
  const { inFlight, concurrency } = limiter
  if (isHealthy) return { state: 'healthy', inFlight, concurrency }
  return {
    state: 'unhealthy',
    inFlight,
    concurrency,
    since: new Date(since).toISOString(),
    ...(code && { code: presentableCode(code) }),
    ...(retryAt !== undefined && { retryAt: new Date(retryAt).toISOString() }),
  }
}

/** One test write serves all requests within this time, unless a write has failed since. */
const CACHED_MS = 1_000

/** A short warm-up is awaited, so that a new server is ready at the first request. */
const WAIT_FOR_WARM_UP_MS = 250

async function isWarm(warm: () => Promise<void>, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const cancel = clock.after(WAIT_FOR_WARM_UP_MS, () => late.resolve(false))
  return Promise.race([warm().then(() => true), late.promise]).finally(cancel)
}

export function createReadiness({
  store,
  load,
  clock,
  log,
  isDispatching,
  warm,
  isLeaving,
  limiters,
}: HealthDependencies): () => Promise<Readiness> {
  let cached: { at: number; readiness: Promise<Readiness> } | undefined
  let knownFailures = 0
  let noted: Readiness['status'] = 'ready'

  /** A load balancer acts on it, so the log says when it changed, and by which check. */
  function note({ status, checks }: Readiness): void {
    if (status === noted) return
    noted = status
    if (status === 'ready') log.info({ ...checks }, 'ready again')
    else log.warn({ ...checks }, 'not ready')
  }

  async function examine(): Promise<Readiness> {
    const warmed = isWarm(warm, clock)
    const database = await store.assertWritable().then(
      () => true,
      () => false,
    )
    knownFailures = load.writeFailures()
    const dispatcher = isDispatching()
    // The store does not open before every migration is applied.
    const checks = { database, migrations: true, dispatcher, traffic: await warmed }
    const nodes = await store.read.nodes().catch(() => [])
    const pool = store.pool()
    const carriers = [...limiters()].map(([name, limiter]) => [name, carrierState(limiter, clock.now())])
    return {
      status: database && dispatcher && checks.traffic ? 'ready' : 'not_ready',
      checks,
      ...(nodes.length > 0 && { nodes: nodeReports(nodes, clock.now()) }),
      ...(pool && { pool }),
      providers: Object.fromEntries(carriers),
    }
  }

  return async () => {
    const at = clock.now()
    const isStale = !cached || Math.abs(at - cached.at) > CACHED_MS || load.writeFailures() > knownFailures
    if (!cached || isStale) cached = { at, readiness: examine() }
    const readiness = await cached.readiness
    note(readiness)
    return isLeaving() ? { ...readiness, status: 'not_ready' } : readiness
  }
}
