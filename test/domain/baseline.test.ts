/** Whether messages pay. */
import { describe, expect, test } from 'bun:test'
import {
  allowedOf,
  allowedOfCountry,
  type Baseline,
  baselineOf,
  hasOwnBaseline,
  looksLikeOutage,
  mayBeSilent,
  SUSPECTED,
  suspicionAfter,
  suspicionAfterPause,
  suspicionHolding,
  suspicionWithLocal,
  UNSUSPECTED,
} from '../../src/abuse/rules/baseline'
import type { CodeResult, CountedWindow, TrafficCounts } from '../../src/abuse/rules/traffic-counter'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { NOW } from './sample'
import { weeksOf } from './traffic-sample'

/** Sixty an hour are verified, and one of six is not. */
const USUAL = baselineOf(weeksOf({ verified: 60, unverified: 12 }))
const NOTHING: CountedWindow = { sent: 0, credits: 0, verified: 0, unverified: 0 }
const counts = (day: Partial<CountedWindow> = {}, hour: Partial<CountedWindow> = {}): TrafficCounts => ({
  hour: { ...NOTHING, ...hour },
  day: { ...NOTHING, ...day },
})

/** One after another, so far apart. */
const after = (fates: readonly CodeResult[], apartMs = MINUTE_MS, usual = USUAL, before = UNSUSPECTED) =>
  fates.reduce((suspicion, fate, n) => suspicionAfter(suspicion, fate, usual, NOW + n * apartMs), before)
const times = (count: number, fate: CodeResult): CodeResult[] => Array.from({ length: count }, () => fate)
const untilSuspected = (usual: Baseline) => {
  let count = 0
  while (after(times(count, 'unverified'), 0, usual).score < SUSPECTED) count++
  return count
}

describe('what is usual', () => {
  test('is the mean of each hour of the day, and the most of one day', () => {
    expect(USUAL.sentAt[3]).toBe(72)
    expect(USUAL.verifiedAt[23]).toBe(60)
    expect(USUAL.greatestDay).toBe(60 * 24)
    expect(USUAL.unverifiedShare).toBeCloseTo(1 / 6)
  })

  test('is the median of the days: one of many attacks does not teach it', () => {
    const hours = weeksOf({ verified: 60, unverified: 12 }).map((hour, n) =>
      n < 5 * 24 ? { ...hour, unverified: 6_000 } : hour,
    )
    expect(baselineOf(hours).unverifiedShare).toBeCloseTo(1 / 6)
  })

  test.each([
    [{ verified: 60, unverified: 0 }, 0.05],
    [{ verified: 1, unverified: 60 }, 0.5],
    [{ verified: 0, unverified: 60 }, 0.3],
  ])('of %p is taken for a share of %d', (each, share) => {
    expect(baselineOf(weeksOf(each)).unverifiedShare).toBe(share)
  })

  test('is nothing where nothing is known', () => {
    expect(baselineOf([])).toMatchObject({ unverifiedShare: 0.3, greatestDay: 0, isLearned: false })
  })

  test.each([
    [7, 8, true],
    [6, 9, false],
    [7, 7, false],
  ])('of %d days with %d verified each is known: %p', (days, aDay, isKnown) => {
    const hours = Array.from({ length: days }, (_, day) => ({
      ...{ hour: NOW - (day + 1) * DAY_MS, sent: aDay, credits: aDay, verified: aDay, unverified: 0 },
    }))
    expect(baselineOf(hours).isLearned).toBe(isKnown)
  })

  test('is a traffic of its own from twenty verified on a day on', () => {
    expect([19, 20].map((greatestDay) => hasOwnBaseline({ ...USUAL, greatestDay }))).toEqual([false, true])
  })
})

const CALM = { verified: 0, wasPaused: false }

describe('what is allowed', () => {
  test('of a prefix and of a network is little, whatever the app is', () => {
    expect(allowedOf('prefix', counts(), USUAL)).toEqual({ hour: 5, day: 4, pending: 5 })
    expect(allowedOf('network', counts(), USUAL)).toEqual({ hour: 5, day: 10, pending: 10 })
  })

  test('grows with what is verified there: half of the usual share has to be', () => {
    expect(allowedOf('network', counts({ verified: 1_000 }), USUAL).day).toBeCloseTo(1_400)
    expect(allowedOf('network', counts({ verified: 1_000 }), USUAL).pending).toBe(1_000)
    const most = { ...USUAL, unverifiedShare: 0.05 }
    expect(allowedOf('network', counts({ verified: 1_000 }), most).day).toBeCloseTo(1_105, 0)
    expect(allowedOf('network', counts({ verified: 1_000 }, { verified: 400 }), USUAL).hour).toBeCloseTo(560)
    expect(allowedOf('prefix', counts({ verified: 100 }), USUAL)).toMatchObject({ pending: 50 })
  })

  test('of a prefix is tried by few at a time where it is nearly used up', () => {
    const pending = [0, 1, 3, 4, 5, 9].map(
      (unverified) => allowedOf('prefix', counts({}, { unverified }), USUAL).pending,
    )
    expect(pending).toEqual([5, 4, 2, 1, 1, 1])
  })

  test('of a country follows the greatest day, the usual hour and what is verified just now', () => {
    const none = baselineOf([])
    expect(allowedOfCountry(counts(), CALM, none, NOW)).toEqual({ hour: 16, day: 20, pending: 15 })
    expect(allowedOfCountry(counts(), CALM, USUAL, NOW).day).toBeCloseTo(0.2 * 1_440)
    expect(allowedOfCountry(counts(), CALM, USUAL, NOW).hour).toBeCloseTo((0.2 * 1_440) / 6)
    const busyHour = counts({ verified: 100 }, { verified: 100 })
    expect(allowedOfCountry(busyHour, CALM, none, NOW).hour).toBeCloseTo(100 * (2 / 0.7 - 1))
    // Twenty-four are sent in two minutes.
    const busy = baselineOf(weeksOf({ verified: 600, unverified: 120 }))
    const pending = (verified: number, wasPaused: boolean) =>
      allowedOfCountry(counts(), { verified, wasPaused }, busy, NOW).pending
    expect([pending(0, false), pending(10, false)]).toEqual([8 + 7 * 24, 8 + 7 * 24 + 30])
    expect([pending(0, true), pending(10, true)]).toEqual([8 + 3 * 24, 8 + 3 * 24 + 10])
  })
})

describe('the sequential test', () => {
  test('takes some ten codes in a row that nobody types', () => {
    const shares = [0.05, 0.15, 0.3, 0.5]
    expect(shares.map((unverifiedShare) => untilSuspected({ ...USUAL, unverifiedShare }))).toEqual([9, 9, 14, 25])
  })

  test('is of no mind about what was not delivered', () => {
    expect(after(times(100, 'undelivered'))).toBe(UNSUSPECTED)
  })

  test('comes back to nothing where the usual share is typed, and begins anew there', () => {
    const week = Array.from({ length: 7_000 }, (_, n): CodeResult => (n % 6 === 0 ? 'unverified' : 'verified'))
    const mostly = week.map((_, n) => after(week.slice(Math.max(0, n - 30), n)).score)
    expect(Math.max(...mostly)).toBeLessThan(SUSPECTED / 2)
    expect(after(['unverified', 'verified', 'verified', 'verified'])).toEqual(UNSUSPECTED)
  })

  test('finds an attack in which three of ten codes are typed', () => {
    const attack = Array.from({ length: 40 }, (_, n): CodeResult => (n % 10 < 3 ? 'verified' : 'unverified'))
    expect(after(attack).score).toBeGreaterThan(SUSPECTED)
  })

  test('does not take a bad day for one: a tenth more than usually is not typed', () => {
    const day = Array.from({ length: 2_000 }, (_, n): CodeResult => (n % 4 === 0 ? 'unverified' : 'verified'))
    expect(after(day).score).toBeLessThan(SUSPECTED / 2)
  })

  test('rises only so far that it comes down again', () => {
    const long = after(times(1_000, 'unverified'))
    expect(long.score).toBe(1.5 * SUSPECTED)
    expect(after(times(18, 'verified'), MINUTE_MS, USUAL, long).score).toBe(0)
  })

  test('remembers since when, and what there was', () => {
    expect(after(['verified', 'unverified', 'unverified', 'verified'])).toMatchObject({
      ...{ since: NOW + MINUTE_MS, verified: 1, unverified: 2 },
    })
  })

  test('after a pause takes three', () => {
    const paused = suspicionAfterPause(USUAL, NOW)
    const scores = [2, 3].map((count) => after(times(count, 'unverified'), MINUTE_MS, USUAL, paused).score)
    expect(scores.map((score) => score >= SUSPECTED)).toEqual([false, true])
  })
})

describe('an outage', () => {
  const out = (suspicion: { verified: number; unverified: number; beside?: number }, minutes: number, usual = USUAL) =>
    looksLikeOutage({ beside: 0, since: NOW - minutes * MINUTE_MS, ...suspicion }, usual, NOW)

  test('is where nobody types any more, and no more is sent than people do who ask again', () => {
    expect(out({ verified: 0, unverified: 24 }, 20)).toBe(true)
    expect(out({ verified: 2, unverified: 48 }, 20)).toBe(true)
    // Twenty-four are usual in twenty minutes.
    expect(out({ verified: 0, unverified: 82 }, 20)).toBe(true)
    expect(out({ verified: 0, unverified: 83 }, 20)).toBe(false)
    expect(out({ verified: 0, unverified: 42, beside: 50 }, 20)).toBe(true)
    expect(out({ verified: 0, unverified: 42, beside: 51 }, 20)).toBe(false)
  })

  test('is none where others go on', () => {
    expect(out({ verified: 12, unverified: 24 }, 20)).toBe(false)
    expect(out({ verified: 11, unverified: 24 }, 20)).toBe(true)
  })

  test('is not told by one or two who had their codes before', () => {
    expect(out({ verified: 2, unverified: 8 }, 1)).toBe(true)
    expect(out({ verified: 3, unverified: 8 }, 1)).toBe(false)
  })

  test('is told by the hours there were', () => {
    const nights = baselineOf(
      weeksOf({ verified: 60, unverified: 0 }).map((hour) => ({
        ...hour,
        ...((hour.hour / HOUR_MS) % 24 === 11 ? {} : { sent: 0, verified: 0 }),
      })),
    )
    // From half past ten to twelve o'clock: thirty of the hour before, and nothing before that.
    expect(looksLikeOutage({ since: NOW - 90 * MINUTE_MS, verified: 36, unverified: 0, beside: 0 }, nights, NOW)).toBe(
      false,
    )
    expect(looksLikeOutage({ since: NOW - 90 * MINUTE_MS, verified: 35, unverified: 0, beside: 0 }, nights, NOW)).toBe(
      true,
    )
  })

  test('is all there is where little is usual, up to ten codes', () => {
    expect(out({ verified: 0, unverified: 10 }, 60, baselineOf([]))).toBe(true)
    expect(out({ verified: 0, unverified: 11 }, 60, baselineOf([]))).toBe(false)
  })

  describe('may explain codes, which are held back', () => {
    const MANY = 9
    const held = times(MANY, 'unverified').reduce(
      (suspicion, _, n) => suspicionHolding(suspicion, USUAL, NOW + n * MINUTE_MS),
      after(times(3, 'unverified'), 0),
    )

    test('as long as it may', () => {
      expect(held.score).toBe(after(times(3, 'unverified'), 0).score)
      expect(held).toMatchObject({ since: NOW, unverified: 3 + MANY })
    })

    test('and count with the first that it does not explain', () => {
      const more = suspicionAfter(held, 'unverified', USUAL, NOW + MANY * MINUTE_MS)
      expect(more).toMatchObject({ score: after(times(4 + MANY, 'unverified'), 0).score, held: 0 })
    })

    test('and are forgotten when as many type as usually do', () => {
      const back = after(times(6, 'verified'), 0, USUAL, { ...held, since: NOW - 5 * MINUTE_MS })
      expect(back).toEqual(UNSUSPECTED)
    })

    test('and go one by one where fewer do: what is counted goes first', () => {
      const back = after(times(4, 'verified'), 0, USUAL, { ...held, since: NOW - HOUR_MS })
      expect(back.score).toBe(0)
      expect(back.held).toBeGreaterThan(0)
      expect(back.held).toBeLessThan(held.held)
      expect(after(times(20, 'verified'), 0, USUAL, { ...held, since: NOW - HOUR_MS })).toEqual(UNSUSPECTED)
    })

    test('though there were none before them', () => {
      const first = suspicionHolding(UNSUSPECTED, USUAL, NOW)
      expect(suspicionHolding(first, USUAL, NOW + MINUTE_MS)).toMatchObject({ score: 0, since: NOW, unverified: 2 })
    })
  })

  test('is told by codes of one prefix, too, once it may have begun', () => {
    expect(suspicionWithLocal(UNSUSPECTED)).toBe(UNSUSPECTED)
    const begun = after(['unverified'])
    expect(suspicionWithLocal(begun)).toEqual({ ...begun, beside: 1 })
  })
})

test('carriers may be silent of no more codes than are usual, and some', () => {
  // Eighteen in a quarter of an hour.
  expect([37, 38].map((codes) => mayBeSilent(codes, USUAL, NOW))).toEqual([true, false])
})
