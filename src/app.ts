/** The composition root: everything is built here. Tests build the same app with other ports. */
import type { Recorder } from './abuse/counters/traffic-watch'
import { lazyAdminApi } from './admin'
import type { AdminServices } from './admin/context'
import type { Config } from './config'
import { createConsole } from './console'
import { createReadiness } from './http/health'
import { createRelays } from './http/relay/relay'
import { noteReport, REPORT_PREFIX, receiveReports } from './http/reports'
import { createFetch, createRoutes, type Fetch, lazyApi, lazyTwilio } from './http/routes'
import { answerUsageReport } from './http/usage-report'
import { createCarrierSlots, createDispatch } from './jobs/dispatch'
import { jobKinds } from './jobs/kinds'
import { Runner } from './jobs/runner'
import { Sweeps } from './jobs/sweeps'
import type { Ports } from './ports'
import type { Vitals } from './ports/telemetry'
import { Carriers } from './providers/carriers'
import { createChallenges } from './providers/challenges'
import { createSimulator } from './providers/simulator'
import { carrierTypes } from './providers/type-settings'
import { cluster } from './runtime/cluster'
import { singleNode } from './runtime/single-node'
import { orderedIds } from './runtime/store-watch'
import { recordTraffic } from './usecases/abuse/record-traffic'
import { takeOverCalls } from './usecases/adopt-calls'
import { publishedKeys } from './usecases/prove-verification'
import { readVitals } from './usecases/read-vitals'
import { recordReport } from './usecases/record-report'
import { createModes } from './usecases/shared/mode'

export interface RunningApp {
  fetch: Fetch
  vitals(): Promise<Vitals>
  /** Loads and reads what the first requests need. */
  warmUp(): Promise<void>
  /** Takes over from an earlier process. `alone`: no other process runs jobs on this store, so their leases are released. */
  begin(how: { alone: boolean }): Promise<void>
  /** Starts dispatching and sweeping. */
  dispatch(): void
  /** Both. */
  start(): Promise<void>
  /** Whether the dispatcher looks for work. A watchdog ends a process that does not. */
  isDispatching(): boolean
  /** Announces the stop to load balancers and the other servers. Requests and jobs are still handled until `stop`. */
  leave(): Promise<void>
  /** Takes no more work, waits for running work, and closes the store. */
  stop(): Promise<void>
}

export function createApp(config: Config, ports: Ports): RunningApp {
  const { clock, vault, log, telemetry, transport, dial, hooks, descriptors, passwords, backups, schedule } = ports
  const { limits, numbering, prices, publicUrl, trustedProxies, webhookSources, idempotencyDays } = config
  const random = orderedIds(ports.random)
  const record: Recorder = (store, findings) => recordTraffic({ store, random, log }, findings)
  const shared = {
    ...{ store: ports.store, clock, log, record },
    ...{ maxBacklog: config.maxBacklog, warmedUp: ports.warmedUp },
  }
  const node = ports.fleet ? cluster({ ...shared, ...ports.fleet }) : singleNode({ ...shared, limits })
  const { store } = node
  const noticeSender = { toOperator: ports.toOperator, mailer: ports.mailer, publicUrl }
  const basics = { store, clock, random, log, telemetry, vault, node, proofs: config.proofs, ...noticeSender }
  const challenges = createChallenges({ transport, urls: config.challengeUrls })

  const simulator = createSimulator(clock, node.limiters)
  const carriers = new Carriers(node, simulator, {
    ...{ transport, dial, clock, random, vault, log, timeoutMs: config.carrierTimeoutMs },
    concurrency: config.carrierConcurrency,
    reportUrl: (name) => publicUrl && `${publicUrl}${REPORT_PREFIX}${name}`,
    async report(name, report) {
      const isRecorded = (await recordReport({ ...basics, carrierNamed }, name, report)) === 'recorded'
      if (isRecorded) noteReport(basics, name, 'recorded')
      return isRecorded
    },
    dropped: (name, why) => noteReport(basics, name, why),
  })
  const carrierNamed = async (name: string) => (await carriers.named(name))?.carrier
  const modes = createModes({ random, limits, numbering, prices, liveRouter: () => carriers.router(), simulator })

  const slots = createCarrierSlots({ limiters: node.limiters, clock })
  const runner = new Runner({
    ...{ store, clock, log, wakeUps: node.wakeUps },
    kinds: jobKinds({ ...basics, modes, slots, carrierNamed, hooks, hookPolicy: config.webhooks }),
  })
  const dispatch = createDispatch({ store, clock, log, runner, slots, limiters: node.limiters })
  const sweeps = new Sweeps({
    ...{ ...basics, schedule, idempotencyDays, liveRetentionDays: config.liveRetentionDays },
    ...{ backups, disk: ports.disk, erasedFile: ports.erasedFile },
    refreshCarriers: () => carriers.refresh(),
    isRunning: dispatch.isRunning,
  })

  const isDispatching = () => runner.isDispatching()
  const readiness = createReadiness({
    ...{ store, load: node.load, clock, log, isDispatching, isLeaving: () => leaving !== undefined },
    warm: () => node.warm(),
    limiters: () => carriers.limiters(),
  })
  const administration: AdminServices = {
    ...{ ...basics, modes, dispatch, carriers, carrierTypes, passwords, challenges, idempotencyDays, trustedProxies },
    explain: (name, code) => carriers.explain(name, code),
    facts: {
      ...{ startedAt: clock.now(), publicUrl, isDispatching, backups, numbering, hookPolicy: config.webhooks },
      carrierTimeoutMs: config.carrierTimeoutMs,
      liveRetentionDays: config.liveRetentionDays,
    },
    erasedFile: ports.erasedFile,
  }
  const console = createConsole({ ...administration, random })
  const early = new Set<string>()
  const issuing = { ...basics, challenges, idempotencyDays, modes, dispatch }
  const ofApi = { ...issuing, limits, descriptors }
  const api = lazyApi(ofApi)
  const routes = createRoutes({
    ...{ node, clock, descriptors, trustedProxies, publicUrl, webhookSources, console, readiness },
    api: (...request) => api()(...request),
    twilio: lazyTwilio({ ...ofApi, publicUrl }),
    publishedKeys: () => publishedKeys({ vault, clock }),
    metrics: ports.metrics,
    relay: createRelays(issuing),
    usageReport: (request, url, ip) => answerUsageReport({ store, clock, node }, request, url, ip),
    admin: lazyAdminApi(administration),
    reports: (request, url) => receiveReports({ ...basics, publicUrl, carrierNamed, early }, request, url),
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
        ...{ store, clock, load: node.load, disk: ports.disk },
        limiters: () => carriers.limiters(),
        tellsWallets: config.metrics.wallets,
      }),
    warmUp() {
      api()
      return node.warm()
    },
    async begin(how) {
      await node.start(how)
      if (how.alone && !ports.fleet) await takeOverCalls(basics)
      await carriers.refresh()
    },
    dispatch() {
      runner.start()
      sweeps.start()
    },
    async start() {
      await this.begin({ alone: false })
      this.dispatch()
    },
    isDispatching,
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
