/** Sockets to others. */

/** What every connection of this process takes one of. */
export interface Descriptors {
  /** So few are left that clients get no more of them. */
  areShort(): boolean
}

/** What came of an HTTP request to a carrier. Whether the request may have arrived is what matters. */
export type TransportResult =
  | { kind: 'answered'; status: number; body: string }
  /** Surely not received: the connection failed before a byte of the request was written. See also `NO_DESCRIPTOR`. */
  | { kind: 'not_sent'; reason: string }
  /**
   * Timeout or reset after the request was (or may have been) written, or an answer that could not be read. So it is also
   * where a connection that was there already breaks before a byte of the answer.
   */
  | { kind: 'unknown'; reason: string }

/** Why a request was not sent for which this process had no descriptor: nobody else is to blame. */
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

/** One POST to a receiver of webhooks; follows nothing, remembers nothing of the last one. Never throws for what the outside did. */
export interface HookTransport {
  post(request: HookRequest): Promise<HookAnswer>
}

export interface HookRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** For all of it, from the name to the end of the answer. */
  timeoutMs: number
  /** Networks that are not public and may be reached all the same. */
  allowedCidrs: readonly string[]
}

export type HookAnswer =
  /** The status is the answer: a body that is too long, too slow or cut off only ends early. */
  | {
      kind: 'answered'
      status: number
      location: string | undefined
      retryAfter: string | undefined
      /** The first KiB. */
      body: string
    }
  /** Nothing was sent: no address of the host may be reached. Does not say which, so that nobody maps a network by it. */
  | { kind: 'forbidden'; reason: 'address' }
  | { kind: 'failed'; reason: HookFailure }

/**
 * Short and stable, quoting nothing of what the outside said. Nothing was sent in case of `url`, `header`, `dns`,
 * `refused`, `unreachable` and `tls`; the rest says nothing about it.
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
  /** What was written and the other side has not taken, in bytes. */
  unwrittenBytes(): number
  /** At once. */
  destroy(): void
}

/** Nothing is called before `dial` has returned. `closed` is the last call, also where `opened` never was. */
export type Dial = (
  to: { host: string; port: number; tls: { ca: string | undefined } | undefined },
  on: { opened(): void; received(bytes: Uint8Array): void; closed(reason: string): void },
) => Connection
