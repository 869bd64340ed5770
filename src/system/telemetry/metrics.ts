/**
 * Metrics as OpenMetrics text, by prom-client, which needs no thread or timer. Labels have bounded values: fixed sets, and the
 * operator's carriers and apps.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { REPORT_OUTCOMES } from '../../domain/delivery/report-tally'
import { NOTICE_KINDS } from '../../domain/operations/notice'
import { VERSION } from '../../domain/operations/version'
import type { StoreTelemetry, Vitals } from '../../ports/telemetry'
import type { TelemetrySink } from './index'

export interface Metrics {
  sink: TelemetrySink
  store: StoreTelemetry
  /** Sets the source of the gauges that are read at each scrape. */
  watch(vitals: () => Promise<Vitals>): void
  text(): Promise<string>
  readonly contentType: string
}

/** Seconds; from an answer from memory to a carrier's timeout. */
const LATENCIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** Seconds; reports come within a day. */
const UNTIL_DELIVERED = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400]
const GROUPS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** Default metrics that are valid in Bun; the others are removed. */
const OF_THE_PROCESS = /^(process_(cpu|start|resident|open|max)|nodejs_eventloop_lag)/

export function createMetrics(): Metrics {
  const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register: registry })
  for (const { name } of registry.getMetricsAsArray()) if (!OF_THE_PROCESS.test(name)) registry.removeSingleMetric(name)

  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `watchword_${name}`, help, labelNames, registers })
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name: `watchword_${name}`, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name: `watchword_${name}`, help, buckets, labelNames, registers })

  gauge('build_info', 'Which release this is', 'version').set({ version: VERSION }, 1)

  const requests = counter('requests', 'Requests answered', 'route', 'status')
  const requestSeconds = histogram('request_duration_seconds', 'From request to answer', LATENCIES, 'route', 'status')
  const refusals = counter('refusals', 'Requests refused, by why and by which limit', 'kind', 'limit')
  const issues = counter('issues', 'Codes asked for, and what became of the wish', 'mode', 'channel', 'outcome')
  const ends = counter('codes_ended', 'Codes that can be verified no more', 'mode', 'channel', 'outcome')
  const decisions = counter('abuse_decisions', 'What rules against abuse found', 'rule', 'decision')
  const checks = counter('verifications', 'Codes checked', 'mode', 'result')
  const attempts = counter('attempts', 'Calls of carriers, and what they said', 'carrier', 'leg', 'outcome')
  const attemptSeconds = histogram('attempt_duration_seconds', 'From call to answer', LATENCIES, 'carrier')
  const deliveries = counter('deliveries', 'Messages whose fate is known', 'mode', 'carrier', 'leg', 'outcome')
  const deliverySeconds = histogram(
    'delivery_duration_seconds',
    'From the wish for a code to the last word of its delivery',
    UNTIL_DELIVERED,
    'carrier',
    'leg',
  )
  const reports = counter('reports', 'Delivery reports of carriers, and what became of them', 'carrier', 'outcome')
  const webhooks = counter('webhooks', 'Calls of receivers, and what came of them', 'outcome')
  const webhookSeconds = histogram('webhook_duration_seconds', 'From call to answer', LATENCIES)
  const groups = histogram('commit_units', 'Transactions that a commit wrote together', GROUPS)
  const waits = histogram('commit_wait_seconds', 'How long the first of them had waited', LATENCIES)
  const commits = histogram('commit_duration_seconds', 'From the commit to the disk', LATENCIES)
  const uncommitted = counter('uncommitted', 'Units that could not be stored, or were run again', 'how')
  const checkpoints = histogram('checkpoint_duration_seconds', 'To copy the log into the database', LATENCIES)
  // `increase` needs a first sample of zero.
  for (const how of ['failed', 'again']) uncommitted.inc({ how }, 0)
  for (const outcome of ['delivered', 'failed', 'again']) webhooks.inc({ outcome }, 0)
  const vitals = vitalSigns(gauge)
  let look: (() => Promise<Vitals>) | undefined

  return {
    sink: {
      requestAnswered({ route, status, ms, refusal }) {
        requests.inc({ route, status })
        requestSeconds.observe({ route, status }, ms / 1_000)
        if (refusal) refusals.inc({ kind: refusal.kind, limit: refusal.detail.limit ?? '' })
      },
      issueDecided({ mode, channel, outcome, refusal, rule }) {
        issues.inc({ mode, channel, outcome })
        if (rule) decisions.inc({ rule, decision: refusal ? 'refused' : 'noted' })
      },
      codeChecked({ mode, result }) {
        checks.inc({ mode, result })
      },
      attemptAnswered({ carrier, leg, outcome, ms }) {
        attempts.inc({ carrier, leg, outcome })
        attemptSeconds.observe({ carrier }, ms / 1_000)
      },
      codeEnded({ mode, channel, verificationStatus: outcome }) {
        ends.inc({ mode, channel, outcome })
      },
      deliveryEnded({ message: { mode, leg, deliveryStatus: outcome, createdAt }, carrier = '', endedAt }) {
        deliveries.inc({ mode, carrier, leg, outcome })
        if (mode === 'live') deliverySeconds.observe({ carrier, leg }, Math.max(0, endedAt - createdAt) / 1_000)
      },
      reportReceived({ carrier, outcome }) {
        reports.inc({ carrier, outcome })
      },
      webhookAnswered({ outcome, ms }) {
        webhooks.inc({ outcome })
        webhookSeconds.observe(ms / 1_000)
      },
    },
    store: {
      committed(transactions, waitedMs, commitMs) {
        groups.observe(transactions)
        waits.observe(waitedMs / 1_000)
        commits.observe(commitMs / 1_000)
      },
      uncommitted(how) {
        uncommitted.inc({ how })
      },
      checkpointed(ms) {
        checkpoints.observe(ms / 1_000)
      },
    },
    watch(readVitals) {
      look = readVitals
    },
    async text() {
      // A server without its database still reports its other metrics.
      const seen = await look?.().catch(() => undefined)
      if (look) vitals(seen)
      // `increase` needs a first sample of zero here, too.
      for (const { name: carrier } of seen?.carriers ?? [])
        for (const outcome of REPORT_OUTCOMES) reports.inc({ carrier, outcome }, 0)
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

type MakeGauge = <L extends string>(name: string, help: string, ...labels: L[]) => Gauge<L>

function vitalSigns(gauge: MakeGauge): (vitals: Vitals | undefined) => void {
  const jobs = gauge('queue_jobs', 'Work that waits, by kind', 'kind')
  const due = gauge('queue_due', 'Work that could be done now', 'kind')
  const oldest = gauge('queue_oldest_seconds', 'How long the oldest work that is due has waited', 'kind')
  const atCarrier = gauge('carrier_queue', 'Messages that wait for room at a carrier', 'carrier')
  const healthy = gauge('carrier_healthy', 'Whether a carrier gets messages', 'carrier')
  const inFlight = gauge('carrier_in_flight', 'Messages a carrier has not answered', 'carrier')
  const concurrency = gauge('carrier_concurrency', 'As many may be at a carrier now', 'carrier')
  const nodes = gauge('nodes', 'Servers that share the database', 'state')
  const pool = gauge('pool_connections', 'Connections of this server for changes', 'state')
  const database = gauge('database_bytes', 'What is stored')
  const log = gauge(
    'write_ahead_log_bytes',
    'What is not copied into the database yet, or was and is written over next',
  )
  const free = gauge('disk_free_bytes', 'Free space of the disk that has the data folder')
  const notices = gauge('notices_open', 'What needs the operator, by kind', 'kind')
  const transactionWait = gauge('unit_wait_seconds', 'How long the oldest transaction that has not begun has waited')
  const balance = gauge('wallet_balance_credits', 'What an app has', 'app')
  const reserved = gauge('wallet_reserved_credits', 'What of it is set aside for messages on their way', 'app')
  const up = gauge('vitals_up', 'Whether the database said how this server is')
  const passing = [jobs, due, oldest, atCarrier, healthy, inFlight, concurrency, nodes, pool, balance, reserved]

  return (vitals) => {
    // Labels that are gone must not keep their last value.
    for (const sign of passing) sign.reset()
    for (const sign of [database, log, free, transactionWait]) sign.remove()
    up.set(vitals ? 1 : 0)
    if (!vitals) return
    for (const { kind, waiting, due: dueNow, oldestDueMs } of vitals.queues) {
      jobs.set({ kind }, waiting)
      due.set({ kind }, dueNow)
      oldest.set({ kind }, oldestDueMs / 1_000)
    }
    for (const { carrier, waiting } of vitals.carrierQueues) atCarrier.set({ carrier }, waiting)
    for (const { name: carrier, ...state } of vitals.carriers) {
      healthy.set({ carrier }, state.isHealthy ? 1 : 0)
      inFlight.set({ carrier }, state.inFlight)
      concurrency.set({ carrier }, state.concurrency)
    }
    for (const { state } of vitals.nodes) nodes.inc({ state })
    if (vitals.pool) {
      pool.set({ state: 'busy' }, vitals.pool.busy)
      pool.set({ state: 'size' }, vitals.pool.size)
      pool.set({ state: 'waiting' }, vitals.pool.waiting)
    }
    database.set(vitals.databaseBytes)
    if (vitals.logBytes !== undefined) log.set(vitals.logBytes)
    if (vitals.freeBytes !== undefined) free.set(vitals.freeBytes)
    for (const kind of NOTICE_KINDS) notices.set({ kind }, vitals.notices.filter((one) => one === kind).length)
    transactionWait.set(vitals.waitingMs / 1_000)
    for (const wallet of vitals.wallets) {
      balance.set({ app: wallet.appId }, wallet.balance)
      reserved.set({ app: wallet.appId }, wallet.reserved)
    }
  }
}
