/**
 * How much there was within the last hour, day or other window, by two numbers: what the running window has, and of the one
 * before it the share that still counts, as if it had been spread evenly. So a count costs no memory that grows with it. What
 * came in a burst is off by at most that burst, for at most a window.
 */
export class Sliding {
  #window = Number.NEGATIVE_INFINITY
  #current = 0
  #before = 0

  /** `windowMs`: milliseconds. */
  constructor(private readonly windowMs: number) {}

  add(amount: number, at: number): void {
    const window = Math.floor(at / this.windowMs)
    if (window > this.#window) this.#moveTo(window)
    // What is told late counts as soon as it is told.
    this.#current += amount
  }

  total(now: number): number {
    const window = Math.floor(now / this.windowMs)
    if (window > this.#window + 1) return 0
    if (window > this.#window) return this.#current * this.#left(now)
    return this.#current + this.#before * this.#left(now)
  }

  /** Never fewer than there were: all of both windows. */
  most(now: number): number {
    const window = Math.floor(now / this.windowMs)
    if (window > this.#window + 1) return 0
    return window > this.#window ? this.#current : this.#current + this.#before
  }

  /** Milliseconds until there are fewer than `max`, if nothing more comes; two windows where `max` is not above zero. */
  waitMs(max: number, now: number): number {
    if (this.total(now) < max) return 0
    if (max <= 0) return 2 * this.windowMs
    const end = (Math.floor(now / this.windowMs) + 1) * this.windowMs
    const isLater = Math.floor(now / this.windowMs) > this.#window
    const [fixed, fading] = isLater ? [0, this.#current] : [this.#current, this.#before]
    const afterMs = fixed < max ? this.windowMs * (1 - (max - fixed) / fading) : undefined
    if (afterMs !== undefined) return Math.max(1, Math.ceil(end - this.windowMs + afterMs - now))
    return Math.ceil(end - now + this.windowMs * (1 - max / fixed))
  }

  #left(now: number): number {
    return 1 - (now - Math.floor(now / this.windowMs) * this.windowMs) / this.windowMs
  }

  #moveTo(window: number): void {
    this.#before = window === this.#window + 1 ? this.#current : 0
    this.#current = 0
    this.#window = window
  }
}
