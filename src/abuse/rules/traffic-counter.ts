/**
 * What becomes of an app's codes, counted by where they go: per country, per prefix of numbers, per network of whoever asked.
 * From it is seen whether messages pay (`conversion.ts`) and how many there were (`cap.ts`). Decisions: "Abuse". Live mode only.
 *
 *   sent ──20 s──▶ early ──2 min──▶ judged: verified, unverified or undelivered ──10 min──▶ late: verified after all
 *
 * Everything here follows from what is stored of issues, so every server that reads them comes to the same.
 */
import type { KeyKind } from '../../domain/access/api-key'
import { SlidingCounter, type SlidingCounterState } from '../../domain/access/sliding-window'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/shared/value'

/** What is looked at of an issue. Times are Unix milliseconds, hashes are keyed. */
export interface IssueSample {
  readonly kind: KeyKind
  readonly country: string
  /** Of all but the last four digits of the number; undefined where that was not noted. */
  readonly prefix: string | undefined
  /** Of the address, or the /64 of IPv6, of whoever asked for the code; undefined where nobody said. */
  readonly network: string | undefined
  /** A byte of the hash of the phone, which tells many phones from few. */
  readonly phone: number
  readonly createdAt: number
  readonly verifiedAt: number | undefined
  /** `unknown`: sent, and nobody has said whether it arrived. */
  readonly delivery: 'delivered' | 'unknown' | 'undelivered'
  /** Credits. */
  readonly price: number
}

/** How long after its issue a code is looked at, milliseconds. Only what is old enough to have been typed counts as unverified. */
export const AGE_MS = { sent: 0, early: 20 * SECOND_MS, judged: 2 * MINUTE_MS, late: 10 * MINUTE_MS } as const
export type AgeBucket = keyof typeof AGE_MS

/** The stage before: what was found there is not found again. */
const PREVIOUS_AGE = { early: 'sent', judged: 'early', late: 'judged' } as const

/** Digits that numbers of a block share: all but the last four (so do coss Verify and Twilio's Fraud Guard). */
export const prefixOf = (e164: string): string => e164.slice(0, -4)

/**
 * From so many phones on the digits of a prefix say nothing about one of them: groups of fewer than eleven are not published
 * (k-anonymity: Sweeney 2002; the threshold: CMS cell size policy), and a table of phones that are told apart by a byte of their
 * hashes counts somewhat too few.
 */
export const SHOWN_FROM_PHONES = 20

export type CodeResult = 'verified' | 'unverified' | 'undelivered'

/** What a look finds that no look before it has found. */
export function resultAt(
  { createdAt, verifiedAt, delivery }: IssueSample,
  age: Exclude<AgeBucket, 'sent'>,
): CodeResult | undefined {
  const tookMs = verifiedAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, verifiedAt - createdAt)
  if (tookMs < AGE_MS[PREVIOUS_AGE[age]]) return undefined
  if (tookMs < AGE_MS[age]) return 'verified'
  if (age !== 'judged') return undefined
  return delivery === 'undelivered' ? 'undelivered' : 'unverified'
}

export interface CountedWindow {
  readonly sent: number
  /** Of those that were sent. */
  readonly credits: number
  readonly verified: number
  readonly unverified: number
}

/** What is known of one place. */
export interface TrafficCounts {
  readonly hour: CountedWindow
  readonly day: CountedWindow
}

type WindowCounts = Readonly<Record<keyof CountedWindow, SlidingCounter>>

/** At one moment. What is not asked for is not added up: every code is decided by some of it. */
class WindowReading implements CountedWindow {
  constructor(
    private readonly counted: WindowCounts,
    private readonly now: number,
  ) {}
  get sent(): number {
    return this.counted.sent.total(this.now)
  }
  get credits(): number {
    return this.counted.credits.total(this.now)
  }
  get verified(): number {
    return this.counted.verified.total(this.now)
  }
  get unverified(): number {
    return this.counted.unverified.total(this.now)
  }
}

/** Caps hold for every window there is, so what they count stays for a twelfth of one longer at most. */
const CAPPED_PARTS = 12

class WindowCounters {
  readonly #counted: WindowCounts

  constructor(windowMs: number) {
    const capped = () => new SlidingCounter(windowMs, CAPPED_PARTS)
    const judged = () => new SlidingCounter(windowMs)
    this.#counted = { sent: capped(), credits: capped(), verified: judged(), unverified: judged() }
  }

  add(name: keyof CountedWindow, amount: number, at: number): void {
    this.#counted[name].add(amount, at)
  }

  get all(): SlidingCounter[] {
    return Object.values(this.#counted)
  }

  at(now: number): CountedWindow {
    return new WindowReading(this.#counted, now)
  }

  /** Milliseconds until there are fewer than `max`, if nothing more comes. */
  waitMs(name: keyof CountedWindow, max: number, now: number): number {
    return this.#counted[name].waitMs(max, now)
  }

  /** The same of what no window may have more of. */
  surelyWaitMs(name: 'sent' | 'credits', max: number, now: number): number {
    return this.#counted[name].surelyWaitMs(max, now)
  }
}

/** The state that `restore` takes. */
export interface TrafficCounterState {
  readonly pending: number
  readonly phones: readonly [number, number]
  readonly counts: readonly SlidingCounterState[]
  /** Of networks: when each country was seen last, Unix milliseconds. */
  readonly countries?: ReadonlyArray<readonly [country: string, at: number]>
}

/** Counts of one place. */
export class TrafficCounter {
  readonly hour = new WindowCounters(HOUR_MS)
  readonly day = new WindowCounters(DAY_MS)
  /** Codes that are on their way in, and may still be refused. */
  inFlight = 0
  #pending = 0
  readonly #young = new SlidingCounter(AGE_MS.judged)
  readonly #untyped = new SlidingCounter(HOUR_MS)
  /** A bit for each of 64 kinds of hashes. */
  #phones: [number, number] = [0, 0]

  get state(): TrafficCounterState {
    return { pending: this.#pending, phones: this.#phones, counts: this.counted().map(({ state }) => state) }
  }

  restore({ pending, phones, counts }: TrafficCounterState): void {
    this.#pending = pending
    this.#phones = [...phones]
    for (const [n, windows] of this.counted().entries()) windows.restore(counts[n] ?? [])
  }

  protected counted(): SlidingCounter[] {
    return [this.#young, this.#untyped, ...this.hour.all, ...this.day.all]
  }

  /** Answers what has become of the code, where this look finds it. */
  record(sample: IssueSample, age: AgeBucket): CodeResult | undefined {
    const at = sample.createdAt + AGE_MS[age]
    if (age === 'sent') {
      this.#recordSent(sample, at)
      return undefined
    }
    const result = resultAt(sample, age)
    if (result !== undefined && age !== 'late') this.#pending = Math.max(0, this.#pending - 1)
    if (age === 'judged' && result !== 'verified' && result !== undefined) this.#untyped.add(1, at)
    if (result === 'verified' || result === 'unverified') this.add(result, 1, at)
    // It was taken for one that nobody types.
    if (result === 'verified' && age === 'late' && sample.delivery !== 'undelivered') this.add('unverified', -1, at)
    return result
  }

  #recordSent({ phone, price }: IssueSample, at: number): void {
    this.#pending++
    this.#young.add(1, at)
    const half = phone & 1
    this.#phones[half] = (this.#phones[half] ?? 0) | (1 << ((phone >> 1) & 31))
    this.add('sent', 1, at)
    this.add('credits', price, at)
  }

  protected add(name: keyof CountedWindow, amount: number, at: number): void {
    this.hour.add(name, amount, at)
    this.day.add(name, amount, at)
  }

  /** There are at least so many phones; it does not count beyond 64. */
  get phones(): number {
    return bitsOf(this.#phones[0]) + bitsOf(this.#phones[1])
  }

  /** Codes of the last hour that were not verified, for whatever reason. */
  untyped(now: number): number {
    return this.#untyped.total(now)
  }

  counts(now: number): TrafficCounts {
    return { hour: this.hour.at(now), day: this.day.at(now) }
  }

  /** Codes that may still be typed: younger than two minutes, and not verified. Where looks have missed some, as after a step of the clock, there are no more than are young. */
  pending(now: number): number {
    this.#pending = Math.min(this.#pending, this.#young.most(now))
    return this.#pending + this.inFlight
  }
}

function bitsOf(word: number): number {
  let count = 0
  for (let left = word; left !== 0; left &= left - 1) count++
  return count
}

/** Of a network: also to which countries it had codes sent, and when last. */
export class NetworkCounter extends TrafficCounter {
  readonly #countries = new Map<string, number>()

  override get state(): TrafficCounterState {
    return { ...super.state, countries: [...this.#countries] }
  }

  override restore(state: TrafficCounterState): void {
    super.restore(state)
    for (const [country, at] of state.countries ?? []) this.#countries.set(country, at)
  }

  override record(sample: IssueSample, age: AgeBucket): CodeResult | undefined {
    this.#noteCountry(sample)
    return super.record(sample, age)
  }

  /** How many there were within a day: what many people share has been to many in a year. */
  countries(now: number): number {
    return [...this.#countries.values()].filter((at) => at > now - DAY_MS).length
  }

  #noteCountry({ country, createdAt }: IssueSample): void {
    this.#countries.delete(country)
    this.#countries.set(country, createdAt)
    const [oldest] = this.#countries.keys()
    if (this.#countries.size > MOST_COUNTRIES && oldest !== undefined) this.#countries.delete(oldest)
  }
}

const MOST_COUNTRIES = 8

export const QUARTER_MS = 15 * MINUTE_MS
const LATELY_MS = MINUTE_MS
/** From so many on it is known whether a country's carriers report. */
const REPORTS_KNOWN_FROM = 10

/** Of a country: it also remembers whether its carriers report. */
export class CountryCounter extends TrafficCounter {
  readonly #verifiedInQuarter = new SlidingCounter(QUARTER_MS)
  readonly #verifiedLately = new SlidingCounter(LATELY_MS)
  readonly #reported = new SlidingCounter(DAY_MS)
  readonly #silent = new SlidingCounter(DAY_MS)
  readonly #silentLately = new SlidingCounter(QUARTER_MS)

  protected override counted(): SlidingCounter[] {
    const own = [this.#verifiedInQuarter, this.#verifiedLately, this.#reported, this.#silent, this.#silentLately]
    return [...super.counted(), ...own]
  }

  /** What carriers have said of a code that is old enough, whatever it counts as. */
  recordReport({ delivery, createdAt }: IssueSample): void {
    if (delivery === 'delivered') this.#reported.add(1, createdAt)
    if (delivery !== 'unknown') return
    this.#silent.add(1, createdAt)
    this.#silentLately.add(1, createdAt)
  }

  /** Whether a carrier says nothing of a code where carriers usually do. */
  isSilent({ delivery, createdAt }: IssueSample): boolean {
    if (delivery !== 'unknown') return false
    const reported = this.#reported.total(createdAt)
    return reported >= REPORTS_KNOWN_FROM && reported > this.#silent.total(createdAt)
  }

  /** Codes of the last quarter of an hour that were verified, or of which no carrier has said anything. */
  verifiedOrSilent(now: number): number {
    return this.#verifiedInQuarter.total(now) + this.#silentLately.total(now)
  }

  /** Within a minute. */
  verifiedLately(now: number): number {
    return this.#verifiedLately.total(now)
  }

  protected override add(name: keyof CountedWindow, amount: number, at: number): void {
    super.add(name, amount, at)
    if (name !== 'verified') return
    this.#verifiedInQuarter.add(amount, at)
    this.#verifiedLately.add(amount, at)
  }
}
