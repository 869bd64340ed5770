/** What one app sends to one country with one kind of key: what is usual, what is suspected, how long it is paused. */

import { Sliding, type SlidingState } from '../../domain/access/sliding-window'
import { HOUR_MS } from '../../domain/shared/value'
import type { SegmentKey as LaneName, SegmentHour } from '../../ports/store/traffic'
import type { WayThere } from '../rules/assess'
import {
  areBesieging,
  type Baseline,
  isTyped,
  isUsual,
  KNOCKS_MS,
  looksLikeOutage,
  mayBeSilent,
  type SequentialTest,
  SUSPECTED,
  suspicionAfter,
  suspicionAfterPause,
  suspicionBeside,
  suspicionHolding,
  UNSUSPECTED,
  usualOf,
} from '../rules/baseline'
import { type EarlyConversionState, EarlyConversionTest } from '../rules/early-conversion-test'
import { type Incident, isPaused, NO_PAUSE, type Pause, pause, prolong, SEEN_AFTER_MS } from '../rules/incident'
import {
  type AgeBucket,
  CountryCounter,
  fateAt,
  type IssueSample,
  STAGES,
  type TrafficCounterState,
} from '../rules/traffic-counter'

/** How a code is looked at. */
interface SegmentOptions {
  readonly mayPause: boolean
  /** There are more of its prefix or network. */
  readonly isLocal: boolean
}

/** The state that `restore` takes: everything but past hours and incidents, which are read anew. */
export interface LaneState {
  readonly counter: TrafficCounterState
  readonly typing: EarlyConversionState
  readonly suspicion: SequentialTest
  readonly pause: Pause
  readonly resumed: number | undefined
  readonly knocks: SlidingState
  readonly wasted: number
  readonly wastedLately: SlidingState
  readonly costBefore: number | undefined
  readonly hours: readonly SegmentHour[]
  readonly storedUntil: number
}

export class TrafficSegment implements WayThere {
  readonly counter = new CountryCounter()
  readonly typing = new EarlyConversionTest()
  suspicion: SequentialTest = UNSUSPECTED
  usual: Baseline
  #pause = NO_PAUSE
  /** The pause after which it was looked at anew. */
  #resumed: number | undefined
  readonly #knocks = new Sliding(KNOCKS_MS)
  /** Credits for codes that nobody typed: ever, within the time after which that is seen, and before an incident was followed. */
  #wasted = 0
  readonly #wastedLately = new Sliding(SEEN_AFTER_MS)
  #costBefore: number | undefined
  readonly #hours = new Map<number, Growing>()
  /** What began before is stored. */
  #storedUntil = 0

  constructor(
    readonly name: LaneName,
    private learned: readonly SegmentHour[],
    private isAppLearned: boolean,
  ) {
    this.usual = { ...usualOf(learned), isLearned: isAppLearned }
  }

  get state(): LaneState {
    return {
      ...{ counter: this.counter.state, typing: this.typing.state, suspicion: this.suspicion, pause: this.#pause },
      ...{ resumed: this.#resumed, knocks: this.#knocks.state, costBefore: this.#costBefore },
      ...{ wasted: this.#wasted, wastedLately: this.#wastedLately.state },
      ...{ hours: [...this.#hours.values()], storedUntil: this.#storedUntil },
    }
  }

  restore(state: LaneState): void {
    this.counter.restore(state.counter)
    this.typing.restore(state.typing)
    this.suspicion = state.suspicion
    this.#pause = state.pause
    this.#resumed = state.resumed
    this.#knocks.restore(state.knocks)
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

  /** Answers it as it counts elsewhere, too. */
  see(sighting: IssueSample, stage: AgeBucket, how: SegmentOptions): IssueSample {
    const seen = this.judge(sighting, stage, how)
    this.#note(seen, stage)
    return seen
  }

  /** The same, where it is noted elsewhere how many there are in an hour. */
  judge(sighting: IssueSample, stage: AgeBucket, { mayPause, isLocal }: SegmentOptions): IssueSample {
    const now = sighting.createdAt + STAGES[stage]
    const seen = this.#isExcused(sighting, stage, isLocal, now)
      ? { ...sighting, delivery: 'undelivered' as const }
      : sighting
    this.typing.see(sighting, stage)
    if (stage === 'judged') this.counter.hear(sighting)
    const fate = this.counter.see(seen, stage)
    if (fate === 'unverified') this.#waste(seen.price, now)
    if (mayPause && this.isSuspected(now) && !isPaused(this.#pause, now)) this.#pause = pause(this.#pause, now)
    return seen
  }

  /** Whether it may be that it has not arrived. What it shows is counted, or held back. */
  #isExcused(sighting: IssueSample, stage: AgeBucket, isLocal: boolean, now: number): boolean {
    const isSilent = this.#isSilent(sighting)
    const fate = stage === 'sent' || stage === 'late' ? undefined : fateAt(sighting, stage)
    if (fate === undefined) return isSilent
    const { suspicion, usual } = this
    const counted =
      isLocal && fate === 'unverified' ? suspicionBeside(suspicion) : suspicionAfter(suspicion, fate, usual, now)
    const isOut = counted.score + counted.held >= SUSPECTED / 2 && this.#isOut(counted, now)
    const isExcused = fate === 'unverified' && (isSilent || isOut)
    this.suspicion = isExcused && !isLocal ? suspicionHolding(suspicion, usual, now) : counted
    return isExcused || isSilent
  }

  /** A carrier that usually reports says nothing of it, as it would where it lost all that there is. */
  #isSilent(sighting: IssueSample): boolean {
    const now = sighting.createdAt
    const { counter, usual } = this
    return (
      counter.isSilent(sighting) && mayBeSilent(counter.verifiedOrSilent(now), usual, now) && !this.#isBesieged(now)
    )
  }

  isSuspected(now: number): boolean {
    const { suspicion, usual } = this
    if (suspicion.score < SUSPECTED || !usual.isLearned) return false
    return !isTyped(this.counter, usual, now) && !this.#isOut(suspicion, now)
  }

  /** Nothing arrives. After a pause few are sent, and so few tell an outage from nothing. */
  #isOut(suspicion: SequentialTest, now: number): boolean {
    const wasPaused = this.#pause.pausedUntil !== undefined
    return !wasPaused && looksLikeOutage(suspicion, this.usual, now) && !this.#isBesieged(now)
  }

  /** So many are refused as people are not, whatever arrives. */
  #isBesieged(now: number): boolean {
    return areBesieging(this.#knocks.total(now), this.usual, now)
  }

  #waste(credits: number, now: number): void {
    this.#wasted += credits
    this.#wastedLately.add(credits, now)
  }

  /** Of the incident that is open here, or is about to be: credits for codes that nobody typed. */
  cost(now: number): number {
    this.#costBefore ??= Math.round(this.#wastedLately.total(now)) - this.#wasted
    return this.#costBefore + this.#wasted
  }

  /** Somebody asked, and a rule was against it. */
  knock(now: number): void {
    this.#knocks.add(1, now)
  }

  /** Where a pause has ended, goes on with care, or pauses on where whoever was kept out still knocks. */
  resume(now: number): void {
    const { pausedUntil } = this.#pause
    if (pausedUntil === undefined || now < pausedUntil || this.#resumed === pausedUntil) return
    if (this.#isBesieged(now)) {
      this.#pause = prolong(this.#pause, now)
      return
    }
    this.suspicion = suspicionAfterPause(this.usual, now)
    this.#resumed = pausedUntil
  }

  /** What another server has paused holds here, too; what an operator has ended is ended. */
  follow(stored: Pick<Incident, 'pausedUntil' | 'pauses' | 'cost'> | undefined): void {
    if (!stored) {
      this.#pause = NO_PAUSE
      this.#costBefore = undefined
      this.suspicion = UNSUSPECTED
      this.typing.forget()
      return
    }
    this.#costBefore ??= stored.cost - this.#wasted
    if ((stored.pausedUntil ?? 0) > (this.#pause.pausedUntil ?? 0)) this.#pause = stored
  }

  /** Hours whose codes have all been looked at for the last time, of those that began since. */
  finished(since: number, now: number): SegmentHour[] {
    const isFinished = ({ hour }: SegmentHour) => hour >= since && hour + HOUR_MS + STAGES.late <= now
    return [...this.#hours.values()].filter(isFinished).map((hour) => ({ ...hour }))
  }

  /** They are stored. */
  learn(hours: readonly SegmentHour[], from: number): void {
    for (const { hour } of hours) {
      this.#hours.delete(hour)
      this.#storedUntil = Math.max(this.#storedUntil, hour + HOUR_MS)
    }
    const known = new Set(hours.map(({ hour }) => hour))
    this.learned = [...this.learned.filter(({ hour }) => hour >= from && !known.has(hour)), ...hours]
    this.usual = { ...usualOf(this.learned), isLearned: this.isAppLearned }
  }

  get hours(): readonly SegmentHour[] {
    return this.learned
  }

  setLearned(isLearned: boolean): void {
    this.isAppLearned = isLearned
    this.usual = { ...this.usual, isLearned }
  }

  /** It has a usual traffic of its own. */
  get isUsual(): boolean {
    return isUsual(this.usual)
  }

  /** What is usual of several together. */
  setUsual(hours: readonly SegmentHour[]): void {
    this.usual = { ...usualOf(hours), isLearned: this.isAppLearned }
  }

  #note(sighting: IssueSample, stage: AgeBucket): void {
    const { createdAt, price } = sighting
    const fate = stage === 'sent' ? undefined : fateAt(sighting, stage)
    const start = Math.floor(createdAt / HOUR_MS) * HOUR_MS
    if (start < this.#storedUntil) return
    const hour = this.#hourOf(start)
    if (stage === 'sent') {
      hour.sent++
      hour.credits += price
    }
    if (fate === 'verified') hour.verified++
    if (fate === 'unverified') hour.unverified++
    if (fate === 'verified' && stage === 'late') hour.unverified = Math.max(0, hour.unverified - 1)
  }

  #hourOf(start: number): Growing {
    const known = this.#hours.get(start)
    if (known) return known
    const hour = { ...this.name, hour: start, sent: 0, credits: 0, verified: 0, unverified: 0 }
    this.#hours.set(start, hour)
    return hour
  }
}

/** Every look adds to it: a copy for each would be most of what a start leaves behind. */
type Growing = { -readonly [Name in keyof SegmentHour]: SegmentHour[Name] }
