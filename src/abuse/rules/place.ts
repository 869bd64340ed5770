/**
 * Wishes and messages of one place: an app, a country, a prefix of numbers or a network of end users. Rules read from it
 * whether wishes are kept (`sequential-test.ts`) and how many messages were sent (`cap.ts`). Live mode only.
 *
 * All counters follow from stored issues, so every server that reads them counts the same.
 */
import { SlidingCounter, type SlidingCounterState } from '../../domain/access/sliding-window'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/shared/value'
import { type Forgetting, SAYS_NOTHING_BELOW, SequentialTest, type SequentialTestState } from './sequential-test'
import type { AgeBucket, IssueSample, WishResult } from './wish'

/**
 * Phones from which the digits of a prefix may be shown. Groups of fewer than eleven are not published (k-anonymity,
 * Sweeney 2002; CMS cell size policy). Phones are counted by six bits of their hashes, which counts somewhat too few.
 */
export const SHOWN_FROM_PHONES = 20

const COUNTED = ['sent', 'credits', 'kept'] as const
type Counted = (typeof COUNTED)[number]

/** Caps hold in any window: a message stays a twelfth of the window too long at most. */
const CAPPED_PARTS = 12

/** Messages, their credits, and kept wishes. */
class WindowCounters {
  readonly #counted: Readonly<Record<Counted, SlidingCounter>>

  constructor(windowMs: number) {
    const counter = () => new SlidingCounter(windowMs, CAPPED_PARTS)
    this.#counted = { sent: counter(), credits: counter(), kept: counter() }
  }

  add(name: Counted, amount: number, at: number): void {
    this.#counted[name].add(amount, at)
  }

  total(name: Counted, now: number): number {
    return this.#counted[name].total(now)
  }

  /** Milliseconds until the count is below `max`, if nothing is added; never too few. */
  surelyWaitMs(name: Counted, max: number, now: number): number {
    return this.#counted[name].surelyWaitMs(max, now)
  }

  get all(): SlidingCounter[] {
    return COUNTED.map((name) => this.#counted[name])
  }
}

/** Whoever comes back is tried again sooner. */
const NARROW_BACK: Forgetting = { most: 1.5, halfLifeMs: 6 * HOUR_MS }
/** Everybody is concerned by a country, so it is tried again sooner. */
export const COUNTRY_BACK: Forgetting = { most: 1.5, halfLifeMs: HOUR_MS }

/** A phone that was refused is let in for so long. */
export const COMES_BACK_WITHIN_MS = 15 * MINUTE_MS

/** The state that `restore` takes. A snapshot stores these names. */
export interface PlaceState {
  readonly phones: readonly [number, number]
  readonly suspicion: SequentialTestState
  readonly counts: readonly SlidingCounterState[]
  readonly back?: PlaceState
}

/** The usual numbers of a place. */
export interface BaselineThere {
  /** Share of wishes that are lost, 0 to 1. */
  readonly lostShare: number
  /** Wishes that are open at the moment. */
  readonly open: number
}

export class Place {
  readonly hour = new WindowCounters(HOUR_MS)
  readonly day = new WindowCounters(DAY_MS)
  readonly suspicion: SequentialTest
  /** Requests in flight, which may still be refused. */
  inFlight = 0
  /** Wishes that are open, and those that were kept and are not in the score yet. */
  open = 0
  youngKept = 0
  /** Phones that were refused for the place, and those of them that came back. */
  readonly refused = new SlidingCounter(COMES_BACK_WITHIN_MS)
  readonly returned = new SlidingCounter(COMES_BACK_WITHIN_MS)
  /** A bit for each of 64 values of six bits of the hash. */
  #phones: [number, number] = [0, 0]

  #back: Place | undefined

  constructor(
    forgetting?: Forgetting,
    private readonly ofBack = NARROW_BACK,
  ) {
    this.suspicion = new SequentialTest(forgetting)
  }

  /** Wishes of those who came back so often after they were refused for the place: whether they are people is seen by themselves. */
  after(times: number): Place {
    if (times === 0) return this
    this.#back ??= new Place(this.ofBack, this.ofBack)
    return this.#back.after(times - 1)
  }

  get state(): PlaceState {
    return {
      ...{ phones: this.#phones, suspicion: this.suspicion.state },
      counts: this.#counters().map(({ state }) => state),
      ...(this.#back && { back: this.#back.state }),
    }
  }

  restore({ phones, suspicion, counts, back }: PlaceState): void {
    if (back) this.after(1).restore(back)
    this.#phones = [...phones]
    this.suspicion.state = suspicion
    for (const [n, counter] of this.#counters().entries()) counter.restore(counts[n] ?? [])
  }

  #counters(): SlidingCounter[] {
    return [...this.hour.all, ...this.day.all]
  }

  /** Counts a code at an age. */
  count(sample: IssueSample, age: AgeBucket, result: WishResult | undefined, at: number): void {
    if (age === 'sent') {
      this.#add('sent', 1, at)
      this.#add('credits', sample.price, at)
    }
    // A cap counts what is paid for: by now most plans have gone as far as they go.
    if (age === 'judged' && sample.messages > 1) this.#add('sent', sample.messages - 1, at)
    if (result === 'kept') this.#add('kept', 1, at)
  }

  #add(name: Counted, amount: number, at: number): void {
    this.hour.add(name, amount, at)
    this.day.add(name, amount, at)
  }

  notePhone(phone: number): void {
    const half = phone & 1
    this.#phones[half] = (this.#phones[half] ?? 0) | (1 << ((phone >> 1) & 31))
  }

  /** Least number of phones; at most 64 are told apart. */
  get phones(): number {
    return bitsOf(this.#phones[0]) + bitsOf(this.#phones[1])
  }

  /** Whether more wishes are lost, or open, than what is usual explains. */
  isSuspected({ lostShare, open }: BaselineThere, tolerance: number, now: number): boolean {
    if (this.phones < SAYS_NOTHING_BELOW) return false
    const excess = Math.max(0, this.open + this.inFlight - open)
    return this.suspicion.level({ excess, kept: this.youngKept }, lostShare, now) >= tolerance
  }

  /** The same by what is over alone: no crowd is among it. */
  isProven({ lostShare }: Pick<BaselineThere, 'lostShare'>, tolerance: number, now: number): boolean {
    return (
      this.phones >= SAYS_NOTHING_BELOW && this.suspicion.level({ excess: 0, kept: 0 }, lostShare, now) >= tolerance
    )
  }
}

function bitsOf(word: number): number {
  let count = 0
  for (let left = word; left !== 0; left &= left - 1) count++
  return count
}
