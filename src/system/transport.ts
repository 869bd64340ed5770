/**
 * HTTP to carriers. The result says whether the request may have arrived: see `TransportResult`. `fetch` is not used:
 * Bun limits it to
 * 256 requests in total, so a carrier that hangs would delay the others. It also does not tell a connection that was never made
 * from one that broke.
 */
import { isIP } from '../domain/access/network'
import { carrierText } from '../domain/shared/carrier-text'
import type { Clock } from '../ports/clock'
import { NO_DESCRIPTOR, type Transport, type TransportResult } from '../ports/network'
import { systemClock } from './clock'
import { eventLoopBatch } from './event-loop-batch'
import type {
  ConnectionOptions,
  ConnectionStage,
  HttpConnection,
  OriginAddress,
  ResponseHandler,
  ResponseHead,
} from './http-connection'
import { ConnectionPool } from './kept-connections'

const BODY_MAX_BYTES = 64 * 1024

/** `clock`: the clock of timeouts. */
export function createTransport(
  connections = new ConnectionPool(),
  clock: Pick<Clock, 'after'> = systemClock,
): Transport {
  let last: { url: string; address: OriginAddress } | undefined
  return {
    async request({ method, url, headers, body, timeoutMs }) {
      // Most carriers have one URL for all messages.
      if (last?.url !== url) last = { url, address: addressOf(url) }
      const { address } = last
      const result = await new Promise<TransportResult>((resolve) => {
        const call = new CarrierRequest(resolve, clock)
        const connection = connections.send({ method, url: address, headers, body }, call, tlsNameIn(headers))
        if (connection) call.within(timeoutMs, connection)
        else resolve({ kind: 'not_sent', reason: NO_DESCRIPTOR })
      })
      await eventLoopBatch.join()
      return result
    },
  }
}

/** A copy, since a `URL` computes each part at every read. */
function addressOf(text: string): OriginAddress {
  const { origin, protocol, host, hostname, port, pathname, search, username, password } = new URL(text)
  return { origin, protocol, host, hostname, port, pathname, search, username, password }
}

/** One request to a carrier, with its response so far. */
class CarrierRequest implements ResponseHandler {
  #status = 0
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #connection: HttpConnection | undefined
  #cancelTimeout = () => {}

  constructor(
    private readonly resolve: (result: TransportResult) => void,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  within(timeoutMs: number, connection: HttpConnection): void {
    this.#connection = connection
    this.#cancelTimeout = this.clock.after(timeoutMs, () => this.#abort('TimeoutError'))
  }

  head({ status }: ResponseHead): void {
    this.#status = status
  }

  body(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size > BODY_MAX_BYTES) this.#abort('answer too large')
  }

  done(): void {
    this.#end({ kind: 'answered', status: this.#status, body: carrierText(this.#unpacked()) })
  }

  /** Some answer in gzip although they were asked not to. */
  #unpacked(): Uint8Array {
    const bytes = Buffer.concat(this.#chunks)
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
    if (!isPacked) return bytes
    try {
      return process.getBuiltinModule('node:zlib').gunzipSync(bytes, { maxOutputLength: BODY_MAX_BYTES })
    } catch {
      return bytes
    }
  }

  failed(reason: string, stage: ConnectionStage): void {
    this.#end({ kind: stage === 'asking' ? 'unknown' : 'not_sent', reason })
  }

  #end(result: TransportResult): void {
    this.#cancelTimeout()
    this.resolve(result)
  }

  #abort(reason: string): void {
    this.#connection?.abort(this)
    this.failed(reason, this.#connection?.stage ?? 'asking')
  }
}

/** A `Host` header other than the URL's is also the name that TLS asks for and verifies. */
function tlsNameIn(headers: Readonly<Record<string, string>>): ConnectionOptions {
  let said: string | undefined
  for (const name in headers) if (name.length === HOST.length && name.toLowerCase() === HOST) said = headers[name]
  const servername = said?.replace(/:\d+$/, '')
  return servername === undefined || isIP(servername) !== 0 ? {} : { servername }
}

const HOST = 'host'
