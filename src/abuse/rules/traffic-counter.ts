/**
 * Counters of codes and their results, per country, per prefix of numbers and per network of end users. Rules read from
 * them whether codes are verified (`baseline.ts`) and how many were sent (`cap.ts`). Decisions: "Abuse". Live mode
 * only.
 *
 *   sent ──20 s──▶ early ──2 min──▶ judged: verified, unverified or undelivered ──10 min──▶ late: verified after all
 *
 * All counters follow from stored issues, so every server that reads them counts the same.
 */
import type { KeyKind } from '../../domain/access/api-key'
import { SlidingCounter, type SlidingCounterState } from '../../domain/access/sliding-window'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/shared/value'

/** The fields of an issue that are counted. Times are Unix milliseconds, hashes are keyed. */
export interface IssueSample {
  readonly kind: KeyKind
  readonly country: string
  /** Hash of all but the last four digits of the number; undefined where it was not stored. */
  readonly prefix: string | undefined
  /** Hash of the end user's IPv4 address or IPv6 /64; undefined where it is unknown. */
  readonly network: string | undefined
  /** One byte of the phone's hash, enough to tell many phones from few. */
  readonly phone: number
  readonly createdAt: number
  readonly verifiedAt: number | undefined
  /** `unknown`: sent, without a report. */
  readonly delivery: 'delivered' | 'unknown' | 'undelivered'
  /** Credits. */
  readonly price: number
  /** Messages sent so far: a plan may have several ways. Undefined: one. */
  readonly messages?: number
}

/**
 * Ages at which a code is recorded, milliseconds. A code counts as unverified only at `judged`, when it would have been
 * verified.
 */
export const AGE_MS = { sent: 0, early: 20 * SECOND_MS, judged: 2 * MINUTE_MS, late: 10 * MINUTE_MS } as const
export type AgeBucket = keyof typeof AGE_MS

/** Results that were recorded at the age before are not recorded again. */
const PREVIOUS_AGE = { early: 'sent', judged: 'early', late: 'judged' } as const

/**
 * Phones from which the digits of a prefix may be shown. Groups of fewer than eleven are not published (k-anonymity,
 * Sweeney 2002; CMS cell size policy). Phones are counted by one byte of their hashes, which counts somewhat too few.
 */
export const SHOWN_FROM_PHONES = 20

export type CodeResult = 'verified' | 'unverified' | 'undelivered'

/** The result of a code that is new at this age; undefined where there is none, or it was recorded before. */
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
  /** Credits of the sent codes. */
  readonly credits: number
  readonly verified: number
  readonly unverified: number
}

/** Counts of one place in the last hour and day. */
export interface TrafficCounts {
  readonly hour: CountedWindow
  readonly day: CountedWindow
}

type WindowCounts = Readonly<Record<keyof CountedWindow, SlidingCounter>>

/** Counts at one time. Each is summed when it is read, since a request reads few of them. */
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

/** Caps hold in any window, so their counts are finer: a code stays a twelfth of the window too long at most. */
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

  /** Milliseconds until the count is below `max`, if nothing is added. */
  waitMs(name: keyof CountedWindow, max: number, now: number): number {
    return this.#counted[name].waitMs(max, now)
  }

  /** The same for caps, which no window may exceed: it never answers too early. */
  surelyWaitMs(name: 'sent' | 'credits', max: number, now: number): number {
    return this.#counted[name].surelyWaitMs(max, now)
  }
}

/** The state that `restore` takes. A snapshot stores these names. */
export interface TrafficCounterState {
  readonly pending: number
  readonly phones: readonly [number, number]
  readonly counts: readonly SlidingCounterState[]
  /** Network counters only: when each country was last used, Unix milliseconds. */
  readonly countries?: ReadonlyArray<readonly [country: string, at: number]>
}

/** Counts of one place in the last hour and day. */
export class TrafficCounter {
  readonly hour = new WindowCounters(HOUR_MS)
  readonly day = new WindowCounters(DAY_MS)
  /** Requests in flight, which may still be refused. */
  inFlight = 0
  #pending = 0
  /** Codes made until then left `#pending` by their age, before their result was read; Unix milliseconds. */
  #leftOut = 0
  readonly #young = new SlidingCounter(AGE_MS.judged)
  readonly #untyped = new SlidingCounter(HOUR_MS)
  /** A bit for each of 64 values of the hash byte. */
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

  /** Counts a code at an age. Returns its result, where it is new at this age. */
  record(sample: IssueSample, age: AgeBucket): CodeResult | undefined {
    const at = sample.createdAt + AGE_MS[age]
    if (age === 'sent') {
      this.#recordSent(sample, at)
      return undefined
    }
    // A cap counts what is paid for: by now most plans have gone as far as they go.
    if (age === 'judged' && (sample.messages ?? 1) > 1) this.add('sent', (sample.messages ?? 1) - 1, at)
    const result = resultAt(sample, age)
    if (result !== undefined && age !== 'late' && sample.createdAt > this.#leftOut)
      this.#pending = Math.max(0, this.#pending - 1)
    if (age === 'judged' && result !== 'verified' && result !== undefined) this.#untyped.add(1, at)
    if (result === 'verified' || result === 'unverified') this.add(result, 1, at)
    // The code was counted as unverified before.
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

  /** Least number of phones; at most 64 are told apart. */
  get phones(): number {
    return bitsOf(this.#phones[0]) + bitsOf(this.#phones[1])
  }

  /** Codes of the last hour that were not verified, undelivered ones included. */
  untyped(now: number): number {
    return this.#untyped.total(now)
  }

  counts(now: number): TrafficCounts {
    return { hour: this.hour.at(now), day: this.day.at(now) }
  }

  /**
   * Codes that may still be verified: younger than two minutes and not verified, requests in flight included. Bounded
   * by the young codes, since samples may be missing after a clock step.
   */
  pending(now: number): number {
    const young = this.#young.most(now)
    if (this.#pending > young) {
      this.#pending = young
      this.#leftOut = now - AGE_MS.judged
    }
    return this.#pending + this.inFlight
  }
}

function bitsOf(word: number): number {
  let count = 0
  for (let left = word; left !== 0; left &= left - 1) count++
  return count
}

/** Counts of a network, and the countries that it asked for. */
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

  /** Countries of the last day. A shared network reaches many within a year. */
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
/** Reports from which it is known that a country's carriers report. */
const REPORTS_KNOWN_FROM = 10

/** Counts of a country, and whether its carriers report. */
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

  /** Counts whether the carrier has reported a judged code. */
  recordReport({ delivery, createdAt }: IssueSample): void {
    if (delivery === 'delivered') this.#reported.add(1, createdAt)
    if (delivery !== 'unknown') return
    this.#silent.add(1, createdAt)
    this.#silentLately.add(1, createdAt)
  }

  /** Whether a report is missing where carriers usually report. */
  isSilent({ delivery, createdAt }: IssueSample): boolean {
    if (delivery !== 'unknown') return false
    const reported = this.#reported.total(createdAt)
    return reported >= REPORTS_KNOWN_FROM && reported > this.#silent.total(createdAt)
  }

  /** Codes of the last quarter of an hour that are verified or have no report. */
  verifiedOrSilent(now: number): number {
    return this.#verifiedInQuarter.total(now) + this.#silentLately.total(now)
  }

  /** Codes verified in the last minute. */
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
