/** The clock and the cron schedule. Tests replace both by virtual time. */

export interface Clock {
  /** Wall-clock time, Unix milliseconds. It may step, also backwards. */
  now(): number
  /** Monotonic time, milliseconds since an arbitrary moment. */
  elapsed(): number
  /** Calls once after `delayMs`; the returned function cancels. */
  after(delayMs: number, callback: () => void): () => void
}

/** Calls at the times of a cron pattern; the returned function stops it. */
export type Schedule = (pattern: string, run: () => Promise<void>) => () => void
