/** Stands between a store and PostgreSQL: sees what is asked, and lets a test take away what it likes. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Passing {
  /** Bytes on their way to the database; false: they do not arrive. */
  asked?: (data: Buffer, end: () => void) => boolean
  /** Bytes on their way back. */
  answered?: (data: Buffer, end: () => void) => boolean
}

export class Wire {
  passing: Passing = {}
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(private readonly target: number) {
    this.#server = createServer((client) => this.#join(client))
  }

  static async to(port: number): Promise<Wire> {
    const wire = new Wire(port)
    await new Promise<void>((listening) => wire.#server.listen(0, '127.0.0.1', listening))
    return wire
  }

  /** The same address, by way of this. */
  through(url: string): string {
    const address = new URL(url)
    address.port = String((this.#server.address() as { port: number }).port)
    return address.href
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #join(client: Socket): void {
    const server = connect(this.target, '127.0.0.1')
    const end = () => {
      client.destroy()
      server.destroy()
    }
    client.on('data', (data) => {
      if (this.passing.asked?.(data, end) ?? true) server.write(data)
    })
    server.on('data', (data) => {
      if (this.passing.answered?.(data, end) ?? true) client.write(data)
    })
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', end)
    }
  }
}
