/**
 * Group commit. SQLite has one writer and a durable commit costs a sync of the disk, so writers queue: what has queued
 * up in this turn of the event loop runs under one BEGIN … COMMIT, each unit under a savepoint of its own, and everybody
 * is answered after the COMMIT. An answer therefore means that the change is on disk (`synchronous=FULL`).
 */
import type { Database } from 'bun:sqlite'
import { unavailable } from '../../domain/error'
import type { StoreTelemetry } from '../../ports/telemetry'
import { cannotWrite } from '../failure'
import { isStorageError } from './failure'

interface Unit {
  queuedAt: number
  run: () => Promise<() => void>
  fail: (error: unknown) => void
}

/** So that one group cannot hold the disk, and a lost commit's retries, forever. */
const MAX_GROUP = 512

export class Writer {
  readonly #queue: Unit[] = []
  readonly #begin: () => void
  readonly #savepoint: () => void
  readonly #release: () => void
  readonly #commit: () => void
  /** Whom it tells how it works. */
  telemetry: StoreTelemetry | undefined
  #draining = false
  #closed = false
  #drained: Promise<void> = Promise.resolve()

  /**
   * `soon` defers the drain to the end of the event loop's turn; the simulation brings its own. `committed` is called
   * after every group that is on disk, when everybody is answered.
   */
  constructor(
    private readonly db: Database,
    private readonly soon: (drain: () => Promise<void>) => void,
    private readonly committed: () => void = () => {},
  ) {
    const prepared = (sql: string) => {
      const statement = db.query(sql)
      return () => void statement.run()
    }
    this.#begin = prepared('BEGIN IMMEDIATE')
    this.#savepoint = prepared('SAVEPOINT unit')
    this.#release = prepared('RELEASE unit')
    this.#commit = prepared('COMMIT')
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
        if (this.#queue.length > 0) return this.soon(drain)
        this.#draining = false
        done()
      }
      this.soon(drain)
    })
  }

  async #commitGroup(group: Unit[]): Promise<void> {
    const begunAt = this.telemetry ? performance.now() : 0
    const answers: Array<() => void> = []
    const ended: Unit[] = []
    try {
      this.#begin()
    } catch (error) {
      this.telemetry?.uncommitted('failed')
      for (const unit of group) unit.fail(cannotWrite(error))
      return
    }
    for (const [index, unit] of group.entries()) {
      try {
        this.#savepoint()
        const answer = await unit.run()
        this.#release()
        answers.push(answer)
        ended.push(unit)
      } catch (error) {
        this.#rollbackUnit()
        unit.fail(isStorageError(error) ? cannotWrite(error) : error)
        if (!this.db.inTransaction) {
          // The disk was full or failing and SQLite gave the whole transaction up: nobody before is on disk,
          // and a savepoint now would open, and commit, a transaction of its own.
          this.telemetry?.uncommitted('failed')
          for (const lost of ended) lost.fail(cannotWrite(error))
          this.#queue.unshift(...group.slice(index + 1))
          return
        }
      }
    }
    const commitAt = this.telemetry ? performance.now() : 0
    try {
      this.#commit()
    } catch (error) {
      this.telemetry?.uncommitted('failed')
      this.#rollback()
      for (const unit of ended) unit.fail(cannotWrite(error))
      return
    }
    if (this.telemetry) {
      const waitedMs = begunAt - (group[0]?.queuedAt ?? begunAt)
      this.telemetry.committed(group.length, waitedMs, performance.now() - commitAt)
    }
    for (const answer of answers) {
      try {
        answer()
      } catch (defect) {
        // An effect must not keep the others from their answers, nor go unseen.
        queueMicrotask(() => {
          throw defect
        })
      }
    }
    this.committed()
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
