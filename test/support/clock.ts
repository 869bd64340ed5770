/** Virtual time: nothing waits, timers fire in order when a test lets time pass. */
import type { Clock } from '../../src/ports/clock'

interface Timer {
  at: number
  order: number
  callback: () => void
}

export class VirtualClock implements Clock {
  /** Time that timers follow; never goes back. */
  #elapsed = 0
  /** What a clock step has added to the wall clock. */
  #stepped = 0
  #order = 0
  #timers: Timer[] = []
  readonly #followers = new Set<(now: number) => void>()

  constructor(private readonly startsAt: number) {}

  now = () => this.startsAt + this.#elapsed + this.#stepped

  elapsed = () => this.#elapsed

  after = (delayMs: number, callback: () => void) => {
    const timer = { at: this.#elapsed + Math.max(0, delayMs), order: this.#order++, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Tells what time it is, now and whenever that changes: before anybody else can see it. Answers how to stop it. */
  follow(tell: (now: number) => void): () => void {
    this.#followers.add(tell)
    tell(this.now())
    return () => this.#followers.delete(tell)
  }

  /** Somebody sets the wall clock; timers do not notice. */
  step(byMs: number): void {
    this.#stepped += byMs
    this.#tell()
  }

  /** Time passes in which nobody comes to fire a timer: those that were due come next. */
  leap(ms: number): void {
    this.#elapsed += ms
    this.#tell()
  }

  /** Forgets every timer, as a killed process does. */
  forgetTimers(): void {
    this.#timers = []
  }

  /** Fires the next timer that is due within `withinMs`; false when there is none, and then the time has passed. */
  fireNext(withinMs: number): { fired: boolean; passedMs: number } {
    const next = this.#timers.reduce<Timer | undefined>(
      (first, timer) =>
        !first || timer.at < first.at || (timer.at === first.at && timer.order < first.order) ? timer : first,
      undefined,
    )
    const passedMs = next ? Math.max(0, next.at - this.#elapsed) : withinMs
    if (!next || passedMs > withinMs) {
      this.leap(withinMs)
      return { fired: false, passedMs: withinMs }
    }
    this.leap(passedMs)
    this.#timers = this.#timers.filter((timer) => timer !== next)
    next.callback()
    return { fired: true, passedMs }
  }
  #tell(): void {
    for (const tell of this.#followers) tell(this.now())
  }
}
