/** One request over RPC, and its answer. Every operation is `POST <baseUrl>/rpc/otp/<name>` with `{"json": input}`. */
import { WatchwordError } from './error'

export interface Wire {
  /** The service's `{base_url}`, which ends with `/v1`. */
  baseUrl: string
  apiKey: string
  send: (request: Request) => Promise<Response>
}

export interface Call {
  operation: string
  input: object
  signal: AbortSignal
  requestId: string | undefined
  clientIp: string | undefined
  /** Whether the call may be repeated where its outcome is unknown. */
  isIdempotent: boolean
  /** Status and headers of the answer. */
  heard: Heard
}

export interface Heard {
  requestId?: string | undefined
  /** Milliseconds that the service asks to wait, or a proxy before it. */
  retryAfterMs?: number | undefined
}

export interface Answer {
  output: object
  /** Service's time when it answered. */
  serverTime: string | undefined
}

/** Throws `WatchwordError`, and whatever `send` throws. */
export async function exchange({ baseUrl, apiKey, send }: Wire, call: Call): Promise<Answer> {
  const { operation, input, signal, requestId, clientIp, heard } = call
  const response = await send(
    new Request(`${baseUrl.replace(/\/+$/, '')}/rpc/otp/${operation}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(requestId !== undefined && { 'x-request-id': requestId }),
        ...(clientIp !== undefined && { 'x-watchword-client-ip': clientIp }),
      },
      body: JSON.stringify({ json: input }),
      signal,
    }),
  )
  heard.requestId = response.headers.get('x-request-id') ?? undefined
  heard.retryAfterMs = retryAfterIn(response.headers)
  const json = await read(response)
  if (response.ok) return { output: json, serverTime: response.headers.get('x-watchword-time') ?? undefined }
  throw refusal(json as Envelope, response, call)
}

/** The value under `json`; undefined where a proxy or login page answered something else. */
async function read(response: Response): Promise<object> {
  const body: unknown = await response.json()
  const json = isRecord(body) ? body.json : undefined
  if (isRecord(json) && (response.ok || isEnvelope(json))) return json
  throw new TypeError('No answer of the service')
}

/** Statuses of requests that were not carried out, so that even `verify` may be repeated. */
const NOT_CARRIED_OUT = new Set([429, 503])

/** Converts an error of the service. */
export function refusal(
  { code, message, data }: Envelope,
  { status, headers }: { status: number; headers: Pick<Headers, 'get'> },
  { heard, isIdempotent }: Pick<Call, 'heard' | 'isIdempotent'>,
): WatchwordError {
  const retryable = NOT_CARRIED_OUT.has(status) || (status >= 500 && isIdempotent)
  const retryAfterMs = retryAfterIn(headers)
  return new WatchwordError({ code, message, status, data, ...heard, retryAfterMs, retryable })
}

export interface Envelope {
  code: string
  message: string
  data?: unknown
}

const isEnvelope = (json: Record<string, unknown>) => typeof json.code === 'string' && typeof json.message === 'string'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Seconds, or a date by the clock of whoever answers: RFC 9110, 10.2.3. */
function retryAfterIn(headers: Pick<Headers, 'get'>): number | undefined {
  const wait = headers.get('retry-after') ?? ''
  if (/^\d{1,9}$/.test(wait)) return Number(wait) * 1_000
  const sentAt = Date.parse(headers.get('date') ?? '')
  const ms = Date.parse(wait) - (Number.isNaN(sentAt) ? Date.now() : sentAt)
  return /GMT$/.test(wait) && !Number.isNaN(ms) ? Math.max(0, ms) : undefined
}
