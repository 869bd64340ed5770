/** Time. */

export interface Clock {
  /** Unix milliseconds. May step, also backwards. */
  now(): number
  /** Milliseconds since some moment; never steps, never goes back. */
  elapsed(): number
  /** Calls once after `delayMs`; the answer cancels. */
  after(delayMs: number, callback: () => void): () => void
}

/** Calls at the times of a cron pattern; the answer stops it. */
export type Schedule = (pattern: string, run: () => Promise<void>) => () => void
