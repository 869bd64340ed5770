/** The monotonic clock of a flow. The wall clock of a device may be wrong by hours and may step. */

export interface FlowClock {
  /** Monotonic time, milliseconds since an arbitrary moment. */
  now(): number
  /** Calls once after `ms` milliseconds; the returned function cancels. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: FlowClock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
