/** Notices that the database's clock was set back: a server does, by its own clock that never steps. */

/** Less is the usual correction of a clock, and nobody waits long for it. */
const NOTICED_MS = 1_000

/** The lock of the clock: transactions share it, and whoever makes what is stored fit has it alone. */
export const CLOCK = `hashtextextended('clock', 0)`

/** By how much the clock was set back in all, as far as what is stored was made to fit: what a look at the clock is held against. */
export const FOLLOWED = '(SELECT coalesce(sum(set_back_ms), 0) FROM clock_steps)'

/** What the database said between two moments of a clock that never steps. */
export interface ClockLook {
  stamped: number
  followedMs: number
  sentAt: number
  answeredAt: number
}

/**
 * With all that was followed added, time goes on as if nobody had set it back. Where it does not, somebody has, and nobody has
 * followed yet, however long a server may have stood still meanwhile.
 */
export class ClockWatch {
  /** What to add to our own clock at least. */
  #lead = Number.NEGATIVE_INFINITY

  /** By how much the clock was set back, at least, without anybody having followed; 0 for what nobody follows. */
  setBackMs({ stamped, followedMs, sentAt, answeredAt }: ClockLook): number {
    const steady = stamped + followedMs
    this.#lead = Math.max(this.#lead, steady - answeredAt)
    const byMs = Math.floor(this.#lead - (steady - sentAt))
    if (byMs >= NOTICED_MS) return byMs
    this.#lead = Math.min(this.#lead, steady - sentAt)
    return 0
  }
}

/** The clock was set, or stood still for long, in the middle of a transaction: it is to run again. */
export class ClockSetError extends Error {
  override name = 'ClockSetError'
}

/** What a transaction began by a clock that was set back, and that nobody has followed: it is to run again afterwards. */
export class SetBackError extends Error {
  override name = 'SetBackError'
}
