/** Lines of the log: one for each request, issue, attempt, delivery and webhook, found by the request that began it. */
import type { Origin } from '../../domain/origin'
import type { Log } from '../../ports/log'
import type { Telemetry } from '../../ports/telemetry'

export type Told = Omit<Telemetry, 'begin'>

/** Many, and nobody's errand. */
const ROUTINE: ReadonlySet<string> = new Set(['healthz', 'readyz', 'metrics', 'console', 'docs', 'openapi', 'jwks'])

/** `00-` trace `-` span `-` flags. */
const traceIdOf = (trace: string | undefined) => trace?.slice(3, 35)

/** Tenths are enough. */
const rounded = (ms: number) => Math.round(ms * 10) / 10

const ofOrigin = (origin: Origin | undefined) =>
  origin && { requestId: origin.requestId, traceId: traceIdOf(origin.trace) }

export function createLines(log: Log): Told {
  return {
    requestAnswered({ origin, route, status, ms, refusal, appId, keyId, mode }) {
      const isRoutine = ROUTINE.has(route) && status < 500
      const fields = {
        ...ofOrigin(origin),
        route,
        status,
        ms: rounded(ms),
        limit: refusal?.detail.limit,
        appId,
        keyId,
        mode,
      }
      if (isRoutine) log.debug(fields, 'request')
      else log.info(fields, 'request')
    },
    issueDecided({ origin, refusal, ms, ...decided }) {
      const why = { reason: refusal?.kind, limit: refusal?.detail.limit }
      log.info({ ...ofOrigin(origin), ...decided, ...why, ms: rounded(ms) }, 'issue decided')
    },
    codeChecked() {
      // Its request has a line.
    },
    attemptAnswered({ origin, carrier, ms, ...answered }) {
      log.info({ ...ofOrigin(origin), provider: carrier, ...answered, ms: rounded(ms) }, 'attempt answered')
    },
    deliveryEnded({ origin, issueId, appId, mode, leg, createdAt, ...issue }, endedAt) {
      const { deliveryStatus: outcome, providerOutcomeCode: code, providerOutcomeAmbiguous, billingStatus } = issue
      const about = { appId, mode, issueId, leg, outcome, code, billing: billingStatus, ms: endedAt - createdAt }
      log.info({ ...ofOrigin(origin), ...about, isAmbiguous: providerOutcomeAmbiguous || undefined }, 'delivery ended')
    },
    webhookAnswered({ origin, ...answered }) {
      const fields = { ...ofOrigin(origin), ...answered }
      if (answered.outcome === 'again') log.debug(fields, 'webhook is tried again')
      else log.info(fields, 'webhook ended')
    },
  }
}
