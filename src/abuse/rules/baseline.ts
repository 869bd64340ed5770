/**
 * Compares verified codes with unverified ones. Attackers who pump messages share in their price and do not verify the
 * codes. The limits grow with the app's verified traffic, which needs real phones. Decisions: "Abuse". Live mode
 * only.
 *
 * - One formula for a prefix, a network and a country, in an hour and in a day: unverified ≥ max(floor, a fifth of what is
 *   usually verified, what leaves half of the usual share verified). The first two terms are Authgear's
 *   (`docs/specs/fraud-protection.md`).
 * - Codes too young to be judged: a limit of their own, where less than half of the usual share was verified (`isTyped`).
 * - A country also has a sequential test (Wald 1945; Page's CUSUM, 1954) of "the usual share stays unverified" against "seven
 *   in ten of the rest, too". Some ten codes in a row are enough for it, whatever the traffic is. A prefix or a network that has
 *   used up its own share is no evidence against its country. Countries to which little is sent are tested together, too.
 * - One network for more than three countries without a success (Authgear).
 *
 * These rules refuse nobody in a place that verified at least half of its usual share, in the last hour and in the last
 * day.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/shared/value'
import type { CodeResult, CountedWindow, TrafficCounter, TrafficCounts } from './traffic-counter'

/** Codes of one segment in one hour, and their results. */
export interface TrafficHour extends CountedWindow {
  /** Start of the hour, Unix milliseconds. */
  readonly hour: number
}

/** The usual traffic of a segment, learned from its last days. */
export interface Baseline {
  /** Share of judged codes that are not verified, 0 to 1. */
  readonly unverifiedShare: number
  /** The most codes that were verified on one day. */
  readonly greatestDay: number
  /** Codes sent and verified in each hour of the day (UTC), mean over the days that had any. */
  readonly sentAt: readonly number[]
  readonly verifiedAt: readonly number[]
  readonly isLearned: boolean
}

/**
 * An app's traffic is learned once so many codes were verified on so many of the last days. Until then nothing is
 * refused for it. NHN judges from 50 codes on; a week has every weekday; Authgear looks back 14 days.
 */
export const LEARNED_FROM = { verified: 50, onDays: 7 } as const
export const LEARNED_DAYS = 14

const UNKNOWN_SHARE = 0.3
/**
 * Bounds of the learned share: an app that loses more than half cannot tell an attack, and one that loses none has too
 * little data.
 */
const LEAST_SHARE = 0.05
const GREATEST_SHARE = 0.5

const daysOf = (hours: readonly TrafficHour[]): CountedWindow[] =>
  [...Map.groupBy(hours, ({ hour }) => Math.floor(hour / DAY_MS)).values()].map(addUp)

/** The usual number of messages of a relay, whose codes nobody tells of. */
export interface UsualSent {
  /** Messages on a day that had any, mean over the last `LEARNED_DAYS` days. */
  readonly aDay: number
  /** Whether so many days had any that the mean says something. */
  readonly isKnown: boolean
}

/** `hours`: of the last `LEARNED_DAYS` days. */
export function usualSentOf(hours: readonly TrafficHour[]): UsualSent {
  const days = daysOf(hours).filter(({ sent }) => sent > 0)
  return { aDay: addUp(days).sent / Math.max(1, days.length), isKnown: days.length >= LEARNED_FROM.onDays }
}

/** How much of an app's traffic is learned. */
export interface Learned {
  readonly verified: number
  /** Days with a verified code. */
  readonly onDays: number
  readonly isLearned: boolean
}

/** `hours`: of the last `LEARNED_DAYS` days. */
export const learnedOf = (hours: readonly TrafficHour[]): Learned => learnedOn(daysOf(hours))

function learnedOn(days: readonly CountedWindow[]): Learned {
  const { verified } = addUp(days)
  const onDays = days.filter((day) => day.verified > 0).length
  return { verified, onDays, isLearned: verified >= LEARNED_FROM.verified && onDays >= LEARNED_FROM.onDays }
}

/** `hours`: of the last `LEARNED_DAYS` days. */
export function baselineOf(hours: readonly TrafficHour[]): Baseline {
  const days = daysOf(hours)
  const byHour = Map.groupBy(hours, ({ hour }) => (hour / HOUR_MS) % 24)
  const meanAt = (name: 'sent' | 'verified') =>
    Array.from({ length: 24 }, (_, hour) => addUp(byHour.get(hour) ?? [])[name] / Math.max(1, days.length))
  return {
    unverifiedShare: Math.min(Math.max(medianShare(days), LEAST_SHARE), GREATEST_SHARE),
    greatestDay: Math.max(0, ...days.map(({ verified }) => verified)),
    sentAt: meanAt('sent'),
    verifiedAt: meanAt('verified'),
    isLearned: learnedOn(days).isLearned,
  }
}

/** The median over days, so that an attack on a few days does not move it. */
function medianShare(days: readonly CountedWindow[]): number {
  const shares = days
    .filter(({ verified }) => verified > 0)
    .map(({ verified, unverified }) => unverified / (unverified + verified))
    .sort((one, other) => one - other)
  return shares[Math.floor(shares.length / 2)] ?? UNKNOWN_SHARE
}

const addUp = (windows: readonly CountedWindow[]): CountedWindow =>
  windows.reduce(
    (total, { sent, credits, verified, unverified }) => ({
      sent: total.sent + sent,
      credits: total.credits + credits,
      verified: total.verified + verified,
      unverified: total.unverified + unverified,
    }),
    { sent: 0, credits: 0, verified: 0, unverified: 0 },
  )

/**
 * Whether people verify codes in a place. At least half of the usual share of delivered codes was verified, in the last
 * hour and in the last day. Codes too young to be judged count as unverified.
 */
export function isTyped(place: Pick<TrafficCounter, 'counts' | 'pending'>, baseline: Baseline, now: number): boolean {
  const young = place.pending(now)
  const { hour, day } = place.counts(now)
  const isEnough = ({ verified, unverified }: CountedWindow) =>
    unverified + young <= unverifiedBeside(baseline) * verified
  return hour.verified >= 1 && isEnough(hour) && isEnough(day)
}

/** Unverified codes allowed for each verified one, where half of the usual share is verified. */
const unverifiedBeside = ({ unverifiedShare }: Baseline): number => 2 / (1 - unverifiedShare) - 1

/** How many codes may be unverified, and how many too young to be judged. */
export interface Allowed {
  readonly hour: number
  readonly day: number
  readonly pending: number
}

/** Multiplies the limits by the owner's tolerance. */
export const tolerated = (allowed: Allowed, times: number): Allowed =>
  times === 1 ? allowed : { hour: allowed.hour * times, day: allowed.day * times, pending: allowed.pending * times }

/**
 * Least limits of a place. By day: Authgear's 20 for a country and 10 for an address; a prefix has fewer people. By
 * hour and for pending codes they come from our simulation: Authgear's 3 and 5 in an hour are reached by people who ask
 * again.
 */
const FLOORS = {
  prefix: { hour: 5, day: 4, pending: 5 },
  network: { hour: 5, day: 10, pending: 10 },
  // Where nobody has verified yet, as many pending codes lead to a pause.
  country: { hour: 16, day: 20, pending: 15 },
} as const
export type BaselineScope = keyof typeof FLOORS

const AUTHGEAR_SHARE = 0.2
/** The busiest hour has about a sixth of a day's codes. */
const HOUR_OF_DAY = 1 / 6

/** How many codes may stay unverified in a place; `usually`: verified in a usual day. */
function unverifiedAllowed(
  place: BaselineScope,
  { hour, day }: TrafficCounts,
  usually: number,
  baseline: Baseline,
): Omit<Allowed, 'pending'> {
  const floor = FLOORS[place]
  const published = AUTHGEAR_SHARE * Math.max(usually, day.verified)
  const beside = unverifiedBeside(baseline)
  return {
    day: Math.max(floor.day, published, beside * day.verified),
    hour: Math.max(floor.hour, published * HOUR_OF_DAY, beside * hour.verified),
  }
}

/** Limits of a prefix or a network. */
export function allowedOf(place: 'prefix' | 'network', counts: TrafficCounts, baseline: Baseline): Allowed {
  const { hour, day } = counts
  const floor = FLOORS[place]
  const allowed = unverifiedAllowed(place, counts, 0, baseline)
  if (place === 'network') return { ...allowed, pending: Math.max(floor.pending, day.verified) }
  // Concurrent requests do not exceed what is left of the hour.
  const left = Math.max(1, Math.floor(allowed.hour - hour.unverified))
  return { ...allowed, pending: Math.max(Math.min(floor.pending, left), day.verified / 2) }
}

/**
 * Limit of pending codes of a country: max(15, 8 + 7 × sent usually in two minutes) + 3 × verified in the last minute.
 * It allows for crowds, and for people who ask again when nothing arrives. From our simulation: of a crowd sixty times
 * the usual one in a hundred waits; an attack does not grow.
 */
const PENDING_MORE = 8
/** Half of a crowd verifies within 20 s while as many again come. After a pause less growth is allowed. */
const PENDING_TIMES = { usually: 7, typed: 3 } as const
const PENDING_TIMES_AFTER_PAUSE = { usually: 3, typed: 1 } as const
const PENDING_MS = 2 * MINUTE_MS

interface RecentOutcome {
  /** Codes verified in the last minute. */
  readonly verified: number
  /** An incident is open whose pause has ended. */
  readonly wasPaused: boolean
}

export function allowedOfCountry(
  counts: TrafficCounts,
  lately: RecentOutcome,
  baseline: Baseline,
  now: number,
): Allowed {
  const usuallyPending = (rateAt(baseline.sentAt, now) * PENDING_MS) / HOUR_MS
  const times = lately.wasPaused ? PENDING_TIMES_AFTER_PAUSE : PENDING_TIMES
  return {
    ...unverifiedAllowed('country', counts, baseline.greatestDay, baseline),
    pending:
      Math.max(FLOORS.country.pending, PENDING_MORE + times.usually * usuallyPending) + times.typed * lately.verified,
  }
}

/** The rate in the hour of the day of `now`, per hour. */
const rateAt = (byHour: readonly number[], now: number) => byHour[Math.floor(now / HOUR_MS) % 24] ?? 0

/** Countries that one network may ask for without a verified code (Authgear: more than three). */
export const TOO_MANY_COUNTRIES = 4

/** State of the sequential test since the score was last 0. A snapshot stores these names. */
export interface SequentialTest {
  /** 0: nothing is suspected. */
  readonly score: number
  /**
   * Evidence that an outage explains as well. It counts once there is too much for an outage, and is dropped once codes
   * are verified again.
   */
  readonly held: number
  /** When the first of these codes was judged, Unix milliseconds. */
  readonly since: number
  readonly verified: number
  readonly unverified: number
  /** Further unverified codes that their prefix or network explains. */
  readonly beside: number
}

export const UNSUSPECTED: SequentialTest = { score: 0, held: 0, since: 0, verified: 0, unverified: 0, beside: 0 }

/** Honest codes reach this score once in about e¹³ codes, pumped ones after eight to fifteen. */
export const SUSPECTED = 13
/** The score is capped, so that honest codes bring it down again. */
const MOST_SUSPECTED = 1.5 * SUSPECTED
/** Least share the test assumes, so that a slightly worse day is no attack. */
const LEAST_TESTED_SHARE = 0.15
/** Share of the usually verified codes that stay unverified in an attack. */
const PUMPED = 0.7

function weightOf(result: Exclude<CodeResult, 'undelivered'>, { unverifiedShare }: Baseline): number {
  const baseline = Math.max(unverifiedShare, LEAST_TESTED_SHARE)
  const pumped = baseline + PUMPED * (1 - baseline)
  return result === 'unverified' ? Math.log(pumped / baseline) : Math.log((1 - pumped) / (1 - baseline))
}

/** The state after one more judged code. */
export function suspicionAfter(
  before: SequentialTest,
  result: CodeResult,
  baseline: Baseline,
  now: number,
): SequentialTest {
  if (result === 'undelivered') return before
  const weight = weightOf(result, baseline)
  if (result === 'unverified')
    return {
      ...oneMore(before, result, now),
      score: Math.min(before.score + before.held + weight, MOST_SUSPECTED),
      held: 0,
    }
  const after = oneMore(before, result, now)
  const score = Math.max(0, before.score + weight)
  // Held evidence is reduced last, or dropped where an outage has ended.
  const held = isWorking(after, baseline, now) ? 0 : Math.max(0, before.held + Math.min(0, before.score + weight))
  return score + held > 0 ? { ...after, score, held } : UNSUSPECTED
}

/** The state after one more unverified code during an outage: its weight is held. */
export const suspicionHolding = (before: SequentialTest, baseline: Baseline, now: number): SequentialTest => ({
  ...oneMore(before, 'unverified', now),
  held: Math.min(before.held + weightOf('unverified', baseline), MOST_SUSPECTED),
})

/**
 * The state after one more unverified code that its prefix or network explains. It is counted but is no evidence
 * against the country.
 */
export const suspicionWithLocal = (before: SequentialTest): SequentialTest =>
  before.score + before.held > 0 ? { ...before, beside: before.beside + 1 } : before

const oneMore = (before: SequentialTest, result: 'verified' | 'unverified', now: number): SequentialTest => ({
  ...before,
  since: before.score + before.held > 0 ? before.since : now,
  [result]: before[result] + 1,
})

/** The state after a pause: three unverified codes in a row are enough to pause again. */
export const suspicionAfterPause = (baseline: Baseline, now: number): SequentialTest => ({
  ...UNSUSPECTED,
  score: SUSPECTED - 2.5 * weightOf('unverified', baseline),
  since: now,
})

/** Verified codes from which delivery works: a share of the usual number, and at least three. */
const WORKS_FROM = 0.6
const WORKS_FROM_AT_LEAST = 3
/** Users ask again when nothing arrives; more codes than this are no outage. */
const OUTAGE_TIMES = 3
const OUTAGE_MORE = 10
/** The same including codes that a prefix or network explains. */
const OUTAGE_MORE_IN_ALL = 20

/**
 * Whether a carrier that does not report may have lost everything: nobody verifies, and there is no more traffic than
 * usual. In an attack others still verify, or there is more traffic. Compares what came since the score was last 0,
 * when the outage would have begun.
 */
export function looksLikeOutage(suspicion: TestProgress, baseline: Baseline, now: number): boolean {
  const { since, unverified, beside } = suspicion
  const expected = OUTAGE_TIMES * usually(baseline.sentAt, since, now)
  const isMore = unverified > OUTAGE_MORE + expected || unverified + beside > OUTAGE_MORE_IN_ALL + expected
  return !isWorking(suspicion, baseline, now) && !isMore
}

type TestProgress = Omit<SequentialTest, 'score' | 'held'>

const isWorking = (
  { since, verified }: Pick<TestProgress, 'since' | 'verified'>,
  baseline: Baseline,
  now: number,
): boolean => verified >= Math.max(WORKS_FROM_AT_LEAST, WORKS_FROM * usually(baseline.verifiedAt, since, now))

/** The usual number of codes in that time. */
function usually(byHour: readonly number[], from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; ) {
    const next = Math.min(to, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS)
    count += (rateAt(byHour, at) * (next - at)) / HOUR_MS
    at = next
  }
  return count
}

/** Messages without a report count as undelivered up to this many times the usual traffic. */
const SILENT_TIMES = 1.5
const SILENT_MORE = 10

/**
 * Whether a missing report means that the message has not arrived. With more codes than usual it does not: attackers
 * can suppress reports. `codes`: verified or without a report, in the last quarter of an hour.
 */
export const mayBeSilent = (codes: number, baseline: Baseline, now: number): boolean =>
  codes <= SILENT_MORE + (SILENT_TIMES * rateAt(baseline.sentAt, now)) / 4

export const FLOOD_WINDOW_MS = 10 * MINUTE_MS
const FLOOD_FROM = 20
const FLOOD_TIMES = 3

/**
 * Whether refused requests are a flood: in ten minutes at least max(20, 3 × usually sent). People ask three times for
 * one code at most (`OUTAGE_TIMES`), and a small app has twenty who do.
 */
export const isFlood = (knocks: number, baseline: Baseline, now: number): boolean =>
  knocks >= Math.max(FLOOD_FROM, (FLOOD_TIMES * rateAt(baseline.sentAt, now) * FLOOD_WINDOW_MS) / HOUR_MS)

/** From so many verified codes on one day a country has a baseline of its own. Other countries are pooled. */
const USUAL_FROM = 20
export const hasOwnBaseline = ({ greatestDay }: Baseline): boolean => greatestDay >= USUAL_FROM

/**
 * From so many unverified codes in an hour a prefix or network explains further ones, which then are no evidence
 * against the country. From our simulation: among ten thousand prefixes people hardly ever leave two in one, attackers
 * on few prefixes do at once.
 */
export const LOCAL_FROM = 2
