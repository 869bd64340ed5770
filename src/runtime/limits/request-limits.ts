/** Limits of requests and issues, of one server and of several, and of the messages that wait to be sent. */
import {
  type LimitRule,
  type LimitsConfig,
  limited,
  type Permit,
  type PhoneOfApp,
  RateLimiter,
  testBudgets,
} from '../../domain/access/rate-limits'
import { type Refusal, unavailable } from '../../domain/shared/error'
import { DAY_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { Backlog, BacklogPermit, Fleet, IssuePermit, Limits } from '../../ports/node'
import type { Reader, Tx } from '../../ports/store'

interface LimitsDependencies {
  read: Reader
  clock: Pick<Clock, 'now'>
  limits: LimitsConfig
}

/** Rate limits of a single server: limits of phones are counted by stored issues, the rest in memory. */
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
const isOfPhone = (rule: LimitRule): rule is PhoneRule => rule.phone !== undefined && rule.windowMs !== 'utc-day'

/** Returns the refusal of one more issue. The transaction holds the lock of the phone, so the count cannot change meanwhile. */
async function confirmPhone(tx: Tx, rules: readonly PhoneRule[]): Promise<Refusal | undefined> {
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

/** Rate limits of a cluster: exact limits are counted in the database, the rest by each server. */
export class SharedLimits implements Limits {
  readonly #own = new RateLimiter()

  constructor(private readonly deps: { fleet: Pick<Fleet, 'acquire'>; clock: Pick<Clock, 'now'> }) {}

  async acquire(rules: readonly LimitRule[]): Promise<Permit> {
    const own = this.#own.acquire(rules.filter(isOwn), this.deps.clock.now())
    try {
      const together = await this.deps.fleet.acquire(rules.filter(({ isExact }) => isExact))
      return {
        async release() {
          own.release()
          await together.release()
        },
      }
    } catch (refusal) {
      own.release()
      throw refusal
    }
  }

  async acquireForIssue(rules: readonly LimitRule[]): Promise<IssuePermit> {
    const { release } = await this.acquire(rules)
    const ofPhone = rules.filter(isOfPhone)
    return { release: release, confirm: (tx) => confirmPhone(tx, ofPhone) }
  }

  /** Drops windows that have ended; called periodically. */
  prune(): void {
    this.#own.prune(this.deps.clock.now())
  }
}

const isOwn = ({ isExact, phone }: LimitRule) => !isExact && !phone

const COUNT_KEPT_MS = 1_000
/** At the limit the count is refreshed sooner, since messages leave the backlog quickly. */
const FULL_KEPT_MS = 100
const RETRY_AFTER_MS = 5_000

/**
 * Bounds the number of messages that wait to be sent. The count of the store is cached and messages
 * admitted since are added. So the limit is never exceeded, and few issues pay for a count.
 */
export class CountedBacklog implements Backlog {
  /** The cached count, and messages stored since. */
  #stored = 0
  #countedAt = Number.NEGATIVE_INFINITY
  #counting: Promise<void> | undefined
  /** Admitted and perhaps not stored yet: the count may or may not include them. */
  #pending = 0
  /** Shared by all callers, since permits do not differ. */
  readonly #permit: BacklogPermit = {
    markStored: () => {
      this.#pending--
      this.#stored++
    },
    release: () => {
      this.#pending--
    },
  }

  constructor(
    private readonly max: number,
    private readonly jobs: Pick<Reader['jobs'], 'backlog'>,
    private readonly clock: Pick<Clock, 'elapsed'>,
  ) {}

  async acquire(): Promise<BacklogPermit> {
    if (this.clock.elapsed() - this.#countedAt >= (this.#isFull ? FULL_KEPT_MS : COUNT_KEPT_MS)) {
      this.#counting ??= this.#count()
      await this.#counting
    }
    if (this.#isFull) throw unavailable('Too many messages wait to be sent', RETRY_AFTER_MS)
    this.#pending++
    return this.#permit
  }

  get #isFull(): boolean {
    return this.#stored + this.#pending >= this.max
  }

  async #count(): Promise<void> {
    const at = this.clock.elapsed()
    // The count may miss messages that are stored while it runs: they are added on top.
    this.#stored = 0
    try {
      this.#stored += await this.jobs.backlog(this.max)
      this.#countedAt = at
    } finally {
      this.#counting = undefined
    }
  }
}
