/** Detects that the clock of the stored times was set back, by the monotonic clock of this process. */

/** Smaller steps are usual corrections of a clock, and cause no noticeable wait. */
const NOTICED_MS = 1_000

/** How far the clock was set back in all, counting the steps to which stored times were adjusted. */
export const FOLLOWED = '(SELECT coalesce(sum(set_back_ms), 0) FROM clock_steps)'

/** The clock's time, read between two moments of the local monotonic clock. */
export interface ClockLook {
  stamped: number
  followedMs: number
  sentAt: number
  answeredAt: number
}

/**
 * The clock's time plus all adjusted steps advances as if the clock had never been set back. Where it falls behind the
 * monotonic clock, the clock was set back and stored times are not adjusted yet. It does not matter which process
 * adjusted them, in how many steps, or how long this one stood still.
 */
export class ClockWatch {
  /** Lower bound of the difference between the clock's time and the local clock. */
  #lead = Number.NEGATIVE_INFINITY
  #rightAt = Number.NEGATIVE_INFINITY

  /** When the clock was looked at last and not behind, by the local clock. A step back that is found now came later. */
  get rightAt(): number {
    return this.#rightAt
  }

  /** Lower bound of a step back to which stored times are not adjusted yet; 0 where it is too small to matter. */
  setBackMs({ stamped, followedMs, sentAt, answeredAt }: ClockLook): number {
    const steady = stamped + followedMs
    this.#lead = Math.max(this.#lead, steady - answeredAt)
    const byMs = Math.floor(this.#lead - (steady - sentAt))
    if (byMs >= NOTICED_MS) return byMs
    this.#lead = Math.min(this.#lead, steady - sentAt)
    this.#rightAt = sentAt
    return 0
  }
}
