/**
 * One transaction on a connection of its own. Statements go out as soon as they are asked for and are answered in order:
 * whoever needs an answer waits for it, and what answers nothing is not waited for before the commit. So reads that do not
 * depend on each other cost one round trip with BEGIN, and writes one with COMMIT.
 */
import type { Clock } from '../../../ports/clock'
import { cannotWrite } from '../../failure'
import { CLOCK, type ClockWatch, FOLLOWED, SetBackError } from './clock-watch'
import { aborted, CommitLostError, isLost, isPassing, UnbegunError } from './failure'

/** The parts of Bun's reserved connection that a transaction needs. */
export interface Wire {
  unsafe(text: string, values?: unknown[]): Query
}

interface Query extends Promise<{ command: string }> {
  values(): Promise<unknown[][]>
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
const HELD = `FROM (SELECT pg_advisory_xact_lock_shared(${CLOCK}) OFFSET 0) AS held`
const OPENING = `${LOOK} ${HELD}`
/** Who has several units in it waits for nobody for long: they would all wait. */
const PATIENCE_MS = 250
const IMPATIENT_OPENING = `${LOOK}, set_config('lock_timeout', '${PATIENCE_MS}', true) ${HELD}`

export interface PipelineDependencies {
  time: Time
  clock: Pick<Clock, 'elapsed'>
  /** Of one that a clock may send back. */
  watch?: ClockWatch | undefined
}

export class PipelinedTransaction {
  #now: number | undefined
  #stamped: number | undefined
  #identity: Identity | undefined
  /** The first that went wrong: what comes after it only says that something has. */
  #failure: unknown
  #isOver = false
  readonly #opened: Promise<void>

  constructor(
    private readonly wire: Wire,
    { time, clock, watch }: PipelineDependencies,
    { isImpatient = false } = {},
  ) {
    this.send('BEGIN')
    const sentAt = clock.elapsed()
    const words = isImpatient ? IMPATIENT_OPENING : OPENING
    const opening = wire.unsafe(watch ? words : LOOK).values()
    this.#opened = opening.then(
      ([row]) => {
        const sighting = { stamped: Number(row?.[0]), sentAt, answeredAt: clock.elapsed() }
        this.#stamped = sighting.stamped
        this.#now = time(sighting)
        this.#identity = { transaction: String(row?.[1]), life: String(row?.[2]), timeline: String(row?.[3]) }
        if (row?.[2] === null) this.fail(new UnbegunError())
        if (watch && watch.setBackMs({ ...sighting, followedMs: Number(row?.[4]) }) > 0) this.fail(new SetBackError())
      },
      (error) => this.fail(error),
    )
    this.#opened.catch(() => {})
  }

  /** By the database's clock; known once something was answered. */
  get now(): number {
    return known(this.#now)
  }

  /** When it began, by the database's clock itself; known as `now` is. */
  get stamped(): number {
    return known(this.#stamped)
  }

  /** By which the database remembers what became of it. */
  get identity(): Identity | undefined {
    return this.#identity
  }

  /** The first that went wrong. */
  get failure(): unknown {
    return this.#failure
  }

  /** Waits until `now` is known. */
  opened(): Promise<void> {
    return this.#opened
  }

  async ask(text: string, values: unknown[]): Promise<unknown[][]> {
    this.#assertOpen()
    const rows = this.wire.unsafe(text, values).values()
    // Whoever awaits it may hear of a failure later than the commit does.
    this.#heed(rows)
    try {
      const [answer] = await Promise.all([rows, this.#opened])
      return answer
    } catch (error) {
      return this.fail(error)
    }
  }

  /** That it went wrong shows at the next answer, at the latest at the commit's. */
  send(text: string, values: unknown[] = []): void {
    this.#assertOpen()
    this.#heed(this.wire.unsafe(text, values))
  }

  /** Once it is stored. Throws what went wrong, `CommitLostError`, or `unavailable` where it may be stored. `hasWritten`: otherwise nobody waits for the end of it. */
  async commit(hasWritten: boolean): Promise<void> {
    // What has asked for nothing has not heard yet that it may not be stored.
    await this.#opened
    this.#assertOpen()
    this.#isOver = true
    if (!hasWritten) return this.#heed(this.wire.unsafe('COMMIT'))
    try {
      const { command } = await this.wire.unsafe('COMMIT')
      if (command === 'COMMIT') return
    } catch (error) {
      // The answers to what went out with it may be lost, too.
      if (isLost(error) && (this.#failure === undefined || isLost(this.#failure))) throw new CommitLostError(error)
      // Whoever was ended while the commit waited for a replica has stored it here, and perhaps not there.
      if (this.#failure === undefined && isPassing(error)) throw cannotWrite(error)
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

  fail(error: unknown): never {
    this.#failure ??= error
    throw this.#failure
  }

  #assertOpen(): void {
    if (this.#isOver) throw new Error('This transaction has ended')
  }

  #heed(query: PromiseLike<unknown>): void {
    query.then(
      () => {},
      (error) => {
        this.#failure ??= error
      },
    )
  }
}

function known(moment: number | undefined): number {
  if (moment === undefined) throw new Error('The time of a unit is known once it has looked at something')
  return moment
}
