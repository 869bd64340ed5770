/**
 * OpenTelemetry traces, sent to a collector by OTLP over HTTP. Loaded only where traces are on.
 */
import { type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { parseTraceParent, TraceState } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { VERSION } from '../../domain/operations/version'
import type { Span, SpanName, Telemetry, TraceSettings } from '../../ports/telemetry'

export interface Tracing extends Pick<Telemetry, 'begin'> {
  /** Flushes. */
  stop(): Promise<void>
}

const KINDS: Readonly<Record<SpanName, SpanKind>> = {
  request: SpanKind.SERVER,
  transaction: SpanKind.INTERNAL,
  attempt: SpanKind.CLIENT,
  report: SpanKind.INTERNAL,
  webhook: SpanKind.CLIENT,
}

/** `instanceId`: unique per server and start. `database`: as OpenTelemetry calls it. */
export function startTracing(
  { url, headers, share }: TraceSettings,
  { instanceId, database }: { instanceId: string; database: 'sqlite' | 'postgresql' },
): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, headers: { ...headers } })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'watchword',
      'service.version': VERSION,
      'service.instance.id': instanceId,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('watchword', VERSION)
  return {
    begin(name, parent) {
      const [id = '', state] = parent?.split(/ (.*)/s) ?? []
      const known = parseTraceParent(id)
      const traceState = state ? new TraceState(state) : undefined
      const within = known ? trace.setSpanContext(ROOT_CONTEXT, { ...known, traceState, isRemote: true }) : ROOT_CONTEXT
      const attributes = name === 'transaction' ? { 'db.system.name': database } : {}
      return spanOf(tracer.startSpan(name, { kind: KINDS[name], attributes }, within))
    },
    stop: () => provider.shutdown(),
  }
}

function spanOf(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const state = traceState?.serialize()
  return {
    trace: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}${state ? ` ${state}` : ''}`,
    end({ name, attributes = {}, hasFailed = false } = {}) {
      if (name !== undefined) span.updateName(name)
      for (const [key, value] of Object.entries(attributes)) if (value !== undefined) span.setAttribute(key, value)
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}
