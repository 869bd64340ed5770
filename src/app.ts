/** The composition root: everything is built here, and tests build it the same way with ports of their own. */

import type { Recorder } from './abuse/counters/traffic-watch'
import type { Config } from './config'
import { createConsole } from './console'
import type { Api, ApiDependencies } from './http/api'
import { createReadiness } from './http/health'
import type { MetricsRoute } from './http/metrics'
import { REPORT_PREFIX, receiveReports } from './http/reports'
import { createFetch, createRoutes, type Fetch } from './http/routes'
import { createCarrierSlots, createDispatch } from './jobs/dispatch'
import { jobKinds } from './jobs/kinds'
import { Runner } from './jobs/runner'
import { Sweeps } from './jobs/sweeps'
import type { Clock, Schedule } from './ports/clock'
import type { Backups, ErasedFile } from './ports/files'
import type { Log } from './ports/log'
import type { Descriptors, Dial, HookTransport, Transport } from './ports/network'
import type { Fleet } from './ports/node'
import type { Store } from './ports/store'
import type { Telemetry, Vitals } from './ports/telemetry'
import type { Passwords, Random, Vault } from './ports/vault'
import { Carriers } from './providers/carriers'
import { createChallenges } from './providers/challenges'
import { createSimulator } from './providers/simulator'
import { cluster } from './runtime/cluster'
import { singleNode } from './runtime/single-node'
import { orderedIds } from './runtime/store-watch'
import { recordTraffic } from './usecases/abuse/record-traffic'
import { publishedKeys } from './usecases/prove-verification'
import { readVitals } from './usecases/read-vitals'
import { recordReport } from './usecases/record-report'
import { createModes } from './usecases/shared/mode'

export interface Ports {
  clock: Clock
  random: Random
  vault: Vault
  transport: Transport
  /** To the receiver that is told of incidents. */
  toOperator: Transport
  dial: Dial
  hooks: HookTransport
  descriptors: Descriptors
  passwords: Passwords
  /** Copies of the database, newest first. */
  backups: () => Backups
  store: Store
  /** Beside an embedded database. */
  erasedFile?: ErasedFile | undefined
  /** Where several servers share the store: this one's word to the others, and its name for people. */
  fleet?: { fleet: Fleet; name: string } | undefined
  log: Log
  telemetry: Telemetry
  /** What is told of them to who asks at `/metrics`, where that is on here. */
  metrics?: MetricsRoute | undefined
  schedule: Schedule
  /** Called when what a start reads of the last day has been read, which leaves much behind. */
  warmedUp?: () => void
}

export interface RunningApp {
  fetch: Fetch
  vitals(): Promise<Vitals>
  /** Loads and reads what the first requests need, unless they have come already. */
  warmUp(): void
  /** Starts dispatching and sweeping. `alone`: no other process runs jobs on this store, so what is leased is lost. */
  start(how?: { alone: boolean }): Promise<void>
  /** Says that it goes: whoever shares out requests and work need give it no more. It answers and works on until `stop`. */
  leave(): Promise<void>
  /** Stops taking work and waits for what is running. */
  stop(): Promise<void>
}

export function createApp(config: Config, ports: Ports): RunningApp {
  const { clock, vault, log, telemetry, transport, dial, hooks, descriptors, passwords, backups, schedule } = ports
  const { limits, numbering, prices, publicUrl, trustedProxies, webhookSources, idempotencyDays } = config
  const random = orderedIds(ports.random)
  const record: Recorder = (store, findings) => recordTraffic({ store, random, log }, findings)
  const shared = {
    store: ports.store,
    clock,
    random,
    log,
    maxBacklog: config.maxBacklog,
    record,
    warmedUp: ports.warmedUp,
  }
  const node = ports.fleet ? cluster({ ...shared, ...ports.fleet }) : singleNode({ ...shared, limits })
  const { store } = node
  const basics = { store, clock, random, log, telemetry, vault, node, proofs: config.proofs }
  const issuing = {
    challenges: createChallenges({ transport, urls: config.challengeUrls }),
    idempotencyDays,
  }

  const simulator = createSimulator(clock, node.limiters)
  const carriers = new Carriers(node, simulator, {
    ...{ transport, dial, clock, random, log, timeoutMs: config.carrierTimeoutMs },
    concurrency: config.carrierConcurrency,
    reportUrl: (name) => publicUrl && `${publicUrl}${REPORT_PREFIX}${name}`,
    report: (name, report) => recordReport(basics, name, report),
  })
  const carrierNamed = async (name: string) => (await carriers.named(name))?.carrier
  const modes = createModes({ random, limits, numbering, prices, liveRouter: () => carriers.router(), simulator })

  const slots = createCarrierSlots({ limiters: node.limiters, clock })
  const runner = new Runner({
    ...{ store, clock, log, wakeUps: node.wakeUps },
    kinds: jobKinds({ ...basics, modes, slots, carrierNamed, hooks, hookPolicy: config.webhooks }),
  })
  const dispatch = createDispatch({ store, clock, runner, slots, limiters: node.limiters })
  const sweeps = new Sweeps({
    ...{ ...basics, schedule, idempotencyDays, liveRetentionDays: config.liveRetentionDays },
    ...{ toOperator: ports.toOperator, operatorHook: config.operatorHook, erasedFile: ports.erasedFile },
    refreshCarriers: () => carriers.refresh(),
  })

  const dispatcherLookedAt = () => runner.lastLookedAt()
  const readiness = createReadiness({
    ...{ store, load: node.load, clock, dispatcherLookedAt, isLeaving: () => leaving !== undefined },
    warm: () => node.warm(),
    limiters: () => carriers.limiters(),
  })
  const console = createConsole({
    ...{ ...basics, modes, dispatch, carriers, passwords, ...issuing, trustedProxies },
    explain: (name, code) => carriers.explain(name, code),
    facts: {
      ...{ startedAt: clock.now(), publicUrl, dispatcherLookedAt, backups, numbering, hookPolicy: config.webhooks },
      carrierTimeoutMs: config.carrierTimeoutMs,
      liveRetentionDays: config.liveRetentionDays,
    },
    erasedFile: ports.erasedFile,
  })
  const api = onFirstRequest({ ...basics, ...issuing, modes, dispatch, limits, descriptors })
  const routes = createRoutes({
    ...{ node, clock, descriptors, trustedProxies, publicUrl, webhookSources, console, readiness },
    api: (request, place, from) => api()(request, place, from),
    publishedKeys: () => publishedKeys({ vault, clock }),
    metrics: ports.metrics,
    reports: (request, url) => receiveReports({ ...basics, publicUrl, carrierNamed }, request, url),
  })

  let leaving: Promise<void> | undefined
  const leave = () => {
    leaving ??= node.leave()
    return leaving
  }

  return {
    fetch: createFetch({ routes, clock, random, log, descriptors, telemetry }),
    vitals: () =>
      readVitals({
        store,
        clock,
        load: node.load,
        limiters: () => carriers.limiters(),
        tellsWallets: config.metrics.wallets,
      }),
    warmUp() {
      api()
      void node.warm()
    },
    async start(how = { alone: false }) {
      await node.start(how)
      await carriers.refresh()
      runner.start()
      sweeps.start()
    },
    leave,
    async stop() {
      await leave()
      await Promise.all([runner.stop(), sweeps.stop()])
      await carriers.close()
      await node.stop()
      await store.close()
    },
  }
}

/**
 * The interface, once it is asked for: to make its schemas takes as long as a quarter of a start. By `require`, which does not
 * have its callers wait.
 */
function onFirstRequest(deps: ApiDependencies): () => Api {
  let api: Api | undefined
  return () => {
    api ??= (require('./http/api') as typeof import('./http/api')).createApi(deps)
    return api
  }
}
