/** Exact sliding windows of rate limits in this process's memory, for the subjects that were counted last. */
import type { LimitName } from '../shared/error'
import { DAY_MS, nextMidnightUtc } from '../shared/value'
import { type Counter, type LimitRule, limited, type Permit } from './rate-limits'

/** Count of one millisecond. So a window of a busy key has an entry per millisecond and not per request. */
interface CountedMoment {
  at: number
  times: number
}

/** The counts of one subject within one window. */
class SubjectWindow {
  /** Oldest first, from `#first` on. */
  #counted: CountedMoment[] = []
  #first = 0
  #total = 0

  constructor(private readonly windowMs: LimitRule['windowMs']) {}

  get total(): number {
    return this.#total
  }

  count(at: number): CountedMoment {
    this.#total++
    const last = this.#counted.at(-1)
    if (last?.at === at) {
      last.times++
      return last
    }
    const counted = { at, times: 1 }
    this.#counted.push(counted)
    return counted
  }

  remove(counted: CountedMoment): void {
    // It has left the window.
    if (counted.times === 0) return
    counted.times--
    this.#total--
    // Removed counts leave no entry behind, however often a caller repeats a request.
    while (this.#counted.length > this.#first && this.#counted.at(-1)?.times === 0) this.#counted.pop()
  }

  /** Drops entries that have left the window, and moves entries from the future after a clock step to `now`. */
  moveTo(now: number): void {
    const start = windowStart(this.windowMs, now)
    for (let oldest = this.#counted[this.#first]; oldest && oldest.at < start; oldest = this.#counted[++this.#first]) {
      this.#total -= oldest.times
      oldest.times = 0
    }
    // The array is cut only now and then, so that the cost is amortized.
    if (this.#first * 2 > this.#counted.length) {
      this.#counted = this.#counted.slice(this.#first)
      this.#first = 0
    }
    for (let index = this.#counted.length - 1; index >= this.#first; index--) {
      const counted = this.#counted[index] as CountedMoment
      if (counted.at <= now) break
      counted.at = now
    }
  }

  /** Milliseconds until fewer than `max` are left; 0: now. */
  waitMs(max: number, now: number): number {
    if (this.#total < max) return 0
    if (this.windowMs === 'utc-day') return nextMidnightUtc(now) - now
    let tooMany = this.#total - max
    // Entries before `#first` have no counts left.
    const leaving = this.#counted.find(({ times }) => {
      tooMany -= times
      return tooMany < 0
    })
    return Math.max(1, (leaving?.at ?? now) + this.windowMs - now)
  }
}

const windowStart = (windowMs: LimitRule['windowMs'], now: number) =>
  windowMs === 'utc-day' ? Math.floor(now / DAY_MS) * DAY_MS : now - windowMs + 1

/**
 * Subjects per length of window; beyond that the one counted longest ago is evicted. They take some 20 MB where each
 * was counted once.
 */
const MOST_SUBJECTS = 100_000
/** Bounds the time of one `prune`. */
const LOOKED_AT_ONCE = 20_000

export class RateLimiter {
  /** By length of window, then by limit and subject, in the order of the last count. */
  readonly #windows = new Map<LimitRule['windowMs'], Map<string, SubjectWindow>>()

  /** Counts one under every rule, or throws `limited` and counts none. */
  acquire(rules: readonly LimitRule[], now: number): Permit {
    const windows: SubjectWindow[] = []
    let worst: { rule: LimitRule; waitMs: number } | undefined
    for (const rule of rules) {
      const window = this.#windowOf(rule)
      window.moveTo(now)
      windows.push(window)
      const waitMs = window.waitMs(rule.max, now)
      // The request can succeed only after the longest wait.
      if (waitMs > (worst?.waitMs ?? 0)) worst = { rule, waitMs }
    }
    if (worst) throw limited(worst.rule, worst.waitMs)
    const counted = windows.map((window, n) => {
      this.#keep(rules[n] as LimitRule, window)
      return window.count(now)
    })
    return {
      release() {
        counted.splice(0).forEach((one, n) => {
          windows[n]?.remove(one)
        })
      },
    }
  }

  /** Counts events of the running window from before this process started. */
  preload(counter: Counter, times: number, now: number): void {
    const window = this.#windowOf(counter)
    this.#keep(counter, window)
    for (let n = 0; n < times; n++) window.count(now)
  }

  /** Evicts some empty windows. Called now and then, so that memory follows the traffic. */
  prune(now: number): void {
    let left = LOOKED_AT_ONCE
    for (const bySubject of this.#windows.values())
      for (const [name, window] of bySubject) {
        window.moveTo(now)
        // Later ones were counted later.
        if (window.total > 0 || left-- <= 0) break
        bySubject.delete(name)
      }
  }

  #windowOf({ windowMs, limit, subject }: Counter): SubjectWindow {
    return this.#windows.get(windowMs)?.get(nameOf(limit, subject)) ?? new SubjectWindow(windowMs)
  }

  #keep({ windowMs, limit, subject }: Counter, window: SubjectWindow): void {
    const bySubject = this.#windows.get(windowMs) ?? new Map<string, SubjectWindow>()
    this.#windows.set(windowMs, bySubject)
    const name = nameOf(limit, subject)
    bySubject.delete(name)
    bySubject.set(name, window)
    if (bySubject.size <= MOST_SUBJECTS) return
    const [oldest = ''] = bySubject.keys()
    bySubject.delete(oldest)
  }
}

const nameOf = (limit: LimitName, subject: string) => `${limit} ${subject}`
