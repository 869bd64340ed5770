/** Answers of look-ups, so that no number is asked about twice a day. The numbers are kept as keyed hashes. */
import { createHmac } from 'node:crypto'
import { DAY_MS, SECOND_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Random } from '../ports/vault'

/** A code must not wait longer for the answer; without one it is sent. */
export const LOOKUP_TIMEOUT_MS = 2 * SECOND_MS

const NUMBERS_MAX = 10_000

export class LookupMemory {
  /** By hash, the oldest first: the fact for which nothing is sent, if there is one. */
  readonly #known = new Map<string, { fact: string | undefined; until: number }>()
  readonly #key: Uint8Array

  constructor(
    private readonly clock: Clock,
    random: Random,
  ) {
    this.#key = random.bytes(32)
  }

  /** `ask` answers undefined where the carrier said nothing that can be read; that is not remembered. */
  async factOf(
    number: string,
    ask: () => Promise<{ fact: string | undefined } | undefined>,
  ): Promise<string | undefined> {
    const hash = createHmac('sha256', this.#key).update(number).digest('base64url')
    const known = this.#known.get(hash)
    if (known && this.clock.now() < known.until) return known.fact
    const answer = await ask()
    if (!answer) return undefined
    this.#known.delete(hash)
    this.#known.set(hash, { ...answer, until: this.clock.now() + DAY_MS })
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= NUMBERS_MAX) break
      this.#known.delete(oldest)
    }
    return answer.fact
  }
}
