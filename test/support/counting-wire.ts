/**
 * Stands between a store and PostgreSQL as a network that is slow: answers travel back only once nothing more is asked, so
 * that each journey of answers is one round trip, however quick the machine is.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { until } from './until'

/** One transaction, as it went over the wire. */
export interface Journey {
  statements: string[]
  roundTrips: number
}

/** Turns of the event loop. A client in this process takes fewer from one question to the next that waits for no answer. */
const QUIET_TURNS = 40

export class CountingWire {
  /** Journeys of answers, over all connections. */
  roundTrips = 0
  /** Every statement that was executed. */
  readonly statements: string[] = []
  /** Transactions that have ended. */
  readonly units: Journey[] = []
  readonly #server: Server
  readonly #links = new Set<Link>()

  private constructor(target: number) {
    this.#server = createServer((client) => this.#links.add(new Link(client, connect(target, '127.0.0.1'), this)))
  }

  static async to(port: number): Promise<CountingWire> {
    const wire = new CountingWire(port)
    await new Promise<void>((listening) => wire.#server.listen(0, '127.0.0.1', listening))
    return wire
  }

  /** The same address, by way of this. */
  through(url: string): string {
    const address = new URL(url)
    address.port = String((this.#server.address() as { port: number }).port)
    return address.href
  }

  /** Waits until nothing is on its way. */
  async quiet(): Promise<void> {
    await until(() => ![...this.#links].some(({ isBusy }) => isBusy), 'every question to be answered')
  }

  close(): void {
    for (const link of this.#links) link.end()
    this.#server.close()
  }
}

class Link {
  readonly #asked = new Messages({ startsBare: true })
  readonly #answered = new Messages({ startsBare: false })
  /** Texts by the names under which they are prepared. */
  readonly #prepared = new Map<string, string>()
  #held: Buffer[] = []
  /** What will be answered by word of being ready: the start of a connection is the first. */
  #unanswered = 1
  #work: Journey | undefined
  #isCommitted = false
  /** Changes with everything that passes. */
  #passed = 0

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly wire: CountingWire,
  ) {
    client.on('data', (data) => {
      for (const message of this.#asked.in(data)) this.#note(message)
      server.write(data)
      this.#wait()
    })
    server.on('data', (data) => {
      this.#unanswered -= this.#answered.in(data).filter(({ type }) => type === 'Z').length
      this.#held.push(data)
      this.#wait()
    })
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => this.end())
    }
  }

  get isBusy(): boolean {
    return this.#unanswered > 0 || this.#held.length > 0
  }

  end(): void {
    this.#unanswered = 0
    this.#held = []
    this.#passed++
    this.client.destroy()
    this.server.destroy()
  }

  #note({ type, body }: Message): void {
    if (type === 'S' || type === 'Q') this.#unanswered++
    const [first = '', second = ''] = body.toString('latin1').split('\0')
    if (type === 'P') this.#prepared.set(first, second)
    if (type === 'B') this.#execute(this.#prepared.get(second) ?? '')
    if (type === 'Q') this.#execute(first)
  }

  #execute(text: string): void {
    this.wire.statements.push(text)
    if (text === 'BEGIN') this.#work = { statements: [], roundTrips: 0 }
    this.#work?.statements.push(text)
    this.#isCommitted = text === 'COMMIT' || text === 'ROLLBACK'
  }

  #wait(): void {
    const passed = ++this.#passed
    if (this.#unanswered > 0 || this.#held.length === 0) return
    let turns = 0
    const look = () => {
      if (this.#passed !== passed) return
      if (++turns < QUIET_TURNS) setImmediate(look)
      else this.#letGo()
    }
    setImmediate(look)
  }

  #letGo(): void {
    this.wire.roundTrips++
    if (this.#work) this.#work.roundTrips++
    if (this.#work && this.#isCommitted) {
      this.wire.units.push(this.#work)
      this.#work = undefined
    }
    const held = Buffer.concat(this.#held)
    this.#held = []
    this.client.write(held)
  }
}

interface Message {
  type: string
  body: Buffer
}

/** The first of a client has no type. */
class Messages {
  #rest: Buffer = Buffer.alloc(0)
  #isBare: boolean

  constructor({ startsBare }: { startsBare: boolean }) {
    this.#isBare = startsBare
  }

  in(data: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, data])
    const messages: Message[] = []
    for (let message = this.#next(); message; message = this.#next()) messages.push(message)
    return messages
  }

  #next(): Message | undefined {
    const head = this.#isBare ? 0 : 1
    if (this.#rest.length < head + 4) return undefined
    const end = head + this.#rest.readUInt32BE(head)
    if (this.#rest.length < end) return undefined
    const message = { type: this.#rest.toString('latin1', 0, head), body: this.#rest.subarray(head + 4, end) }
    this.#rest = this.#rest.subarray(end)
    this.#isBare = false
    return message
  }
}
