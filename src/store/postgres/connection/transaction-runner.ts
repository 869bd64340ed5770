/**
 * Runs transactions. One that lost against another (serialization failure, deadlock, a unique row) is retried. One whose answer
 * to the COMMIT was lost is looked up in the database and never stored twice.
 */
import type { ReservedSQL, SQL } from 'bun'
import { sql } from 'drizzle-orm'
import { Refusal } from '../../../domain/shared/error'
import type { Clock } from '../../../ports/clock'
import type { Tx } from '../../../ports/store'
import type { PoolUsage, StoreTelemetry } from '../../../ports/telemetry'
import type { ClockWatch } from '../../clock-watch'
import { POSTGRES } from '../../dialect'
import { cannotWrite } from '../../failure'
import { openTx, type TxDependencies } from '../../tx'
import { adjustToClock } from '../clock'
import { ClockSetError, SetBackError } from './clock-lock'
import { CommitLostError, isConflict, isTransient, isUnbegun } from './failure'
import { type Identity, PipelinedTransaction, TIMELINE, type Time } from './pipelined-transaction'
import { end, SILENCE_TIMEOUT_MS, wireOf } from './pool'
import { Transaction } from './transaction'

/** After so many runs the caller is told to try again later. */
const MAX_RUNS = 12
const PAUSE_MS = 5
/** How long the outcome of a commit is looked up after its answer was lost. */
const OUTCOME_WITHIN_MS = 10_000
const ASK_AGAIN_MS = 100
/** By so many steps the pauses of losers differ. */
const PAUSE_STEPS = 16

const PROBE = POSTGRES.plain(
  () => sql`INSERT INTO facts (name, value) VALUES ('room', decode(repeat('00', 65536), 'hex'))
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
)

export class TransactionRunner {
  telemetry: StoreTelemetry | undefined
  #begun = 0
  #running = 0
  /** Transactions that wait for a connection. */
  #reserving = 0
  #busyConnections = 0
  #isClosed = false
  #following: Promise<void> | undefined

  constructor(
    private readonly sql: SQL,
    private readonly deps: TxDependencies & {
      time: Time
      watch: ClockWatch
      clock: Pick<Clock, 'elapsed' | 'after'>
    },
    private readonly settingsChanged: () => void,
  ) {}

  /** Answers what `work` answers, once the transaction is stored. Throws what `work` throws, or `unavailable`. */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.session(async (transaction) => {
      const { tx, end } = openTx(transaction, this.deps)
      try {
        return await work(tx)
      } finally {
        end()
      }
    })
  }

  /** The same for what runs statements itself. */
  session<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#run(this.deps.watch, work)
  }

  async #run<T>(watch: ClockWatch | undefined, work: TransactionWork<T>): Promise<T> {
    if (this.#isClosed) throw cannotWrite(undefined)
    this.#running++
    try {
      for (let run = 1; ; run++) {
        const outcome = await this.#once(watch, work)
        if ('effects' in outcome) {
          if (outcome.changesSettings) this.settingsChanged()
          for (const effect of outcome.effects) runEffect(effect)
          return outcome.answer
        }
        this.telemetry?.uncommitted('again')
        if (run === MAX_RUNS) throw cannotWrite(outcome.retryAfter)
        if (outcome.retryAfter instanceof SetBackError) await this.#followClock()
        // The pauses differ, so that the losers do not all retry at the same moment.
        else await this.#pause(PAUSE_MS * run * (1 + (this.#begun++ % PAUSE_STEPS) / PAUSE_STEPS))
      }
    } finally {
      this.#running--
    }
  }

  usage(): Pick<PoolUsage, 'busy' | 'waiting'> {
    return { busy: this.#busyConnections, waiting: this.#reserving }
  }

  /** Writes more than any request does. */
  assertWritable(): Promise<void> {
    return this.#run(this.deps.watch, async (transaction) => transaction.run(PROBE))
  }

  /** Shared by all transactions that have met the clock that was set back. */
  #followClock(): Promise<void> {
    const follow = (transaction: Transaction) => adjustToClock(transaction, this.deps)
    this.#following ??= this.#run(undefined, follow).finally(() => {
      this.#following = undefined
    })
    return this.#following
  }

  /** Refuses new transactions and waits for those that run. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running > 0) await this.#pause(PAUSE_MS)
  }

  async #once<T>(watch: ClockWatch | undefined, work: TransactionWork<T>): Promise<TransactionOutcome<T>> {
    const { elapsed, after } = this.deps.clock
    const askedAt = elapsed()
    this.#reserving++
    const connection = await this.#reserve().finally(() => {
      this.#reserving--
    })
    const waitedMs = elapsed() - askedAt
    this.#busyConnections++
    const cancel = after(SILENCE_TIMEOUT_MS, () => end(connection))
    const pipeline = new PipelinedTransaction(wireOf(connection), { ...this.deps, watch })
    const transaction = new Transaction(pipeline)
    try {
      const answer = await work(transaction)
      const commitAt = elapsed()
      await this.#settleCommit(transaction.commit(), pipeline)
      this.telemetry?.committed(1, waitedMs, elapsed() - commitAt)
      return { effects: transaction.effects, changesSettings: transaction.changesSettings, answer }
    } catch (error) {
      await pipeline.rollback()
      if (isRetryable(error) || (await beginsLife(connection, error))) return { retryAfter: error }
      if (isTransient(error instanceof Refusal ? error.cause : error)) this.telemetry?.uncommitted('failed')
      throw isTransient(error) ? cannotWrite(error) : error
    } finally {
      cancel()
      this.#busyConnections--
      connection.release()
    }
  }

  /**
   * Waits for a commit. If its answer was lost, the database is asked by the transaction's number, unless a replica has been
   * promoted in the meantime. Throws `unavailable` where the outcome stays unknown.
   */
  async #settleCommit(commit: Promise<void>, pipeline: PipelinedTransaction): Promise<void> {
    try {
      await commit
    } catch (lost) {
      if (!(lost instanceof CommitLostError)) throw lost
      const { elapsed } = this.deps.clock
      const until = elapsed() + OUTCOME_WITHIN_MS
      while (elapsed() < until) {
        const outcome = await this.#outcomeOf(pipeline.identity).catch((error) => void beginsLife(this.sql, error))
        if (outcome === 'committed') return
        if (outcome === 'aborted') throw lost
        if (outcome === 'unknown') break
        await this.#pause(ASK_AGAIN_MS)
      }
      throw cannotWrite(lost)
    }
  }

  /** Undefined while the commit is in progress, or while the database cannot be asked. */
  async #outcomeOf(identity: Identity | undefined): Promise<'committed' | 'aborted' | 'unknown' | undefined> {
    if (!identity) return 'unknown'
    const [row] = await this.sql
      .unsafe(`SELECT outcome_of($1::text::xid8, $2::text::bigint), ${TIMELINE}`, [identity.transaction, identity.life])
      .values()
    const [status, timeline] = row ?? []
    if (timeline !== identity.timeline) return 'unknown'
    return status === 'in progress' ? undefined : (status ?? 'unknown')
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.deps.clock.after(ms, resolve))
  }

  async #reserve(): Promise<ReservedSQL> {
    try {
      return await this.sql.reserve()
    } catch (error) {
      throw cannotWrite(error)
    }
  }
}

const isRetryable = (error: unknown) =>
  isConflict(error) || [SetBackError, ClockSetError, CommitLostError].some((kind) => error instanceof kind)

/**
 * Whether the transaction failed only because the database's recovery from a crash was not noted yet. It notes that on its own
 * connection, because all others may be waiting for one, too.
 */
async function beginsLife(sql: SQL, error: unknown): Promise<boolean> {
  if (!isUnbegun(error)) return false
  await sql.unsafe('SELECT begin_life()').catch(() => {})
  return true
}

type TransactionWork<T> = (transaction: Transaction) => Promise<T>

/** `retryAfter`: the error after which the transaction runs again. */
type TransactionOutcome<T> =
  | { answer: T; effects: ReadonlyArray<() => void>; changesSettings: boolean }
  | { retryAfter: unknown }

/** An effect that throws must not keep other callers from their answers, and must not go unnoticed. */
function runEffect(effect: () => void): void {
  try {
    effect()
  } catch (defect) {
    queueMicrotask(() => {
      throw defect
    })
  }
}
