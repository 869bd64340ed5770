/** Counts what limits allow, in this process's memory: exact within it, for the subjects that were counted last. */
import type { LimitName } from '../shared/error'
import { DAY_MS, nextMidnightUtc } from '../shared/value'
import { type Counter, type LimitRule, limited, type Permit } from './rate-limits'

/** How often something was counted in one millisecond: a busy key fills a minute with these, not with requests. */
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
    // What has left the window counts no more.
    if (counted.times === 0) return
    counted.times--
    this.#total--
    // A caller may repeat an order for as long as it likes: what is taken back leaves nothing behind.
    while (this.#counted.length > this.#first && this.#counted.at(-1)?.times === 0) this.#counted.pop()
  }

  /** Drops times that have left the window, and times from a future that a clock step took back. */
  moveTo(now: number): void {
    const start = windowStart(this.windowMs, now)
    for (let oldest = this.#counted[this.#first]; oldest && oldest.at < start; oldest = this.#counted[++this.#first]) {
      this.#total -= oldest.times
      oldest.times = 0
    }
    // Cut off now and then, so that the cost of it is shared by many.
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

  /** How long until fewer than `max` are left; 0: there are. */
  waitMs(max: number, now: number): number {
    if (this.#total < max) return 0
    if (this.windowMs === 'utc-day') return nextMidnightUtc(now) - now
    let tooMany = this.#total - max
    // What has left already counts nothing.
    const leaving = this.#counted.find(({ times }) => {
      tooMany -= times
      return tooMany < 0
    })
    return Math.max(1, (leaving?.at ?? now) + this.windowMs - now)
  }
}

const windowStart = (windowMs: LimitRule['windowMs'], now: number) =>
  windowMs === 'utc-day' ? Math.floor(now / DAY_MS) * DAY_MS : now - windowMs + 1

/** A limit for each length of window; with more subjects, the one counted longest ago is forgotten. It takes some 20 MB where each was counted once. */
const MOST_SUBJECTS = 100_000
/** So that a look at what may be forgotten does not keep requests waiting. */
const LOOKED_AT_ONCE = 20_000

export class RateLimiter {
  /** By the length of the window, then by limit and subject: whoever was counted last comes last. */
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
      // The longest wait: only after it may the request succeed.
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

  /** Counts what happened so many times in the running window before this process started. */
  preload(counter: Counter, times: number, now: number): void {
    const window = this.#windowOf(counter)
    this.#keep(counter, window)
    for (let n = 0; n < times; n++) window.count(now)
  }

  /** Forgets some of what no longer counts; called now and then, so that memory follows the traffic. */
  prune(now: number): void {
    let left = LOOKED_AT_ONCE
    for (const bySubject of this.#windows.values())
      for (const [name, window] of bySubject) {
        window.moveTo(now)
        // Those behind it were counted later.
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
