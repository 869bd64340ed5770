/** The socket. */
import type { WatchedDescriptors } from './descriptors'

export interface Listener {
  url: string
  /**
   * Tells who keeps a connection that it ends, accepts nothing more, and waits for requests in flight, but not for clients
   * that never finish theirs.
   */
  stop(): Promise<void>
}

/** Bodies are measured while they are read (`http/json-body.ts`), which answers in the envelope; this is the wall behind it. */
const WALL_BYTES = 2 ** 40
const PATIENCE_MS = 5_000
/** So long nobody has asked anything: whoever asks has been told. */
const QUIET_MS = 100
const TOLD_WITHIN_MS = 2_000

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
  mounts: readonly string[]
  descriptors: WatchedDescriptors
}

export function listen({ host, port, fetch, mounts, descriptors }: ListenOptions): Listener {
  /** Only `routes` see the path as it was written. */
  const answerAt = (mount: string) => (request: Request, bun: Bun.Server<undefined>) => {
    const answer = fetch(request, bun.requestIP(request)?.address ?? '', mount)
    if (!isEnding) return answer
    askedAt = performance.now()
    return answer.then(lastOfItsConnection)
  }
  let isEnding = false
  let askedAt = 0

  /** A connection that just closes takes along the request that is under way on it, and nobody knows what became of that. */
  async function tellEverybody(): Promise<void> {
    isEnding = true
    const begunAt = performance.now()
    askedAt = begunAt
    while (performance.now() < Math.min(askedAt + QUIET_MS, begunAt + TOLD_WITHIN_MS)) await Bun.sleep(QUIET_MS / 5)
  }
  const server = Bun.serve({
    hostname: host,
    port,
    maxRequestBodySize: WALL_BYTES,
    idleTimeout: 30,
    development: false,
    // Without this Bun lets a second server share a port that is taken.
    reusePort: false,
    routes: Object.fromEntries(mounts.map((mount) => [mount, answerAt(mount)])),
    fetch: answerAt(''),
  })
  descriptors.makeRoom(() => server.closeIdleConnections())
  return {
    url: urlOf(host, server.port ?? port),
    async stop() {
      await tellEverybody()
      const isPatient = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
      await Promise.race([server.stop(), isPatient])
      await server.stop(true)
    },
  }
}

/** The next request comes by another connection, to another server if need be. */
function lastOfItsConnection(response: Response): Response {
  response.headers.set('connection', 'close')
  return response
}
