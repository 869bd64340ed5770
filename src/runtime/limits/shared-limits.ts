/** Limits of several servers: what must be exact is counted by all together, the rest by each. */

import { Limiter } from '../../domain/access/rate-limiter'
import type { LimitRule, Permit } from '../../domain/access/rate-limits'
import type { Clock } from '../../ports/clock'
import type { Fleet, IssuePermit, Limits } from '../../ports/node'
import { confirmPhone, isOfPhone } from './phone-limits'

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
    return { giveBack, confirm: (tx) => confirmPhone(tx, ofPhone) }
  }

  /** Forgets some of what no longer counts; called now and then. */
  prune(): void {
    this.#own.prune(this.deps.clock.now())
  }
}

const isOwn = ({ isExact, phone }: LimitRule) => !isExact && !phone
