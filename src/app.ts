/** The composition root: everything is built here, and tests build it the same way with ports of their own. */
import { Backlog } from './backlog'
import type { Config } from './config'
import { Directory } from './directory'
import { Gate } from './domain/gate'
import { Limiter } from './domain/limit'
import { SignInPauses } from './domain/sign-in'
import { Sparing } from './domain/sparing'
import { REPORT_PREFIX } from './http/reports'
import { createFetch, type Fetch } from './http/server'
import { jobKinds } from './jobs/kinds'
import { Runner } from './jobs/runner'
import { KeyUse } from './key-use'
import { createModes } from './mode'
import type {
  Backup,
  Clock,
  Descriptors,
  Dial,
  HookTransport,
  Log,
  Passwords,
  Random,
  Schedule,
  Store,
  Transport,
  Tx,
  Vault,
} from './ports'
import { assertProvider, Carriers, explainCode } from './providers/carriers'
import { createSimulator } from './providers/simulator'
import { expireDue, sweepOldData } from './usecases/expire-due'
import { followClock, inOrder } from './usecases/follow-clock'
import { rollUpUsage } from './usecases/read-usage'
import { recallLimits } from './usecases/recall-limits'
import { recordReport } from './usecases/record-report'

export interface Ports {
  clock: Clock
  random: Random
  vault: Vault
  transport: Transport
  dial: Dial
  hooks: HookTransport
  descriptors: Descriptors
  passwords: Passwords
  /** Copies of the database, newest first. */
  backups: () => Backup[]
  store: Store
  log: Log
  schedule: Schedule
}

export interface App {
  fetch: Fetch
  /** Starts dispatching and sweeping. `alone`: no other process runs jobs on this store, so what is leased is lost. */
  start(how?: { alone: boolean }): Promise<void>
  /** Stops taking work and waits for what is running. */
  stop(): Promise<void>
}

const EXPIRY_SWEEP_MS = 1_000
const RECALL_AGAIN_MS = 1_000
/** Simulated messages only sleep. */
const SIMULATED_AT_ONCE = 4_096
const EVERY_TEN_MINUTES = '*/10 * * * *'

export function createApp(config: Config, given: Ports): App {
  const { clock } = given
  const ports = { ...given, store: followClock(given.store, clock, given.random), random: inOrder(given.random) }
  const { random, store, log, schedule, transport, dial } = ports
  const directory = new Directory(store.read)
  const limiter = new Limiter()
  const recalled = Promise.withResolvers<void>()
  const backlog = new Backlog(config.maxBacklog)
  const simulator = { provider: createSimulator(clock), gate: new Gate(SIMULATED_AT_ONCE, { neverOpens: true }) }
  const { publicUrl } = config
  const carriers = new Carriers(
    directory,
    { transport, dial, clock, random, log, timeoutMs: config.providerTimeoutMs },
    config.providerConcurrency,
    (name) => publicUrl && `${publicUrl}${REPORT_PREFIX}${name}`,
    (name, report) => recordReport(deps, name, report),
  )
  const modes = createModes({
    random,
    limits: config.limits,
    numbering: config.numbering,
    prices: config.prices,
    liveRouter: () => carriers.router(),
    simulator,
  })
  const isSimulator = (name: string) => name === simulator.provider.name
  const providerNamed = async (name: string) => (isSimulator(name) ? simulator : await carriers.named(name))?.provider
  const gateOf = (name: string) => (isSimulator(name) ? simulator.gate : carriers.gateOf(name))
  const wakeDelivery = () => runner.wake()
  const { idempotencyDays, liveRetentionDays, trustedProxies, webhookSources } = config
  const deps = {
    ...ports,
    publicUrl,
    directory,
    limiter,
    pauses: new SignInPauses(),
    limitsRecalled: recalled.promise,
    backlog,
    modes,
    providerNamed,
    gateOf,
    wakeDelivery,
    keyUse: new KeyUse(),
    sparing: new Sparing(),
    gates: () => carriers.gates(),
    dispatcherLookedAt: () => runner.lastLookedAt(),
    databaseBytes: () => store.bytes(),
    startedAt: clock.now(),
    numbering: config.numbering,
    providerTimeoutMs: config.providerTimeoutMs,
    assertProvider,
    async explain(provider: string, code: string) {
      const known = (await directory.providers()).find(({ name }) => name === provider)
      return known && explainCode(known, code)
    },
    hookPolicy: config.webhooks,
    idempotencyDays,
    limits: config.limits,
    liveRetentionDays,
  }
  const runner = new Runner({ ...deps, kinds: jobKinds(deps) })
  const fetch = createFetch({
    webhookSources,
    ...deps,
    trustedProxies,
  })

  /** Until then nothing is issued; everything else is answered. */
  async function recall(): Promise<void> {
    try {
      await recallLimits({ store, clock, limiter, limits: config.limits })
      recalled.resolve()
    } catch (error) {
      log.error({ err: error instanceof Error ? error.name : undefined }, 'could not count the issues of the last day')
      if (!isStopped) cancelRecall = clock.after(RECALL_AGAIN_MS, () => void recall())
    }
  }

  /** A disk that is full now must not keep the service from starting: leases also end by themselves. */
  async function beginAfresh(alone: boolean): Promise<void> {
    try {
      await store.transaction(async (tx) => {
        await tx.forgetHealth()
        if (alone) await tx.releaseLeases()
      })
    } catch (error) {
      log.warn({ err: error instanceof Error ? error.name : undefined }, 'could not take over what was running')
    }
  }

  /** What waits for a carrier, when the operator has changed carriers or routes. */
  async function chooseAnew(tx: Tx): Promise<void> {
    await tx.emptyCarrierQueues()
    tx.afterCommit(wakeDelivery)
  }

  let cancelSweep = () => {}
  let cancelRecall = () => {}
  let stopRetention = () => {}
  let sweeping: Promise<void> = Promise.resolve()
  let isStopped = false

  /** Each sweep plans the next, so that a slow one is not overtaken. */
  function sweepExpired(): void {
    sweeping = expireDue(deps)
      .then(() => carriers.refresh())
      .then((hasOtherWays) => (hasOtherWays ? store.transaction(chooseAnew) : undefined))
      .then(() => deps.keyUse.save(store))
      .catch((error: unknown) => log.error({ err: error instanceof Error ? error.name : undefined }, 'sweep failed'))
      .then(() => {
        limiter.prune(clock.now())
        if (!isStopped) cancelSweep = clock.after(EXPIRY_SWEEP_MS, sweepExpired)
      })
  }

  return {
    fetch,
    async start({ alone } = { alone: false }) {
      await beginAfresh(alone)
      await carriers.refresh()
      runner.start()
      sweepExpired()
      void recall()
      stopRetention = schedule(EVERY_TEN_MINUTES, async () => {
        await sweepOldData(deps)
        await rollUpUsage(deps)
      })
    },
    async stop() {
      isStopped = true
      cancelSweep()
      cancelRecall()
      stopRetention()
      await Promise.all([runner.stop(), sweeping])
      await carriers.close()
      await deps.keyUse.save(store).catch(() => {})
      await store.close()
    },
  }
}
