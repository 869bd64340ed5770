/**
 * Group read, an optimization: the look-ups of one turn of the event loop run at its end, in one read transaction. Each sees at
 * least what was on disk when it was asked for. Code that waits for several of them resumes once; for a request of a status
 * that wake-up costs more than everything else.
 */
import type { Database } from 'bun:sqlite'

interface QueuedRead {
  read: () => void
  fail: (error: unknown) => void
}

export class ReadGroup {
  #queued: QueuedRead[] = []
  readonly #begin: () => void
  readonly #end: () => void

  /** `atEnd` defers to the end of the event loop's turn. */
  constructor(
    private readonly db: Database,
    private readonly atEnd: (read: () => void) => void,
  ) {
    const [begin, end] = [db.query('BEGIN'), db.query('END')]
    this.#begin = () => void begin.run()
    this.#end = () => void end.run()
  }

  /** Runs `look` at the end of this turn and answers its result. */
  read<T>(look: () => T): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      if (this.#queued.push({ read: () => resolve(look()), fail }) === 1) this.atEnd(() => this.readNow())
    })
  }

  /** Runs what is queued at once; also called before the connection is closed. */
  readNow(): void {
    const queued = this.#queued
    this.#queued = []
    if (queued.length === 0) return
    try {
      this.#begin()
    } catch (error) {
      for (const { fail } of queued) fail(error)
      return
    }
    for (const { read, fail } of queued) {
      try {
        read()
      } catch (error) {
        fail(error)
      }
    }
    try {
      // Some errors have ended the transaction already.
      if (this.db.inTransaction) this.#end()
    } catch {
      // Every look-up has been answered or rejected already.
    }
  }
}

/** Yields to the event loop: reads are synchronous, so long ones go in steps. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
