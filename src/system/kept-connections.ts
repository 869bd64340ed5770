/**
 * HTTP connections that serve one request after another. Nobody can tell whether a request arrived that was written to a
 * connection while it was closed. So one is kept only as long as it is surely open, and is looked at again right before it is
 * used; a request that gets no answer on it is not sent a second time. Decisions: "Delivery (live)".
 *
 * Each is an agent of `node:http` that holds one socket: which of them a request gets is decided here, and all else is
 * that client's, such as throwing away a socket on which something comes that nobody asked for.
 */
import { readSync } from 'node:fs'
import type { Agent, ClientRequest } from 'node:http'
import type { RequestOptions } from 'node:https'
import { Socket } from 'node:net'
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

/** On Windows a socket is no file that could be read: there none is kept. */
const CAN_ASK = process.platform !== 'win32'

/** Its timers hold up no process that has nothing else to do. */
const clockOfIdle: Pick<Clock, 'elapsed' | 'after'> = {
  elapsed: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
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
  readonly socket: Socket
  readonly address: string
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

  /** As that of `node:http`. Its `reusedSocket` says whether the connection was there already. */
  request(origin: string, options: RequestOptions, mayLeadTo = (_address: string) => true): ClientRequest {
    const connection = this.#take(origin, mayLeadTo) ?? this.#open(origin)
    const request = clientFor(origin).request({ ...options, agent: connection.agent })
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

  /** The one that was used last: so those that a crowd has left behind grow old. */
  #take(origin: string, mayLeadTo: (address: string) => boolean): Connection | undefined {
    const now = this.clock.elapsed()
    const at = this.#idle.findLastIndex(
      ({ connection, address, until }) => connection.origin === origin && now < until && mayLeadTo(address),
    )
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1)
    if (!idle || isQuiet(idle.socket)) return idle?.connection
    idle.connection.agent.destroy()
    this.#distrust(origin)
    return undefined
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
    const now = this.clock.elapsed()
    const { remoteAddress: address } = socket
    if (address === undefined || !this.#mayKeep(connection, now)) return false
    if (this.#idle.length >= MAX) this.#close(this.#idle.slice(0, 1))
    this.#idle.push({ connection, socket, address, until: now + connection.trustedMs })
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
    return CAN_ASK && (this.#distrusted.get(origin) ?? 0) <= this.clock.elapsed()
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

const UNASKED = new Uint8Array(1)

/**
 * Nothing has come on it, and no end: the kernel is asked, since the event loop may not have heard of it yet. What is read
 * is lost, so a connection that is not quiet is not used any more.
 */
function isQuiet({ _handle }: Socket & { _handle?: { fd: number } | null }): boolean {
  try {
    if (_handle) readSync(_handle.fd, UNASKED)
    return false
  } catch (nothing) {
    return (nothing as NodeJS.ErrnoException).code === 'EAGAIN'
  }
}

/** `Keep-Alive: timeout=5, max=100` */
function trustedMs(said = ''): number {
  const [, seconds] = /\btimeout=(\d+)/i.exec(said) ?? []
  if (seconds === undefined) return UNSAID_MS
  const saidMs = Number(seconds) * SECOND_MS
  return Math.min(Math.max(saidMs - MARGIN_MS, saidMs / 2), IDLE_MAX_MS)
}
