/**
 * How many messages wait to be sent, and whether there may be more. A count is kept for a while and what was admitted
 * since is added to it, so that the limit is never exceeded and yet not every issue counts.
 */
import { unavailable } from '../../domain/shared/error'
import type { Clock } from '../../ports/clock'
import type { Backlog, BacklogPermit } from '../../ports/node'
import type { Reader } from '../../ports/store'

const COUNT_KEPT_MS = 1_000
/** At the limit the next look is sooner: there may be room again. */
const FULL_KEPT_MS = 100
const RETRY_AFTER_MS = 5_000

export class CountedBacklog implements Backlog {
  /** When last counted, and since then. */
  #stored = 0
  #countedAt = Number.NEGATIVE_INFINITY
  #counting: Promise<void> | undefined
  /** Admitted, and perhaps not stored yet: a count may or may not have seen them. */
  #entering = 0
  /** Room is like any other. */
  readonly #entry: BacklogPermit = {
    markStored: () => {
      this.#entering--
      this.#stored++
    },
    release: () => {
      this.#entering--
    },
  }

  constructor(
    private readonly max: number,
    private readonly jobs: Pick<Reader['jobs'], 'backlog'>,
    private readonly clock: Pick<Clock, 'elapsed'>,
  ) {}

  async acquire(): Promise<BacklogPermit> {
    if (this.clock.elapsed() - this.#countedAt >= (this.#isFull ? FULL_KEPT_MS : COUNT_KEPT_MS)) {
      this.#counting ??= this.#count()
      await this.#counting
    }
    if (this.#isFull) throw unavailable('Too many messages wait to be sent', RETRY_AFTER_MS)
    this.#entering++
    return this.#entry
  }

  get #isFull(): boolean {
    return this.#stored + this.#entering >= this.max
  }

  async #count(): Promise<void> {
    const at = this.clock.elapsed()
    // What is stored from here on, the count may not have seen.
    this.#stored = 0
    try {
      this.#stored += await this.jobs.backlog(this.max)
      this.#countedAt = at
    } finally {
      this.#counting = undefined
    }
  }
}
