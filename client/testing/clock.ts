/** A virtual clock that a test advances. */
import type { FlowClock } from '../flow/clock'

interface Timer {
  at: number
  callback: () => void
}

export class TestClock implements FlowClock {
  #elapsed = 0
  #timers: Timer[] = []
  /** Work that takes real time. */
  readonly #works = new Set<Promise<unknown>>()

  /** `start`: Unix milliseconds at the beginning; now when omitted. */
  constructor(private readonly start: () => number) {}

  /** Milliseconds since its beginning. */
  readonly now = (): number => this.#elapsed

  readonly after = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.#elapsed + ms, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Unix milliseconds. */
  time(): number {
    return Math.floor(this.start() + this.#elapsed)
  }

  /** Runs each timer at its time, with its consequences before the next one. */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsed + ms
    await this.#othersDone()
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#elapsed = Math.max(this.#elapsed, next.at)
      this.#timers = this.#timers.filter((timer) => timer !== next)
      next.callback()
      await this.#othersDone()
    }
    this.#elapsed = until
  }

  /** Virtual time does not pass meanwhile. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#works.add(work)
    try {
      return await work
    } finally {
      this.#works.delete(work)
    }
  }

  async #othersDone(): Promise<void> {
    do await turn()
    while (this.#works.size > 0)
  }

  #next(until: number): Timer | undefined {
    const due = this.#timers.filter(({ at }) => at <= until)
    return due.reduce<Timer | undefined>((first, timer) => (first && first.at <= timer.at ? first : timer), undefined)
  }
}

const { setTimeout } = globalThis

/** Waits until pending promises have settled. Uses a timer that fake timers do not replace. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof MessageChannel === 'undefined') return void setTimeout(resolve, 0)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
