/** A collector of traces on this machine: what OpenTelemetry sends it as JSON. */

interface Value {
  stringValue?: string
  intValue?: number
  doubleValue?: number
  boolValue?: boolean
}

interface Sent {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: Array<{ key: string; value: Value }>
}

export interface CollectedSpan extends Omit<Sent, 'attributes'> {
  attributes: Record<string, string | number | boolean | undefined>
}

export class Collector {
  readonly spans: CollectedSpan[] = []
  readonly headers: Headers[] = []
  /** Attributes of who sent them. */
  readonly resources: Array<CollectedSpan['attributes']> = []
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/v1/traces': {
        POST: async (request) => {
          this.headers.push(request.headers)
          const { resourceSpans } = (await request.json()) as {
            resourceSpans: Array<{ resource: Pick<Sent, 'attributes'>; scopeSpans: Array<{ spans: Sent[] }> }>
          }
          const sent = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
          this.spans.push(...sent.map(collected))
          this.resources.push(...resourceSpans.map(({ resource }) => valuesOf(resource.attributes)))
          return Response.json({})
        },
      },
    },
  })

  get url(): string {
    return this.#server.url.origin
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }
}

const collected = ({ attributes, ...span }: Sent): CollectedSpan => ({
  ...span,
  attributes: valuesOf(attributes),
})

function valuesOf(attributes: Sent['attributes']): CollectedSpan['attributes'] {
  const plainOf = ({ stringValue, intValue, doubleValue, boolValue }: Value) =>
    stringValue ?? intValue ?? doubleValue ?? boolValue
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainOf(value)]))
}
