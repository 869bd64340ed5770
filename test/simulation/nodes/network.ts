/**
 * What is between a server and the database. Statements wait here until they are sent, and answers until they arrive; the
 * simulation says which is next. Whoever is cut off learns nothing of what was under way, and some of it still arrives.
 */
import type { ReservedSQL, SQL } from 'bun'
import type { connect } from '../../../src/store/postgres/connection/pool'
import type { SeededRandom } from '../../support/random'
import { type Answer, type Backend, type Engine, type Question, saidByPostgres } from './engine'

interface Statement extends Question {
  tell(answer: Answer): void
}

/** What may happen next, and what to call it. */
export interface Happening {
  /** Of many that could happen one does, so a name is made when it is written down. */
  name(): string
  happen(): Promise<void> | void
}

/** PostgreSQL ends what waits for so long, and who says nothing within a transaction: src/store/postgres/connection/pool.ts. */
const STATEMENT_TIMEOUT_MS = 15_000
const IDLE_IN_UNIT_MS = 20_000

/** As Bun says it. */
const closed = () =>
  Object.assign(new Error('Connection closed'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED', name: 'PostgresError' })
const endedAsIdle = () => saidByPostgres('25P03', 'terminating connection due to idle-in-transaction timeout')
const endedAsImpatient = () => saidByPostgres('55P03', 'canceling statement due to lock timeout')

/** How long the statements of a transaction wait for locks. PostgreSQL would count that by its own clock, so it is not told. */
const PATIENCE = /set_config\('lock_timeout', '(\d+)', true\)/

interface Way {
  engine: Engine
  elapsed: () => number
  random: SeededRandom
}

interface ConnectionDependencies extends Way {
  /** Called when the two have lost each other, with how many requests were just being counted. */
  lost: (requests: number) => void
}

/** Something goes wrong just when this is asked; a commit of what was only read is none. */
export interface Strike {
  words: RegExp
  strike: (connection: Connection) => void
}

/** As the server has it and as the database has it: when they have lost each other, either goes on for a while. */
export class Connection {
  #waiting: Statement[] = []
  #running: Statement | undefined
  /** Answers on their way back, oldest first. */
  #answers: Array<() => void> = []
  /** Not told yet, oldest first. */
  #asked: Statement[] = []
  #backend: Backend | undefined
  #isInTransaction = false
  /** Of the transaction. */
  #patienceMs = Number.POSITIVE_INFINITY
  /** Since when the database has been waiting for us, or we for a lock. */
  #idleSince = 0
  /** What the server is told from now on. */
  #end: (() => unknown) | undefined
  #isOver = false
  /** Until then nothing goes either way. */
  #stalledUntil = 0
  isReserved = false
  /** Called when nothing is under way on it any more. */
  idle = () => {}
  /** In this transaction. */
  hasWritten = false

  constructor(
    readonly name: string,
    private readonly deps: ConnectionDependencies,
  ) {}

  get load(): number {
    return this.#asked.length
  }

  /** The server has none of it any more, or the database. */
  get isEnded(): boolean {
    return this.#end !== undefined
  }

  /** Neither has anything to do with it any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  ask(question: Omit<Question, 'isOfValues'>): Promise<unknown> & { values(): Promise<unknown> } {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const tell = (answer: Answer) => ('error' in answer ? reject(answer.error) : resolve(answer.rows))
    const statement: Statement = { ...question, isOfValues: false, tell }
    this.hasWritten = question.text !== 'BEGIN' && (this.hasWritten || WRITES.test(question.text))
    if (this.#end) tell({ error: this.#end() })
    else {
      this.#waiting.push(statement)
      this.#asked.push(statement)
    }
    const values = () => {
      statement.isOfValues = true
      return promise
    }
    return Object.assign(promise, { values })
  }

  happenings(): Happening[] {
    if (this.deps.elapsed() < this.#stalledUntil) return []
    const [statement] = this.#waiting
    const [answer] = this.#answers
    const found: Happening[] = []
    if (statement && !this.#running)
      found.push({ name: () => `${this.name} ${wordsOf(statement)}`, happen: () => this.#send(statement) })
    if (answer) found.push({ name: () => `${this.name} hears`, happen: () => this.#hear(answer) })
    if (this.#end && !statement && !this.#running && !this.#isOver)
      found.push({ name: () => `${this.name} is over`, happen: () => this.#giveUp() })
    return found
  }

  /** The server has lost it, or ended it. `isTold`: it lives to see that. */
  cut(isTold = true): void {
    if (this.#end) return
    this.#end = closed
    this.deps.lost(this.#asked.filter(({ text }) => text.includes('count_one(')).length)
    // What was under way may still arrive, all of it or some.
    const { chance, below } = this.deps.random
    if (chance(0.5)) this.#waiting = this.#waiting.slice(0, below(this.#waiting.length + 1))
    this.#tellAll(isTold)
  }

  stall(forMs: number): void {
    this.#stalledUntil = this.deps.elapsed() + forMs
  }

  /** What the database does by itself. */
  async timePasses(): Promise<void> {
    const { engine, elapsed } = this.deps
    const idleMs = elapsed() - this.#idleSince
    if (this.#running && this.#backend && idleMs >= this.#patienceMs)
      await engine.cancel(this.#backend, endedAsImpatient())
    else if (this.#running && this.#backend && idleMs >= STATEMENT_TIMEOUT_MS) await engine.cancel(this.#backend)
    else if (this.#isInTransaction && !this.#running && !this.#isOver && idleMs >= IDLE_IN_UNIT_MS) {
      const isKnown = this.#end !== undefined
      this.#end ??= endedAsIdle
      this.#waiting = []
      if (!isKnown) this.#tellAll(true)
      await this.#giveUp()
    }
  }

  #tellAll(isTold: boolean): void {
    const error = this.#end?.()
    for (const { tell } of this.#asked.splice(0)) if (isTold) tell({ error })
    this.#answers = []
    this.idle()
  }

  async #send(statement: Statement): Promise<void> {
    const { engine, elapsed } = this.deps
    this.#waiting.shift()
    this.#running = statement
    this.#idleSince = elapsed()
    this.#backend ??= await engine.connection()
    this.#patienceMs = Number(PATIENCE.exec(statement.text)?.[1] ?? this.#patienceMs)
    const text = statement.text.replace(PATIENCE, "set_config('lock_timeout', '0', true)")
    await engine.ask(this.#backend, { ...statement, text }, (answer) => {
      this.#running = undefined
      this.#idleSince = elapsed()
      const isInTransaction = inTransactionAfter(statement.text)
      if (isInTransaction !== undefined) this.#patienceMs = Number.POSITIVE_INFINITY
      this.#isInTransaction = isInTransaction ?? this.#isInTransaction
      if (!this.#end) this.#answers.push(() => statement.tell(answer))
    })
  }

  #hear(answer: () => void): void {
    this.#answers.shift()
    this.#asked.shift()
    answer()
    if (this.#asked.length === 0) this.idle()
  }

  async #giveUp(): Promise<void> {
    this.#isOver = true
    this.#isInTransaction = false
    const backend = this.#backend
    this.#backend = undefined
    if (backend) await this.deps.engine.giveBack(backend)
  }
}

const WRITES = /^(insert|update|delete)/i

const inTransactionAfter = (text: string) => ({ BEGIN: true, COMMIT: false, ROLLBACK: false })[text]

/** Enough to recognize it by. */
const wordsOf = ({ text }: Statement) => text.slice(0, 200).replace(/\s+/g, ' ').slice(0, 60)

/** The way of one server to the database. */
export class Link {
  #connections: Connection[] = []
  #made = 0
  /** New connections are refused. */
  isCut = false
  /** Nothing goes either way. */
  isStalled = false
  /** Requests whose counting was under way on a connection that was lost: each is counted again. */
  readonly countedTwice: Array<{ at: number; requests: number }> = []
  strike: Strike | undefined
  #isDead = false

  constructor(
    readonly name: string,
    private readonly deps: Way & {
      /** A planted bug may ask for something else. */
      twist: (question: Omit<Question, 'isOfValues'>) => Omit<Question, 'isOfValues'>
    },
  ) {}

  happenings(): Happening[] {
    return this.isStalled ? [] : this.#connections.flatMap((connection) => connection.happenings())
  }

  async timePasses(): Promise<void> {
    for (const connection of this.#connections) await connection.timePasses()
    this.#connections = this.#connections.filter(({ isOver }) => !isOver)
  }

  /** The server is gone from one moment to the next. */
  die(): void {
    this.#isDead = true
    this.isStalled = false
    for (const connection of this.#connections) connection.cut(false)
  }

  cutAll(): void {
    for (const connection of this.#connections) connection.cut()
  }

  cutOne(): void {
    this.#one()?.cut()
  }

  stallOne(forMs: number): void {
    this.#one()?.stall(forMs)
  }

  /** On which something is under way. */
  #one(): Connection | undefined {
    return this.deps.random.pick(this.#connections.filter(({ isEnded, load }) => !isEnded && load > 0))
  }

  /** In place of Bun's own: as many connections, and the same words for what goes wrong. */
  readonly connect: typeof connect = ({ size }) => {
    const pool = new Pool(size, () => this.#open())
    const asked = (text: string, values: unknown[] = []) => this.#ask(() => pool.shared(), text, values)
    const tagged = (strings: TemplateStringsArray, ...values: unknown[]) => asked(joined(strings), values)
    const reserve = async () => this.#reserved(pool, this.#isDead ? await never() : await pool.reserve())
    const close = async () => pool.close()
    return Object.assign(tagged, { unsafe: asked, reserve, close }) as unknown as SQL
  }

  #reserved(pool: Pool, connection: Connection): ReservedSQL {
    const unsafe = (text: string, values: unknown[] = []) => this.#ask(() => connection, text, values)
    const tagged = (strings: TemplateStringsArray, ...values: unknown[]) => unsafe(joined(strings), values)
    const close = async () => connection.cut()
    return Object.assign(tagged, {
      ...{ unsafe, close, release: () => pool.release(connection) },
    }) as unknown as ReservedSQL
  }

  #ask(where: () => Connection | undefined, text: string, values: unknown[]) {
    if (this.#isDead) return silence()
    const connection = where()
    if (!connection) return refusal()
    const answer = connection.ask(this.deps.twist({ text, values }))
    const { strike } = this
    if (strike?.words.test(text) && (text !== 'COMMIT' || connection.hasWritten)) {
      this.strike = undefined
      strike.strike(connection)
    }
    return answer
  }

  #open(): Connection | undefined {
    if (this.isCut) return undefined
    const lost = (requests: number) => {
      this.countedTwice.push({ at: this.deps.elapsed(), requests })
    }
    const connection = new Connection(`${this.name}.${++this.#made}`, { ...this.deps, lost })
    this.#connections.push(connection)
    return connection
  }
}

/** Connections of one kind. */
class Pool {
  #connections: Connection[] = []
  readonly #waiting: Array<PromiseWithResolvers<Connection>> = []

  constructor(
    private readonly size: number,
    private readonly open: () => Connection | undefined,
  ) {}

  /** One that is free, or a new one; else the one with the least to do. Undefined where none can be made. */
  shared(): Connection | undefined {
    const free = this.#alive().filter(({ isReserved }) => !isReserved)
    const idle = free.find(({ load }) => load === 0) ?? this.#another()
    return idle ?? free.toSorted((a, b) => a.load - b.load)[0]
  }

  async reserve(): Promise<Connection> {
    const free = this.#alive().find(({ isReserved, load }) => !isReserved && load === 0)
    const found = free ?? this.#another()
    if (found) {
      found.isReserved = true
      return found
    }
    if (this.#alive().length < this.size) throw closed()
    const waiting = Promise.withResolvers<Connection>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  release(connection: Connection): void {
    connection.isReserved = false
    this.#serveNext()
  }

  #serveNext(): void {
    const next = this.#waiting.shift()
    if (!next) return
    // A waiter that gets no connection gives none back, so the next one has to be served here.
    this.reserve().then(next.resolve, (error) => {
      next.reject(error)
      this.#serveNext()
    })
  }

  close(): void {
    for (const connection of this.#connections) connection.cut()
  }

  #alive(): Connection[] {
    this.#connections = this.#connections.filter(({ isEnded }) => !isEnded)
    return this.#connections
  }

  #another(): Connection | undefined {
    const connection = this.#alive().length < this.size ? this.open() : undefined
    if (!connection) return undefined
    this.#connections.push(connection)
    // One that was given back may still have had to hear of the end of its transaction.
    connection.idle = () => {
      if (!connection.isReserved) this.#serveNext()
    }
    return connection
  }
}

const joined = (strings: TemplateStringsArray) =>
  strings.reduce((text, part, index) => (index === 0 ? part : `${text}$${index}${part}`), '')

const never = () => new Promise<never>(() => {})

/** What somebody hears who is no more. */
const silence = () => Object.assign(never(), { values: never })

const refusal = () => {
  const refused = Promise.reject(closed())
  refused.catch(() => {})
  return Object.assign(refused, { values: () => refused })
}
