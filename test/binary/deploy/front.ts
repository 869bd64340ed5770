/**
 * What stands between apps and servers: the typed client, with the retries it has when they are switched on, and a load
 * balancer as any: it keeps connections, sends to each server in turn that is ready, and to another one where the connection
 * is refused, for nothing has been sent then.
 */
import { createOtpClient, type OtpClient, WatchwordError } from '../../../client'
import type { Answer, Json } from '../support'
import type { Api } from '../torture/clients'

/** As long as Caddy with `lb_try_duration`. */
const TRIED_FOR_MS = 10_000
const AGAIN_MS = 25
/** A machine with few cores may have no time for a second or two, and then says 503. */
const TRIES = 6
/** How often it asks each server whether it is ready. */
const CHECKED_EVERY_MS = 250

export class Front implements Api {
  readonly found: string[] = []
  /** Requests that had to wait for a server, connections that were refused, and answers that asked to come again. */
  waited = 0
  refused = 0
  unavailable = 0
  /** Answers that were lost with a server that is known to lose some: the client's own to ask for again. */
  lost = 0
  #made: OtpClient | undefined
  #turn = 0
  #ready: readonly string[] = []
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
      if (code === 'NETWORK_ERROR' && this.isLossy()) this.lost++
      else this.found.push(`${path} failed for good: ${code} ${status} (${cause})`)
      throw error
    }
  }

  /** One of the servers, each in turn. */
  next(): string | undefined {
    return this.#ready[this.#turn++ % this.#ready.length]
  }

  async #check(): Promise<void> {
    while (this.#isChecking) {
      const servers = this.servers()
      const ready = await Promise.all(servers.map(isReady))
      this.#ready = servers.filter((_, at) => ready[at])
      await Bun.sleep(CHECKED_EVERY_MS)
    }
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
        try {
          return this.#looked(await fetch(`${server}${pathname}`, { method, headers, body }))
        } catch (error) {
          if (!isRefused(error)) throw error
          this.refused++
        }
      }
      if (performance.now() > until) throw new Error(`No server for ${TRIED_FOR_MS} ms`)
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
