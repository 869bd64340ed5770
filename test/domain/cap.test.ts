/** What one night can cost. */
import { describe, expect, test } from 'bun:test'
import {
  allowedBy,
  assertCaps,
  type Cap,
  NEW_CAPS,
  START,
  startOf,
  capWaitMs as waitMsOf,
} from '../../src/abuse/rules/cap'
import { TrafficCounter } from '../../src/abuse/rules/traffic-counter'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { seededRandom } from '../support/random'
import { NOW, thrownBy } from './sample'
import { aSighting } from './traffic-sample'

const cap = (changes: Partial<Cap> = {}): Cap => ({
  ...{ kind: 'pk', per: 'app', of: 'messages', every: 'hour', max: 3 },
  ...changes,
})

const KNOWN = { isKnown: true, tolerance: 1 }
const UNKNOWN = { isKnown: false, tolerance: 1 }
/** Of an app whose traffic is known. */
const capWaitMs = (one: Cap, counter: TrafficCounter, price: number, now: number) =>
  waitMsOf(one, counter, price, KNOWN, now)

function sent(count: number, { price = 1, at = NOW } = {}): TrafficCounter {
  const counter = new TrafficCounter()
  for (let n = 0; n < count; n++) counter.record(aSighting({ price, createdAt: at }), 'sent')
  return counter
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
  const [counter, most] = [new TrafficCounter(), cap({ max: 20 })]
  const times: number[] = []
  for (let at = NOW; at < NOW + DAY_MS; at += below(10 * MINUTE_MS))
    for (let asked = below(30); asked > 0 && capWaitMs(most, counter, 1, at) === 0; asked--) {
      counter.record(aSighting({ createdAt: at }), 'sent')
      times.push(at)
    }
  const inHour = times.map((from) => times.filter((at) => at >= from && at < from + HOUR_MS).length)
  expect(Math.max(...inHour)).toBe(20)
  // Nor much fewer: what was sent counts for five minutes longer at most.
  expect(times.length).toBeGreaterThan(20 * 20)
})

describe('of an app whose traffic is not known', () => {
  const caps = { hour: cap({ max: 3_000 }), day: cap({ every: 'day', max: 15_000 }) }

  function typed(count: number, of = count): TrafficCounter {
    const counter = new TrafficCounter()
    for (let n = 0; n < of; n++) {
      const sighting = aSighting({ createdAt: NOW, verifiedAt: n < count ? NOW : undefined })
      counter.record(sighting, 'sent')
      counter.record(sighting, 'early')
    }
    return counter
  }

  test.each(['hour', 'day'] as const)('a cap of its %s starts small, and grows with what is typed', (every) => {
    const allowed = [0, 1, 100, 100_000].map((count) => allowedBy(caps[every], typed(count), UNKNOWN, NOW))
    expect(allowed).toEqual([START[every], START[every] + 2, START[every] + 200, caps[every].max])
    expect(allowedBy(caps[every], typed(100), KNOWN, NOW)).toBe(caps[every].max)
  })

  test('starts with so many times as much as its owner tolerates', () => {
    expect(allowedBy(caps.hour, typed(1), { isKnown: false, tolerance: 2 }, NOW)).toBe(2 * START.hour + 2)
  })

  test('says to come again in a minute, since more may have been typed by then', () => {
    const waits = [299, 300].map((of) => waitMsOf(caps.hour, typed(0, of), 1, UNKNOWN, NOW))
    expect(waits).toEqual([0, MINUTE_MS])
    expect(waitMsOf(caps.hour, typed(1, 301), 1, UNKNOWN, NOW)).toBe(0)
    expect(waitMsOf(cap({ max: 300 }), typed(0, 300), 1, UNKNOWN, NOW)).toBeGreaterThan(10 * MINUTE_MS)
  })

  test('what an owner has named holds as it is', () => {
    const named = cap({ max: 5_000 })
    expect(allowedBy(named, typed(0), UNKNOWN, NOW)).toBe(5_000)
    expect([startOf(named, 1), startOf(caps.hour, 1), startOf(caps.day, 0.5)]).toEqual([undefined, 300, 250])
  })

  test.each([{ kind: 'sk' }, { per: 'prefix' }, { per: 'country' }, { of: 'credits' }] as const)(
    'others are what they are: %j',
    (changes) => expect(allowedBy(cap({ max: 3_000, ...changes }), typed(0), UNKNOWN, NOW)).toBe(3_000),
  )
})

describe('a cap of relays, whose codes nobody tells of', () => {
  const relay = (every: Cap['every'], per: Cap['per'] = 'app') =>
    NEW_CAPS.find((one) => one.kind === 'relay' && one.per === per && one.every === every) ?? cap()
  const allowed = (one: Cap, aDay: number, isKnown = true) =>
    allowedBy(one, new TrafficCounter(), { ...UNKNOWN, usual: { aDay, isKnown } }, NOW)

  test('has room for a launch in its first week, and does not start small', () => {
    expect([relay('hour'), relay('day'), relay('day', 'country')].map((one) => allowed(one, 10, false))).toEqual([
      3_000, 15_000, 10_000,
    ])
    expect(startOf(relay('hour'), 1)).toBeUndefined()
  })

  test.each([
    [50, 500, 1_500],
    [1_800, 3_600, 7_200],
    [40_000, 80_000, 160_000],
  ])('follows what is usually sent: %d a day are %d an hour and %d a day', (aDay, hour, day) => {
    expect([allowed(relay('hour'), aDay), allowed(relay('day'), aDay)]).toEqual([hour, day])
  })

  test('leaves a cap of an owner as it is, and a block of numbers has room for a usual day', () => {
    expect(allowed({ ...relay('day'), max: 20_000 }, 50)).toBe(20_000)
    expect([50, 5_000].map((aDay) => allowed(relay('day', 'prefix'), aDay))).toEqual([1_000, 5_000])
  })
})

describe('a block of numbers, such as a company’s', () => {
  const block = NEW_CAPS.find(({ kind, per, every }) => kind === 'pk' && per === 'prefix' && every === 'hour') ?? cap()
  const typed = (count: number, of = count) => {
    const counter = new TrafficCounter()
    for (let n = 0; n < of; n++) {
      const sighting = aSighting({ createdAt: NOW, verifiedAt: n < count ? NOW : undefined })
      counter.record(sighting, 'sent')
      counter.record(sighting, 'early')
    }
    return counter
  }

  test('has no ceiling where a third type, and is asked to come again in a minute', () => {
    expect([0, 20, 1_000].map((count) => allowedBy(block, typed(count), UNKNOWN, NOW))).toEqual([60, 120, 3_060])
    expect(allowedBy(block, typed(0), KNOWN, NOW)).toBe(240)
    expect([59, 60].map((of) => waitMsOf(block, typed(0, of), 1, UNKNOWN, NOW))).toEqual([0, MINUTE_MS])
  })

  test('is held by what its owner has named, whatever is typed', () => {
    expect(allowedBy({ ...block, max: 61 }, typed(1_000), UNKNOWN, NOW)).toBe(61)
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
