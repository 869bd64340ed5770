/** Whoever is spoken to over HTTP, as bytes on real sockets. */
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { CERT, KEY } from './certificate'

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A receiver that says whatever a test wants, byte by byte. */
export class Receiver {
  static readonly #running: Receiver[] = []
  readonly requests: string[] = []
  connections = 0
  open = 0

  private constructor(
    readonly server: Server,
    readonly sockets = new Set<Socket>(),
  ) {
    Receiver.#running.push(this)
  }

  static async start(
    say: (socket: Socket, request: string) => void,
    { host = '127.0.0.1', port = 0, isSecure = false } = {},
  ): Promise<Receiver> {
    const serve = (socket: Socket) => receiver.#serve(socket, say)
    const server = isSecure ? createTlsServer({ key: KEY, cert: CERT }, serve) : createServer(serve)
    // A client that does not trust us is none of our business.
    server.on('tlsClientError', () => {})
    const receiver = new Receiver(server)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    return receiver
  }

  static stopAll(): void {
    for (const { server, sockets } of Receiver.#running.splice(0)) {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }

  get port(): number {
    return (this.server.address() as { port: number }).port
  }

  #serve(socket: Socket, say: (socket: Socket, request: string) => void): void {
    this.connections += 1
    this.open += 1
    this.sockets.add(socket)
    let heard = ''
    socket.on('error', () => {})
    socket.on('close', () => {
      this.open -= 1
    })
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      const [head = '', body] = heard.split('\r\n\r\n')
      if (body === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return
      this.requests.push(heard)
      heard = ''
      say(socket, this.requests.at(-1) ?? '')
    })
  }
}

export const says = (text: string | Uint8Array) => (socket: Socket) => void socket.write(text)

/** So many turns of the event loop, in each of which sockets are read. */
export async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** What a socket was told to do is done by then, and the event loop has not asked anything meanwhile. */
export const inThisTurn = () => new Promise<void>((resolve) => process.nextTick(resolve))
