/** What is usual, and what may be an outage. */
import { describe, expect, test } from 'bun:test'
import { baselineOf, isOwn, keptRate, looksLikeOutage, usualSentOf } from '../../src/abuse/rules/baseline'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { NOW } from './sample'
import { weeksOf } from './traffic-sample'

const WEEKS = weeksOf({ verified: 60, unverified: 20 })
const USUAL = baselineOf(WEEKS)

describe('what is usual', () => {
  test('is a share, a rate in each hour of the day, and the greatest day', () => {
    expect(USUAL).toMatchObject({ lostShare: 0.25, greatestDay: 60 * 24, isLearned: true })
    expect(keptRate(USUAL, NOW)).toBe(60)
  })

  test('is learned of fifty kept wishes on seven days; until then half may be lost', () => {
    const known = (hours: typeof WEEKS) => baselineOf(hours).isLearned
    expect([6, 7].map((days) => known(WEEKS.slice(0, days * 24)))).toEqual([false, true])
    expect(known(weeksOf({ verified: 1, unverified: 0 }).filter((_, n) => n % 24 < 3))).toBe(false)
    expect(baselineOf([]).lostShare).toBe(0.5)
    expect(baselineOf(WEEKS.slice(0, 24)).lostShare).toBe(0.5)
  })

  test.each([
    [0, 0.05],
    [180, 0.5],
  ])('has a share within bounds: of sixty kept and %d lost %d', (unverified, share) => {
    expect(baselineOf(weeksOf({ verified: 60, unverified })).lostShare).toBe(share)
  })

  test('is no attack of some days: the median counts', () => {
    const attacked = WEEKS.map((hour, n) => (n < 6 * 24 ? { ...hour, unverified: 5_000 } : hour))
    expect(baselineOf(attacked).lostShare).toBe(0.25)
  })

  test('a new app has the rate of its hours so far', () => {
    expect(keptRate(baselineOf(WEEKS.slice(0, 5)), NOW)).toBe(60)
  })

  test('makes a country its own from twenty kept wishes on a day', () => {
    const [few, many] = [19, 20].map((verified) =>
      isOwn(baselineOf([{ hour: 0, sent: 30, credits: 30, verified, unverified: 1 }])),
    )
    expect([few, many]).toEqual([false, true])
  })

  test('a usual number of messages is the mean of days that had any, known after a week', () => {
    expect(usualSentOf(WEEKS)).toEqual({ aDay: 80 * 24, isKnown: true })
    expect(usualSentOf(WEEKS.slice(0, 24))).toMatchObject({ isKnown: false })
  })
})

describe('an outage', () => {
  const looks = (minutes: number, kept: number, lost: number, open = 0, usual = USUAL) =>
    looksLikeOutage({ since: NOW - minutes * MINUTE_MS, kept, lost }, open, usual, NOW)

  test('is one where hardly anything is kept of no more than people ask for', () => {
    expect(looks(60, 0, 80)).toBe(true)
    expect(looks(60, 35, 80)).toBe(true)
  })

  test.each([
    ['people still type', 60, 36, 80, 0],
    ['there are many more than usual', 60, 0, 500, 0],
    ['many more than usual are open after a day of it', 24 * 60, 0, 80, 2_000],
    ['nobody can tell yet', 4, 0, 10, 0],
  ] as const)('is none where %s', (_, minutes, kept, lost, open) => {
    expect(looks(minutes, kept, lost, open)).toBe(false)
  })

  test('is none of a new app before it has any usual hour', () => {
    expect(looks(60, 0, 80, 0, baselineOf([]))).toBe(false)
    expect(looksLikeOutage({ since: NOW - DAY_MS, kept: 0, lost: 9 }, 0, baselineOf([]), NOW + HOUR_MS)).toBe(false)
  })
})
