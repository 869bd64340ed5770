/** What a server has charged, read in its database beside it. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

export class Books {
  readonly #db: Database

  constructor(dir: string) {
    this.#db = new Database(join(dir, 'watchword.db'), { readonly: true, strict: true })
  }

  /** Codes ever, and what credit was given. */
  get entries(): number {
    return this.#number('SELECT sum(entries) AS number FROM wallets')
  }

  /** What is still to be sent, or on its way. */
  get unsent(): number {
    return this.#number("SELECT count(*) AS number FROM jobs WHERE kind = 'deliver'")
  }

  #number(sql: string): number {
    return this.#db.query<{ number: number }, []>(sql).get()?.number ?? 0
  }
}
