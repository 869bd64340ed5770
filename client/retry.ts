/** Retries with exponential backoff and jitter, never sooner than the service asks. */

export interface RetryOptions {
  /** Tries in all, the first included; 3 when omitted. */
  attempts?: number
  /** Milliseconds before the second try; doubles each time; 250 when omitted. */
  baseDelayMs?: number
  /** Give up instead of waiting longer than this, in milliseconds; 30,000 when omitted. */
  maxDelayMs?: number
}

export interface Repeating {
  /** Least wait after this error, milliseconds; undefined where it must not be retried. */
  waitAfter(error: unknown): number | undefined
  /** Rejects when the caller gives up meanwhile. */
  pause(ms: number): Promise<void>
}

export async function withRetries<T>(
  { attempts = 3, baseDelayMs = 250, maxDelayMs = 30_000 }: RetryOptions,
  { waitAfter, pause }: Repeating,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      const leastMs = waitAfter(error)
      if (leastMs === undefined || tried >= attempts) throw error
      const backoffMs = baseDelayMs * 2 ** (tried - 1) * (0.5 + Math.random() / 2)
      const delayMs = Math.max(backoffMs, leastMs)
      if (delayMs > maxDelayMs) throw error
      await pause(delayMs)
    }
  }
}
