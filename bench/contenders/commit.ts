/** Two ways to make a change durable before it is answered. */
import type { Database } from 'bun:sqlite'

export interface Commit {
  run<T>(unit: () => T): Promise<T>
}

/** What has queued up in this turn of the event loop runs under one BEGIN … COMMIT. */
export class GroupCommit implements Commit {
  #queue: Array<() => () => void> = []

  constructor(private readonly db: Database) {}

  run<T>(unit: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.#queue.length === 0) setImmediate(() => this.#commit())
      this.#queue.push(() => {
        const answer = unit()
        return () => resolve(answer)
      })
    })
  }

  #commit(): void {
    const group = this.#queue
    this.#queue = []
    this.db.run('BEGIN IMMEDIATE')
    const answers = group.map((unit) => unit())
    this.db.run('COMMIT')
    for (const answer of answers) answer()
  }
}

/** A transaction for each request. */
export class SingleCommit implements Commit {
  constructor(private readonly db: Database) {}

  async run<T>(unit: () => T): Promise<T> {
    this.db.run('BEGIN IMMEDIATE')
    const answer = unit()
    this.db.run('COMMIT')
    return answer
  }
}
