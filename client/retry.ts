/** Opt-in retries: only what may be repeated, with exponential backoff and jitter, never sooner than the service asks. */
import { WatchwordError } from './error'

export interface RetryOptions {
  /** Tries in all, the first included; 3 when omitted. */
  attempts?: number
  /** Milliseconds before the second try; doubles each time; 250 when omitted. */
  baseDelayMs?: number
  /** Give up instead of waiting longer than this, in milliseconds; 30,000 when omitted. */
  maxDelayMs?: number
}

export async function withRetries<T>(
  options: RetryOptions | undefined,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  const { attempts = 3, baseDelayMs = 250, maxDelayMs = 30_000 } = options ?? { attempts: 1 }
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof WatchwordError) || !error.retryable || tried >= attempts) throw error
      const backoffMs = baseDelayMs * 2 ** (tried - 1) * (0.5 + Math.random() / 2)
      const delayMs = Math.max(backoffMs, error.retryAfterMs ?? 0)
      if (delayMs > maxDelayMs) throw error
      await pause(delayMs, signal)
    }
  }
}

/** Ends early when the caller aborts. */
function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer)
      reject(new WatchwordError({ code: 'ABORTED', message: 'The call was aborted' }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, delayMs)
    if (signal?.aborted) aborted()
    else signal?.addEventListener('abort', aborted, { once: true })
  })
}
