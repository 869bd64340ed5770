/**
 * HTTP connections that serve one request after another. Nobody can tell whether a request arrived that was written to a
 * connection while it was closed. So one is kept only as long as it is surely open, and is looked at again right before it is
 * used; a request that gets no answer on it is not sent a second time. Decisions: "Delivery (live)".
 */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import {
  type ConnectionOptions,
  HttpConnection,
  type HttpRequest,
  type OriginAddress,
  type ResponseHandler,
  type ResponseHead,
} from './http-connection'

/** How long a server that does not say so is trusted to keep a connection. */
const DEFAULT_KEEP_ALIVE_MS = SECOND_MS
/** Of what it says: its answer was on the way. Of a short time it is half. */
const MARGIN_MS = SECOND_MS
/** Whatever it says: firewalls forget connections on which nothing moves, and tell nobody. */
const IDLE_MAX_MS = 30 * SECOND_MS
/** A name may mean another machine by then. */
const AGE_MAX_MS = MINUTE_MS
/** Once a connection that was trusted to be open was not. */
const DISTRUST_MS = HOUR_MS
/** Idle ones, of one origin and together. */
const MAX_PER_ORIGIN = 128
const MAX = 256
const SWEEP_MS = SECOND_MS
/** Descriptors that are for files and the database. Without any, Bun says of every connection that it was refused. */
const RESERVED_DESCRIPTORS = 8

/** On Windows a socket is no file that could be read: there none is kept. */
const CAN_POLL = process.platform !== 'win32'

/** Its timers hold up no process that has nothing else to do. */
const clockOfIdle: Pick<Clock, 'elapsed' | 'after'> = {
  elapsed: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** A connection that waits for a request. */
interface Idle {
  /** With the name that TLS has verified, where it is another one. */
  readonly origin: string
  readonly connection: HttpConnection
  readonly address: string
  readonly until: number
}

export class ConnectionPool {
  /** Who has waited for longest comes first. */
  #idle: Idle[] = []
  /** Origins, and until when. */
  readonly #distrusted = new Map<string, number>()
  #isSweeping = false
  #hasWarned = false
  /** Connections that are being made. Whether they have their descriptor already, nobody knows. */
  #opening = 0

  constructor(
    private readonly clock = clockOfIdle,
    /** How many more descriptors this process may have. */
    private readonly remainingDescriptors = () => Number.POSITIVE_INFINITY,
    /** Called once, where none can be kept because the runtime does not tell the descriptor of a socket. */
    private readonly cannotKeep = () => {},
  ) {}

  /**
   * `way`: how a connection is made where none serves. Answers the one that is asked on; undefined where a new one would take
   * one of the last descriptors: then nobody is asked.
   */
  send(
    request: HttpRequest,
    handler: ResponseHandler,
    options: ConnectionOptions = {},
    mayLeadTo = (_address: string) => true,
  ): HttpConnection | undefined {
    const origin =
      options.servername === undefined ? request.url.origin : `${request.url.origin} as ${options.servername}`
    const connection = this.#acquire(origin, mayLeadTo) ?? this.#open(origin, request.url, options)
    try {
      connection?.send(request, handler)
      return connection
    } catch (unfit) {
      connection?.destroy()
      throw unfit
    }
  }

  closeIdle(): void {
    this.#close(this.#idle)
  }

  /** The one that was used last: so those that a crowd has left behind grow old. */
  #acquire(origin: string, mayLeadTo: (address: string) => boolean): HttpConnection | undefined {
    const now = this.clock.elapsed()
    const at = this.#idle.findLastIndex((idle) => idle.origin === origin && now < idle.until && mayLeadTo(idle.address))
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1)
    if (!idle || idle.connection.isQuiet) return idle?.connection
    idle.connection.destroy()
    this.#distrust(origin)
    return undefined
  }

  #of(origin: string): Idle[] {
    return this.#idle.filter((idle) => idle.origin === origin)
  }

  #open(origin: string, url: OriginAddress, options: ConnectionOptions): HttpConnection | undefined {
    if (this.remainingDescriptors() - this.#opening <= RESERVED_DESCRIPTORS) return undefined
    const openedAt = this.clock.elapsed()
    this.#opening++
    let isOpening = true
    const opened = () => {
      if (isOpening) this.#opening--
      isOpening = false
    }
    const connection = new HttpConnection(url, options, this.#trusts(origin), {
      opened,
      mayKeep: (answer) => this.#mayKeep(origin, connection, openedAt, trustedMs(answer)),
      unanswered: () => this.#distrust(origin),
      closed: () => {
        opened()
        this.#ended(connection)
      },
    })
    return connection
  }

  #mayKeep(origin: string, connection: HttpConnection, openedAt: number, forMs: number): boolean {
    const now = this.clock.elapsed()
    const { address } = connection
    if (address === undefined || forMs === 0 || now - openedAt >= AGE_MAX_MS || !this.#hasRoomFor(origin)) return false
    if (connection.descriptor === undefined) {
      if (!this.#hasWarned) this.cannotKeep()
      this.#hasWarned = true
      return false
    }
    if (this.#idle.length >= MAX) this.#close(this.#idle.slice(0, 1))
    this.#idle.push({ origin, connection, address, until: now + forMs })
    this.#sweepLater()
    return true
  }

  #hasRoomFor(origin: string): boolean {
    return this.#trusts(origin) && (this.#idle.length < MAX_PER_ORIGIN || this.#of(origin).length < MAX_PER_ORIGIN)
  }

  /** By the server, while it is idle, or because something came. */
  #ended(connection: HttpConnection): void {
    const idle = this.#idle.find((one) => one.connection === connection)
    if (!idle) return
    this.#forget([idle])
    if (this.clock.elapsed() < idle.until) this.#distrust(idle.origin)
  }

  #forget(gone: readonly Idle[]): void {
    this.#idle = this.#idle.filter((idle) => !gone.includes(idle))
  }

  #close(meant: readonly Idle[]): void {
    this.#forget(meant)
    for (const { connection } of meant) connection.destroy()
  }

  #trusts(origin: string): boolean {
    const until = this.#distrusted.get(origin)
    return CAN_POLL && (until === undefined || until <= this.clock.elapsed())
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

/** `Keep-Alive: timeout=5, max=100` */
function trustedMs(answer: ResponseHead): number {
  const [, seconds] = /\btimeout=(\d+)/i.exec(answer.header('keep-alive') ?? '') ?? []
  if (seconds === undefined) return DEFAULT_KEEP_ALIVE_MS
  const saidMs = Number(seconds) * SECOND_MS
  return Math.min(Math.max(saidMs - MARGIN_MS, saidMs / 2), IDLE_MAX_MS)
}
