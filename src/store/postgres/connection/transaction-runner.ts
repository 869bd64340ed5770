/**
 * Runs transactions. One that lost against another (serialization failure, deadlock, a unique row) is retried. One whose answer
 * to the COMMIT was lost is looked up in the database and never stored twice.
 */
import type { ReservedSQL, SQL } from 'bun'
import { Refusal } from '../../../domain/shared/error'
import { tooLittleCredit } from '../../../domain/wallet/wallet'
import type { Clock } from '../../../ports/clock'
import type { TransactionOptions, Tx } from '../../../ports/store'
import type { PoolUsage, StoreTelemetry } from '../../../ports/telemetry'
import type { ClockWatch } from '../../clock-watch'
import { cannotWrite, openTx } from '../../failure'
import { BatchedTransaction, type Participant, RunAloneError } from '../batching/batched-transaction'
import { adjustToClock } from '../clock'
import { ClockSetError, SetBackError } from './clock-lock'
import { CommitLostError, isConflict, isTransient, isUnbegun, noCreditIn } from './failure'
import { type Identity, PipelinedTransaction, TIMELINE, type Time } from './pipelined-transaction'
import { end, SILENCE_TIMEOUT_MS, wireOf } from './pool'
import { plain } from './statement'
import type { Transaction } from './transaction'
import { SingleTransaction } from './transaction'
import { createTx, type TxDependencies } from './tx'

/** After so many runs the caller is told to try again later. */
const MAX_RUNS = 12
const PAUSE_MS = 5
/** How long the outcome of a commit is looked up after its answer was lost. */
const OUTCOME_WITHIN_MS = 10_000
const ASK_AGAIN_MS = 100
/** The slots into which the reserved credit of a wallet is divided. */
const SLOTS = 16
/** Participants of a batch at most: if one fails in the database, all of them run again. */
const MAX_BATCH = 8
/** One batch runs at a time for so many connections: while it runs, others gather for the next, which makes that cheaper. */
const CONNECTIONS_PER_BATCH = 4
/** How long an app that lacked credit stays out of batches, which would fail with it. */
const NO_CREDIT_MS = 10_000

const PROBE = plain(
  `INSERT INTO facts (name, value) VALUES ('room', decode(repeat('00', 65536), 'hex'))
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  () => [],
)

export class TransactionRunner {
  telemetry: StoreTelemetry | undefined
  #begun = 0
  #running = 0
  /** Single transactions that wait for a connection. */
  #reserving = 0
  #busyConnections = 0
  #isClosed = false
  #following: Promise<void> | undefined
  /** Transactions that wait for the next batch, in the order in which they came. */
  readonly #waiting: WaitingTransaction[] = []
  /** Batches that run or wait for a connection. */
  #batches = 0
  /** Apps that lacked credit, and until when they stay out of batches. */
  readonly #withoutCredit = new Map<string, number>()

  constructor(
    private readonly sql: SQL,
    private readonly deps: TxDependencies & {
      /** The number of connections. */
      size: number
      /** Whether transactions with `mayShare` are batched. */
      batches: boolean
      time: Time
      watch: ClockWatch
      clock: Pick<Clock, 'elapsed' | 'after'>
    },
    private readonly settingsChanged: () => void,
  ) {}

  /** Answers what `work` answers, once the transaction is stored. Throws what `work` throws, or `unavailable`. */
  run<T>(work: (tx: Tx) => Promise<T>, { mayShare = false }: TransactionOptions = {}): Promise<T> {
    const withTx = async (transaction: Transaction) => {
      const { tx, end } = openTx(createTx(transaction, this.deps))
      try {
        return await work(tx)
      } finally {
        end()
      }
    }
    return this.#run((run) =>
      mayShare && this.deps.batches && run === 1 ? this.#inBatch(withTx) : this.#single(this.deps.watch, withTx),
    )
  }

  async #run<T>(once: (run: number) => Promise<TransactionOutcome<T>>): Promise<T> {
    if (this.#isClosed) throw cannotWrite(undefined)
    this.#running++
    try {
      for (let run = 1; ; run++) {
        const outcome = await once(run)
        if ('effects' in outcome) {
          if (outcome.changesSettings) this.settingsChanged()
          for (const effect of outcome.effects) runEffect(effect)
          return outcome.answer
        }
        if (outcome.retryAfter instanceof RunAloneError) continue
        this.telemetry?.uncommitted('again')
        if (run === MAX_RUNS) throw cannotWrite(outcome.retryAfter)
        if (outcome.retryAfter instanceof SetBackError) await this.#followClock()
        // The pauses differ, so that the losers do not all retry at the same moment.
        else await this.#pause(PAUSE_MS * run * (1 + (this.#begun % SLOTS) / SLOTS))
      }
    } finally {
      this.#running--
    }
  }

  usage(): Pick<PoolUsage, 'busy' | 'waiting'> {
    return { busy: this.#busyConnections, waiting: this.#reserving + this.#waiting.length }
  }

  /** Writes more than any request does. */
  assertWritable(): Promise<void> {
    return this.#run(() => this.#single(this.deps.watch, async (transaction) => transaction.run(PROBE)))
  }

  /** Shared by all transactions that have met the clock that was set back. */
  #followClock(): Promise<void> {
    const follow = (transaction: Transaction) => adjustToClock(transaction, this.deps)
    this.#following ??= this.#run(() => this.#single(undefined, follow)).finally(() => {
      this.#following = undefined
    })
    return this.#following
  }

  /** Refuses new transactions and waits for those that run. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running > 0) await this.#pause(PAUSE_MS)
  }

  async #single<T>(watch: ClockWatch | undefined, work: TransactionWork<T>): Promise<TransactionOutcome<T>> {
    const askedAt = this.deps.clock.elapsed()
    this.#reserving++
    const connection = await this.#reserve().finally(() => {
      this.#reserving--
    })
    return this.#on(connection, (pipeline) => this.#runSingle(connection, pipeline, work, askedAt), { watch })
  }

  /** Runs in the next batch. */
  #inBatch<T>(work: TransactionWork<T>): Promise<TransactionOutcome<T>> {
    const outcome = Promise.withResolvers<TransactionOutcome<T>>()
    this.#waiting.push({ work, outcome: outcome as PromiseWithResolvers<TransactionOutcome<unknown>> })
    if (this.#batches < Math.max(1, Math.floor(this.deps.size / CONNECTIONS_PER_BATCH))) void this.#startBatch()
    return outcome.promise
  }

  /** Runs the transactions that have come until a connection is free. */
  async #startBatch(): Promise<void> {
    this.#batches++
    const askedAt = this.deps.clock.elapsed()
    let batch: WaitingTransaction[] = []
    try {
      const connection = await this.#reserve()
      batch = this.#waiting.splice(0, MAX_BATCH)
      await this.#runWaiting(connection, batch, askedAt)
    } catch (error) {
      for (const { outcome } of batch.length > 0 ? batch : this.#waiting.splice(0)) outcome.reject(error)
    } finally {
      this.#batches--
      if (this.#waiting.length > 0) void this.#startBatch()
    }
  }

  /** A single transaction needs no batch. */
  async #runWaiting(connection: ReservedSQL, batch: readonly WaitingTransaction[], askedAt: number): Promise<void> {
    const { watch } = this.deps
    const [first, ...others] = batch
    if (!first) connection.release()
    else if (others.length > 0)
      await this.#on(connection, (pipeline) => this.#runBatch(pipeline, batch, askedAt), { watch, isBatch: true })
    else
      first.outcome.resolve(
        await this.#on(connection, (pipeline) => this.#runSingle(connection, pipeline, first.work, askedAt), { watch }),
      )
  }

  async #on<T>(
    connection: ReservedSQL,
    use: (pipeline: PipelinedTransaction) => Promise<T>,
    { watch, isBatch = false }: { watch: ClockWatch | undefined; isBatch?: boolean },
  ): Promise<T> {
    this.#busyConnections++
    const cancel = this.deps.clock.after(SILENCE_TIMEOUT_MS, () => end(connection))
    try {
      return await use(new PipelinedTransaction(wireOf(connection), { ...this.deps, watch }, { isBatch }))
    } finally {
      cancel()
      this.#busyConnections--
      connection.release()
    }
  }

  async #runSingle<T>(
    connection: ReservedSQL,
    pipeline: PipelinedTransaction,
    work: TransactionWork<T>,
    askedAt: number,
  ): Promise<TransactionOutcome<T>> {
    const { elapsed } = this.deps.clock
    const waitedMs = elapsed() - askedAt
    const transaction = new SingleTransaction(pipeline, this.#nextSlot())
    try {
      const answer = await work(transaction)
      const commitAt = elapsed()
      await this.#settleCommit(transaction.commit(), pipeline)
      this.telemetry?.committed(1, waitedMs, elapsed() - commitAt)
      return stored(transaction, answer)
    } catch (error) {
      await pipeline.rollback()
      if (isRetryable(error) || (await beginsLife(connection, error))) return { retryAfter: error }
      if (isTransient(error instanceof Refusal ? error.cause : error)) this.telemetry?.uncommitted('failed')
      if (noCreditIn(error)) this.#noteNoCredit(transaction)
      throw translated(error)
    }
  }

  /** Participants that throw or have written nothing are answered at once; the others after the commit. */
  async #runBatch(
    pipeline: PipelinedTransaction,
    waiting: readonly WaitingTransaction[],
    askedAt: number,
  ): Promise<void> {
    const { elapsed } = this.deps.clock
    const waitedMs = elapsed() - askedAt
    const batch = new BatchedTransaction(pipeline, {
      slot: this.#nextSlot(),
      lacksCredit: (appId) => this.#lacksCredit(appId),
    })
    const done = await Promise.all(waiting.map((one) => finished(one, batch.join(), pipeline)))
    const writing = done.filter((one) => one !== undefined)
    try {
      const commitAt = elapsed()
      batch.write(writing.map(({ participant }) => participant))
      await this.#settleCommit(pipeline.commit(writing.length > 0), pipeline)
      if (writing.length > 0) this.telemetry?.committed(writing.length, waitedMs, elapsed() - commitAt)
      for (const { outcome, participant, answer } of writing) outcome.resolve(stored(participant, answer))
    } catch (error) {
      await pipeline.rollback()
      // Each participant runs again alone, where its own error shows; where the outcome is unknown, none of them does.
      const mayBeStored = error instanceof Refusal
      for (const { outcome } of writing) mayBeStored ? outcome.reject(error) : outcome.resolve({ retryAfter: error })
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

  #nextSlot(): number {
    return this.#begun++ % SLOTS
  }

  #noteNoCredit({ lastWrites }: Transaction): void {
    for (const { values } of lastWrites)
      this.#withoutCredit.set(String(values.appId), this.deps.clock.elapsed() + NO_CREDIT_MS)
  }

  #lacksCredit(appId: string): boolean {
    const until = this.#withoutCredit.get(appId)
    if (until === undefined) return false
    if (until > this.deps.clock.elapsed()) return true
    this.#withoutCredit.delete(appId)
    return false
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

interface Stored<T> {
  answer: T
  effects: ReadonlyArray<() => void>
  changesSettings: boolean
}

/** `retryAfter`: the error after which the transaction runs again. */
type TransactionOutcome<T> = Stored<T> | { retryAfter: unknown }

/** A transaction that waits for the next batch. */
interface WaitingTransaction {
  work: TransactionWork<unknown>
  outcome: PromiseWithResolvers<TransactionOutcome<unknown>>
}

const stored = <T>({ changesSettings, effects }: Transaction, answer: T): Stored<T> => ({
  answer,
  effects,
  changesSettings,
})

/** Runs one participant; answers what is to be stored, or undefined where it is answered already. */
async function finished(
  { work, outcome }: WaitingTransaction,
  participant: Participant,
  pipeline: PipelinedTransaction,
) {
  try {
    const answer = await work(participant).finally(() => {
      participant.hasEnded = true
    })
    await pipeline.opened()
    if (participant.left) throw participant.left
    if (participant.hasWritten) return { outcome, participant, answer }
    outcome.resolve(stored(participant, answer))
  } catch (error) {
    // A failure in the database fails the whole batch.
    if (participant.left || pipeline.failure !== undefined || isRetryable(error))
      outcome.resolve({ retryAfter: participant.left ?? error })
    else outcome.reject(error)
  }
}

function translated(error: unknown): unknown {
  const noCredit = noCreditIn(error)
  if (noCredit) return tooLittleCredit(noCredit)
  return isTransient(error) ? cannotWrite(error) : error
}

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
