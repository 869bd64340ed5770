/**
 * Tests on codes that are 20 s old whether anybody verifies them. It warns owners of a new app without a baseline, and
 * tells a crowd from an attack before codes are judged. Nothing is refused for it. Decisions: "Abuse". Live mode only.
 *
 * A sequential test (Wald 1945; Page's CUSUM, 1954) of "half of the codes are typed by then" against "one in twenty
 * is":
 *
 *   score ← max(0, score + ln(0.95 / 0.5)), a code that is not typed by then; score ← max(0, score + ln(0.05 / 0.5)), one that is.
 *
 *
 * A code verified later counts as one more verified code. Unverified and undelivered codes are judged by `baseline.ts`.
 */

import { HOUR_MS, SECOND_MS } from '../../domain/shared/value'
import { AGE_MS, type AgeBucket, type IssueSample, resultAt } from './traffic-counter'

const TYPED_BY_PEOPLE = 0.5
const TYPED_BY_ATTACKERS = 0.05
const UNTYPED_WEIGHT = Math.log((1 - TYPED_BY_ATTACKERS) / (1 - TYPED_BY_PEOPLE))
const TYPED_WEIGHT = Math.log(TYPED_BY_ATTACKERS / TYPED_BY_PEOPLE)

/** Two dozen unverified codes in a row. Where half are verified this score is reached once in e¹⁵ codes. */
export const NOBODY_TYPES = 15
/** A dozen unverified codes in a row: enough where codes are refused as well. */
export const HARDLY_ANYBODY_TYPES = 8
/** After so long without a code the test starts anew. */
const ENDS_AFTER_MS = HOUR_MS
/** The score is capped, so that verified codes bring it down again. */
const MOST = 1.5 * NOBODY_TYPES

interface Second {
  sent: number
  typed: number
}

/** Seconds that are kept until their codes are 20 s old. */
const MOST_SECONDS = 64

/** The state that `restore` takes; times are Unix milliseconds, undefined before the first code. */
export interface EarlyConversionState {
  readonly score: number
  readonly seconds: ReadonlyArray<readonly [second: number, codes: Second]>
  readonly ripeUntil?: number
  readonly latest?: number
}

/** The test of one segment. */
export class EarlyConversionTest {
  #score = 0
  /** Codes by the second they were made. */
  #seconds = new Map<number, Second>()
  #ripeUntil = Number.NEGATIVE_INFINITY
  /** When the last counted code was made. */
  #latest = Number.NEGATIVE_INFINITY

  get state(): EarlyConversionState {
    const known = (at: number) => (Number.isFinite(at) ? at : undefined)
    return {
      score: this.#score,
      seconds: [...this.#seconds],
      ripeUntil: known(this.#ripeUntil),
      latest: known(this.#latest),
    }
  }

  restore({ score, seconds, ripeUntil, latest }: EarlyConversionState): void {
    this.#score = score
    this.#seconds = new Map(seconds)
    this.#ripeUntil = ripeUntil ?? Number.NEGATIVE_INFINITY
    this.#latest = latest ?? Number.NEGATIVE_INFINITY
  }

  /** 0: people verify their codes. */
  get score(): number {
    return this.#score
  }

  /** Records a code at an age. */
  record(sample: IssueSample, age: AgeBucket): void {
    const { createdAt } = sample
    const isTyped = age !== 'sent' && resultAt(sample, age) === 'verified'
    if (age === 'judged' || age === 'late') {
      if (isTyped) this.#weigh(TYPED_WEIGHT)
      return
    }
    // Codes read too late have no `early` sample.
    if (createdAt < this.#ripeUntil) return
    const second = this.#secondOf(createdAt)
    if (age === 'sent') second.sent++
    if (isTyped) second.typed++
  }

  /** Counts the codes made before `before`: all of them have been recorded at the age `early`. */
  advance(before: number): void {
    if (before - this.#latest > ENDS_AFTER_MS) this.forget()
    for (const [second, { sent, typed }] of this.#seconds) {
      const end = (second + 1) * SECOND_MS
      if (end > before) continue
      this.#seconds.delete(second)
      this.#ripeUntil = Math.max(this.#ripeUntil, end)
      // A server that starts replays the last day; old codes open no incident again.
      if (before - end > AGE_MS.late) continue
      this.#latest = Math.max(this.#latest, end)
      this.#weigh((sent - typed) * UNTYPED_WEIGHT + typed * TYPED_WEIGHT)
    }
  }

  /** Starts anew, for example when an operator ends the incident. */
  forget(): void {
    this.#score = 0
  }

  #weigh(weight: number): void {
    this.#score = Math.min(Math.max(0, this.#score + weight), MOST)
  }

  #secondOf(createdAt: number): Second {
    const name = Math.floor(createdAt / SECOND_MS)
    const known = this.#seconds.get(name)
    if (known) return known
    const second = { sent: 0, typed: 0 }
    this.#seconds.set(name, second)
    const [oldest] = this.#seconds.keys()
    if (this.#seconds.size > MOST_SECONDS && oldest !== undefined) this.#seconds.delete(oldest)
    return second
  }
}
