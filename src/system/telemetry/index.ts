/** Each thing that happens is told to the log and, where they are on, to metrics and traces. */
import type { Log } from '../../ports/log'
import { NO_SPAN, type Telemetry } from '../../ports/telemetry'
import { createLogSink, type TelemetrySink } from './lines'

export interface Listeners {
  log: Log
  metrics?: TelemetrySink | undefined
  tracing?: Pick<Telemetry, 'begin'> | undefined
}

export function createTelemetry({ log, metrics, tracing }: Listeners): Telemetry {
  const lines = log.isUnread ? NOBODY : createLogSink(log)
  const begin = tracing?.begin ?? (() => NO_SPAN)
  return metrics ? { ...both(lines, metrics), begin } : { ...lines, begin }
}

const NOBODY: TelemetrySink = {
  ...{ requestAnswered() {}, issueDecided() {}, codeChecked() {}, attemptAnswered() {} },
  ...{ codeEnded() {}, deliveryEnded() {}, webhookAnswered() {} },
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
})
