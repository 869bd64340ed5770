/**
 * HTTP to carriers. What matters is whether the request may have arrived: see `TransportResult`.
 * Not by `fetch`: Bun lets 256 requests of it out at a time, whoever they are for, so that a carrier that hangs would hold
 * up the others; and here a connection that never came about is told from one that broke.
 */
import { isIP } from '../domain/ip'
import { NO_DESCRIPTOR, type Transport, type TransportResult } from '../ports/network'
import type { AnswerHead, Asker, Way } from './http-connection'
import { KeptConnections } from './kept-connections'

const BODY_MAX_BYTES = 64 * 1024

/** Descriptors that are for files and the database. Without any, Bun says of every connection that it was refused. */
const NOT_FOR_CARRIERS = 8

/** `left`: how many more descriptors this process may have. */
export const createTransport = (
  connections = new KeptConnections(),
  left = () => Number.POSITIVE_INFINITY,
): Transport => ({
  async request({ method, url: text, headers, body, timeoutMs }) {
    if (left() - connections.opening <= NOT_FOR_CARRIERS) return { kind: 'not_sent', reason: NO_DESCRIPTOR }
    const url = new URL(text)
    return new Promise<TransportResult>((resolve) => {
      let answer: AnswerHead | undefined
      const chunks: Uint8Array[] = []
      let size = 0
      const end = (result: TransportResult) => {
        clearTimeout(timer)
        resolve(result)
      }
      const failed = (reason: string, mayHaveArrived = true) =>
        end({ kind: mayHaveArrived ? 'unknown' : 'not_sent', reason })
      const asker: Asker = {
        head(head) {
          answer = head
        },
        body(chunk) {
          chunks.push(chunk)
          size += chunk.length
          if (size <= BODY_MAX_BYTES) return
          giveUp()
          failed('answer too large')
        },
        done() {
          if (answer) end({ kind: 'answered', ...answer, body: Buffer.concat(chunks).toString('utf8') })
        },
        failed: (code, stage) => failed(code, stage === 'asking'),
      }
      const { giveUp, stage } = connections.ask({ method, url, headers, body }, asker, nameIn(headers))
      const timer = setTimeout(() => {
        giveUp()
        failed('TimeoutError', stage() === 'asking')
      }, timeoutMs)
    })
  },
})

/** Who says another host than that of the URL means that one: TLS asks for it and verifies it. */
function nameIn(headers: Readonly<Record<string, string>>): Way {
  const [, said] = Object.entries(headers).findLast(([name]) => name.toLowerCase() === 'host') ?? []
  const name = said?.replace(/:\d+$/, '')
  return name === undefined || isIP(name) !== 0 ? {} : { servername: name }
}
