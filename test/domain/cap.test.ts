/** What one night can cost. */
import { describe, expect, test } from 'bun:test'
import {
  allowedBy,
  assertCaps,
  type Cap,
  growsWithKept,
  NEW_CAPS,
  capWaitMs as waitMsOf,
} from '../../src/abuse/rules/cap'
import { Place } from '../../src/abuse/rules/place'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { seededRandom } from '../support/random'
import { NOW, thrownBy } from './sample'
import { aSighting } from './traffic-sample'

const cap = (changes: Partial<Cap> = {}): Cap => ({
  ...{ kind: 'pk', per: 'app', of: 'messages', every: 'hour', max: 3 },
  ...changes,
})

const TOLERATED = { tolerance: 1 }
const capWaitMs = (one: Cap, place: Place, price: number, now: number) => waitMsOf(one, place, price, TOLERATED, now)

function sent(count: number, { price = 1, at = NOW } = {}): Place {
  const place = new Place()
  for (let n = 0; n < count; n++) place.count(aSighting({ price }), 'sent', undefined, at)
  return place
}

describe('a cap', () => {
  test('of messages leaves room for so many', () => {
    expect([2, 3].map((count) => capWaitMs(cap(), sent(count), 9, NOW) > 0)).toEqual([false, true])
  })

  test('counts those on their way in', () => {
    const counter = sent(2)
    counter.inFlight = 1
    expect(capWaitMs(cap(), counter, 1, NOW)).toBeGreaterThan(0)
  })

  test('of credits counts what each costs', () => {
    const credits = cap({ of: 'credits', max: 10 })
    expect([2, 3].map((count) => capWaitMs(credits, sent(count, { price: 3 }), 3, NOW) > 0)).toEqual([false, true])
    expect(capWaitMs(credits, sent(2, { price: 3 }), 4, NOW)).toBe(0)
    expect(capWaitMs(credits, sent(2, { price: 3 }), 5, NOW)).toBeGreaterThan(0)
  })

  test('says when there is room again: by hour or by day', () => {
    for (const [every, windowMs] of [
      ['hour', HOUR_MS],
      ['day', DAY_MS],
    ] as const) {
      const counter = sent(3)
      const waitMs = capWaitMs(cap({ every }), counter, 1, NOW)
      expect(waitMs).toBeLessThanOrEqual(2 * windowMs)
      expect(capWaitMs(cap({ every }), counter, 1, NOW + waitMs + 1)).toBe(0)
      expect(capWaitMs(cap({ every }), counter, 1, NOW + waitMs - 1)).toBeGreaterThan(0)
    }
  })
})

test('in no hour are there more than a cap has, whenever somebody asks', () => {
  const { below } = seededRandom(3)
  const [counter, most] = [new Place(), cap({ max: 20 })]
  const times: number[] = []
  for (let at = NOW; at < NOW + DAY_MS; at += below(10 * MINUTE_MS))
    for (let asked = below(30); asked > 0 && capWaitMs(most, counter, 1, at) === 0; asked--) {
      counter.count(aSighting(), 'sent', undefined, at)
      times.push(at)
    }
  const inHour = times.map((from) => times.filter((at) => at >= from && at < from + HOUR_MS).length)
  expect(Math.max(...inHour)).toBe(20)
  // Nor much fewer: what was sent counts for five minutes longer at most.
  expect(times.length).toBeGreaterThan(20 * 20)
})

describe('a cap as new apps have it', () => {
  const ofNewApps = (kind: Cap['kind'], per: Cap['per'], every: Cap['every']) =>
    NEW_CAPS.find((one) => one.kind === kind && one.per === per && one.every === every) ?? cap()

  function typed(count: number, of = count): Place {
    const place = sent(of)
    for (let n = 0; n < count; n++) place.count(aSighting(), 'early', 'kept', NOW)
    return place
  }

  test.each([
    ['app', 'hour', [3_000, 3_060, 33_000]],
    ['app', 'day', [15_000, 15_060, 45_000]],
    ['prefix', 'hour', [60, 120, 30_060]],
    ['prefix', 'day', [150, 210, 30_150]],
  ] as const)('of browser keys by %s and %s grows with who types, without a ceiling', (per, every, allowed) => {
    const one = ofNewApps('pk', per, every)
    expect([0, 20, 10_000].map((kept) => allowedBy(one, typed(kept), TOLERATED, NOW))).toEqual([...allowed])
  })

  test('says to come again in a minute, since more may have been typed by then', () => {
    const block = ofNewApps('pk', 'prefix', 'hour')
    expect([59, 60].map((of) => waitMsOf(block, typed(0, of), 1, TOLERATED, NOW))).toEqual([0, MINUTE_MS])
    expect(waitMsOf(block, typed(1, 61), 1, TOLERATED, NOW)).toBe(0)
  })

  test('is so many times as great as its owner tolerates', () => {
    expect(allowedBy(ofNewApps('pk', 'prefix', 'hour'), typed(1), { tolerance: 2 }, NOW)).toBe(123)
  })

  test.each([
    ['app', 'day', 50, 15_000],
    ['app', 'day', 5_000, 20_000],
    ['country', 'day', 5_000, 20_000],
    ['prefix', 'day', 5_000, 5_000],
  ] as const)('of relays by %s and %s follows what is usually sent: %d a day', (per, every, aDay, allowed) => {
    const usual = { aDay, isKnown: true }
    const of = (known: boolean) =>
      allowedBy(ofNewApps('relay', per, every), new Place(), { ...TOLERATED, usual: { ...usual, isKnown: known } }, NOW)
    expect(of(true)).toBe(allowed)
    expect(of(false)).toBe(ofNewApps('relay', per, every).max)
  })

  test('a cap that its owner has named holds as it is', () => {
    const named = cap({ max: 61, per: 'prefix' })
    expect([named, ofNewApps('pk', 'prefix', 'hour')].map(growsWithKept)).toEqual([false, true])
    expect(allowedBy(named, typed(1_000), { tolerance: 2 }, NOW)).toBe(61)
    expect(waitMsOf(named, sent(61), 1, TOLERATED, NOW)).toBeGreaterThan(10 * MINUTE_MS)
  })

  test('counts every message of a plan', () => {
    const place = sent(1)
    place.count(aSighting({ messages: 3 }), 'judged', 'lost', NOW)
    expect(place.hour.total('sent', NOW)).toBe(3)
  })
})

describe('caps that may be decided', () => {
  test('are those of new apps', () => {
    expect(() => assertCaps(NEW_CAPS)).not.toThrow()
  })

  test.each([
    ['too_many', Array.from({ length: 25 }, (_, n) => cap({ max: n + 1 }))],
    ['out_of_range', [cap({ max: 0 })]],
    ['out_of_range', [cap({ max: 1.5 })]],
    ['out_of_range', [cap({ max: 1_000_000_001 })]],
    ['duplicate_field', [cap(), cap({ max: 4 })]],
  ])('are not %s', (reason, caps) => {
    expect(thrownBy(() => assertCaps(caps))).toMatchObject({ kind: 'invalid', detail: { reason } })
  })
})
