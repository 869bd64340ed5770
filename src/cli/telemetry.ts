/** Log, metrics and traces of a server. A disabled one is not even loaded. */
import type { Config } from '../config'
import { answerMetrics } from '../http/metrics'
import type { Log } from '../ports/log'
import type { MetricsSource, StoreTelemetry, Telemetry, Vitals } from '../ports/telemetry'
import type { WatchedDescriptors } from '../system/listen'
import { listen } from '../system/listen'
import { createTelemetry } from '../system/telemetry'

export interface StartedTelemetry {
  telemetry: Telemetry
  /** For the store, if metrics are on. */
  ofStore: StoreTelemetry | undefined
  /** For the API listener, if metrics are served there. */
  metrics: MetricsSource | undefined
  /** Sets what each scrape measures. Returns the URL of a separate metrics listener; throws if its port is taken. */
  begin(vitals: () => Promise<Vitals>, descriptors: WatchedDescriptors): string | undefined
  /** Flushes the remaining traces. */
  stop(): Promise<void>
}

/** `instanceId` identifies this server in traces. */
export async function startTelemetry(config: Config, log: Log, instanceId: string): Promise<StartedTelemetry> {
  const { token, listen: at } = config.metrics
  const metrics = token || at ? (await import('../system/telemetry/metrics')).createMetrics() : undefined
  const tracing =
    config.traces &&
    (await import('../system/telemetry/traces')).startTracing(config.traces, {
      instanceId,
      database: config.database ? 'postgresql' : 'sqlite',
    })
  const route = metrics && { token, text: () => metrics.text(), contentType: metrics.contentType }
  let stopListening = async () => {}
  return {
    telemetry: createTelemetry({ log, loggedSuccesses: config.loggedSuccesses, metrics: metrics?.sink, tracing }),
    ofStore: metrics?.store,
    metrics: at ? undefined : route,
    begin(vitals, descriptors) {
      metrics?.watch(vitals)
      if (!at || !route) return undefined
      const fetch = async (request: Request, _: string, mount: string) =>
        mount ? answerMetrics(route, request.headers) : new Response(null, { status: 404 })
      const listener = listen({ ...at, fetch, routePatterns: ['/metrics'], descriptors })
      stopListening = () => listener.stop(0)
      return `${listener.url}/metrics`
    },
    async stop() {
      await Promise.all([stopListening(), tracing?.stop().catch(() => {})])
    },
  }
}
