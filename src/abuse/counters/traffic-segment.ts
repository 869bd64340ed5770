/** Codes of one app, one kind of key and one country: their baseline, the sequential test, pauses and hourly sums. */

import { SlidingCounter, type SlidingCounterState } from '../../domain/access/sliding-window'
import { HOUR_MS } from '../../domain/shared/value'
import type { SegmentKey as LaneName, SegmentHour } from '../../ports/store/traffic'
import type { SegmentView } from '../rules/assess'
import {
  type Baseline,
  baselineOf,
  FLOOD_WINDOW_MS,
  hasOwnBaseline,
  isFlood,
  isTyped,
  looksLikeOutage,
  mayBeSilent,
  type SequentialTest,
  SUSPECTED,
  suspicionAfter,
  suspicionAfterPause,
  suspicionHolding,
  suspicionWithLocal,
  UNSUSPECTED,
  type UsualSent,
  usualSentOf,
} from '../rules/baseline'
import { type EarlyConversionState, EarlyConversionTest } from '../rules/early-conversion-test'
import { type Incident, isPaused, NO_PAUSE, type Pause, pause, prolong, SEEN_AFTER_MS } from '../rules/incident'
import {
  AGE_MS,
  type AgeBucket,
  CountryCounter,
  type IssueSample,
  resultAt,
  type TrafficCounterState,
} from '../rules/traffic-counter'

interface SegmentOptions {
  readonly mayPause: boolean
  /** Its prefix or network has more unverified codes, which explain this one. */
  readonly isLocal: boolean
}

/**
 * The state that `restore` takes: everything but past hours and incidents, which are read from the store. A snapshot
 * stores these names.
 */
export interface SegmentState {
  readonly counter: TrafficCounterState
  readonly typing: EarlyConversionState
  readonly suspicion: SequentialTest
  readonly pause: Pause
  readonly resumed: number | undefined
  readonly knocks: SlidingCounterState
  readonly wasted: number
  readonly wastedLately: SlidingCounterState
  readonly costBefore: number | undefined
  readonly hours: readonly SegmentHour[]
  readonly storedUntil: number
}

export class TrafficSegment implements SegmentView {
  readonly counter = new CountryCounter()
  readonly earlyConversion = new EarlyConversionTest()
  suspicion: SequentialTest = UNSUSPECTED
  baseline: Baseline
  usual: UsualSent
  #pause = NO_PAUSE
  /** End of the last pause after which sending resumed. */
  #resumed: number | undefined
  readonly #ruleHits = new SlidingCounter(FLOOD_WINDOW_MS)
  /** Credits of unverified codes: in all, lately, and (negative) before the open incident. */
  #wasted = 0
  readonly #wastedLately = new SlidingCounter(SEEN_AFTER_MS)
  #costBefore: number | undefined
  readonly #hours = new Map<number, MutableHour>()
  /** Hours before this time are stored. */
  #storedUntil = 0

  constructor(
    readonly name: LaneName,
    private learned: readonly SegmentHour[],
    private isAppLearned: boolean,
  ) {
    this.baseline = { ...baselineOf(learned), isLearned: isAppLearned }
    this.usual = usualSentOf(learned)
  }

  get state(): SegmentState {
    return {
      ...{
        counter: this.counter.state,
        typing: this.earlyConversion.state,
        suspicion: this.suspicion,
        pause: this.#pause,
      },
      ...{ resumed: this.#resumed, knocks: this.#ruleHits.state, costBefore: this.#costBefore },
      ...{ wasted: this.#wasted, wastedLately: this.#wastedLately.state },
      ...{ hours: [...this.#hours.values()], storedUntil: this.#storedUntil },
    }
  }

  restore(state: SegmentState): void {
    this.counter.restore(state.counter)
    this.earlyConversion.restore(state.typing)
    this.suspicion = state.suspicion
    this.#pause = state.pause
    this.#resumed = state.resumed
    this.#ruleHits.restore(state.knocks)
    this.#wasted = state.wasted
    this.#wastedLately.restore(state.wastedLately)
    this.#costBefore = state.costBefore
    for (const hour of state.hours) this.#hours.set(hour.hour, hour)
    this.#storedUntil = state.storedUntil
  }

  get pause(): Pause {
    return this.#pause
  }

  get pausedUntil(): number | undefined {
    return this.#pause.pausedUntil
  }

  /** Counts a code at an age. Returns it as the other counters are to count it. */
  record(sample: IssueSample, age: AgeBucket, how: SegmentOptions): IssueSample {
    const seen = this.recordWithoutHours(sample, age, how)
    this.#countInHour(seen, age)
    return seen
  }

  /** The same without hourly sums, for the pooled segment: its countries sum theirs. */
  recordWithoutHours(sample: IssueSample, age: AgeBucket, { mayPause, isLocal }: SegmentOptions): IssueSample {
    const now = sample.createdAt + AGE_MS[age]
    const seen = this.#isExcused(sample, age, isLocal, now) ? { ...sample, delivery: 'undelivered' as const } : sample
    this.earlyConversion.record(sample, age)
    if (age === 'judged') this.counter.recordReport(sample)
    const result = this.counter.record(seen, age)
    if (result === 'unverified') this.#addUnverifiedCost(seen.price, now)
    if (mayPause && this.isSuspected(now) && !isPaused(this.#pause, now)) this.#pause = pause(this.#pause, now)
    return seen
  }

  /**
   * Whether the code may not have arrived, so that it counts as undelivered. Also advances the sequential test, or
   * holds the evidence back during an outage.
   */
  #isExcused(sample: IssueSample, age: AgeBucket, isLocal: boolean, now: number): boolean {
    const isSilent = this.#isSilent(sample)
    const result = age === 'sent' || age === 'late' ? undefined : resultAt(sample, age)
    if (result === undefined) return isSilent
    const { suspicion, baseline } = this
    const counted =
      isLocal && result === 'unverified'
        ? suspicionWithLocal(suspicion)
        : suspicionAfter(suspicion, result, baseline, now)
    const isOut = counted.score + counted.held >= SUSPECTED / 2 && this.#isOutage(counted, now)
    const isExcused = result === 'unverified' && (isSilent || isOut)
    this.suspicion = isExcused && !isLocal ? suspicionHolding(suspicion, baseline, now) : counted
    return isExcused || isSilent
  }

  /** A carrier that usually reports is silent about the code, as it is when it loses everything. */
  #isSilent(sample: IssueSample): boolean {
    const now = sample.createdAt
    const { counter, baseline } = this
    return (
      counter.isSilent(sample) && mayBeSilent(counter.verifiedOrSilent(now), baseline, now) && !this.#isFlooded(now)
    )
  }

  isSuspected(now: number): boolean {
    const { suspicion, baseline } = this
    if (suspicion.score < SUSPECTED || !baseline.isLearned) return false
    return !isTyped(this.counter, baseline, now) && !this.#isOutage(suspicion, now)
  }

  /** Whether this looks like an outage. Not after a pause: too few codes are sent then to tell. */
  #isOutage(suspicion: SequentialTest, now: number): boolean {
    const wasPaused = this.#pause.pausedUntil !== undefined
    return !wasPaused && looksLikeOutage(suspicion, this.baseline, now) && !this.#isFlooded(now)
  }

  /** More requests are refused than people would make. */
  #isFlooded(now: number): boolean {
    return isFlood(this.#ruleHits.total(now), this.baseline, now)
  }

  #addUnverifiedCost(credits: number, now: number): void {
    this.#wasted += credits
    this.#wastedLately.add(credits, now)
  }

  /** Credits of unverified codes of the incident that is open or about to open. */
  cost(now: number): number {
    this.#costBefore ??= Math.round(this.#wastedLately.total(now)) - this.#wasted
    return this.#costBefore + this.#wasted
  }

  /** A rule was against a request. */
  recordRuleHit(now: number): void {
    this.#ruleHits.add(1, now)
  }

  /** After a pause resumes with suspicion, or pauses again where requests still flood in. */
  resumeAfterPause(now: number): void {
    const { pausedUntil } = this.#pause
    if (pausedUntil === undefined || now < pausedUntil || this.#resumed === pausedUntil) return
    if (this.#isFlooded(now)) {
      this.#pause = prolong(this.#pause, now)
      return
    }
    this.suspicion = suspicionAfterPause(this.baseline, now)
    this.#resumed = pausedUntil
  }

  /** Takes over the stored incident: pauses of other servers hold here, and an ended incident ends the pause. */
  applyIncident(stored: Pick<Incident, 'pausedUntil' | 'pauses' | 'cost'> | undefined): void {
    if (!stored) {
      this.#pause = NO_PAUSE
      this.#costBefore = undefined
      this.suspicion = UNSUSPECTED
      this.earlyConversion.forget()
      return
    }
    this.#costBefore ??= stored.cost - this.#wasted
    if ((stored.pausedUntil ?? 0) > (this.#pause.pausedUntil ?? 0)) this.#pause = stored
  }

  /** Hours that began since `since` and whose codes have all reached the age `late`. */
  finishedHours(since: number, now: number): SegmentHour[] {
    const isFinished = ({ hour }: SegmentHour) => hour >= since && hour + HOUR_MS + AGE_MS.late <= now
    return [...this.#hours.values()].filter(isFinished).map((hour) => ({ ...hour }))
  }

  /** Takes stored hours into the baseline; `from`: older ones are dropped. */
  learn(hours: readonly SegmentHour[], from: number): void {
    for (const { hour } of hours) {
      this.#hours.delete(hour)
      this.#storedUntil = Math.max(this.#storedUntil, hour + HOUR_MS)
    }
    const known = new Set(hours.map(({ hour }) => hour))
    this.learned = [...this.learned.filter(({ hour }) => hour >= from && !known.has(hour)), ...hours]
    this.baseline = { ...baselineOf(this.learned), isLearned: this.isAppLearned }
    this.usual = usualSentOf(this.learned)
  }

  get hours(): readonly SegmentHour[] {
    return this.learned
  }

  setLearned(isLearned: boolean): void {
    this.isAppLearned = isLearned
    this.baseline = { ...this.baseline, isLearned }
  }

  get hasOwnBaseline(): boolean {
    return hasOwnBaseline(this.baseline)
  }

  /** Sets the baseline of the pooled segment. */
  setBaseline(hours: readonly SegmentHour[]): void {
    this.baseline = { ...baselineOf(hours), isLearned: this.isAppLearned }
  }

  #countInHour(sample: IssueSample, age: AgeBucket): void {
    const { createdAt, price } = sample
    const result = age === 'sent' ? undefined : resultAt(sample, age)
    const start = Math.floor(createdAt / HOUR_MS) * HOUR_MS
    if (start < this.#storedUntil) return
    const hour = this.#hourOf(start)
    if (age === 'sent') {
      hour.sent++
      hour.credits += price
    }
    if (result === 'verified') hour.verified++
    if (result === 'unverified') hour.unverified++
    if (result === 'verified' && age === 'late') hour.unverified = Math.max(0, hour.unverified - 1)
  }

  #hourOf(start: number): MutableHour {
    const known = this.#hours.get(start)
    if (known) return known
    const hour = { ...this.name, hour: start, sent: 0, credits: 0, verified: 0, unverified: 0 }
    this.#hours.set(start, hour)
    return hour
  }
}

/** Mutable, since a copy for every code would be most of the garbage of a start. */
type MutableHour = { -readonly [Name in keyof SegmentHour]: SegmentHour[Name] }
