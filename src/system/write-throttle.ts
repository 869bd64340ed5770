/**
 * Throttles the writes of a command beside a running server. A server that waits for the lock of an embedded database does nothing
 * else, and SQLite's lock is not fair. So a pause follows each group of changes, as long as the group took.
 */
const MIN_PAUSE_MS = 10

const SYSTEM = { now: () => performance.now(), after: (ms: number, then: () => void) => void setTimeout(then, ms) }

/** Schedules each group commit after a pause. */
export function throttleWrites({ now, after } = SYSTEM): (group: () => Promise<void>) => void {
  let tookMs = 0
  return (group) =>
    after(Math.max(MIN_PAUSE_MS, tookMs), async () => {
      const begunAt = now()
      await group()
      tookMs = now() - begunAt
    })
}
