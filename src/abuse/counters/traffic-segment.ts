/** Codes of one app, one kind of key and one country: what is usual, what is suspected, hourly sums and costs. */

import { SEES_TYPING } from '../../domain/access/caller'
import { SlidingCounter, type SlidingCounterState } from '../../domain/access/sliding-window'
import { HOUR_MS } from '../../domain/shared/value'
import type { SegmentHour, SegmentKey } from '../../ports/store/traffic'
import {
  type Baseline,
  baselineOf,
  isOwn,
  keptRate,
  looksLikeOutage,
  type UsualSent,
  usualSentOf,
} from '../rules/baseline'
import { type Incident, SEEN_AFTER_MS } from '../rules/incident'
import { type BaselineThere, COUNTRY_BACK, Place, type PlaceState } from '../rules/place'
import type { PlaceRule } from '../rules/rule'
import { AGE_MS, type AgeBucket, type IssueSample, type WishResult } from '../rules/wish'

/**
 * The state that `restore` takes: everything but past hours and incidents, which are read from the store. A snapshot
 * stores these names.
 */
export interface SegmentState {
  readonly country: PlaceState
  readonly keptAfterMs: number
  readonly wasted: number
  readonly wastedLately: SlidingCounterState
  readonly costBefore: number | undefined
  readonly hours: readonly SegmentHour[]
  readonly storedUntil: number
}

/** Wishes that may be open without being more than usual: of a prefix or network, of a country, and of who came back there. */
const OPEN_MORE = { narrow: 8, country: 20 } as const
/** Whoever has come back so often is not asked to come back once more. */
const MOST_TIMES = 3
/** How many times as many as usual may be open: people come in crowds. */
const OPEN_TIMES = 8
/** Kept wishes over which the usual time until one is kept is averaged. */
const AVERAGED = 100
/** Limits without seen typing: codes count above so many in an hour, and so many times the usual. */
const UNSEEN = { lostShare: 0.1, more: { known: 30, unknown: 300 }, times: 4 } as const

/** A place that codes are refused for, by the rule of its kind. */
export interface SuspectedPlace {
  readonly rule: PlaceRule
  readonly place: Place
}

export class TrafficSegment {
  readonly country = new Place(undefined, COUNTRY_BACK)
  /** The place that codes were refused for last. */
  refusedFor: { rule: PlaceRule; place: Place; lostShare: number; prefix: string } | undefined
  usual: Baseline
  usualSent: UsualSent
  /** Credits of lost wishes: in all, lately, and (negative) before the open incident. */
  #wasted = 0
  readonly #wastedLately = new SlidingCounter(SEEN_AFTER_MS)
  #costBefore: number | undefined
  /** The time that people usually need until they type a code, milliseconds. */
  #keptAfterMs: number = AGE_MS.judged
  readonly #hours = new Map<number, MutableHour>()
  /** Hours before this time are stored. */
  #storedUntil = 0

  constructor(
    readonly name: SegmentKey,
    private learned: readonly SegmentHour[],
  ) {
    this.usual = this.#baselineOf(learned)
    this.usualSent = usualSentOf(learned)
  }

  #baselineOf(hours: readonly SegmentHour[]): Baseline {
    const usual = baselineOf(hours)
    return SEES_TYPING[this.name.kind] ? usual : { ...usual, lostShare: UNSEEN.lostShare }
  }

  get state(): SegmentState {
    return {
      ...{ country: this.country.state, costBefore: this.#costBefore },
      ...{ keptAfterMs: this.#keptAfterMs, wasted: this.#wasted, wastedLately: this.#wastedLately.state },
      ...{ hours: [...this.#hours.values()], storedUntil: this.#storedUntil },
    }
  }

  restore(state: SegmentState): void {
    this.country.restore(state.country)
    this.#keptAfterMs = state.keptAfterMs
    this.#wasted = state.wasted
    this.#wastedLately.restore(state.wastedLately)
    this.#costBefore = state.costBefore
    for (const hour of state.hours) this.#hours.set(hour.hour, hour)
    this.#storedUntil = state.storedUntil
  }

  /** The narrowest place where more wishes are lost than usual. A prefix or a network has no usual number of its own. */
  suspected(
    { prefix, network }: { prefix: Place | undefined; network: Place | undefined },
    tolerance: number,
    now: number,
  ): SuspectedPlace | undefined {
    const narrowly = this.#usualNarrowly
    if (prefix?.isSuspected(narrowly, tolerance, now)) return { rule: 'prefix_unverified', place: prefix }
    if (network?.isSuspected(narrowly, tolerance, now)) return { rule: 'network_unverified', place: network }
    const isOver = this.country.isSuspected(this.#usualOpen(now), tolerance, now) && !this.#isOutage(now)
    return isOver ? { rule: 'country_unverified', place: this.country } : undefined
  }

  /**
   * Wishes of those who have come back to the place so often, unless they are as little kept. People who are sent away
   * once more come back once more. Open ones of a country say nothing, since all of a crowd are told the same wait.
   */
  letIn(place: Place, times: number, tolerance: number, now: number): Place | undefined {
    const open = place === this.country ? Number.POSITIVE_INFINITY : OPEN_MORE.narrow
    const usual = { lostShare: this.usual.lostShare, open }
    const isKept = (back: Place) =>
      !SEES_TYPING[this.name.kind] || !back.isSuspected(usual, tolerance, now) || this.#isOutage(now)
    return Array.from({ length: Math.min(times, MOST_TIMES) }, (_, n) => place.after(n + 1)).find(isKept)
  }

  /** Whether codes that nobody tells of are more than usual in the last hour. */
  isCrowded(now: number): boolean {
    const { aDay, isKnown } = this.usualSent
    const more = UNSEEN.more[isKnown ? 'known' : 'unknown']
    return this.country.hour.total('sent', now) > more + (UNSEEN.times * aDay) / 24
  }

  /** By wishes that are over alone; those of unseen typing prove nothing. */
  isProven(now: number): boolean {
    return SEES_TYPING[this.name.kind] && this.country.isProven(this.usual, 1, now) && !this.#isOutage(now)
  }

  #isOutage(now: number): boolean {
    const { suspicion, open, inFlight } = this.country
    const sums = suspicion.sums(now)
    return sums.score > 0 && looksLikeOutage(sums, open + inFlight, this.usual, now)
  }

  get #usualNarrowly(): BaselineThere {
    return { lostShare: this.usual.lostShare, open: OPEN_MORE.narrow }
  }

  #usualOpen(now: number): BaselineThere {
    const { lostShare } = this.usual
    const openMs = (1 - lostShare) * this.#keptAfterMs + lostShare * AGE_MS.judged
    const isSeen = SEES_TYPING[this.name.kind]
    const madeAnHour = isSeen ? keptRate(this.usual, now) / (1 - lostShare) : this.usualSent.aDay / 24
    return { lostShare, open: OPEN_MORE.country + OPEN_TIMES * madeAnHour * (openMs / HOUR_MS) }
  }

  /** Credits of lost wishes of the incident that is open or about to open. */
  cost(now: number): number {
    this.#costBefore ??= Math.round(this.#wastedLately.total(now)) - this.#wasted
    return this.#costBefore + this.#wasted
  }

  /** Takes over the stored incident; one that an operator ended says nothing any more. */
  applyIncident(stored: Pick<Incident, 'cost'> | undefined): void {
    if (stored) {
      this.#costBefore ??= stored.cost - this.#wasted
      return
    }
    this.#costBefore = undefined
    this.country.suspicion.forget()
    for (let times = 1; times <= MOST_TIMES; times++) this.country.after(times).suspicion.forget()
  }

  /** Hours that began since `since` and whose codes have all reached the age `late`. */
  finishedHours(since: number, now: number): SegmentHour[] {
    const isFinished = ({ hour }: SegmentHour) => hour >= since && hour + HOUR_MS + AGE_MS.late <= now
    return [...this.#hours.values()].filter(isFinished).map((hour) => ({ ...hour }))
  }

  /** Takes stored hours into what is usual; `from`: older ones are dropped. */
  learn(hours: readonly SegmentHour[], from: number): void {
    for (const { hour } of hours) {
      this.#hours.delete(hour)
      this.#storedUntil = Math.max(this.#storedUntil, hour + HOUR_MS)
    }
    const known = new Set(hours.map(({ hour }) => hour))
    this.learned = [...this.learned.filter(({ hour }) => hour >= from && !known.has(hour)), ...hours]
    this.usual = this.#baselineOf(this.learned)
    this.usualSent = usualSentOf(this.learned)
  }

  get hours(): readonly SegmentHour[] {
    return this.learned
  }

  get isOwn(): boolean {
    return isOwn(this.usual)
  }

  /** Sets what is usual in the pool. */
  setUsual(hours: readonly SegmentHour[]): void {
    this.usual = this.#baselineOf(hours)
    this.usualSent = usualSentOf(hours)
  }

  countInHour({ createdAt, verifiedAt, price }: IssueSample, age: AgeBucket, result: WishResult | undefined): void {
    if (result === 'kept' && verifiedAt !== undefined)
      this.#keptAfterMs += (Math.max(0, verifiedAt - createdAt) - this.#keptAfterMs) / AVERAGED
    if (result === 'lost') {
      this.#wasted += price
      this.#wastedLately.add(price, createdAt + AGE_MS[age])
    }
    const start = Math.floor(createdAt / HOUR_MS) * HOUR_MS
    if (start < this.#storedUntil) return
    const hour = this.#hourOf(start)
    if (age === 'sent') {
      hour.sent++
      hour.credits += price
    }
    if (result === 'kept') hour.verified++
    if (result === 'lost') hour.unverified++
    if (result === 'kept' && age === 'late') hour.unverified = Math.max(0, hour.unverified - 1)
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
