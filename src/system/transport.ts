/**
 * HTTP to carriers. What matters is whether the request may have arrived: see `TransportResult`.
 * `node:http` rather than `fetch`: Bun lets 256 requests of `fetch` out at a time, whoever they are for, so that a
 * carrier that hangs would hold up the others; and here a connection that never came about is told from one that broke.
 */
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Transport, TransportResult } from '../ports/network'

const BODY_MAX_BYTES = 64 * 1024

export const systemTransport: Transport = {
  request: ({ method, url, headers, body, timeoutMs }) =>
    new Promise<TransportResult>((resolve) => {
      const target = new URL(url)
      const isSecure = target.protocol === 'https:'
      let isConnected = false
      const request = (isSecure ? requestHttps : requestHttp)(target, {
        method,
        headers: {
          ...headers,
          'Accept-Encoding': 'identity',
          ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
        // A connection of its own: a kept one may be closing while it is written to.
        agent: false,
      })
      const end = (result: TransportResult) => {
        clearTimeout(timer)
        resolve(result)
        request.destroy()
      }
      const fail = (reason: string) => end({ kind: isConnected ? 'unknown' : 'not_sent', reason })
      const timer = setTimeout(() => fail('TimeoutError'), timeoutMs)
      request.on('socket', (socket) => {
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
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
    }),
}
