/**
 * Pool of HTTP connections. If the server closes a connection while a request is written, nobody knows whether the request arrived.
 * So a connection is kept only while it is surely open, and is polled right before it is reused. A request without a response is
 * never sent again. Decisions: "Delivery (live)".
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

/** Assumed for a server that sends no `Keep-Alive` header. */
const DEFAULT_KEEP_ALIVE_MS = SECOND_MS
/** Subtracted from the stated time, since the response took a while to arrive. At most half of it. */
const MARGIN_MS = SECOND_MS
/** An upper bound, since firewalls drop idle connections silently. */
const IDLE_MAX_MS = 30 * SECOND_MS
/** The name may resolve to another address later. */
const AGE_MAX_MS = MINUTE_MS
/** No connection to an origin is kept for this time after a pooled one was closed early. */
const DISTRUST_MS = HOUR_MS
/** Idle connections per origin, and in total. */
const MAX_PER_ORIGIN = 128
const MAX = 256
const SWEEP_MS = SECOND_MS
/** For files and the database. Without a free descriptor, Bun reports every connection as refused. */
const RESERVED_DESCRIPTORS = 8

/** On Windows a socket cannot be polled by its descriptor, so no connection is kept there. */
const CAN_POLL = process.platform !== 'win32'

/** Timers that do not keep the process alive. */
const clockOfIdle: Pick<Clock, 'elapsed' | 'after'> = {
  elapsed: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** A connection without a request. */
interface Idle {
  /** Includes the name that TLS verified, where it differs from the URL's. */
  readonly origin: string
  readonly connection: HttpConnection
  readonly address: string
  readonly until: number
}

export class ConnectionPool {
  /** The longest idle first. */
  #idle: Idle[] = []
  /** Origins whose connections are not kept, and until when. */
  readonly #distrusted = new Map<string, number>()
  #isSweeping = false
  #hasWarned = false
  /** Connections that are being opened, which may not have their descriptor yet. */
  #opening = 0

  constructor(
    private readonly clock = clockOfIdle,
    /** How many more descriptors this process may open. */
    private readonly remainingDescriptors = () => Number.POSITIVE_INFINITY,
    /** Called once where no connection can be kept, since the runtime does not reveal the descriptor of a socket. */
    private readonly cannotKeep = () => {},
  ) {}

  /**
   * Sends a request on a pooled connection, or on a new one made with `options`. Returns the connection; undefined where a new one
   * would take one of the reserved descriptors, and then nothing is sent.
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

  /** Takes the most recently used connection, so that surplus connections time out. */
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

  /** The server closed an idle connection, or sent unexpected data. */
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
