/**
 * Group read. What requests of one turn of the event loop look up is looked up at its end, one right after another and in one
 * read transaction. So nobody sees less than was on disk when he asked; and the answers go out together: whoever waits for
 * several of them is woken once, which costs a status more than all else that is done for it.
 */
import type { Database } from 'bun:sqlite'

/** `scanning`: of what reads much, and each page once. */
export interface Connections {
  reading: Database
  scanning: Database
  /** On that for reading. */
  together: ReadGroup
}

interface QueuedRead {
  read: () => void
  fail: (error: unknown) => void
}

export class ReadGroup {
  #asked: QueuedRead[] = []
  readonly #begin: () => void
  readonly #end: () => void

  /** `atEnd` calls at the end of a turn. */
  constructor(
    private readonly db: Database,
    private readonly atEnd: (read: () => void) => void,
  ) {
    const [begin, end] = [db.query('BEGIN'), db.query('END')]
    this.#begin = () => void begin.run()
    this.#end = () => void end.run()
  }

  /** Answers what `look` does at the end of this turn. */
  read<T>(look: () => T): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      if (this.#asked.push({ read: () => resolve(look()), fail }) === 1) this.atEnd(() => this.readNow())
    })
  }

  /** Before the connection is closed: whoever has asked is answered. */
  readNow(): void {
    const asked = this.#asked
    this.#asked = []
    if (asked.length === 0) return
    try {
      this.#begin()
    } catch (error) {
      for (const { fail } of asked) fail(error)
      return
    }
    for (const { read, fail } of asked) {
      try {
        read()
      } catch (error) {
        fail(error)
      }
    }
    try {
      // Some errors have ended it.
      if (this.db.inTransaction) this.#end()
    } catch {
      // Everybody has been told what he reads, or that it is broken.
    }
  }
}

export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
