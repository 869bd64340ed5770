/** The usual traffic of an app, learned from the hours of its last days. Decisions: "Abuse". Live mode only. */
import { DAY_MS, HOUR_MS } from '../../domain/shared/value'

/** Codes of one segment in one hour, and wishes that were kept and lost. */
export interface TrafficHour {
  /** Start of the hour, Unix milliseconds. */
  readonly hour: number
  readonly sent: number
  /** Credits of the sent codes. */
  readonly credits: number
  readonly verified: number
  readonly unverified: number
}

/** The usual traffic of a segment. */
export interface Baseline {
  /** Share of wishes that are lost, 0 to 1. */
  readonly lostShare: number
  /** The most wishes that were kept on one day. */
  readonly greatestDay: number
  /** Wishes kept in each hour of the day (UTC), mean over the days that had any; and in any hour. */
  readonly keptAt: readonly number[]
  readonly keptAnHour: number
  readonly isLearned: boolean
}

/**
 * It is learned once so many wishes were kept on so many of the last days; until then half of them may be lost. NHN judges from 50 codes on; a
 * week has every weekday; Authgear looks back 14 days.
 */
const LEARNED_FROM = { verified: 50, onDays: 7 } as const
export const LEARNED_DAYS = 14

/** Bounds of the share: an app that loses more than half cannot tell an attack, and one that loses none has too little data. */
const LEAST_SHARE = 0.05
const GREATEST_SHARE = 0.5

const daysOf = (hours: readonly TrafficHour[]): Array<Omit<TrafficHour, 'hour'>> =>
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

/** `hours`: of the last `LEARNED_DAYS` days. */
export function baselineOf(hours: readonly TrafficHour[]): Baseline {
  const days = daysOf(hours)
  const byHour = Map.groupBy(hours, ({ hour }) => (hour / HOUR_MS) % 24)
  const starts = hours.map(({ hour }) => hour)
  const spanned = hours.length === 0 ? 1 : (Math.max(...starts) - Math.min(...starts)) / HOUR_MS + 1
  const onDays = days.filter(({ verified }) => verified > 0).length
  const isLearned = addUp(days).verified >= LEARNED_FROM.verified && onDays >= LEARNED_FROM.onDays
  return {
    lostShare: isLearned ? Math.min(Math.max(medianShare(days), LEAST_SHARE), GREATEST_SHARE) : GREATEST_SHARE,
    greatestDay: Math.max(0, ...days.map(({ verified }) => verified)),
    keptAt: Array.from({ length: 24 }, (_, hour) => addUp(byHour.get(hour) ?? []).verified / Math.max(1, days.length)),
    keptAnHour: addUp(hours).verified / spanned,
    isLearned,
  }
}

/** The median over days, so that an attack on a few days does not move it. */
function medianShare(days: ReadonlyArray<Omit<TrafficHour, 'hour'>>): number {
  const shares = days
    .filter(({ verified }) => verified > 0)
    .map(({ verified, unverified }) => unverified / (unverified + verified))
    .sort((one, other) => one - other)
  return shares[Math.floor(shares.length / 2)] ?? GREATEST_SHARE
}

const addUp = (hours: ReadonlyArray<Omit<TrafficHour, 'hour'>>): Omit<TrafficHour, 'hour'> =>
  hours.reduce(
    (total, { sent, credits, verified, unverified }) => ({
      sent: total.sent + sent,
      credits: total.credits + credits,
      verified: total.verified + verified,
      unverified: total.unverified + unverified,
    }),
    { sent: 0, credits: 0, verified: 0, unverified: 0 },
  )

/** Wishes that are usually kept in an hour like this one; of a new app in any hour so far. */
export const keptRate = ({ keptAt, keptAnHour, isLearned }: Baseline, now: number): number =>
  isLearned ? (keptAt[Math.floor(now / HOUR_MS) % 24] ?? 0) : keptAnHour

/** From so many kept wishes on one day a country is judged by itself. Other countries are judged together. */
const OWN_FROM = 20
export const isOwn = ({ greatestDay }: Baseline): boolean => greatestDay >= OWN_FROM

/** Fewer expected wishes say nothing: none may be kept by chance. */
const EXPECTED_FROM = 5
/** Share of the usual number of kept wishes from which delivery works. */
const WORKS_FROM = 0.6
/** More wishes than this are no outage: so many times as many as usual, and so many more. */
const OUTAGE = { times: 5, more: 20, longestMs: 3 * HOUR_MS } as const

/**
 * Whether a carrier may have lost everything without saying so: hardly any wish is kept, and there are no more than usual. In
 * an attack others still type, or there are more. `since`: when the first was lost, Unix milliseconds.
 */
export function looksLikeOutage(
  { since, kept, lost }: { since: number; kept: number; lost: number },
  open: number,
  usual: Baseline,
  now: number,
): boolean {
  const lookedAtMs = Math.min(now - since, OUTAGE.longestMs)
  const expected = (keptRate(usual, now) * lookedAtMs) / HOUR_MS
  // On average since then, so that what is kept in a long outage never adds up to what is usual.
  const share = lookedAtMs / Math.max(1, now - since)
  if (expected < EXPECTED_FROM || share * kept >= WORKS_FROM * expected) return false
  return share * (lost + kept) + open <= OUTAGE.more + (OUTAGE.times * expected) / (1 - usual.lostShare)
}
