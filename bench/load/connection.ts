/**
 * One keep-alive HTTP/1.1 connection with one request in the air at a time, as close to the socket as Bun lets us: the
 * generator must cost less than what it measures.
 */
import type { Socket } from 'bun'

export interface Answer {
  status: number
  body: string
}

const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
/** Behind an answer that comes in pieces. */
const LAST_CHUNK = '\r\n0\r\n\r\n'

export class Connection {
  #socket: Socket | undefined
  #received = ''
  #settle: ((answer: Answer) => void) | undefined
  #fail: ((error: Error) => void) | undefined

  static async open(url: URL): Promise<Connection> {
    const connection = new Connection()
    const broken = () => connection.#break()
    connection.#socket = await Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        // Bodies are ASCII here, so that characters are bytes.
        data: (_, chunk) => connection.#receive(chunk.toString('latin1')),
        close: broken,
        error: broken,
      },
    })
    connection.#socket.setNoDelay(true)
    return connection
  }

  /** `request` is the whole of it, head and body. */
  send(request: string): Promise<Answer> {
    return new Promise((settle, fail) => {
      this.#settle = settle
      this.#fail = fail
      this.#socket?.write(request)
    })
  }

  close(): void {
    this.#fail = undefined
    this.#socket?.end()
  }

  #receive(chunk: string): void {
    this.#received += chunk
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const end = this.#endOfAnswer(headEnd + 4)
    if (end === undefined || this.#received.length < end) return
    const answer = { status: Number(this.#received.slice(9, 12)), body: this.#received.slice(headEnd + 4, end) }
    this.#received = this.#received.slice(end)
    this.#settle?.(answer)
  }

  /** Undefined as long as nobody knows. */
  #endOfAnswer(start: number): number | undefined {
    const head = this.#received.slice(0, start)
    const length = CONTENT_LENGTH.exec(head)?.[1]
    if (length !== undefined) return start + Number(length)
    if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return start
    return this.#received.endsWith(LAST_CHUNK) ? this.#received.length : undefined
  }

  #break(): void {
    this.#fail?.(new Error('The server closed the connection'))
  }
}

/** A request as bytes on the wire. */
export function httpRequest(
  method: 'GET' | 'POST' | 'PUT',
  target: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
  type = 'application/json',
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${target} HTTP/1.1\r\nHost: bench\r\n${lines.join('')}`
  if (body === undefined) return `${head}\r\n`
  return `${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
