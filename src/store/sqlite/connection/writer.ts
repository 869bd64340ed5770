/**
 * Group commit. SQLite has one writer, and a durable commit costs an fsync, so writers queue. All transactions queued
 * in one turn of the event loop run under one BEGIN … COMMIT. They are answered after the COMMIT. So an answer means
 * that the change
 * is on disk (`synchronous=FULL`).
 *
 * A transaction that fails does not fail its group. Most have written nothing when they fail, so there is nothing to undo. To
 * undo the others, each transaction would need a savepoint, for which SQLite copies every changed page. So a group runs
 * without savepoints at first. If one of its transactions fails after it has written, the group is rolled back and runs
 * again with savepoints. The groups of the next second have savepoints, too.
 */
import type { Database } from 'bun:sqlite'
import { unavailable } from '../../../domain/shared/error'
import type { StoreTelemetry } from '../../../ports/telemetry'
import { cannotWrite } from '../../failure'
import { isStorageError } from './failure'

interface QueuedTransaction {
  queuedAt: number
  run: () => Promise<() => void>
  fail: (error: unknown) => void
}

/** The result of a transaction, answered at the end of its group. */
type EndedTransaction =
  | { transaction: QueuedTransaction; answer: () => void }
  | { transaction: QueuedTransaction; error: unknown }

export interface WriterOptions {
  /** Defers a group to the end of the event loop's turn; the simulation brings its own. */
  soon: (drain: () => Promise<void>) => void
  /** Milliseconds of a clock that only goes forward. */
  elapsed: () => number
  /** Called when a group begins; no other process can write from then on. */
  begun?: () => void
  /** Called after every group that is on disk, once its transactions are answered. */
  committed?: () => void
}

/** Limits how long one group holds the disk, and how much a failed commit loses. */
const MAX_GROUP = 512

/** A client without credit keeps asking, and each of its failures would make a whole group run twice. */
const SAVEPOINTS_FOR_MS = 1_000

export class Writer {
  readonly #queue: QueuedTransaction[] = []
  readonly #begin: () => void
  readonly #savepoint: () => void
  readonly #release: () => void
  readonly #commit: () => void
  /** How many rows the connection has changed since it was opened. */
  readonly #changes: () => unknown
  telemetry: StoreTelemetry | undefined
  #draining = false
  #closed = false
  #drained: Promise<void> = Promise.resolve()
  #savepointsUntil = Number.NEGATIVE_INFINITY

  constructor(
    private readonly db: Database,
    private readonly options: WriterOptions,
  ) {
    const prepared = (sql: string) => {
      const statement = db.query(sql)
      return () => void statement.run()
    }
    this.#begin = prepared('BEGIN IMMEDIATE')
    this.#savepoint = prepared('SAVEPOINT grouped')
    this.#release = prepared('RELEASE grouped')
    this.#commit = prepared('COMMIT')
    const changes = db.query('SELECT total_changes()')
    this.#changes = () => changes.values()[0]?.[0]
  }

  /** Queues `work`. Once it is on disk, resolves with its answer and runs `onCommit`. */
  run<T>(work: () => Promise<T>, onCommit: () => void): Promise<T> {
    if (this.#closed) return Promise.reject(unavailable('The store is closed'))
    return new Promise<T>((resolve, reject) => {
      const run = async () => {
        const result = await work()
        return () => {
          resolve(result)
          onCommit()
        }
      }
      this.#queue.push({ run, fail: reject, queuedAt: this.telemetry ? performance.now() : 0 })
      this.#schedule()
    })
  }

  /** Refuses new transactions and waits for those that are queued. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#draining) await this.#drained
  }

  #schedule(): void {
    if (this.#draining) return
    this.#draining = true
    this.#drained = new Promise((done) => {
      // One group per turn of the event loop, so that follow-up work does not keep requests from being read.
      const drain = async () => {
        await this.#commitGroup(this.#queue.splice(0, MAX_GROUP))
        if (this.#queue.length > 0) return this.options.soon(drain)
        this.#draining = false
        done()
      }
      this.options.soon(drain)
    })
  }

  async #commitGroup(group: QueuedTransaction[]): Promise<void> {
    const begunAt = this.telemetry ? performance.now() : 0
    const ended = await this.#runGroup(group)
    if (!ended) return
    const commitAt = this.telemetry ? performance.now() : 0
    try {
      this.#commit()
    } catch (error) {
      this.#rollback()
      this.#lose(ended, error)
      return
    }
    if (this.telemetry) {
      const waitedMs = begunAt - (group[0]?.queuedAt ?? begunAt)
      this.telemetry.committed(group.length, waitedMs, performance.now() - commitAt)
    }
    for (const one of ended) settle(one)
    this.options.committed?.()
  }

  /** Undefined where there is nothing to commit; the transactions are answered already. */
  async #runGroup(group: QueuedTransaction[]): Promise<EndedTransaction[] | undefined> {
    const hasSavepoints = this.options.elapsed() < this.#savepointsUntil
    if (!this.#beginFor(group)) return undefined
    const outcome = await this.#runEach(group, hasSavepoints)
    if (outcome !== 'to repeat') return outcome
    this.#rollback()
    this.telemetry?.uncommitted('again')
    this.#savepointsUntil = this.options.elapsed() + SAVEPOINTS_FOR_MS
    return this.#runGroup(group)
  }

  #beginFor(group: QueuedTransaction[]): boolean {
    try {
      this.#begin()
      this.options.begun?.()
      return true
    } catch (error) {
      this.#rollback()
      this.#lose(
        group.map((transaction) => ({ transaction, answer() {} })),
        error,
      )
      return false
    }
  }

  /**
   * 'to repeat' where a transaction failed whose writes only a rollback of the group can undo; undefined where SQLite has rolled
   * the group back itself.
   */
  async #runEach(
    group: QueuedTransaction[],
    hasSavepoints: boolean,
  ): Promise<EndedTransaction[] | 'to repeat' | undefined> {
    const ended: EndedTransaction[] = []
    for (const [index, transaction] of group.entries()) {
      const before = hasSavepoints || this.#changes()
      try {
        if (hasSavepoints) this.#savepoint()
        const answer = await transaction.run()
        if (hasSavepoints) this.#release()
        // The function may have ignored an error after which SQLite had rolled back the whole group.
        if (!this.db.inTransaction) throw cannotWrite(new Error('There is no transaction any more'))
        ended.push({ transaction, answer })
      } catch (error) {
        if (hasSavepoints) this.#rollbackToSavepoint()
        ended.push({ transaction, error: isStorageError(error) ? cannotWrite(error) : error })
        if (!this.db.inTransaction) {
          // SQLite has rolled back the whole group because the disk was full or failing. The transactions that ran
          // before are lost, and the rest needs a new BEGIN.
          this.#lose(ended, error)
          this.#queue.unshift(...group.slice(index + 1))
          return undefined
        }
        if (!hasSavepoints && this.#changes() !== before) return 'to repeat'
      }
    }
    return ended
  }

  /** Transactions that had already thrown keep their own error. */
  #lose(ended: readonly EndedTransaction[], error: unknown): void {
    this.telemetry?.uncommitted('failed')
    for (const one of ended) {
      if ('error' in one) settle(one)
      else one.transaction.fail(cannotWrite(error))
    }
  }

  #rollbackToSavepoint(): void {
    try {
      this.db.run('ROLLBACK TO grouped')
      this.#release()
    } catch {
      // SQLite has already rolled the whole transaction back.
    }
  }

  #rollback(): void {
    try {
      this.db.run('ROLLBACK')
    } catch {
      // Rolled back by SQLite itself.
    }
  }
}

function settle(ended: EndedTransaction): void {
  try {
    if ('error' in ended) ended.transaction.fail(ended.error)
    else ended.answer()
  } catch (defect) {
    // An effect that throws must not keep other callers from their answers, and must not go unnoticed.
    queueMicrotask(() => {
      throw defect
    })
  }
}
