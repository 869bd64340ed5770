/** Limits of several servers: what must be exact is counted by all together, the rest by each. */
import { type LimitRule, limited, type Permit } from '../domain/limit'
import type { Clock } from '../ports/clock'
import type { Fleet } from '../ports/fleet'
import type { IssuePermit, Limits } from '../ports/node'
import type { Tx } from '../ports/store'
import { Limiter } from './limiter'

export class SharedLimits implements Limits {
  readonly #own = new Limiter()

  constructor(private readonly deps: { fleet: Pick<Fleet, 'take'>; clock: Pick<Clock, 'now'> }) {}

  async take(rules: readonly LimitRule[]): Promise<Permit> {
    const own = this.#own.take(rules.filter(isOwn), this.deps.clock.now())
    try {
      const together = await this.deps.fleet.take(rules.filter(({ isExact }) => isExact))
      return {
        async giveBack() {
          own.giveBack()
          await together.giveBack()
        },
      }
    } catch (refusal) {
      own.giveBack()
      throw refusal
    }
  }

  async admit(rules: readonly LimitRule[]): Promise<IssuePermit> {
    const { giveBack } = await this.take(rules)
    const ofPhone = rules.filter(({ phone }) => phone)
    return { giveBack, confirm: (tx) => confirm(tx, ofPhone) }
  }

  /** What counts for a day is in the database. */
  recalled(): undefined {
    return undefined
  }

  /** Forgets some of what no longer counts; called now and then. */
  prune(): void {
    this.#own.prune(this.deps.clock.now())
  }
}

const isOwn = ({ isExact, phone }: LimitRule) => !isExact && !phone

/** By the issues of the phone, which nobody adds to while the unit holds it. */
async function confirm(tx: Tx, rules: readonly LimitRule[]): Promise<void> {
  const waits = await Promise.all(
    rules.map(async (rule) => {
      const { phone, windowMs, max } = rule
      if (!phone || windowMs === 'utc-day') return 0
      const at = await tx.issues.nthNewest(phone, max, tx.now - windowMs + 1)
      return at === undefined ? 0 : Math.max(1, at + windowMs - tx.now)
    }),
  )
  const longest = Math.max(0, ...waits)
  const rule = rules[waits.indexOf(longest)]
  if (rule && longest > 0) throw limited(rule, longest)
}
