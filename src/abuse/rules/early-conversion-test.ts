/**
 * Whether anybody types, told of codes that are 20 s old: what an owner is told of a new app, of which it is not known yet what
 * is usual, and what tells a crowd from an attack before there is a code to be judged. Nothing is refused for it. Decisions:
 * "Abuse". Live mode only.
 *
 * A sequential test (Wald 1945; Page's CUSUM, 1954) of "half of the codes are typed by then" against "one in twenty is":
 *
 *   score ← max(0, score + ln(0.95 / 0.5)), a code that is not typed by then; score ← max(0, score + ln(0.05 / 0.5)), one that is.
 *
 *
 * Who types later counts as one more who has typed. It is no verdict: what nobody has typed, and what was never delivered, is
 * judged by `conversion.ts`.
 */

import { HOUR_MS, SECOND_MS } from '../../domain/shared/value'
import { AGE_MS, type AgeBucket, type IssueSample, resultAt } from './traffic-counter'

const TYPED_BY_PEOPLE = 0.5
const TYPED_BY_ATTACKERS = 0.05
const UNTYPED_WEIGHT = Math.log((1 - TYPED_BY_ATTACKERS) / (1 - TYPED_BY_PEOPLE))
const TYPED_WEIGHT = Math.log(TYPED_BY_ATTACKERS / TYPED_BY_PEOPLE)

/** Some two dozen codes in a row; where half are typed it is there once in e¹⁵ codes. */
export const NOBODY_TYPES = 15
/** Some dozen: enough where so many ask that some are refused as well. */
export const HARDLY_ANYBODY_TYPES = 8
/** After so long without a code whoever comes next is somebody else. */
const ENDS_AFTER_MS = HOUR_MS
/** It rises no further, so that it comes down again when people follow. */
const MOST = 1.5 * NOBODY_TYPES

interface Second {
  sent: number
  typed: number
}

/** Seconds with codes that are too young, and what looks have missed: older ones have nothing to show here any more. */
const MOST_SECONDS = 64

/** The state that `restore` takes; times are Unix milliseconds, undefined before the first code. */
export interface EarlyConversionState {
  readonly score: number
  readonly seconds: ReadonlyArray<readonly [second: number, codes: Second]>
  readonly ripeUntil?: number
  readonly latest?: number
}

/** The codes of a country, or of several together. */
export class EarlyConversionTest {
  #score = 0
  /** By when codes were made. */
  #seconds = new Map<number, Second>()
  #ripeUntil = Number.NEGATIVE_INFINITY
  /** When the last code was made that was weighed. */
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

  /** 0 where people type. */
  get score(): number {
    return this.#score
  }

  /** A code was sent, or what has become of it is looked at. */
  record(sample: IssueSample, age: AgeBucket): void {
    const { createdAt } = sample
    const isTyped = age !== 'sent' && resultAt(sample, age) === 'verified'
    if (age === 'judged' || age === 'late') {
      if (isTyped) this.#weigh(TYPED_WEIGHT)
      return
    }
    // What is told too late cannot be told from what was not typed.
    if (createdAt < this.#ripeUntil) return
    const second = this.#secondOf(createdAt)
    if (age === 'sent') second.sent++
    if (isTyped) second.typed++
  }

  /** All that was made before then has been looked at when it was `early`. */
  advance(before: number): void {
    if (before - this.#latest > ENDS_AFTER_MS) this.forget()
    for (const [second, { sent, typed }] of this.#seconds) {
      const end = (second + 1) * SECOND_MS
      if (end > before) continue
      this.#seconds.delete(second)
      this.#ripeUntil = Math.max(this.#ripeUntil, end)
      // A server that has just started is shown the last day: what was then has been told, or has ended.
      if (before - end > AGE_MS.late) continue
      this.#latest = Math.max(this.#latest, end)
      this.#weigh((sent - typed) * UNTYPED_WEIGHT + typed * TYPED_WEIGHT)
    }
  }

  /** An operator has ended what it came to. */
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
