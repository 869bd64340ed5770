/** The request of a vendor's own SDK, caught on this machine, to hold the request of our description against it. */
import { expect, spyOn } from 'bun:test'
import http from 'node:http'
import https from 'node:https'

interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | undefined
}

/**
 * The only request that `call` makes, and what the SDK reads from `answer`. Several SDKs have the address of their vendor built in,
 * so their connections by TLS come here, and the request keeps the vendor's host.
 */
export async function caught<T>(
  answer: object | string,
  call: (base: string) => Promise<T>,
  status = 200,
): Promise<{ request: Sent; result: T }> {
  const requests: Sent[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const headers = request.headers.toJSON()
      const { pathname, search } = new URL(request.url)
      const origin = `${headers.host?.includes(':') ? 'http' : 'https'}://${headers.host}`
      requests.push({ method: request.method, url: origin + pathname + search, headers, body: await request.text() })
      return typeof answer === 'string' ? new Response(answer) : Response.json(answer, { status })
    },
  })
  const rerouted = spyOn(https, 'request').mockImplementation(((given: https.RequestOptions, ...rest: never[]) => {
    const host = given.hostname ?? given.host ?? ''
    const here = { protocol: 'http:', hostname: '127.0.0.1', host: undefined, port: server.port, agent: undefined }
    return http.request({ ...given, ...here, headers: { ...given.headers, host } } as http.RequestOptions, ...rest)
  }) as typeof https.request)
  try {
    const result = await call(`http://127.0.0.1:${server.port}`)
    expect(requests).toHaveLength(1)
    return { request: requests[0] as Sent, result }
  } finally {
    rerouted.mockRestore()
    await server.stop(true)
  }
}

/** A request as its vendor reads it: in no order of fields, and without the headers of the library. `names` are further headers. */
export function meaningOf({ method, url, headers, body = '' }: Sent, ...names: string[]) {
  const { origin, pathname, searchParams } = new URL(url)
  const said = ['authorization', ...names].map((name) => [name, headers[name]])
  return {
    method,
    origin,
    path: pathname,
    query: Object.fromEntries(searchParams),
    type: body === '' ? '' : (headers['content-type']?.split(';')[0] ?? ''),
    headers: Object.fromEntries(said) as Record<string, string | undefined>,
    body: body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
  }
}

/** The fields of a form as JSON has them: a form knows no numbers. */
export const asTexts = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
