/**
 * HTTP to carriers. What matters is whether the request may have arrived: see `TransportResult`.
 * `node:http` rather than `fetch`: Bun lets 256 requests of `fetch` out at a time, whoever they are for, so that a
 * carrier that hangs would hold up the others; and here a connection that never came about is told from one that broke.
 */
import { urlToHttpOptions } from 'node:url'
import { NO_DESCRIPTOR, type Transport, type TransportResult } from '../ports/network'
import { KeptConnections } from './kept-connections'

const BODY_MAX_BYTES = 64 * 1024

/** Descriptors that are for files and the database. Without any, Bun says of every connection that it was refused. */
const NOT_FOR_CARRIERS = 8

/** `left`: how many more descriptors this process may have. */
export const createTransport = (
  connections = new KeptConnections(),
  left = () => Number.POSITIVE_INFINITY,
): Transport => ({
  async request({ method, url, headers, body, timeoutMs }) {
    const target = new URL(url)
    if (left() - connections.opening <= NOT_FOR_CARRIERS) return { kind: 'not_sent', reason: NO_DESCRIPTOR }
    return new Promise<TransportResult>((resolve) => {
      const request = connections.request(target.origin, {
        ...urlToHttpOptions(target),
        method,
        headers: {
          ...headers,
          'Accept-Encoding': 'identity',
          ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
      })
      // Also one that was kept and breaks at once: it may have been open still.
      let isConnected = request.reusedSocket
      const end = (result: TransportResult) => {
        clearTimeout(timer)
        resolve(result)
        // A connection that is kept is not the request's any more.
        request.destroy()
      }
      const fail = (reason: string) => end({ kind: isConnected ? 'unknown' : 'not_sent', reason })
      const timer = setTimeout(() => fail('TimeoutError'), timeoutMs)
      request.on('socket', (socket) => {
        if (isConnected) return
        socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          isConnected = true
        })
      })
      request.on('error', ({ code, name }: NodeJS.ErrnoException) => fail(code ?? name))
      request.on('response', (response) => {
        isConnected = true
        const chunks: Uint8Array[] = []
        let size = 0
        response.on('data', (chunk: Uint8Array) => {
          chunks.push(chunk)
          size += chunk.length
          if (size > BODY_MAX_BYTES) fail('answer too large')
        })
        response.once('close', () => {
          if (!response.complete) return fail('ECONNRESET')
          const { statusCode: status = 0, headers: said } = response
          const flat = Object.entries(said).map(([name, value]) => [name, [value].flat().join(', ')])
          end({
            kind: 'answered',
            status,
            headers: Object.fromEntries(flat),
            body: Buffer.concat(chunks).toString('utf8'),
          })
        })
      })
      request.end(body)
    })
  },
})
