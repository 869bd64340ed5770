/** A network between one server and its database that a test can cut, stop, and let swallow the answers to commits. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export type Direction = 'questions' | 'answers'

/** What becomes of a commit: it never arrives, or its answer never does, whether or not the database is still at it. */
export type Loss = 'unsent' | 'unheard' | 'unanswered'

interface Link {
  client: Socket
  server: Socket
  /** Its commit was let through, and nothing comes back of it. */
  isLosing: boolean
  /** Under which name commits are prepared there. */
  commit: string | undefined
}

export class CuttingProxy {
  /** Commits that were answered by nothing. */
  lost = 0
  readonly #links = new Set<Link>()
  readonly #stalled = new Set<Direction>()
  /** What is held back, in its order. */
  #held: Array<{ link: Link; to: Socket; data: Buffer }> = []
  #loss: () => Loss | undefined = () => undefined
  readonly #server: Server

  private constructor(private target: number) {
    this.#server = createServer((client) => this.#join(client))
  }

  static async start(target: number, port = 0): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target)
    await new Promise<void>((listening) => proxy.#server.listen(port, '127.0.0.1', listening))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** From now on it leads there; what leads elsewhere is cut. */
  aim(target: number): void {
    this.target = target
    this.cut()
  }

  /** How many connections lead through it. */
  get links(): number {
    return this.#links.size
  }

  cut(): void {
    for (const link of this.#links) this.#cut(link)
  }

  /** Forwards nothing that way until `flow`. */
  stall(direction: Direction): void {
    this.#stalled.add(direction)
  }

  flow(): void {
    this.#stalled.clear()
    const held = this.#held
    this.#held = []
    for (const { link, to, data } of held) if (this.#links.has(link)) to.write(data)
  }

  /** `loss` is asked at each commit. */
  loseCommits(loss: () => Loss | undefined): void {
    this.#loss = loss
  }

  stop(): void {
    this.cut()
    this.#server.close()
  }

  #join(client: Socket): void {
    const link: Link = { client, server: connect(this.target, '127.0.0.1'), isLosing: false, commit: undefined }
    const { server } = link
    this.#links.add(link)
    client.on('data', (data) => this.#ask(link, data))
    server.on('data', (data) => {
      if (link.isLosing) this.#cut(link)
      else this.#forward(link, 'answers', client, data)
    })
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => this.#cut(link))
    }
  }

  #ask(link: Link, data: Buffer): void {
    const loss = commits(link, data) ? this.#loss() : undefined
    if (loss !== undefined) this.lost++
    if (loss === 'unsent') {
      this.#cut(link)
      return
    }
    this.#forward(link, 'questions', link.server, data)
    if (loss === 'unanswered') link.isLosing = true
    // What was written is sent before the connection ends.
    if (loss === 'unheard') {
      link.server.end()
      link.client.destroy()
    }
  }

  #forward(link: Link, direction: Direction, to: Socket, data: Buffer): void {
    if (this.#stalled.has(direction)) this.#held.push({ link, to, data })
    else to.write(data)
  }

  #cut(link: Link): void {
    this.#links.delete(link)
    link.client.destroy()
    link.server.destroy()
  }
}

const PARSE = 0x50
const BIND = 0x42

/** Of whole messages, as a client on loopback sends them; the first of a connection has no type and is none of them. */
function commits(link: Link, data: Buffer): boolean {
  let isCommitted = false
  for (let at = 0; at + 5 <= data.length; at += 1 + data.readUInt32BE(at + 1)) {
    if (data.readUInt32BE(at + 1) < 4) return isCommitted
    if (data[at] !== PARSE && data[at] !== BIND) continue
    // The name of a statement and its text; the name of a portal and its statement.
    const [first, second] = data.toString('latin1', at + 5, at + 1 + data.readUInt32BE(at + 1)).split('\0')
    if (data[at] === PARSE && second === 'COMMIT') link.commit = first
    if (data[at] === BIND && second === link.commit) isCommitted = true
  }
  return isCommitted
}
