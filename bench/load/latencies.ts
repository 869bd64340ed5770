/** Latencies of a round, and what is said of them. */

export interface Summary {
  requests: number
  /** Answers of each status. */
  statuses: Record<string, number>
  seconds: number
  /** Of answers with 2xx. */
  perSecond: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

export class Latencies {
  readonly #times: number[] = []
  readonly #statuses: Record<string, number> = {}

  add(status: number, ms: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    if (status < 300) this.#times.push(ms)
  }

  summary(seconds: number): Summary {
    const times = Float64Array.from(this.#times).sort()
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0
    return {
      requests: Object.values(this.#statuses).reduce((sum, count) => sum + count, 0),
      statuses: this.#statuses,
      seconds,
      perSecond: times.length / seconds,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(1),
    }
  }
}
