/**
 * Group commit. SQLite has one writer and a durable commit costs a sync of the disk, so writers queue: what has queued
 * up in this turn of the event loop runs under one BEGIN … COMMIT, and everybody is answered after the COMMIT. An answer
 * therefore means that the change is on disk (`synchronous=FULL`).
 *
 * A unit that fails takes nobody along. Most have written nothing by then, and nothing is to be undone; for the others each
 * unit would need a savepoint, for which SQLite copies every page that is changed. So a group runs without: where one fails
 * that has written, all of it is rolled back and runs again, now with savepoints, and so do groups for a while after.
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

/** What a unit has come to; everybody is told at the end. */
type EndedTransaction = { unit: QueuedTransaction; answer: () => void } | { unit: QueuedTransaction; error: unknown }

export interface WriterOptions {
  /** Defers a group to the end of the event loop's turn; the simulation brings its own. */
  soon: (drain: () => Promise<void>) => void
  /** Milliseconds of a clock that only goes forward. */
  elapsed: () => number
  /** Called as a group begins: from there on no other process writes. */
  begun?: () => void
  /** Called after every group that is on disk, when everybody is answered. */
  committed?: () => void
}

/** So that one group cannot hold the disk, and a lost commit's retries, forever. */
const MAX_GROUP = 512

/** Who runs out of credit asks again and again: each time would cost everybody a second run. */
const APART_FOR_MS = 1_000

export class Writer {
  readonly #queue: QueuedTransaction[] = []
  readonly #begin: () => void
  readonly #savepoint: () => void
  readonly #release: () => void
  readonly #commit: () => void
  /** Rows that the connection has changed, ever. */
  readonly #changes: () => unknown
  /** Whom it tells how it works. */
  telemetry: StoreTelemetry | undefined
  #draining = false
  #closed = false
  #drained: Promise<void> = Promise.resolve()
  /** Until then each unit has a savepoint. */
  #apartUntil = Number.NEGATIVE_INFINITY

  constructor(
    private readonly db: Database,
    private readonly options: WriterOptions,
  ) {
    const prepared = (sql: string) => {
      const statement = db.query(sql)
      return () => void statement.run()
    }
    this.#begin = prepared('BEGIN IMMEDIATE')
    this.#savepoint = prepared('SAVEPOINT unit')
    this.#release = prepared('RELEASE unit')
    this.#commit = prepared('COMMIT')
    const changes = db.query('SELECT total_changes()')
    this.#changes = () => changes.values()[0]?.[0]
  }

  /** Runs `unit` in its turn; resolves with what it answered, and `onCommit` runs, once it is on disk. */
  run<T>(unit: () => Promise<T>, onCommit: () => void): Promise<T> {
    if (this.#closed) return Promise.reject(unavailable('The store is closed'))
    return new Promise<T>((resolve, reject) => {
      const run = async () => {
        const result = await unit()
        return () => {
          resolve(result)
          onCommit()
        }
      }
      this.#queue.push({ run, fail: reject, queuedAt: this.telemetry ? performance.now() : 0 })
      this.#schedule()
    })
  }

  /** Lets what is queued finish, then takes nothing more. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#draining) await this.#drained
  }

  #schedule(): void {
    if (this.#draining) return
    this.#draining = true
    this.#drained = new Promise((done) => {
      // A group a turn: work that follows from work must not keep requests from being read.
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
    for (const one of ended) tell(one)
    this.options.committed?.()
  }

  /** Undefined where there is nothing to commit, which everybody has been told. */
  async #runGroup(group: QueuedTransaction[]): Promise<EndedTransaction[] | undefined> {
    const isApart = this.options.elapsed() < this.#apartUntil
    if (!this.#beginFor(group)) return undefined
    const outcome = await this.#runEach(group, isApart)
    if (outcome !== 'spoiled') return outcome
    this.#rollback()
    this.telemetry?.uncommitted('again')
    this.#apartUntil = this.options.elapsed() + APART_FOR_MS
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
        group.map((unit) => ({ unit, answer() {} })),
        error,
      )
      return false
    }
  }

  /** Spoiled is what only the whole group can be rid of; undefined where SQLite has given it up. */
  async #runEach(group: QueuedTransaction[], isApart: boolean): Promise<EndedTransaction[] | 'spoiled' | undefined> {
    const ended: EndedTransaction[] = []
    for (const [index, unit] of group.entries()) {
      const before = isApart || this.#changes()
      try {
        if (isApart) this.#savepoint()
        const answer = await unit.run()
        if (isApart) this.#release()
        // It went on though SQLite had given the whole transaction up.
        if (!this.db.inTransaction) throw cannotWrite(new Error('There is no transaction any more'))
        ended.push({ unit, answer })
      } catch (error) {
        if (isApart) this.#rollbackUnit()
        ended.push({ unit, error: isStorageError(error) ? cannotWrite(error) : error })
        if (!this.db.inTransaction) {
          // The disk was full or failing and SQLite gave the whole transaction up: nobody before is on disk,
          // and what comes now would be a transaction of its own.
          this.#lose(ended, error)
          this.#queue.unshift(...group.slice(index + 1))
          return undefined
        }
        if (!isApart && this.#changes() !== before) return 'spoiled'
      }
    }
    return ended
  }

  /** Who was refused stays refused. */
  #lose(ended: readonly EndedTransaction[], error: unknown): void {
    this.telemetry?.uncommitted('failed')
    for (const one of ended) {
      if ('error' in one) tell(one)
      else one.unit.fail(cannotWrite(error))
    }
  }

  #rollbackUnit(): void {
    try {
      this.db.run('ROLLBACK TO unit')
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

function tell(ended: EndedTransaction): void {
  try {
    if ('error' in ended) ended.unit.fail(ended.error)
    else ended.answer()
  } catch (defect) {
    // An effect must not keep the others from their answers, nor go unseen.
    queueMicrotask(() => {
      throw defect
    })
  }
}
