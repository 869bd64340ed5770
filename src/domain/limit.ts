/**
 * How often something may happen. Specification: "Limits", 429; decisions: "Keys", "Test mode".
 * The counts live in this process's memory: exact within it, and rebuilt from the issues at start where a day counts.
 */
import { type LimitName, Refusal } from './error'
import { DAY_MS, nextMidnightUtc } from './value'

/** At most `max` in any `windowMs`, or per UTC day where `windowMs` is `'utc-day'`. */
export interface LimitRule {
  limit: LimitName
  policy: 'key' | 'platform'
  /** What is counted, for example `issue:<keyId>`. */
  subject: string
  max: number
  windowMs: number | 'utc-day'
}

/** Counted already; given back when the request is refused after all, because a rejected request does not count. */
export interface Permit {
  giveBack(): void
}

/** How often something was counted in one millisecond: a busy key fills a minute with these, not with requests. */
interface Counted {
  at: number
  times: number
}

/** What was counted within one window. */
class Window {
  /** Oldest first, from `#first` on. */
  #counted: Counted[] = []
  #first = 0
  #total = 0

  constructor(private readonly windowMs: LimitRule['windowMs']) {}

  get total(): number {
    return this.#total
  }

  count(at: number): Counted {
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

  giveBack(counted: Counted): void {
    // What has left the window counts no more.
    if (counted.times === 0) return
    counted.times--
    this.#total--
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
      const counted = this.#counted[index] as Counted
      if (counted.at <= now) break
      counted.at = now
    }
  }

  /** How long until fewer than `max` are left. */
  waitMs(max: number, now: number): number {
    if (this.windowMs === 'utc-day') return nextMidnightUtc(now) - now
    let tooMany = this.#total - max
    const leaving = this.#counted.slice(this.#first).find(({ times }) => {
      tooMany -= times
      return tooMany < 0
    })
    return Math.max(1, (leaving?.at ?? now) + this.windowMs - now)
  }
}

const windowStart = (windowMs: LimitRule['windowMs'], now: number) =>
  windowMs === 'utc-day' ? Math.floor(now / DAY_MS) * DAY_MS : now - windowMs + 1

type Counter = Pick<LimitRule, 'limit' | 'subject' | 'windowMs'>

/** So that a look at what may be forgotten does not keep requests waiting. */
const LOOKED_AT_ONCE = 20_000

export class Limiter {
  /** By kind of limit, then by subject. */
  readonly #windows = new Map<string, Map<string, Window>>()
  /** Where the look at what may be forgotten goes on. */
  #kindsLeft: Map<string, Window>[] = []
  #windowsLeft: Iterator<[string, Window]> | undefined

  /** Counts one under every rule, or throws `limited` and counts none. */
  take(rules: readonly LimitRule[], now: number): Permit {
    const windows = rules.map((rule) => this.#window(rule))
    let worst: { rule: LimitRule; waitMs: number } | undefined
    for (const [index, rule] of rules.entries()) {
      const window = windows[index] as Window
      window.moveTo(now)
      if (window.total < rule.max) continue
      const waitMs = window.waitMs(rule.max, now)
      // The longest wait: only after it may the request succeed.
      if (!worst || waitMs > worst.waitMs) worst = { rule, waitMs }
    }
    if (worst) throw limited(worst.rule, worst.waitMs)
    const taken = windows.map((window) => ({ window, counted: window.count(now) }))
    return {
      giveBack() {
        for (const { window, counted } of taken.splice(0)) window.giveBack(counted)
      },
    }
  }

  /** Counts something that happened before this process started. */
  recall(counter: Counter, at: number, now: number): void {
    if (at >= windowStart(counter.windowMs, now)) this.#window(counter).count(at)
  }

  /** Forgets some of what no longer counts; called now and then, so that memory follows the traffic. */
  prune(now: number): void {
    if (this.#kindsLeft.length === 0) this.#kindsLeft = [...this.#windows.values()]
    for (let looks = 0; looks < LOOKED_AT_ONCE; looks++) {
      const [kind] = this.#kindsLeft
      if (!kind) return
      this.#windowsLeft ??= kind.entries()
      const { done, value } = this.#windowsLeft.next()
      if (done) {
        this.#kindsLeft.shift()
        this.#windowsLeft = undefined
        continue
      }
      const [subject, window] = value
      window.moveTo(now)
      if (window.total === 0) kind.delete(subject)
    }
  }

  #window({ limit, windowMs, subject }: Counter): Window {
    const kind = `${limit}/${windowMs}`
    const ofKind = this.#windows.get(kind) ?? new Map<string, Window>()
    if (ofKind.size === 0) this.#windows.set(kind, ofKind)
    const known = ofKind.get(subject)
    if (known) return known
    const window = new Window(windowMs)
    ofKind.set(subject, window)
    return window
  }
}

function limited(rule: LimitRule, retryAfter: number): Refusal {
  return new Refusal('limited', `Limit exceeded: ${rule.limit}`, {
    limit: rule.limit,
    policy: rule.policy,
    retryAfterMs: retryAfter,
  })
}
