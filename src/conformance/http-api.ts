/** A server under test, over HTTP. */
import { contract } from '../../contract'
import type { CallOptions, ServerAnswer, TestedOperation, TestedServer, Untyped } from './rule'

export interface HttpApiOptions {
  /** Up to and with `/v1`. */
  url: string
  key: string
  keys: TestedServer['keys']
  wire: 'rest' | 'rpc'
  /** It makes the texts of a run differ from those of all others. */
  run: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  now(): number
  pause(ms: number): Promise<void>
}

/** Real area codes of the USA. With each of them 90 test numbers are delivered: 555-0110 to 555-0199. */
const AREAS = [201, 206, 212, 213, 303, 305, 312, 404, 415, 503, 512, 602, 617, 702, 808, 907]
const NUMBERS = 90

export function httpApi({ url, key, keys, wire, run, fetch, now, pause }: HttpApiOptions): TestedServer {
  let made = 0
  const send = async (
    method: string,
    path: string,
    body: Untyped,
    options: CallOptions = {},
  ): Promise<ServerAnswer> => {
    const given = options.key === undefined ? key : options.key
    const headers = {
      ...(given !== null && { authorization: `Bearer ${given}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    }
    for (;;) {
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
      const response = await fetch(url + path, init)
      const answer = { status: response.status, headers: response.headers, body: unwrapped(await response.text()) }
      const pauseSec = ownLimit(answer)
      if (pauseSec === undefined) return answer
      await pause(pauseSec * 1_000)
    }
  }
  return {
    mode: 'test',
    keys,
    async call(operation, input = {}, options) {
      if (wire === 'rest') return send(...restRequest(operation, { ...input }), options)
      return send('POST', `/rpc/otp/${operation}`, { json: input }, options)
    },
    send: (method, path, options) => send(method, path, undefined, options),
    freshNumber() {
      const place = made++ % (AREAS.length * NUMBERS)
      return `+1 ${AREAS[Math.floor(place / NUMBERS)]} 555-01${10 + (place % NUMBERS)}`
    },
    unique: () => `conformance-${run}-${made++}`,
    codeOf: async () => '000000',
    now,
    wait: (ms) => pause(Math.max(0, ms)),
    slackMs: 450,
  }
}

/** Path parameters, query or body, as the operation has them. */
function restRequest(operation: TestedOperation, input: Record<string, unknown>): [string, string, Untyped] {
  const { method = 'GET', path = '' } = contract[operation]['~orpc'].route
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(input[name])
    delete input[name]
    return encodeURIComponent(value)
  })
  if (method === 'POST') return [method, filled, input]
  const query = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]))
  return [method, query.size > 0 ? `${filled}?${query}` : filled, undefined]
}

const MINUTE_SEC = 60

/** A test key may issue, verify and read 120 times a minute each: the suite waits. Scenario 6 is another limit, and so are those of a day. */
function ownLimit({ status, headers, body }: ServerAnswer): number | undefined {
  if (status !== 429 || body?.data?.limit === 'perPhone') return undefined
  const pauseSec = Number(headers.get('retry-after') ?? 1)
  return pauseSec <= MINUTE_SEC ? pauseSec : undefined
}

/** The body, without the `json` that RPC puts around it. */
function unwrapped(text: string): Untyped {
  try {
    const body = JSON.parse(text)
    return body?.json ?? body
  } catch {
    return text
  }
}
