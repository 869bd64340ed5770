/** Rate limits of a single server: limits of phones are counted by stored issues, the rest in memory. */

import { RateLimiter } from '../../domain/access/rate-limiter'
import {
  type LimitRule,
  type LimitsConfig,
  limited,
  type Permit,
  type PhoneOfApp,
  testBudgets,
} from '../../domain/access/rate-limits'
import type { Refusal } from '../../domain/shared/error'
import { DAY_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { IssuePermit, Limits } from '../../ports/node'
import type { Reader, Tx } from '../../ports/store'

interface LimitsDependencies {
  read: Reader
  clock: Pick<Clock, 'now'>
  limits: LimitsConfig
}

export class LocalLimits implements Limits {
  readonly #limiter = new RateLimiter()
  #areBudgetsCounted = false
  #counting: Promise<void> | undefined

  constructor(private readonly deps: LimitsDependencies) {}

  acquire(rules: readonly LimitRule[]): Permit {
    return this.#limiter.acquire(rules, this.deps.clock.now())
  }

  async acquireForIssue(rules: readonly LimitRule[]): Promise<IssuePermit> {
    if (!this.#areBudgetsCounted && rules.some(isBudget)) await this.begin()
    const ofPhone = rules.filter(isOfPhone)
    const permit = this.acquire(rules.filter((rule) => !isOfPhone(rule)))
    return { release: () => permit.release(), confirm: (tx) => confirmPhone(tx, ofPhone) }
  }

  /** Drops windows that have ended; called periodically. */
  prune(): void {
    this.#limiter.prune(this.deps.clock.now())
  }

  /** Counts the test issues of the day, once; after a failure the next caller tries again. */
  begin(): Promise<void> {
    this.#counting ??= this.#countBudgets().catch((error) => {
      this.#counting = undefined
      throw error
    })
    return this.#counting
  }

  async #countBudgets(): Promise<void> {
    const { read, clock, limits } = this.deps
    const now = clock.now()
    const midnight = Math.floor(now / DAY_MS) * DAY_MS
    for (const { organizationId, issues } of await read.issues.testIssuesSince(midnight))
      for (const budget of testBudgets(limits, organizationId)) this.#limiter.preload(budget, issues, now)
    this.#areBudgetsCounted = true
  }
}

/** Only budgets of test issues count by the UTC day. */
const isBudget = ({ windowMs }: LimitRule) => windowMs === 'utc-day'

type PhoneRule = LimitRule & { phone: PhoneOfApp; windowMs: number }
export const isOfPhone = (rule: LimitRule): rule is PhoneRule => rule.phone !== undefined && rule.windowMs !== 'utc-day'

/** Returns the refusal of one more issue. The transaction holds the lock of the phone, so the count cannot change meanwhile. */
export async function confirmPhone(tx: Tx, rules: readonly PhoneRule[]): Promise<Refusal | undefined> {
  const [first] = rules
  if (!first) return undefined
  const asked = rules.map(({ max, windowMs }) => ({ nth: max, withinMs: windowMs }))
  const made = await tx.issues.nthNewest(first.phone, asked)
  const waits = rules.map(({ windowMs }, n) => {
    const at = made[n]
    // A time after now was stored before the clock was set back.
    return at === undefined ? 0 : Math.max(1, Math.min(at, tx.now) + windowMs - tx.now)
  })
  const longest = Math.max(...waits)
  const rule = rules[waits.indexOf(longest)]
  return rule && longest > 0 ? limited(rule, longest) : undefined
}
