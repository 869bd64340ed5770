/**
 * One transaction on a connection of its own. Statements go out as soon as they are asked for and are answered in order:
 * whoever needs an answer waits for it, and what answers nothing is not waited for before the commit. So reads that do not
 * depend on each other cost one round trip with BEGIN, and writes one with COMMIT. New rows wait for what follows them.
 */
import type { Clock } from '../../ports/clock'
import type { HashCover } from '../../ports/vault'
import { Additions } from './additions'
import { CLOCK, type ClockWatch, FOLLOWED, SetBackError } from './clock-watch'
import { aborted, CommitLostError, isLost, UnbegunError } from './failure'
import type { Statement, Values } from './statement'

/** The parts of Bun's reserved connection that a unit needs. */
export interface Wire {
  unsafe(text: string, values?: unknown[]): Query
}

interface Query extends Promise<{ command: string }> {
  values(): Promise<unknown[][]>
}

/** What is asked; units and readers answer it. */
export interface Asked {
  all<Row>(statement: Statement<Row>, values?: Values): Promise<Row[]>
  get<Row>(statement: Statement<Row>, values?: Values): Promise<Row | undefined>
}

/** What time it is for a unit, by what the database says; moments are of a clock that never steps. */
export type Time = (sighting: { stamped: number; sentAt: number; answeredAt: number }) => number

export interface Identity {
  transaction: string
  /** Of the database's lives between crashes: another one gives some numbers anew. */
  life: string
  /** Of the database's history: another one, when a replica has taken over, gives the same ids anew. */
  timeline: string
}

export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'
const LOOK = `SELECT clock_ms(), pg_current_xact_id()::text, (SELECT life FROM this_life)::text, ${TIMELINE}, ${FOLLOWED}`
/** Its time stays that of the database until it ends: whoever follows a clock that was set back waits for it. */
const OPENING = `${LOOK} FROM (SELECT pg_advisory_xact_lock_shared(${CLOCK}) OFFSET 0) AS held`

interface UnitDependencies {
  time: Time
  clock: Pick<Clock, 'elapsed'>
  watch?: ClockWatch | undefined
  vault: { cover: HashCover }
}

export class Unit implements Asked {
  #now: number | undefined
  #stamped: number | undefined
  #identity: Identity | undefined
  /** The first that went wrong: what comes after it only says that something has. */
  #failure: unknown
  #hasWritten = false
  #isOver = false
  readonly #opened: Promise<void>
  readonly #additions: Additions
  readonly cover: HashCover
  readonly #last: Array<() => void> = []
  readonly #effects: Array<() => void> = []
  readonly #memory = new Map<string, Promise<unknown>>()
  changesSettings = false

  /** `slot`: which part of what wallets have set aside it takes from. `watch`: of a unit that a clock may send back. */
  constructor(
    private readonly wire: Wire,
    readonly slot: number,
    { time, clock, watch, vault }: UnitDependencies,
  ) {
    this.cover = vault.cover.steady()
    this.#additions = new Additions(this.cover)
    this.#send(wire.unsafe('BEGIN'))
    const sentAt = clock.elapsed()
    const opening = wire.unsafe(watch ? OPENING : LOOK).values()
    this.#opened = opening.then(
      ([row]) => {
        const sighting = { stamped: Number(row?.[0]), sentAt, answeredAt: clock.elapsed() }
        this.#stamped = sighting.stamped
        this.#now = time(sighting)
        this.#identity = { transaction: String(row?.[1]), life: String(row?.[2]), timeline: String(row?.[3]) }
        if (row?.[2] === null) this.#fail(new UnbegunError())
        if (watch && watch.setBackMs({ ...sighting, followedMs: Number(row?.[4]) }) > 0) this.#fail(new SetBackError())
      },
      (error) => this.#fail(error),
    )
    this.#opened.catch(() => {})
  }

  /** By the database's clock; known once a door has answered. */
  get now(): number {
    if (this.#now === undefined) throw new Error('The time of a unit is known once it has looked at something')
    return this.#now
  }

  /** When it began, by the database's clock itself; known as `now` is. */
  get stamped(): number {
    if (this.#stamped === undefined) throw new Error('The time of a unit is known once it has looked at something')
    return this.#stamped
  }

  /** By which the database remembers what became of it. */
  get identity(): Identity | undefined {
    return this.#identity
  }

  /** What is to happen once it is stored. */
  get effects(): ReadonlyArray<() => void> {
    return this.#effects
  }

  /** Waits until `now` is known. */
  opened(): Promise<void> {
    return this.#opened
  }

  async all<Row>(statement: Statement<Row>, values: Values = {}): Promise<Row[]> {
    this.#assertOpen()
    this.#sendAdditions()
    const rows = this.wire.unsafe(statement.text, statement.bind(values, this.cover)).values()
    // Whoever awaits it may hear of a failure later than the commit does.
    this.#send(rows)
    try {
      const [answer] = await Promise.all([rows, this.#opened])
      return answer.map((row) => statement.read(row, this.cover))
    } catch (error) {
      return this.#fail(error)
    }
  }

  async get<Row>(statement: Statement<Row>, values: Values = {}): Promise<Row | undefined> {
    return (await this.all(statement, values))[0]
  }

  /** Asked once in this unit; what changes the answer calls `forget`. */
  once<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#memory.get(name)
    if (known) return known as Promise<Answer>
    const asked = ask()
    // Whoever asked ahead may never need it.
    asked.catch(() => {})
    this.#memory.set(name, asked)
    return asked
  }

  /** Notes what is known without asking. */
  note<Answer>(name: string, answer: Answer): void {
    this.#memory.set(name, Promise.resolve(answer))
  }

  knows(name: string): boolean {
    return this.#memory.has(name)
  }

  forget(name: string): void {
    this.#memory.delete(name)
  }

  /** Changes something; that it went wrong shows at the next answer, at the latest at the commit's. */
  run(statement: Statement<unknown>, values: Values = {}): void {
    this.#assertOpen()
    this.#hasWritten = true
    if (statement.isAddition) this.#add(statement, values)
    else {
      this.#sendAdditions()
      this.#send(this.wire.unsafe(statement.text, statement.bind(values, this.cover)))
    }
  }

  /** The same, with an answer: which rows were changed. */
  change<Row>(statement: Statement<Row>, values: Values = {}): Promise<Row[]> {
    this.#hasWritten = true
    return this.all(statement, values)
  }

  /** At the very end, so that a lock everybody wants is held for the commit only. */
  last(statement: Statement<unknown>, values: Values = {}): void {
    this.#hasWritten = true
    this.#last.push(() => this.run(statement, values))
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect)
  }

  /** Answers what is to happen once it is stored: now. Throws what went wrong, or `CommitLostError`. */
  async commit(): Promise<ReadonlyArray<() => void>> {
    // What has asked for nothing has not heard yet that it may not be stored.
    await this.#opened
    if (!this.#hasWritten) {
      // Nothing to store: nobody waits for the end of it.
      this.#isOver = true
      this.#send(this.wire.unsafe('COMMIT'))
      return this.#effects
    }
    for (const run of this.#last) run()
    this.#sendAdditions()
    this.#isOver = true
    try {
      const { command } = await this.wire.unsafe('COMMIT')
      if (command === 'COMMIT') return this.#effects
    } catch (error) {
      // The answers to what went out with it may be lost, too.
      if (isLost(error) && (this.#failure === undefined || isLost(this.#failure))) throw new CommitLostError(error)
      this.#failure ??= error
    }
    throw this.#failure ?? aborted()
  }

  /** Nothing of it is stored, and nothing is locked any more. */
  async rollback(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.wire.unsafe('ROLLBACK').catch(() => {})
  }

  #assertOpen(): void {
    if (this.#isOver) throw new Error('This transaction has ended')
  }

  #add(statement: Statement<unknown>, values: Values): void {
    this.#additions.add(statement, values)
    if (this.#additions.isFull) this.#sendAdditions()
  }

  #sendAdditions(): void {
    const added = this.#additions.take()
    if (added) this.#send(this.wire.unsafe(added.text, added.values))
  }

  #send(query: PromiseLike<unknown>): void {
    query.then(
      () => {},
      (error) => {
        this.#failure ??= error
      },
    )
  }

  #fail(error: unknown): never {
    this.#failure ??= error
    throw this.#failure
  }
}
