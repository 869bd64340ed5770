/** Telemetry: log lines for requests, issues, attempts, deliveries and webhooks, and metrics and traces where they are on. */
import type { Log } from '../../ports/log'
import type { Span, Telemetry } from '../../ports/telemetry'

export type TelemetrySink = Omit<Telemetry, 'begin'>

/** Frequent routes that are logged at debug level. */
const ROUTINE: ReadonlySet<string> = new Set(['healthz', 'readyz', 'metrics', 'console', 'docs', 'openapi', 'jwks'])

/** `00-` trace `-` span `-` flags. */
const traceIdOf = (trace: string | undefined) => trace?.slice(3, 35)

/** To tenths of a millisecond. */
const rounded = (ms: number) => Math.round(ms * 10) / 10

/** Lines of a request are logged together or not at all. */
const isSampled = (requestId: string, share: number) => Bun.hash.crc32(requestId) / 2 ** 32 < share

/** `loggedSuccesses`: share of the successful requests whose lines are logged. */
export function createLogSink(log: Log, loggedSuccesses = 1): TelemetrySink {
  const isLeftOut = (isSuccess: boolean, requestId = '') =>
    isSuccess && loggedSuccesses < 1 && !isSampled(requestId, loggedSuccesses)
  return {
    requestAnswered({ origin, route, status, ms, refusal, appId, keyId, mode }) {
      if (isLeftOut(status < 400, origin.requestId)) return
      const isRoutine = ROUTINE.has(route) && status < 500
      const fields = {
        requestId: origin.requestId,
        traceId: traceIdOf(origin.trace),
        route,
        status,
        ms: rounded(ms),
        limit: refusal?.detail.limit,
        reason: refusal?.detail.reason,
        appId,
        keyId,
        mode,
      }
      if (isRoutine) log.debug(fields, 'request')
      else log.info(fields, 'request')
    },
    issueDecided({ origin, appId, mode, keyKind, channel, country, issueId, outcome, refusal, rule, ms }) {
      if (isLeftOut(!refusal && !rule, origin?.requestId)) return
      const fields = {
        requestId: origin?.requestId,
        traceId: traceIdOf(origin?.trace),
        appId,
        mode,
        keyKind,
        channel,
        country,
        issueId,
        outcome,
        rule,
        reason: refusal?.kind,
        limit: refusal?.detail.limit,
        ms: rounded(ms),
      }
      log.info(fields, 'issue decided')
    },
    codeChecked() {
      // The line of its request is enough.
    },
    attemptAnswered({ origin, issueId, mode, carrier, leg, outcome, code, ms }) {
      if (isLeftOut(outcome === 'accepted', origin?.requestId)) return
      const fields = {
        requestId: origin?.requestId,
        traceId: traceIdOf(origin?.trace),
        provider: carrier,
        issueId,
        mode,
        leg,
        outcome,
        code,
        ms: rounded(ms),
      }
      log.info(fields, 'attempt answered')
    },
    // The end of a code is in the line of the request that ended it.
    codeEnded() {},
    deliveryEnded({ message: issue, carrier, endedAt }) {
      if (isLeftOut(issue.deliveryStatus !== 'failed', issue.origin?.requestId)) return
      const fields = {
        requestId: issue.origin?.requestId,
        traceId: traceIdOf(issue.origin?.trace),
        appId: issue.appId,
        mode: issue.mode,
        issueId: issue.issueId,
        provider: carrier,
        leg: issue.leg,
        outcome: issue.deliveryStatus,
        code: issue.providerOutcomeCode,
        billing: issue.billingStatus,
        ms: endedAt - issue.createdAt,
        isAmbiguous: issue.providerOutcomeAmbiguous || undefined,
      }
      log.info(fields, 'delivery ended')
    },
    reportReceived({ carrier, outcome, unsaid }) {
      if (outcome === 'recorded' || unsaid === undefined) return
      log.warn({ provider: carrier, outcome, ...(unsaid > 0 && { unsaid }) }, 'a report of a carrier changed nothing')
    },
    webhookAnswered({ origin, ...answered }) {
      if (isLeftOut(answered.outcome === 'delivered', origin?.requestId)) return
      const fields = { requestId: origin?.requestId, traceId: traceIdOf(origin?.trace), ...answered }
      if (answered.outcome === 'again') log.debug(fields, 'webhook is tried again')
      else log.info(fields, 'webhook ended')
    },
  }
}

export interface Listeners {
  log: Log
  loggedSuccesses?: number
  metrics?: TelemetrySink | undefined
  tracing?: Pick<Telemetry, 'begin'> | undefined
}

/** The span where tracing is off. */
export const NO_SPAN: Span = { trace: undefined, end() {} }

export function createTelemetry({ log, loggedSuccesses, metrics, tracing }: Listeners): Telemetry {
  const lines = log.isUnread ? NOBODY : createLogSink(log, loggedSuccesses)
  const begin = tracing?.begin ?? (() => NO_SPAN)
  return metrics ? { ...both(lines, metrics), begin } : { ...lines, begin }
}

const NOBODY: TelemetrySink = {
  ...{ requestAnswered() {}, issueDecided() {}, codeChecked() {}, attemptAnswered() {} },
  ...{ codeEnded() {}, deliveryEnded() {}, webhookAnswered() {}, reportReceived() {} },
}

const both = (one: TelemetrySink, other: TelemetrySink): TelemetrySink => ({
  requestAnswered(answered) {
    one.requestAnswered(answered)
    other.requestAnswered(answered)
  },
  issueDecided(decided) {
    one.issueDecided(decided)
    other.issueDecided(decided)
  },
  codeChecked(checked) {
    one.codeChecked(checked)
    other.codeChecked(checked)
  },
  attemptAnswered(answered) {
    one.attemptAnswered(answered)
    other.attemptAnswered(answered)
  },
  codeEnded(issue) {
    one.codeEnded(issue)
    other.codeEnded(issue)
  },
  deliveryEnded(ended) {
    one.deliveryEnded(ended)
    other.deliveryEnded(ended)
  },
  webhookAnswered(answered) {
    one.webhookAnswered(answered)
    other.webhookAnswered(answered)
  },
  reportReceived(received) {
    one.reportReceived(received)
    other.reportReceived(received)
  },
})
