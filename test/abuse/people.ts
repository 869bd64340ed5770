/** People who want a code to sign in: when they come, and what they do with what they get. */
import type { CallerKind } from '../../src/domain/access/caller'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import type { SeededRandom } from '../support/random'

/** Those who live somewhere and use one form. */
export interface Crowd {
  readonly country: string
  /** Whether the page asks itself, or a server that says whom it speaks for. */
  readonly kind: CallerKind
  /** People on a weekday. */
  readonly aDay: number
  /** How many type a code that has arrived: 0 to 1. */
  readonly types: number
  /** How many are behind addresses that a carrier's customers share, and how many addresses that are. */
  readonly behindShared: number
  readonly sharedAddresses: number
  /** Of those who get nothing or lose it, how many ask again. */
  readonly asksAgain: number
  /** The median of the time until a code is typed, milliseconds; 18 s otherwise. */
  readonly typingMs?: number
  /** How often one person asks for a wish at most; three times otherwise. */
  readonly asksAtMost?: number
  /** How many have numbers of one block of ten thousand, as those of a company: 0 to 1. */
  readonly inOneBlock?: number
  /** How many share their phone with another who wants a code: 0 to 1. */
  readonly inFamilies?: number
  /** How many type it a day later, where fewer and fewer do. */
  readonly typesInTheEnd?: number
  /** How many come in each hour of the day in Seoul, in proportion; an ordinary day's otherwise. */
  readonly byHour?: readonly number[]
  /** How many times as many come: hours since the beginning. */
  readonly surge?: Surge
}

export interface Surge {
  readonly name: string
  readonly times: (hours: number) => number
}

export const KOREANS: Crowd = {
  ...{ country: 'KR', kind: 'pk', aDay: 1_800, types: 0.9 },
  ...{ behindShared: 0.3, sharedAddresses: 200, asksAgain: 0.6 },
}

/** Of each hour of the day in Seoul, for a hundred. */
const BY_HOUR = [2, 1, 1, 1, 1, 2, 4, 5, 6, 5, 5, 5, 6, 5, 5, 5, 5, 5, 6, 7, 7, 6, 5, 4]
/** They come at every hour alike. */
export const EVENLY: readonly number[] = Array(24).fill(1)
const WEEKEND = 0.7
const ZONE_MS = 9 * HOUR_MS

const sum = (shares: readonly number[]) => shares.reduce((total, share) => total + share, 0)

/** How many of a crowd type a code that arrives so many hours after the beginning: 0 to 1. */
export const typesAt = ({ types, typesInTheEnd = types }: Crowd, hours: number): number =>
  types + (typesInTheEnd - types) * Math.min(1, hours / 24)

/** How many come in a minute. */
function perMinute({ aDay, byHour = BY_HOUR, surge }: Crowd, at: number, since: number): number {
  const local = new Date(at + ZONE_MS)
  const share = (byHour[local.getUTCHours()] ?? 0) / sum(byHour) / 60
  const isWeekend = local.getUTCDay() % 6 === 0
  return aDay * share * (isWeekend ? WEEKEND : 1) * (surge?.times((at - since) / HOUR_MS) ?? 1)
}

/** When they come: Unix milliseconds in order. `since`: what surges are counted from. */
export function arrivals(crowd: Crowd, from: number, to: number, since: number, random: SeededRandom): number[] {
  const times: number[] = []
  for (let minute = from; minute < to; minute += MINUTE_MS) {
    const come = poisson(perMinute(crowd, minute, since), random)
    const within = Array.from({ length: come }, () => minute + random.below(MINUTE_MS))
    times.push(...within.sort((one, other) => one - other))
  }
  return times
}

/** Knuth's. */
function poisson(mean: number, { fraction }: SeededRandom): number {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = fraction(); product > limit; product *= fraction()) count++
  return count
}

/** Half within the median, one in forty after two minutes. */
export function typingMs({ fraction, chance }: SeededRandom, medianMs = 18 * SECOND_MS): number {
  const normal = Math.sqrt(-2 * Math.log(1 - fraction())) * Math.cos(2 * Math.PI * fraction())
  const looksElsewhereMs = chance(0.02) ? 2 * MINUTE_MS * fraction() : 0
  return Math.round(medianMs * Math.exp(0.7 * normal) + looksElsewhereMs)
}

/** A page offers it after half a minute. */
export const untilAskedAgainMs = ({ below }: SeededRandom): number => 31 * SECOND_MS + below(90 * SECOND_MS)
