/** The listening socket, and the file descriptors that connections take. */
import { existsSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { LogSampler } from '../domain/operations/log-sampler'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Descriptors } from '../ports/network'
import { systemClock } from './clock'
import { eventLoopBatch } from './event-loop-batch'

const OPEN = '/proc/self/fd'
const LOOK_EVERY_MS = 50
/** Every request asks, so a count is valid for this time, and for as many requests as there were free descriptors. */
const COUNT_VALID_MS = 1
/** The interval is this factor of the duration of a look: a Linux before 6.2 counts descriptors one by one. */
const WATCH_INTERVAL_FACTOR = 50
const MAX_SPARE = 256

/**
 * Every connection takes a descriptor. Where none is left, Bun accepts no connection, reports nothing and spins; so the last
 * quarter is not for clients.
 */
export interface WatchedDescriptors extends Descriptors {
  /** How many more descriptors this process may open. */
  remaining(): number
  /** Calls `close` whenever descriptors are short, to close idle connections. */
  onShortage(close: () => void): void
}

/** Watches as long as the process runs. Without `/proc` descriptors are never short. */
export function watchDescriptors(log: Log): WatchedDescriptors {
  const limit = limitOfProcess()
  if (limit === undefined) return { areShort: () => false, remaining: () => Number.POSITIVE_INFINITY, onShortage() {} }
  const mostOpen = limit - Math.min(MAX_SPARE, Math.floor(limit / 4))
  const isCounted = statSync(OPEN).size > 0
  const logSampler = new LogSampler()
  let open = 0
  const listeners: Array<() => void> = []
  // Opened once: resolving the path costs more than counting.
  const folder = openSync(OPEN, 'r')
  const count = () => {
    open = isCounted ? fstatSync(folder).size : countOneByOne()
  }
  let lookedAt = 0
  let room = 0
  const look = () => {
    lookedAt = performance.now()
    count()
    room = mostOpen - open
    if (open <= mostOpen) return
    const said = logSampler.next(OPEN, Date.now())
    if (said) log.warn({ open, limit, ...said }, SHORT)
    for (const close of listeners) close()
    count()
  }
  const watch = () => {
    const startedAt = performance.now()
    look()
    setTimeout(watch, Math.max(LOOK_EVERY_MS, WATCH_INTERVAL_FACTOR * (performance.now() - startedAt))).unref()
  }
  watch()
  return {
    areShort() {
      // Many connections may be accepted within one turn of the event loop, between two timers.
      if (isCounted && (--room < 0 || performance.now() - lookedAt >= COUNT_VALID_MS)) look()
      return open > mostOpen
    },
    remaining() {
      if (isCounted) count()
      return limit - open
    },
    onShortage(close) {
      listeners.push(close)
    },
  }
}

const SHORT = 'file descriptors are short: idle connections are closed, new ones get 503; raise the limit (LimitNOFILE)'

function limitOfProcess(): number | undefined {
  if (!existsSync('/proc/self/limits')) return undefined
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/** Infinity where no descriptor is left for the count itself. */
function countOneByOne(): number {
  try {
    return readdirSync(OPEN).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

export interface Listener {
  url: string
  port: number
  /**
   * For `leavingMs` it answers with `Connection: close`: a connection that closes without it may lose a request in transit.
   * Then it accepts nothing more and waits for requests in flight, within a timeout.
   */
  stop(leavingMs: number): Promise<void>
}

/** Bodies are measured while they are read (`http/json.ts`), which answers in the envelope; this is the wall behind it. */
const MAX_REQUEST_BYTES = 2 ** 40
const STOP_WITHIN_MS = 5_000
/**
 * Bounds pipelining. Bun handles all requests of a packet in one turn of the event loop, so a flood on one connection would block
 * everybody.
 */
const MAX_REQUESTS_PER_CONNECTION_AND_TURN = 100

/** The URL at which this machine reaches a server that listens on `host`. */
export function urlOf(host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${shown}:${port}`
}

interface ListenOptions {
  host: string
  port: number
  /** Answers a request. `socketAddress` is the peer's; `routePattern` is the one that the path as it was written matched. */
  fetch: (request: Request, socketAddress: string, mount: string) => Promise<Response>
  routePatterns: readonly string[]
  descriptors: WatchedDescriptors
  /** Starts the server on a socket that the service manager holds. */
  onSocket?: ((serve: () => Bun.Server<undefined>) => Bun.Server<undefined>) | undefined
  /** The clock of `stop`. */
  clock?: Pick<Clock, 'after'>
}

export function listen(options: ListenOptions): Listener {
  const { host, port, fetch, routePatterns, descriptors, onSocket, clock = systemClock } = options
  /** Bun matches `routes` by the path as it was written; `fetch` sees only its URL. */
  const answerAt = (routePattern: string) => async (request: Request, bun: Bun.Server<undefined>) => {
    // Read first: after the turn the address of a client that has disconnected is unknown.
    const peer = bun.requestIP(request)
    const socketAddress = peer?.address ?? ''
    if (peer && isFlood(`${socketAddress} ${peer.port}`)) return tooManyRequests()
    // A pipelined request behind one that is not answered at once makes Bun close the connection, so a GET does not wait. Where
    // descriptors are short, refused clients must free theirs before more are accepted.
    if (request.method === 'POST' && !descriptors.areShort()) await eventLoopBatch.join()
    const answer = await fetch(request, socketAddress, routePattern)
    // Whoever says that this is its last request is told so, too: RFC 9112, 9.6.
    const isLast = request.headers.get('connection')?.toLowerCase() === 'close'
    return isLeaving || isLast ? closingConnection(answer) : answer
  }
  const isFlood = createFloodCheck()
  let isLeaving = false
  const serve = (at: { hostname: string; port: number }) =>
    Bun.serve({
      ...at,
      maxRequestBodySize: MAX_REQUEST_BYTES,
      // Longer than proxies keep connections, 60 s mostly: one that closes first makes them answer 502 now and then.
      idleTimeout: 75,
      development: false,
      // Without this Bun lets a second server share a port that is taken.
      reusePort: false,
      routes: Object.fromEntries(routePatterns.map((mount) => [mount, answerAt(mount)])),
      fetch: answerAt(''),
    })
  const server = onSocket ? onSocket(() => serve({ hostname: '127.0.0.1', port: 0 })) : serve({ hostname: host, port })
  descriptors.onShortage(() => server.closeIdleConnections())
  const listensAt = server.port ?? port
  return {
    url: urlOf(host, listensAt),
    port: listensAt,
    async stop(leavingMs) {
      isLeaving = true
      await new Promise<void>((resolve) => clock.after(leavingMs, resolve))
      const timeout = Promise.withResolvers<void>()
      const cancel = clock.after(STOP_WITHIN_MS, timeout.resolve)
      await Promise.race([server.stop(), timeout.promise])
      cancel()
      await server.stop(true)
    },
  }
}

/** Whether a connection has sent too many requests in this turn of the event loop. */
function createFloodCheck(): (connection: string) => boolean {
  const sent = new Map<string, number>()
  return (connection) => {
    if (sent.size === 0) setImmediate(() => sent.clear())
    const requests = (sent.get(connection) ?? 0) + 1
    sent.set(connection, requests)
    return requests > MAX_REQUESTS_PER_CONNECTION_AND_TURN
  }
}

/** After `connection: close` Bun reads nothing more of the connection. */
const tooManyRequests = () => new Response(null, { status: 429, headers: { connection: 'close', 'retry-after': '1' } })

/** The client opens another connection for its next request, which may lead to another server. */
function closingConnection(response: Response): Response {
  response.headers.set('connection', 'close')
  return response
}
