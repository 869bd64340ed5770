/** The flow's time: what has passed, never what time it is. A device's time may be wrong by hours, and step meanwhile. */

export interface FlowClock {
  /** Milliseconds since some moment; never steps, never goes back. */
  now(): number
  /** Calls once after so many milliseconds; the answer cancels. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: FlowClock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
