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
/** Every request asks. For so long a count holds, and for as many of them as it has found room for. */
const COUNT_VALID_MS = 1
/** Times what a look takes: a Linux before 6.2 has to count one by one. */
const WATCH_INTERVAL_FACTOR = 50
const MAX_SPARE = 256

/**
 * Every connection takes a descriptor. Where none is left, Bun accepts no connection, reports nothing and spins; so the last
 * quarter is not for clients.
 */
export interface WatchedDescriptors extends Descriptors {
  /** How many more there may be. */
  remaining(): number
  /** How idle connections are closed; done whenever descriptors are found short. */
  onShortage(close: () => void): void
}

/** Looks at them for as long as the process runs. Where there is no `/proc` they are never short. */
export function watchDescriptors(log: Log): WatchedDescriptors {
  const limit = limitOfProcess()
  if (limit === undefined) return { areShort: () => false, remaining: () => Number.POSITIVE_INFINITY, onShortage() {} }
  const mostOpen = limit - Math.min(MAX_SPARE, Math.floor(limit / 4))
  const isCounted = statSync(OPEN).size > 0
  const logSampler = new LogSampler()
  let open = 0
  const listeners: Array<() => void> = []
  // Opened once: to find it by its path costs more than to count.
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
      // Between two looks a crowd may have come; a whole one is let in within one turn of the event loop.
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

/** All of them, where none is left to count with. */
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
   * For `leavingMs` it tells who asks that the connection ends: one that just closes takes along the request that is under way
   * on it. Then it accepts nothing more, and waits for requests in flight, but not for clients that never finish theirs.
   */
  stop(leavingMs: number): Promise<void>
}

/** Bodies are measured while they are read (`http/json.ts`), which answers in the envelope; this is the wall behind it. */
const MAX_REQUEST_BYTES = 2 ** 40
const STOP_WITHIN_MS = 5_000
/**
 * How many requests of one connection are answered in a turn of the event loop. Clients that pipeline send some; a flood would
 * hold everybody, since Bun answers in one turn whatever a packet brings.
 */
const MAX_REQUESTS_PER_CONNECTION_AND_TURN = 100

/** Where a server that listens there is reached from this machine. */
export function urlOf(host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${shown}:${port}`
}

interface ListenOptions {
  host: string
  port: number
  /** Answers a request; `socketAddress` is the peer's, `mount` the pattern that the request line matched as it was written. */
  fetch: (request: Request, socketAddress: string, mount: string) => Promise<Response>
  routePatterns: readonly string[]
  descriptors: WatchedDescriptors
  /** How the server is made on a socket that another process holds, at an address of its own. Left out, it makes one. */
  onSocket?: ((serve: () => Bun.Server<undefined>) => Bun.Server<undefined>) | undefined
  /** By which it stops. */
  clock?: Pick<Clock, 'after'>
}

export function listen(options: ListenOptions): Listener {
  const { host, port, fetch, routePatterns, descriptors, onSocket, clock = systemClock } = options
  /** Only `routes` see the path as it was written. */
  const answerAt = (routePattern: string) => async (request: Request, bun: Bun.Server<undefined>) => {
    // Of a client that has gone by the end of the turn it is not known any more.
    const peer = bun.requestIP(request)
    const socketAddress = peer?.address ?? ''
    if (peer && isFlood(`${socketAddress} ${peer.port}`)) return tooManyRequests()
    // Bun closes a connection where one request has come behind another that is not answered at once, so that a GET is. And where
    // descriptors run short, those who are refused are to give theirs back before more come in.
    if (request.method === 'POST' && !descriptors.areShort()) await eventLoopBatch.join()
    const answer = await fetch(request, socketAddress, routePattern)
    return isLeaving ? closingConnection(answer) : answer
  }
  const isFlood = createFloodCheck()
  let isLeaving = false
  const serve = (at: { hostname: string; port: number }) =>
    Bun.serve({
      ...at,
      maxRequestBodySize: MAX_REQUEST_BYTES,
      idleTimeout: 30,
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

/** Whether a connection has sent more in this turn of the event loop than is answered. */
function createFloodCheck(): (connection: string) => boolean {
  const sent = new Map<string, number>()
  return (connection) => {
    if (sent.size === 0) setImmediate(() => sent.clear())
    const requests = (sent.get(connection) ?? 0) + 1
    sent.set(connection, requests)
    return requests > MAX_REQUESTS_PER_CONNECTION_AND_TURN
  }
}

/** Bun reads nothing more of a connection that it is told to close. */
const tooManyRequests = () => new Response(null, { status: 429, headers: { connection: 'close', 'retry-after': '1' } })

/** The next request comes by another connection, to another server if need be. */
function closingConnection(response: Response): Response {
  response.headers.set('connection', 'close')
  return response
}
