/**
 * The one test of the guard: are more wishes lost in a place than its usual share explains? Page's cumulative sum (Biometrika
 * 41, 1954) over wishes in the order of their making:
 *
 *   score ← max(0, score + ln(q₁ ∕ q₀)) for a lost wish, + ln((1 − q₁) ∕ (1 − q₀)) for a kept one;   alarm: score ≥ 9.2
 *
 * `q₀` is the share of lost wishes where 65 % of those are kept that usually are, `q₁` where 35 % are. By Lorden (1971) fewer than one
 * wish in e^9.2 = 10,000 raises an alarm in a place that keeps 65 % or more of its usual share. Wishes that are still open
 * count as lost as far as they are more than usual, and those kept meanwhile against them. Half of a score is forgotten in six hours, and all of it after
 * two such times without any wish.
 */
import { HOUR_MS } from '../../domain/shared/value'

/** One honest wish in ten thousand. */
const ALARM = Math.log(10_000)
const HONEST_KEEP = 0.65
const PUMPED_KEEP = 0.35
/** The score is bounded, so that honest wishes and time bring it down again. */
export interface Forgetting {
  /** Times the alarm. */
  readonly most: number
  readonly halfLifeMs: number
}
const USUALLY: Forgetting = { most: 2.5, halfLifeMs: 6 * HOUR_MS }
/** Half-lives without any wish. */
const ALL_FORGOTTEN_AFTER = 2

/** Fewer phones say nothing: they are of a tester, or a shop. */
export const SAYS_NOTHING_BELOW = 16

const KEPT = Math.log(PUMPED_KEEP / HONEST_KEEP)
const lostWeight = (lostShare: number) =>
  Math.log((1 - PUMPED_KEEP * (1 - lostShare)) / (1 - HONEST_KEEP * (1 - lostShare)))

/** Sums since the score was last 0. A snapshot stores these names. Times are Unix milliseconds. */
export interface SequentialTestState {
  readonly score: number
  readonly at: number
  readonly since: number
  readonly kept: number
  readonly lost: number
}

const NONE: SequentialTestState = { score: 0, at: 0, since: 0, kept: 0, lost: 0 }

/** Wishes that are not in the score yet. */
export interface Young {
  /** Open ones beyond what is usual. */
  readonly excess: number
  readonly kept: number
}

export class SequentialTest {
  state: SequentialTestState = NONE

  constructor(private readonly forgetting = USUALLY) {}

  /** `lostShare`: the usual one, 0 to 1. */
  record(result: 'kept' | 'lost', lostShare: number, now: number): void {
    const { since, kept, lost } = this.sums(now)
    const before = this.#scoreAt(now)
    const score = Math.min(this.forgetting.most * ALARM, before + (result === 'kept' ? KEPT : lostWeight(lostShare)))
    this.state =
      score > 0
        ? {
            ...{ score, at: now, since: before > 0 ? since : now },
            ...{ kept: kept + Number(result === 'kept'), lost: lost + Number(result === 'lost') },
          }
        : NONE
  }

  /** How far it is: 1 is an alarm. */
  level({ excess, kept }: Young, lostShare: number, now: number): number {
    return (this.#scoreAt(now) + Math.max(0, excess * lostWeight(lostShare) + kept * KEPT)) / ALARM
  }

  forget(): void {
    this.state = NONE
  }

  /** The sums, unless they are forgotten. */
  sums(now: number): SequentialTestState {
    return now - this.state.at > ALL_FORGOTTEN_AFTER * this.forgetting.halfLifeMs ? NONE : this.state
  }

  #scoreAt(now: number): number {
    const { score, at } = this.sums(now)
    return score * 2 ** (-Math.max(0, now - at) / this.forgetting.halfLifeMs)
  }
}
