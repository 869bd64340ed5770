/**
 * Bounds the number of messages that wait to be sent. The count of the store is cached, and messages admitted since are added, so
 * that the limit is never exceeded and few issues pay for a count.
 */
import { unavailable } from '../../domain/shared/error'
import type { Clock } from '../../ports/clock'
import type { Backlog, BacklogPermit } from '../../ports/node'
import type { Reader } from '../../ports/store'

const COUNT_KEPT_MS = 1_000
/** At the limit the count is refreshed sooner, since messages leave the backlog quickly. */
const FULL_KEPT_MS = 100
const RETRY_AFTER_MS = 5_000

export class CountedBacklog implements Backlog {
  /** The cached count, and messages stored since. */
  #stored = 0
  #countedAt = Number.NEGATIVE_INFINITY
  #counting: Promise<void> | undefined
  /** Admitted and perhaps not stored yet: the count may or may not include them. */
  #pending = 0
  /** Shared by all callers, since permits do not differ. */
  readonly #permit: BacklogPermit = {
    markStored: () => {
      this.#pending--
      this.#stored++
    },
    release: () => {
      this.#pending--
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
    this.#pending++
    return this.#permit
  }

  get #isFull(): boolean {
    return this.#stored + this.#pending >= this.max
  }

  async #count(): Promise<void> {
    const at = this.clock.elapsed()
    // The count may miss messages that are stored while it runs: they are added on top.
    this.#stored = 0
    try {
      this.#stored += await this.jobs.backlog(this.max)
      this.#countedAt = at
    } finally {
      this.#counting = undefined
    }
  }
}
