/** The socket. */
import type { Clock } from '../ports/clock'
import { systemClock } from './clock'
import type { WatchedDescriptors } from './descriptors'
import { eventLoopBatch } from './event-loop-batch'

export interface Listener {
  url: string
  port: number
  /**
   * For `leavingMs` it tells who asks that the connection ends: one that just closes takes along the request that is under way
   * on it. Then it accepts nothing more, and waits for requests in flight, but not for clients that never finish theirs.
   */
  stop(leavingMs: number): Promise<void>
}

/** Bodies are measured while they are read (`http/json-body.ts`), which answers in the envelope; this is the wall behind it. */
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
