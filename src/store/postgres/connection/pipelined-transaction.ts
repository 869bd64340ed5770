/**
 * One database transaction on a reserved connection, pipelined: statements are sent at once and answered in order. Only code
 * that needs an answer waits for it; writes are not awaited before the commit. So independent reads share one round trip
 * with BEGIN, and writes share one with COMMIT.
 */
import type { Clock } from '../../../ports/clock'
import { type ClockWatch, FOLLOWED } from '../../clock-watch'
import { cannotWrite } from '../../failure'
import { CLOCK, SetBackError } from './clock-lock'
import { aborted, CommitLostError, isLost, isTransient, UnbegunError } from './failure'

/** The part of Bun's reserved connection that a transaction needs. */
export interface Wire {
  unsafe(text: string, values?: unknown[]): Query
}

interface Query extends Promise<{ command: string }> {
  values(): Promise<AnsweredRows>
}

/** Rows by position; `count` also says how many a change has changed. */
export type AnsweredRows = unknown[][] & { count: number }

/** The time of a transaction, from what the database said (`stamped`) between two moments of a monotonic clock. */
export type Time = (sighting: { stamped: number; sentAt: number; answeredAt: number }) => number

export interface Identity {
  transaction: string
  /** Number of the database's run since its last crash; after a crash it may give transaction numbers again. */
  life: string
  /** PostgreSQL timeline: after a failover the promoted replica may give the same transaction ids again. */
  timeline: string
}

export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'
const LOOK = `SELECT clock_ms(), pg_current_xact_id()::text, (SELECT life FROM this_life)::text, ${TIMELINE}, ${FOLLOWED}`
/** Held until the end of the transaction: the adjustment to a clock that was set back waits for transactions of the old time. */
const HELD = `FROM (SELECT pg_advisory_xact_lock_shared(${CLOCK}) OFFSET 0) AS held`
const OPENING = `${LOOK} ${HELD}`

export interface PipelineDependencies {
  time: Time
  clock: Pick<Clock, 'elapsed'>
  /** Notices a clock that was set back; absent for the transaction that adjusts to it. */
  watch?: ClockWatch | undefined
}

export class PipelinedTransaction {
  #now: number | undefined
  #stamped: number | undefined
  #identity: Identity | undefined
  /** The first failure; later ones only say that the transaction has failed. */
  #failure: unknown
  #isOver = false
  readonly #opened: Promise<void>

  constructor(
    private readonly wire: Wire,
    { time, clock, watch }: PipelineDependencies,
  ) {
    this.send('BEGIN')
    const sentAt = clock.elapsed()
    const opening = wire.unsafe(watch ? OPENING : LOOK).values()
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

  /** The database's time; known once a query has been answered. */
  get now(): number {
    return known(this.#now)
  }

  /** When the transaction began, by the unadjusted clock of the database; known once `now` is. */
  get stamped(): number {
    return known(this.#stamped)
  }

  /** The database finds the outcome of the transaction by it. */
  get identity(): Identity | undefined {
    return this.#identity
  }

  /** Resolves once `now` is known. */
  opened(): Promise<void> {
    return this.#opened
  }

  async ask(text: string, values: unknown[]): Promise<AnsweredRows> {
    this.#assertOpen()
    const rows = this.wire.unsafe(text, values).values()
    // The commit may learn of a failure before the code that awaits these rows.
    this.#noteFailure(rows)
    try {
      const [answer] = await Promise.all([rows, this.#opened])
      return answer
    } catch (error) {
      return this.fail(error)
    }
  }

  /** A failure shows at the next answer, at the latest at the commit. */
  send(text: string, values: unknown[] = []): void {
    this.#assertOpen()
    this.#noteFailure(this.wire.unsafe(text, values))
  }

  /**
   * Resolves once the transaction is stored and its locks are free. Throws the first failure, `CommitLostError`, or
   * `unavailable` where it is unknown whether the transaction was stored.
   */
  async commit(): Promise<void> {
    // A transaction that has asked for nothing has not yet learnt that it must not be stored.
    await this.#opened
    this.#assertOpen()
    this.#isOver = true
    try {
      const { command } = await this.wire.unsafe('COMMIT')
      if (command === 'COMMIT') return
    } catch (error) {
      // A lost connection also loses the answers to statements sent with the COMMIT.
      if (isLost(error) && (this.#failure === undefined || isLost(this.#failure))) throw new CommitLostError(error)
      // A backend that was terminated while it waited for a synchronous replica has committed here, perhaps not there.
      if (this.#failure === undefined && isTransient(error)) throw cannotWrite(error)
      this.#failure ??= error
    }
    throw this.#failure ?? aborted()
  }

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

  #noteFailure(query: PromiseLike<unknown>): void {
    query.then(
      () => {},
      (error) => {
        this.#failure ??= error
      },
    )
  }
}

function known(moment: number | undefined): number {
  if (moment === undefined)
    throw new Error('The time of a transaction is known once it has asked the database something')
  return moment
}
