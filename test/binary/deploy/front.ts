/**
 * What stands between apps and servers: the typed client, with the retries it has when they are switched on, and a load
 * balancer as any: it keeps connections, sends to each server in turn that is ready, and to another one where the connection
 * is refused, for nothing has been sent then.
 */
import { createOtpClient, type OtpClient, WatchwordError } from '../../../client'
import type { MortalServer } from '../../../src/conformance/clients'
import type { Answer, Json } from '../support'

/** As long as Caddy with `lb_try_duration`. */
const TRIED_FOR_MS = 10_000
const AGAIN_MS = 25
/** A machine with few cores may have no time for a second or two, and then says 503. */
const TRIES = 6
/** How often it asks each server whether it is ready. */
const CHECKED_EVERY_MS = 250
/**
 * Half of `WATCHWORD_LEAVING_MS`: a server is promised to be told of by then. Where this process gets no time to look, a
 * connection that closes under a request says nothing of the server.
 */
const OLD_MS = 500

/** A connection that ended under its request. */
class Broken extends Error {
  constructor(
    error: unknown,
    private readonly lookedAgoMs: number,
    tookMs: number,
  ) {
    const [looked, took] = [lookedAgoMs, tookMs].map(Math.round)
    super(`${error}; sent ${looked} ms after a look at the server, broken off ${took} ms later`)
  }

  get isLate(): boolean {
    return this.lookedAgoMs > OLD_MS
  }
}

export class Front implements MortalServer {
  readonly found: string[] = []
  /** Requests that had to wait for a server, connections that were refused, and answers that asked to come again. */
  waited = 0
  refused = 0
  unavailable = 0
  /** Answers that were lost with a server that is known to lose some, or by looking late: the client's own to ask for again. */
  lost = 0
  #made: OtpClient | undefined
  #turn = 0
  /** When each was asked that said it is ready. */
  readonly #ready = new Map<string, number>()
  readonly #asked = new Set<string>()
  #isChecking = true
  readonly #checking: Promise<void>

  constructor(
    private readonly servers: () => readonly string[],
    private readonly key: () => string,
    private readonly isLossy: () => boolean,
  ) {
    this.#checking = this.#check()
  }

  get #client(): OtpClient {
    this.#made ??= createOtpClient({
      ...{ baseUrl: 'http://front/v1', apiKey: this.key(), retries: { attempts: TRIES } },
      fetch: (request) => this.#pass(request),
    })
    return this.#made
  }

  stop(): Promise<void> {
    this.#isChecking = false
    return this.#checking
  }

  /** What the typed client makes of it; what its retries do not cure, is found. */
  async post(path: string, body: object): Promise<Pick<Answer, 'status' | 'body'>> {
    const client = this.#client
    try {
      const answer = await (path === '/v1/issue' ? client.issue(body as Json) : client.verify(body as Json))
      // When it was answered is no part of what was.
      const { serverTime: _, ...said } = answer
      return { status: 200, body: said }
    } catch (error) {
      if (!(error instanceof WatchwordError)) throw error
      const { status, code, message, data, cause } = error
      if (status > 0 && status < 500) return { status, body: { code, message, data } }
      if (code === 'NETWORK_ERROR' && (this.isLossy() || (cause instanceof Broken && cause.isLate))) this.lost++
      else this.found.push(`${path} failed for good: ${code} ${status} (${cause})`)
      throw error
    }
  }

  /** One of the servers, each in turn. */
  next(): string | undefined {
    const ready = this.servers().filter((server) => this.#ready.has(server))
    return ready[this.#turn++ % ready.length]
  }

  async #check(): Promise<void> {
    while (this.#isChecking) {
      for (const server of this.servers()) if (!this.#asked.has(server)) void this.#look(server)
      await Bun.sleep(CHECKED_EVERY_MS)
    }
  }

  /** None of them waits for another one that is slow. */
  async #look(server: string): Promise<void> {
    const askedAt = performance.now()
    this.#asked.add(server)
    if (await isReady(server)) this.#ready.set(server, askedAt)
    else this.#ready.delete(server)
    this.#asked.delete(server)
  }

  async #pass(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const { method, headers } = request
    const body = await request.arrayBuffer()
    const until = performance.now() + TRIED_FOR_MS
    for (let isFirst = true; ; isFirst = false) {
      const server = this.next()
      if (isFirst && server === undefined) this.waited++
      if (server !== undefined) {
        const sentAt = performance.now()
        const lookedAgoMs = sentAt - (this.#ready.get(server) ?? 0)
        try {
          return this.#looked(await fetch(`${server}${pathname}`, { method, headers, body }))
        } catch (error) {
          if (!isRefused(error)) throw new Broken(error, lookedAgoMs, performance.now() - sentAt)
          this.refused++
        }
      }
      if (performance.now() > until || !this.#isChecking) throw new Error(`No server for ${TRIED_FOR_MS} ms`)
      await Bun.sleep(AGAIN_MS)
    }
  }

  #looked(response: Response): Response {
    if (response.status !== 503) return response
    this.unavailable++
    if (!response.headers.has('retry-after')) this.found.push('a 503 does not say when to come again')
    return response
  }
}

const isRefused = (error: unknown) => (error as { code?: string }).code === 'ECONNREFUSED'

export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
