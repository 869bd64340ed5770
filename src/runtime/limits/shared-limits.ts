/** Rate limits of a cluster: exact limits are counted in the database, the rest by each server. */

import { RateLimiter } from '../../domain/access/rate-limiter'
import type { LimitRule, Permit } from '../../domain/access/rate-limits'
import type { Clock } from '../../ports/clock'
import type { Fleet, IssuePermit, Limits } from '../../ports/node'
import { confirmPhone, isOfPhone } from './local-limits'

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
