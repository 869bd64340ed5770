/** Limits of several servers: what must be exact is counted by all together, the rest by each. */
import type { Refusal } from '../domain/error'
import { type LimitRule, limited, type Permit, type PhoneOfApp } from '../domain/limit'
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
    const ofPhone = rules.filter(isOfPhone)
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

type PhoneRule = LimitRule & { phone: PhoneOfApp; windowMs: number }
const isOfPhone = (rule: LimitRule): rule is PhoneRule => rule.phone !== undefined && rule.windowMs !== 'utc-day'

/** By the issues of the phone, which nobody adds to while the unit holds it. */
async function confirm(tx: Tx, rules: readonly PhoneRule[]): Promise<Refusal | undefined> {
  const [first] = rules
  if (!first) return undefined
  const asked = rules.map(({ max, windowMs }) => ({ nth: max, withinMs: windowMs }))
  const made = await tx.issues.nthNewest(first.phone, asked)
  const waits = rules.map(({ windowMs }, n) => {
    const at = made[n]
    return at === undefined ? 0 : Math.max(1, at + windowMs - tx.now)
  })
  const longest = Math.max(...waits)
  const rule = rules[waits.indexOf(longest)]
  return rule && longest > 0 ? limited(rule, longest) : undefined
}
