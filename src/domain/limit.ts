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

interface Counted {
  at: number
}

/** What was counted within one window, oldest first. */
interface Log {
  counted: Counted[]
  windowMs: number | 'utc-day'
}

export class Limiter {
  readonly #logs = new Map<string, Log>()

  /** Counts one under every rule, or throws `limited` and counts none. */
  take(rules: readonly LimitRule[], now: number): Permit {
    const logs = rules.map((rule) => this.#log(rule, now))
    const exceeded = rules.flatMap((rule, index) => {
      const { counted } = logs[index] as Log
      return counted.length < rule.max ? [] : [{ rule, waitMs: retryAfterMs(rule, counted, now) }]
    })
    // The longest wait: only after it may the request succeed.
    const [worst] = exceeded.sort((a, b) => b.waitMs - a.waitMs)
    if (worst) throw limited(worst.rule, worst.waitMs)
    const taken = logs.map((log) => {
      const entry = { at: now }
      log.counted.push(entry)
      return { log, entry }
    })
    return {
      giveBack() {
        for (const { log, entry } of taken.splice(0)) {
          const index = log.counted.lastIndexOf(entry)
          if (index >= 0) log.counted.splice(index, 1)
        }
      },
    }
  }

  /** Counts something that happened before this process started. */
  recall(rule: Pick<LimitRule, 'limit' | 'subject' | 'windowMs'>, at: number): void {
    const log = this.#logs.get(logKey(rule))
    if (log) log.counted.push({ at })
    else this.#logs.set(logKey(rule), { counted: [{ at }], windowMs: rule.windowMs })
  }

  /** Forgets what no longer counts; called now and then so that memory follows the traffic. */
  prune(now: number): void {
    for (const [key, log] of this.#logs) {
      drop(log, now)
      if (log.counted.length === 0) this.#logs.delete(key)
    }
  }

  #log(rule: LimitRule, now: number): Log {
    const key = logKey(rule)
    let log = this.#logs.get(key)
    if (!log) {
      log = { counted: [], windowMs: rule.windowMs }
      this.#logs.set(key, log)
    }
    drop(log, now)
    return log
  }
}

const logKey = (rule: Pick<LimitRule, 'limit' | 'subject' | 'windowMs'>) =>
  `${rule.limit}/${rule.windowMs}/${rule.subject}`

const windowStart = (windowMs: number | 'utc-day', now: number) =>
  windowMs === 'utc-day' ? Math.floor(now / DAY_MS) * DAY_MS : now - windowMs + 1

/** Drops times that have left the window, and times from a future that a clock step took back. */
function drop({ counted, windowMs }: Log, now: number): void {
  const start = windowStart(windowMs, now)
  const stale = counted.findIndex(({ at }) => at >= start)
  counted.splice(0, stale === -1 ? counted.length : stale)
  for (let last = counted.length - 1; last >= 0 && (counted[last] as Counted).at > now; last--) {
    ;(counted[last] as Counted).at = now
  }
}

function retryAfterMs(rule: LimitRule, counted: readonly Counted[], now: number): number {
  if (rule.windowMs === 'utc-day') return nextMidnightUtc(now) - now
  const oldestCounting = counted[counted.length - rule.max]?.at ?? now
  return Math.max(1, oldestCounting + rule.windowMs - now)
}

function limited(rule: LimitRule, retryAfter: number): Refusal {
  return new Refusal('limited', `Limit exceeded: ${rule.limit}`, {
    limit: rule.limit,
    policy: rule.policy,
    retryAfterMs: retryAfter,
  })
}
