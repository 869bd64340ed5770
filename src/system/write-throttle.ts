/**
 * Changes of a command beside a server. While one waits for the lock of an embedded database it does nothing else, and a lock is
 * taken by whoever asks at the right moment: so between two groups of changes there is a pause, as long as a group takes.
 */

const MIN_PAUSE_MS = 10

const SYSTEM = { now: () => performance.now(), after: (ms: number, then: () => void) => void setTimeout(then, ms) }

/** Defers group commit. */
export function throttleWrites({ now, after } = SYSTEM): (group: () => Promise<void>) => void {
  let tookMs = 0
  return (group) =>
    after(Math.max(MIN_PAUSE_MS, tookMs), async () => {
      const begunAt = now()
      await group()
      tookMs = now() - begunAt
    })
}
