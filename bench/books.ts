/** What a server has charged, read in its database beside it. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

export class Books {
  readonly #db: Database
  readonly #charged
  readonly #unsent

  constructor(dir: string) {
    this.#db = new Database(join(dir, 'watchword.db'), { readonly: true, strict: true })
    this.#charged = this.#db.query<{ entries: number }, []>('SELECT sum(entries) AS entries FROM wallets')
    this.#unsent = this.#db.query<{ jobs: number }, []>("SELECT count(*) AS jobs FROM jobs WHERE kind = 'deliver'")
  }

  /** Codes ever, and what credit was given. */
  get entries(): number {
    return this.#charged.get()?.entries ?? 0
  }

  /** What is still to be sent, or on its way. */
  get unsent(): number {
    return this.#unsent.get()?.jobs ?? 0
  }

  close(): void {
    this.#db.close()
  }
}
