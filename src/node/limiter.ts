/** Counts what limits allow, in this process's memory: exact within it, and rebuilt from the issues at start where a day counts. */
import type { LimitName } from '../domain/error'
import { type Counter, type LimitRule, limited, type Permit } from '../domain/limit'
import { DAY_MS, nextMidnightUtc } from '../domain/value'
import { Times } from './times'

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
    // A caller may repeat an order for as long as it likes: what is taken back leaves nothing behind.
    while (this.#counted.length > this.#first && this.#counted.at(-1)?.times === 0) this.#counted.pop()
  }

  /** The same of something that is known by its time only. */
  giveBackAt(at: number): void {
    const counted = this.#counted.find((one) => one.at <= at)
    if (counted) this.giveBack(counted)
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

/** One of those that a subject has several of. */
interface Taken {
  window: Window
  counted: Counted
}

/** What was counted of each subject within windows of one length. */
class Windows {
  /** Most subjects were counted once: of these there is the time. */
  readonly #once = new Times()
  readonly #often = new Map<string, Window>()
  /** Where the look at those that may be forgotten goes on: first at those that were counted once. */
  #isOnceSeen = false
  #unseen = this.#often.entries()

  constructor(private readonly windowMs: LimitRule['windowMs']) {}

  /** How often the subject was counted in the window that ends now. */
  total(subject: string, now: number): number {
    const window = this.#often.get(subject)
    if (!window) return this.#totalOfOne(subject, now)
    window.moveTo(now)
    return window.total
  }

  #totalOfOne(subject: string, now: number): number {
    const at = this.#once.get(subject)
    if (at === undefined) return 0
    const kept = this.#kept(at, now)
    if (kept === undefined) this.#once.delete(subject)
    else if (kept !== at) this.#once.set(subject, kept)
    return kept === undefined ? 0 : 1
  }

  /** The time of one that still counts; none comes from a future that a clock step took back. */
  #kept(at: number, now: number): number | undefined {
    return at < windowStart(this.windowMs, now) ? undefined : Math.min(at, now)
  }

  waitMs(subject: string, max: number, now: number): number {
    return this.#windowOf(subject).waitMs(max, now)
  }

  /** Answers what takes it back; undefined where its subject and time do. */
  count(subject: string, at: number): Taken | undefined {
    if (!this.#often.has(subject) && this.#once.get(subject) === undefined) {
      this.#once.set(subject, at)
      return undefined
    }
    const window = this.#windowOf(subject)
    return { window, counted: window.count(at) }
  }

  /** Looks at some and forgets those that no longer count; answers false when it has seen all. */
  prune(now: number, looks: number): boolean {
    if (!this.#isOnceSeen && this.#once.look(looks, (at) => this.#kept(at, now))) return true
    this.#isOnceSeen = true
    for (let look = 0; look < looks; look++) {
      const { done, value } = this.#unseen.next()
      if (done) {
        this.#unseen = this.#often.entries()
        this.#isOnceSeen = false
        return false
      }
      if (this.total(value[0], now) === 0) this.#often.delete(value[0])
    }
    return true
  }

  giveBack(subject: string, at: number, taken: Taken | undefined): void {
    if (taken) taken.window.giveBack(taken.counted)
    else this.#giveBackOne(subject, at)
  }

  #giveBackOne(subject: string, at: number): void {
    const window = this.#often.get(subject)
    const counted = this.#once.get(subject)
    if (window) window.giveBackAt(at)
    // A clock that was set back has set the time back, too.
    else if (counted !== undefined && counted <= at) this.#once.delete(subject)
  }

  #windowOf(subject: string): Window {
    const known = this.#often.get(subject)
    if (known) return known
    const window = new Window(this.windowMs)
    const at = this.#once.get(subject)
    if (at !== undefined) window.count(at)
    this.#once.delete(subject)
    this.#often.set(subject, window)
    return window
  }
}

/** For one more under a rule. */
class Turn {
  #taken: Taken | undefined

  constructor(
    readonly rule: LimitRule,
    private readonly windows: Windows,
    private readonly now: number,
  ) {}

  /** 0 where there is room. */
  waitMs(): number {
    const { subject, max } = this.rule
    return this.windows.total(subject, this.now) < max ? 0 : this.windows.waitMs(subject, max, this.now)
  }

  take(): void {
    this.#taken = this.windows.count(this.rule.subject, this.now)
  }

  giveBack(): void {
    this.windows.giveBack(this.rule.subject, this.now, this.#taken)
  }
}

class Turns implements Permit {
  constructor(private readonly turns: Turn[]) {}

  giveBack(): void {
    for (const turn of this.turns.splice(0)) turn.giveBack()
  }
}

/** So that a look at what may be forgotten does not keep requests waiting. */
const LOOKED_AT_ONCE = 20_000

export class Limiter {
  /** By kind of limit, and length of its window. */
  readonly #kinds = new Map<LimitName, Map<LimitRule['windowMs'], Windows>>()
  #unpruned: Windows[] = []

  /** Counts one under every rule, or throws `limited` and counts none. */
  take(rules: readonly LimitRule[], now: number): Permit {
    const turns: Turn[] = []
    for (const rule of rules) turns.push(new Turn(rule, this.#windowsOf(rule), now))
    let worst: { rule: LimitRule; waitMs: number } | undefined
    for (const turn of turns) {
      const waitMs = turn.waitMs()
      // The longest wait: only after it may the request succeed.
      if (waitMs > (worst?.waitMs ?? 0)) worst = { rule: turn.rule, waitMs }
    }
    if (worst) throw limited(worst.rule, worst.waitMs)
    for (const turn of turns) turn.take()
    return new Turns(turns)
  }

  /** Takes over what another has counted, of kinds that were not counted here yet. */
  adopt(other: Limiter): void {
    for (const [limit, others] of other.#kinds)
      for (const [windowMs, windows] of others) this.#windowsBy(limit).set(windowMs, windows)
    this.#unpruned = []
  }

  /** Counts something that happened before this process started. */
  recall(counter: Counter, at: number, now: number): void {
    if (at >= windowStart(counter.windowMs, now)) this.#windowsOf(counter).count(counter.subject, at)
  }

  /** Forgets some of what no longer counts; called now and then, so that memory follows the traffic. */
  prune(now: number): void {
    if (this.#unpruned.length === 0)
      this.#unpruned = [...this.#kinds.values()].flatMap((windows) => [...windows.values()])
    if (!this.#unpruned[0]?.prune(now, LOOKED_AT_ONCE)) this.#unpruned.shift()
  }

  #windowsOf({ limit, windowMs }: Counter): Windows {
    const ofLimit = this.#windowsBy(limit)
    const known = ofLimit.get(windowMs)
    if (known) return known
    const windows = new Windows(windowMs)
    ofLimit.set(windowMs, windows)
    return windows
  }

  #windowsBy(limit: LimitName): Map<LimitRule['windowMs'], Windows> {
    const known = this.#kinds.get(limit)
    if (known) return known
    const none = new Map<LimitRule['windowMs'], Windows>()
    this.#kinds.set(limit, none)
    return none
  }
}
