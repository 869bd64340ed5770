/**
 * Whether messages pay. Attackers who pump messages share in their price and do not type the codes, so the rules compare codes
 * that were verified with codes that were not. What is allowed grows with the app's own verified traffic, which cannot be made
 * without phones. Decisions: "Abuse". Live mode only.
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
 * Nobody is refused by these rules in a place where at least half of the usual share was verified in the last hour and in the
 * last day.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/shared/value'
import type { CodeResult, CountedWindow, TrafficCounter, TrafficCounts } from './traffic-counter'

/** What an app sent to a country with a kind of key in one hour, and what became of it. */
export interface TrafficHour extends CountedWindow {
  /** When it begins, Unix milliseconds. */
  readonly hour: number
}

/** What is usual there. */
export interface Baseline {
  /** Of the codes that were judged, how many are not verified: 0 to 1. */
  readonly unverifiedShare: number
  /** The most that were verified on one day. */
  readonly greatestDay: number
  /** Codes sent and verified in each hour of the day, UTC: the mean of the days that had any. */
  readonly sentAt: readonly number[]
  readonly verifiedAt: readonly number[]
  readonly isLearned: boolean
}

/**
 * Its traffic is known once so many were verified in all, on so many of the last days. Until then nothing is refused for it.
 * NHN judges from 50 codes on; a week has each of its days; Authgear looks back for 14 days.
 */
export const LEARNED_FROM = { verified: 50, onDays: 7 } as const
export const LEARNED_DAYS = 14

const UNKNOWN_SHARE = 0.3
/** What is learned stays between: an app that loses half of its codes cannot tell, and one that loses none did not look. */
const LEAST_SHARE = 0.05
const GREATEST_SHARE = 0.5

const daysOf = (hours: readonly TrafficHour[]): CountedWindow[] =>
  [...Map.groupBy(hours, ({ hour }) => Math.floor(hour / DAY_MS)).values()].map(addUp)

/** How far an app's traffic is known. */
export interface Learned {
  readonly verified: number
  /** On how many days any were. */
  readonly onDays: number
  readonly isLearned: boolean
}

/** Of its newest days. */
export const learnedOf = (hours: readonly TrafficHour[]): Learned => learnedOn(daysOf(hours))

function learnedOn(days: readonly CountedWindow[]): Learned {
  const { verified } = addUp(days)
  const onDays = days.filter((day) => day.verified > 0).length
  return { verified, onDays, isLearned: verified >= LEARNED_FROM.verified && onDays >= LEARNED_FROM.onDays }
}

/** Of its newest days. */
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

/** The median of the days: what happened on some of them does not teach it. */
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
 * Whether people type there: of the codes of the last hour that may have arrived, and of those of the last day, at least half of
 * the usual share was verified. Codes too young to be judged count as not verified.
 */
export function isTyped(place: Pick<TrafficCounter, 'counts' | 'pending'>, baseline: Baseline, now: number): boolean {
  const young = place.pending(now)
  const { hour, day } = place.counts(now)
  const isEnough = ({ verified, unverified }: CountedWindow) =>
    unverified + young <= unverifiedBeside(baseline) * verified
  return hour.verified >= 1 && isEnough(hour) && isEnough(day)
}

/** How many may be unverified for each that is verified, so that half of the usual share is. */
const unverifiedBeside = ({ unverifiedShare }: Baseline): number => 2 / (1 - unverifiedShare) - 1

/** How many codes may be unverified, and how many too young to be judged. */
export interface Allowed {
  readonly hour: number
  readonly day: number
  readonly pending: number
}

/** So many times as many, as an owner has decided. */
export const tolerated = (allowed: Allowed, times: number): Allowed =>
  times === 1 ? allowed : { hour: allowed.hour * times, day: allowed.day * times, pending: allowed.pending * times }

/**
 * Of each place, whatever it has verified. By the day: Authgear's 20 of a country and 10 of an address, where a prefix is Twilio's
 * and coss Verify's place, less of which is people's; by the hour and of the young ones: of our own, by the simulation (Authgear
 * has 3 and 5 in an hour, which people who ask again come to).
 */
const FLOORS = {
  prefix: { hour: 5, day: 4, pending: 5 },
  network: { hour: 5, day: 10, pending: 10 },
  // What may be pending where nobody has typed yet brings about a pause; it does not refuse beyond the pause.
  country: { hour: 16, day: 20, pending: 15 },
} as const
export type BaselineScope = keyof typeof FLOORS

const AUTHGEAR_SHARE = 0.2
/** A day has more than one busy hour. */
const HOUR_OF_DAY = 1 / 6

/** How many may stay unverified in a place; `usually` are verified there in a day. */
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
  // What is nearly used up is not tried by many at once.
  const left = Math.max(1, Math.floor(allowed.hour - hour.unverified))
  return { ...allowed, pending: Math.max(Math.min(floor.pending, left), day.verified / 2) }
}

/**
 * Where nothing arrives people ask again, which makes twice the usual, and now and then many come at a time: pending ≤ max(15,
 * 8 + 7 × what is usually sent in two minutes) + 3 × what was verified in the last minute. Of our own, by the simulation: of
 * sixty times as many as usually, from one minute to the next, one in a hundred waits; an attack stays where it starts.
 */
const PENDING_MORE = 8
/** Half of a crowd has typed within 20 s, and as many again come meanwhile. After a pause less of a crowd is believed. */
const PENDING_TIMES = { usually: 7, typed: 3 } as const
const PENDING_TIMES_AFTER_PAUSE = { usually: 3, typed: 1 } as const
const PENDING_MS = 2 * MINUTE_MS

/** What has become of a country in the last minutes. */
interface RecentOutcome {
  /** Within a minute. */
  readonly verified: number
  /** A pause has ended, and is still remembered. */
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

/** In the hour of the day that `now` is in, per hour. */
const rateAt = (byHour: readonly number[], now: number) => byHour[Math.floor(now / HOUR_MS) % 24] ?? 0

/** A network had codes sent to so many countries, and none was verified: Authgear's more than three. */
export const TOO_MANY_COUNTRIES = 4

/** What codes of a country have shown since they were last beyond suspicion. */
export interface SequentialTest {
  /** Of the sequential test: 0 where nothing is suspected. */
  readonly score: number
  /** What an outage explains as well. It counts once there is too much for one, and no more once codes are verified again. */
  readonly held: number
  /** When the first of them was judged, Unix milliseconds. */
  readonly since: number
  readonly verified: number
  readonly unverified: number
  /** More of them, that are the matter of their prefix or network. */
  readonly beside: number
}

export const UNSUSPECTED: SequentialTest = { score: 0, held: 0, since: 0, verified: 0, unverified: 0, beside: 0 }

/** Honest codes take the score there once in some e¹³ codes, pumped ones in eight to fifteen. */
export const SUSPECTED = 13
/** It rises no further, so that it comes down again when honest codes follow. */
const MOST_SUSPECTED = 1.5 * SUSPECTED
/** A day on which a tenth more than usually is not verified is no attack yet. */
const LEAST_TESTED_SHARE = 0.15
/** Of those that are usually verified, how many are not in an attack. */
const PUMPED = 0.7

function weightOf(result: Exclude<CodeResult, 'undelivered'>, { unverifiedShare }: Baseline): number {
  const baseline = Math.max(unverifiedShare, LEAST_TESTED_SHARE)
  const pumped = baseline + PUMPED * (1 - baseline)
  return result === 'unverified' ? Math.log(pumped / baseline) : Math.log((1 - pumped) / (1 - baseline))
}

/** After one more code was judged. */
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
  // What was held back goes last, or at once where an outage has ended.
  const held = isWorking(after, baseline, now) ? 0 : Math.max(0, before.held + Math.min(0, before.score + weight))
  return score + held > 0 ? { ...after, score, held } : UNSUSPECTED
}

/** After one more that nobody typed and that has not arrived where there is an outage. */
export const suspicionHolding = (before: SequentialTest, baseline: Baseline, now: number): SequentialTest => ({
  ...oneMore(before, 'unverified', now),
  held: Math.min(before.held + weightOf('unverified', baseline), MOST_SUSPECTED),
})

/** After one more that is the matter of its prefix or network: it shows nothing of its country, and is there all the same. */
export const suspicionWithLocal = (before: SequentialTest): SequentialTest =>
  before.score + before.held > 0 ? { ...before, beside: before.beside + 1 } : before

const oneMore = (before: SequentialTest, result: 'verified' | 'unverified', now: number): SequentialTest => ({
  ...before,
  since: before.score + before.held > 0 ? before.since : now,
  [result]: before[result] + 1,
})

/** After a pause three unverified codes in a row are enough. */
export const suspicionAfterPause = (baseline: Baseline, now: number): SequentialTest => ({
  ...UNSUSPECTED,
  score: SUSPECTED - 2.5 * weightOf('unverified', baseline),
  since: now,
})

/** There are as many who verify as there should be, more or less, and more than had their codes before. */
const WORKS_FROM = 0.6
const WORKS_FROM_AT_LEAST = 3
/** Users ask again when nothing comes: so many times what is usual, and some more, is no outage. */
const OUTAGE_TIMES = 3
const OUTAGE_MORE = 10
/** The same of all, where some ask a third time for their number. */
const OUTAGE_MORE_IN_ALL = 20

/**
 * Where a carrier that does not report swallows everything, nobody verifies, and there is no more traffic than usual. In an
 * attack either others go on verifying, or there is more. Told by what came since codes were last beyond suspicion: that is
 * when an outage began, however much or little there is in an hour.
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

/** How many there are in that time, usually. */
function usually(byHour: readonly number[], from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; ) {
    const next = Math.min(to, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS)
    count += (rateAt(byHour, at) * (next - at)) / HOUR_MS
    at = next
  }
  return count
}

/** Of what is usual in all, messages may stay without a report so long as there are no more codes than so many times that. */
const SILENT_TIMES = 1.5
const SILENT_MORE = 10

/**
 * Where carriers report what arrives, a message they are silent about has not arrived, unless there are more codes than usual:
 * then silence is bought. `codes`: verified or without a report, within a quarter of an hour.
 */
export const mayBeSilent = (codes: number, baseline: Baseline, now: number): boolean =>
  codes <= SILENT_MORE + (SILENT_TIMES * rateAt(baseline.sentAt, now)) / 4

export const FLOOD_WINDOW_MS = 10 * MINUTE_MS
const FLOOD_FROM = 20
const FLOOD_TIMES = 3

/**
 * Whoever is refused so often within ten minutes, and so many times as often as people come, is no people: knocks ≥ max(20,
 * 3 × what is usually sent). During a pause they are still there. Of our own: people ask three times for one code at most
 * (`OUTAGE_TIMES`), and an app that little is usual of has twenty who do.
 */
export const isFlood = (knocks: number, baseline: Baseline, now: number): boolean =>
  knocks >= Math.max(FLOOD_FROM, (FLOOD_TIMES * rateAt(baseline.sentAt, now) * FLOOD_WINDOW_MS) / HOUR_MS)

/** From so many verified on a day on, a country has a usual traffic of its own. Others are looked at together, too. */
const USUAL_FROM = 20
export const hasOwnBaseline = ({ greatestDay }: Baseline): boolean => greatestDay >= USUAL_FROM

/**
 * So many unverified ones within an hour are the matter of their prefix or network, and say nothing more of its country. Of our
 * own, by the simulation: of ten thousand prefixes people leave two codes in one within an hour hardly ever, attackers who stay
 * in few at once.
 */
export const LOCAL_FROM = 2
