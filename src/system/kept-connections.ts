/**
 * HTTP connections that serve one request after another. Nobody can tell whether a request arrived that was written to a
 * connection while it was closed. So one is kept only as long as it is surely open, and is looked at again before it is
 * used; a request that gets no answer on it is not sent a second time. Decisions: "Delivery (live)".
 *
 * Each is an agent of `node:http` that holds one socket: which of them a request gets is decided here, and all else is
 * that client's, such as throwing away a socket on which something comes that nobody asked for.
 */
import type { Agent, ClientRequest } from 'node:http'
import type { RequestOptions } from 'node:https'
import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/value'
import type { Clock } from '../ports/clock'

/** How long a server that does not say so is trusted to keep a connection. */
const UNSAID_MS = SECOND_MS
/** Of what it says: its answer was on the way. Of a short time it is half. */
const MARGIN_MS = SECOND_MS
/** Whatever it says: firewalls forget connections on which nothing moves, and tell nobody. */
const IDLE_MAX_MS = 30 * SECOND_MS
/** A name may mean another machine by then. */
const AGE_MAX_MS = MINUTE_MS
/** Once a connection that was trusted to be open was not. */
const DISTRUST_MS = HOUR_MS
/** Idle ones, of one origin and together. */
const MAX_OF_ORIGIN = 128
const MAX = 256
const SWEEP_MS = SECOND_MS

/** Its timers hold up no process that has nothing else to do. */
const clockOfIdle: Pick<Clock, 'elapsed' | 'after'> = {
  elapsed: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** Connections there that are idle have been looked at since then. */
export interface Look {
  readonly origin: string
  readonly at: number
}

interface Connection {
  readonly origin: string
  readonly agent: Agent
  readonly openedAt: number
  /** How long it is surely open after its last answer. */
  trustedMs: number
}

/** A connection that waits for a request. */
interface Idle {
  readonly connection: Connection
  readonly address: string
  readonly since: number
  readonly until: number
}

export class KeptConnections {
  /** Who has waited for longest comes first. */
  #idle: Idle[] = []
  /** Origins, and until when. */
  readonly #distrusted = new Map<string, number>()
  #isSweeping = false
  /** Connections that are being made. Whether they have their descriptor already, nobody knows. */
  opening = 0

  constructor(private readonly clock = clockOfIdle) {}

  /**
   * Right before a request: an end may have come that nobody has seen yet, or an answer to nothing, which would be taken
   * for that of the request.
   */
  async look(origin: string): Promise<Look> {
    const at = this.clock.elapsed()
    if (this.#idle.some(({ connection }) => connection.origin === origin)) {
      // The first ends the turn that is under way; only then the event loop asks what has come.
      await turn()
      await turn()
    }
    return { origin, at }
  }

  /** As that of `node:http`. Its `reusedSocket` says whether the connection was there already. */
  request({ origin, at }: Look, options: RequestOptions, mayLeadTo = (_address: string) => true): ClientRequest {
    const now = this.clock.elapsed()
    // The one that was used last: so those that a crowd has left behind grow old.
    const kept = this.#idle.findLast(
      ({ connection, address, since, until }) =>
        connection.origin === origin && since <= at && now < until && mayLeadTo(address),
    )
    const connection = kept?.connection ?? this.#open(origin)
    const request = clientFor(origin).request({ ...options, agent: connection.agent })
    if (kept) this.#idle = this.#idle.filter((idle) => idle !== kept)
    if (!request.reusedSocket) {
      this.#countOpening(request)
      request.once('socket', (socket) => socket.once('close', () => this.#ended(connection)))
    }
    let isAnswered = false
    request.once('response', ({ headers }) => {
      isAnswered = true
      connection.trustedMs = trustedMs(headers['keep-alive']?.toString())
    })
    request.once('close', () => {
      if (request.reusedSocket && !isAnswered) this.#distrust(origin)
    })
    return request
  }

  #countOpening(request: ClientRequest): void {
    this.opening++
    let isOpening = true
    const made = () => {
      if (isOpening) this.opening--
      isOpening = false
    }
    request.once('socket', (socket) => socket.once('connect', made)).once('close', made)
  }

  closeIdle(): void {
    this.#close(this.#idle)
  }

  #of(origin: string): Idle[] {
    return this.#idle.filter(({ connection }) => connection.origin === origin)
  }

  #open(origin: string): Connection {
    const { Agent } = clientFor(origin)
    const agent = new Agent({ keepAlive: this.#trusts(origin) })
    const connection = { origin, agent, openedAt: this.clock.elapsed(), trustedMs: 0 }
    // Asked after an answer that leaves the connection open, as far as HTTP goes.
    agent.keepSocketAlive = (socket) => socket instanceof Socket && this.#keep(connection, socket)
    return connection
  }

  #keep(connection: Connection, socket: Socket): boolean {
    const since = this.clock.elapsed()
    const { remoteAddress: address } = socket
    if (address === undefined || !this.#mayKeep(connection, since)) return false
    if (this.#idle.length >= MAX) this.#close(this.#idle.slice(0, 1))
    this.#idle.push({ connection, address, since, until: since + connection.trustedMs })
    socket.unref()
    this.#sweepLater()
    return true
  }

  #mayKeep({ origin, openedAt, trustedMs }: Connection, now: number): boolean {
    if (trustedMs === 0 || now - openedAt >= AGE_MAX_MS) return false
    return this.#trusts(origin) && (this.#idle.length < MAX_OF_ORIGIN || this.#of(origin).length < MAX_OF_ORIGIN)
  }

  /** By the server, while it is idle, or because something came. */
  #ended(connection: Connection): void {
    const idle = this.#idle.find((one) => one.connection === connection)
    if (!idle) return
    this.#forget([idle])
    if (this.clock.elapsed() < idle.until) this.#distrust(connection.origin)
  }

  #forget(gone: readonly Idle[]): void {
    this.#idle = this.#idle.filter((idle) => !gone.includes(idle))
  }

  #close(meant: readonly Idle[]): void {
    this.#forget(meant)
    for (const { connection } of meant) connection.agent.destroy()
  }

  #trusts(origin: string): boolean {
    return (this.#distrusted.get(origin) ?? 0) <= this.clock.elapsed()
  }

  #distrust(origin: string): void {
    for (const known of this.#distrusted.keys()) if (this.#trusts(known)) this.#distrusted.delete(known)
    this.#distrusted.set(origin, this.clock.elapsed() + DISTRUST_MS)
    this.#close(this.#of(origin))
  }

  #sweepLater(): void {
    if (this.#isSweeping) return
    this.#isSweeping = true
    this.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false
      const now = this.clock.elapsed()
      this.#close(this.#idle.filter(({ until }) => until <= now))
      if (this.#idle.length > 0) this.#sweepLater()
    })
  }
}

/** Loaded with the first request that needs it: a start does not wait for it. */
const clientFor = (origin: string) => process.getBuiltinModule(origin.startsWith('https:') ? 'node:https' : 'node:http')

/** `Keep-Alive: timeout=5, max=100` */
function trustedMs(said = ''): number {
  const [, seconds] = /\btimeout=(\d+)/i.exec(said) ?? []
  if (seconds === undefined) return UNSAID_MS
  const saidMs = Number(seconds) * SECOND_MS
  return Math.min(Math.max(saidMs - MARGIN_MS, saidMs / 2), IDLE_MAX_MS)
}
