/**
 * How many messages wait to be sent, and whether there may be more. A count is kept for a while and what was admitted
 * since is added to it, so that the limit is never exceeded and yet not every issue counts.
 */
import { unavailable } from './domain/error'
import type { Permit } from './domain/limit'
import type { Tx } from './ports'

const COUNT_KEPT_MS = 1_000
/** At the limit the next look is sooner: there may be room again. */
const FULL_KEPT_MS = 100
const RETRY_AFTER_MS = 5_000

export class Backlog {
  #waiting = 0
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly max: number) {}

  /** Makes room for one more message, or throws `unavailable`. */
  async admit(tx: Pick<Tx, 'now' | 'backlog'>): Promise<Permit> {
    const isFull = () => this.#waiting >= this.max
    if (Math.abs(tx.now - this.#countedAt) >= (isFull() ? FULL_KEPT_MS : COUNT_KEPT_MS)) {
      this.#countedAt = tx.now
      this.#waiting = await tx.backlog(this.max)
    }
    if (isFull()) throw unavailable('Too many messages wait to be sent', RETRY_AFTER_MS)
    this.#waiting++
    const counted = this.#countedAt
    return {
      // A count since then has not seen it.
      giveBack: () => {
        if (counted === this.#countedAt) this.#waiting--
      },
    }
  }
}
