/** The database's clock, which an operator sets, or another machine's after a failover; and how long something lives by it. */
import type { VirtualClock } from '../../support/clock'

/** By so much a set-back may be taken for less: a correction is not followed, and an answer that was late says less. */
const TAKEN_FOR_LESS_MS = 3_000

export class SetClock {
  /** At moments of the clock that never steps. */
  readonly #steps: Array<{ at: number; byMs: number }> = []

  constructor(private readonly clock: VirtualClock) {}

  /** Unix milliseconds, by the database's clock. */
  now = () => this.clock.now()

  elapsed = () => this.clock.elapsed()

  set(byMs: number): void {
    this.#steps.push({ at: this.elapsed(), byMs })
    this.clock.step(byMs)
  }

  /** In all. */
  setBackMs(): number {
    return this.#steps.reduce((sum, { byMs }) => sum + Math.max(0, -byMs), 0)
  }

  /** Between two moments, or ever. */
  wasSet(where: 'forward' | 'back', from = 0, to = Number.POSITIVE_INFINITY): boolean {
    return this.#steps.some(({ at, byMs }) => at >= from && at <= to && byMs > 0 === (where === 'forward'))
  }

  /** When it was set last, by the clock that never steps. */
  lastSet = (): number => this.#steps.at(-1)?.at ?? Number.NEGATIVE_INFINITY

  moment = (): Moment => ({ at: this.elapsed(), stepsBefore: this.#steps.length })

  /** The least and the most that it has said since. */
  saidSince(moment: Moment): { least: number; most: number } {
    let lead = this.now() - this.elapsed()
    const said = [this.now()]
    for (const { at, byMs } of this.#since(moment).toReversed()) {
      said.push(at + lead, at + lead - byMs)
      lead -= byMs
    }
    said.push(moment.at + lead)
    return { least: Math.min(...said), most: Math.max(...said) }
  }

  /**
   * Between which moments something ends that was stored between `asked` and now, by the database as of `bornAt`, for so long:
   * a clock that is set forward takes from its life, one that is set back gives nothing.
   */
  lifeOf(asked: Moment, bornAt: number, lifeMs: number): Life {
    const answered = this.moment()
    const meanwhile = this.#since(asked)
    const born = this.elapsed() - (this.now() - bornAt)
    const [from, to] = meanwhile.length === 0 ? [born, born] : [asked.at, answered.at]
    return {
      earliest: () => from + lifeMs - this.#since(asked).reduce((sum, { byMs }) => sum + Math.max(0, byMs), 0),
      latest: () => to + lifeMs - this.#takenSince(answered) + TAKEN_FOR_LESS_MS,
    }
  }

  /** At least: what is set back before anybody has looked was never set forward. */
  #takenSince(moment: Moment): number {
    return this.#since(moment).reduce((taken, { byMs }) => Math.max(0, taken + byMs), 0)
  }

  #since({ stepsBefore }: Moment) {
    return this.#steps.slice(stepsBefore)
  }
}

interface Moment {
  /** Of the clock that never steps. */
  at: number
  /** The clock may be set, and much be done, without time passing. */
  stepsBefore: number
}

/** Moments of the clock that never steps, as far as anybody knows by now. */
export interface Life {
  earliest(): number
  latest(): number
}
