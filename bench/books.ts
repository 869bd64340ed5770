/** What a server has charged, read in its database beside it. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

export class Books {
  readonly #db: Database
  readonly #charged
  readonly #sending

  constructor(dir: string) {
    this.#db = new Database(join(dir, 'watchword.db'), { readonly: true, strict: true })
    this.#charged = this.#db.query<{ entries: number }, []>('SELECT sum(entries) AS entries FROM wallets')
    this.#sending = this.#db.query<unknown, []>("SELECT 1 FROM jobs WHERE kind = 'deliver' LIMIT 1")
  }

  /** Codes ever, and what credit was given. */
  get entries(): number {
    return this.#charged.get()?.entries ?? 0
  }

  /** Whether anything is still to be sent, or on its way. */
  get areOpen(): boolean {
    return this.#sending.get() !== null
  }

  close(): void {
    this.#db.close()
  }
}
