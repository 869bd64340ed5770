import { describe, expect, test } from 'bun:test'
import type { Retry } from '../../src/domain/delivery/delivery'
import { nextCarrier, type RefusedTry, retryDelayMs } from '../../src/domain/delivery/route'
import type { Issue } from '../../src/domain/verification/issue'
import fc from '../support/property'
import { anIssue, NOW, RUNS, triedOn } from './sample'

const FAR = anIssue({ expiresAt: NOW + 86_400_000 })

describe('the route', () => {
  test.each<[string[], string]>([
    [[], '----------'],
    [['a'], 'aaaaaaaaaa'],
    [['a', 'b'], 'aaabbbbbbb'],
    [['a', 'b', 'c'], 'aaabbbcccc'],
  ])('%j: three tries each, the last carrier all the rest', (route, expected) => {
    expect(Array.from({ length: 10 }, (_, tries) => nextCarrier(route, triedOn(route, tries)) ?? '-').join('')).toBe(
      expected,
    )
  })

  test('a carrier that cannot serve is not asked again, and the next one is asked at once', () => {
    const tried: RefusedTry[] = [{ carrier: 'a', retry: 'elsewhere' }]
    expect(nextCarrier(['a', 'b'], tried)).toBe('b')
    expect(retryDelayMs(FAR, { route: ['a', 'b'], tried, jitter: 0.5, now: NOW })).toBe(0)
    const both: RefusedTry[] = [...tried, { carrier: 'b', retry: 'elsewhere' }]
    expect(nextCarrier(['a', 'b'], both)).toBeUndefined()
    expect(retryDelayMs(FAR, { route: ['a', 'b'], tried: both, jitter: 0.5, now: NOW })).toBeUndefined()
  })

  test('the last usable carrier keeps all the rest, also when a later one cannot serve', () => {
    const tried: RefusedTry[] = [...triedOn(['a'], 3), { carrier: 'b', retry: 'elsewhere' }]
    expect(nextCarrier(['a', 'b'], tried)).toBe('a')
  })

  test('whatever was tried, a carrier that cannot serve is never chosen, nor one outside of the route', () => {
    const name: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd')
    const retry = fc.constantFrom<Retry>('later', 'elsewhere')
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.array(fc.record({ carrier: name, retry })), (route, tried) => {
        const next = nextCarrier(route, tried)
        const usable = route.filter(
          (one) => !tried.some((other) => other.carrier === one && other.retry === 'elsewhere'),
        )
        expect(next === undefined ? usable.length === 0 : usable.includes(next)).toBe(true)
      }),
      RUNS,
    )
  })
})

describe('the wait before the next try', () => {
  const routeOf = (length: number) => ['a', 'b', 'c', 'd', 'e'].slice(0, length)
  const waits = (issue: Issue, routeLength: number, jitter: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const route = routeOf(routeLength)
      return retryDelayMs(issue, { route, tried: triedOn(route, index + 1), jitter, now: NOW })
    })
  const alimtalk = (changes: Partial<Issue> = {}) => anIssue({ channel: 'alimtalk', leg: 'alimtalk', ...changes })

  test('doubles up to fifteen seconds on the last provider', () => {
    expect(waits(FAR, 1, 0.5, 8)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  })

  test('is nothing when the next carrier takes over, which then starts anew', () => {
    expect(waits(FAR, 3, 0.5, 11)).toEqual([500, 1_000, 0, 500, 1_000, 0, 500, 1_000, 2_000, 4_000, 8_000])
  })

  test('is spread by a fifth either way', () => {
    expect(waits(FAR, 1, 0, 6)).toEqual([400, 800, 1_600, 3_200, 6_400, 12_000])
    expect(waits(FAR, 1, 1, 6)).toEqual([600, 1_200, 2_400, 4_800, 9_600, 18_000])
  })

  test('ends after the route where SMS can take over, and only there', () => {
    const lifetime = { expiresAt: FAR.expiresAt }
    expect(waits(alimtalk(lifetime), 2, 0.5, 7)).toEqual([500, 1_000, 0, 500, 1_000, undefined, undefined])
    expect(waits(alimtalk({ ...lifetime, smsFallback: false }), 1, 0.5, 4)).toEqual([500, 1_000, 2_000, 4_000])
    expect(waits(alimtalk({ ...lifetime, leg: 'sms' }), 1, 0.5, 4)).toEqual([500, 1_000, 2_000, 4_000])
  })

  test('never reaches the expiry: a try that would fall on it is not made, one a millisecond before is', () => {
    const route = routeOf(2)
    for (let tries = 1; tries <= 9; tries++) {
      for (let permille = 0; permille < 1_000; permille++) {
        const plan = { route, tried: triedOn(route, tries), jitter: permille / 1_000, now: NOW }
        const wait = retryDelayMs(FAR, plan) as number
        const onExpiry = retryDelayMs(anIssue({ expiresAt: NOW + wait }), plan)
        expect([tries, permille, onExpiry]).toEqual([tries, permille, undefined])
        expect(retryDelayMs(anIssue({ expiresAt: NOW + wait + 1 }), plan)).toBe(wait)
      }
    }
  })

  test('is none once the code has expired', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(10_000),
        (tries, length, late) => {
          const issue = anIssue()
          const route = routeOf(length)
          const plan = { route, tried: triedOn(route, tries), jitter: 0, now: issue.expiresAt + late }
          expect(retryDelayMs(issue, plan)).toBeUndefined()
        },
      ),
      RUNS,
    )
  })
})
