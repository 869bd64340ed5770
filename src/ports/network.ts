/** Outgoing connections: HTTP to carriers, webhooks to receivers, mail, and byte streams. */
import type { WaySettings } from '../domain/operations/notice'

/** File descriptors of this process. */
export interface Descriptors {
  /** Whether so few are left that no more clients are accepted. */
  areShort(): boolean
}

/**
 * Result of an HTTP request to a carrier. It tells whether the request may have arrived, since such a message is never
 * sent again.
 */
export type TransportResult =
  | { kind: 'answered'; status: number; body: string }
  /** The request was not received: the connection failed before a byte was written. See also `NO_DESCRIPTOR`. */
  | { kind: 'not_sent'; reason: string }
  /**
   * The request may have been received: a timeout, a reset after it was written, an unreadable answer, or a kept
   * connection that broke.
   */
  | { kind: 'unknown'; reason: string }

/** Reason of a request that failed since this process had no descriptor left. The carrier is not to blame. */
export const NO_DESCRIPTOR = 'EMFILE'

export interface Transport {
  request(request: {
    method: string
    url: string
    headers: Record<string, string>
    body?: string | undefined
    timeoutMs: number
  }): Promise<TransportResult>
}

/** Sends mail by SMTP. Never throws for a failure of the server or the network. */
export interface Mailer {
  /** `id`: the part of the Message-ID before the `@`. Answers why the server did not take it; undefined: it did. */
  send(
    settings: WaySettings,
    mail: { id: string; subject: string; text: string },
    timeoutMs: number,
  ): Promise<string | undefined>
  /** Connects and signs in, and sends nothing. Answers why it could not; undefined: it could. */
  verify(settings: WaySettings, timeoutMs: number): Promise<string | undefined>
}

/**
 * Posts webhooks. Follows no redirect and keeps no state between requests. Never throws for a failure of the receiver
 * or the network.
 */
export interface HookTransport {
  post(request: HookRequest): Promise<HookAnswer>
}

export interface HookRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** For the whole request, from the DNS look-up to the end of the answer. */
  timeoutMs: number
  /** Networks that are not public but may be reached. */
  allowedCidrs: readonly string[]
}

export type HookAnswer =
  /** The receiver answered a status. A body that is too long, too slow or cut off ends early. */
  | {
      kind: 'answered'
      status: number
      location: string | undefined
      retryAfter: string | undefined
      /** The first KiB. */
      body: string
      /** When the receiver's certificate expires, Unix milliseconds; undefined without TLS. */
      certificateUntil?: number | undefined
    }
  /**
   * Nothing was sent: no address of the host may be reached. The addresses are not told, so that nobody maps a network
   * by it.
   */
  | { kind: 'forbidden'; reason: 'address' }
  | { kind: 'failed'; reason: HookFailure }

/**
 * Stable words that quote nothing of the receiver. With `url`, `header`, `dns`, `refused`, `unreachable` and `tls`
 * nothing was sent; otherwise the request may have arrived.
 */
export type HookFailure =
  | 'url'
  | 'header'
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'oversized'

/** A byte stream to a carrier that does not speak HTTP. */
export interface Connection {
  write(bytes: Uint8Array): void
  /** Bytes that were written and not yet sent. */
  unwrittenBytes(): number
  /** Closes the connection at once. */
  destroy(): void
}

/** No callback runs before `dial` returns. `closed` is called last, also where `opened` was never called. */
export type Dial = (
  to: { host: string; port: number; tls: { ca: string | undefined } | undefined },
  on: { opened(): void; received(bytes: Uint8Array): void; closed(reason: string): void },
) => Connection
