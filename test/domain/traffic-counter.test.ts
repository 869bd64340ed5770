/** What becomes of codes, as it is found at four ages. */
import { describe, expect, test } from 'bun:test'
import {
  AGE_MS,
  type AgeBucket,
  CountryCounter,
  type IssueSample,
  NetworkCounter,
  resultAt,
  TrafficCounter,
} from '../../src/abuse/rules/traffic-counter'
import { prefixOf } from '../../src/domain/phone/phone'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import { NOW } from './sample'
import { aSighting } from './traffic-sample'

const LATER = ['early', 'judged', 'late'] as const

/** At every age, or up to one. */
function seen(counter: TrafficCounter, sighting: IssueSample, until: AgeBucket = 'late'): TrafficCounter {
  const stages = Object.keys(AGE_MS) as AgeBucket[]
  for (const stage of stages.slice(0, stages.indexOf(until) + 1)) counter.record(sighting, stage)
  return counter
}
const typedAfter = (ms: number) => aSighting({ verifiedAt: NOW + ms })

describe('a code', () => {
  test.each([
    [0, ['verified', undefined, undefined]],
    [19_999, ['verified', undefined, undefined]],
    [20_000, [undefined, 'verified', undefined]],
    [119_999, [undefined, 'verified', undefined]],
    [120_000, [undefined, 'unverified', 'verified']],
    [599_999, [undefined, 'unverified', 'verified']],
    [600_000, [undefined, 'unverified', undefined]],
  ] as const)('that is typed after %d ms is found once', (ms, fates) => {
    expect(LATER.map((stage) => resultAt(typedAfter(ms), stage))).toEqual([...fates])
  })

  test('that nobody types is judged after two minutes, unless it was not delivered', () => {
    expect(LATER.map((stage) => resultAt(aSighting(), stage))).toEqual([undefined, 'unverified', undefined])
    expect(LATER.map((stage) => resultAt(aSighting({ delivery: 'unknown' }), stage))[1]).toBe('unverified')
    expect(LATER.map((stage) => resultAt(aSighting({ delivery: 'undelivered' }), stage))).toEqual([
      undefined,
      'undelivered',
      undefined,
    ])
  })

  test('that was typed before it was made, by a clock that went back, was typed at once', () => {
    expect(resultAt(typedAfter(-5_000), 'early')).toBe('verified')
  })
})

test('numbers of a prefix share all but four digits', () => {
  expect(prefixOf('+821012345678')).toBe('+82101234')
})

describe('counts of a place', () => {
  const at = NOW + AGE_MS.late

  test('have each code where it ended', () => {
    const counter = new TrafficCounter()
    for (const ms of [10 * SECOND_MS, MINUTE_MS]) seen(counter, typedAfter(ms))
    seen(counter, aSighting({ price: 3 }))
    seen(counter, aSighting({ delivery: 'undelivered' }))
    const { hour, day } = counter.counts(at)
    expect(hour).toMatchObject({ verified: 2, unverified: 1, sent: 4, credits: 6 })
    expect(day).toMatchObject({ verified: 2, unverified: 1, sent: 4, credits: 6 })
  })

  test('take back what was held for untyped, and was typed late', () => {
    const counter = seen(new TrafficCounter(), typedAfter(3 * MINUTE_MS), 'judged')
    expect(counter.counts(at).hour).toMatchObject({ verified: 0, unverified: 1 })
    counter.record(typedAfter(3 * MINUTE_MS), 'late')
    expect(counter.counts(at).hour).toMatchObject({ verified: 1, unverified: 0 })
  })

  test('take nothing back of what never counted', () => {
    const counter = seen(new TrafficCounter(), { ...typedAfter(3 * MINUTE_MS), delivery: 'undelivered' })
    expect(counter.counts(at).hour).toMatchObject({ verified: 1, unverified: 0 })
  })

  test('know how many may still be typed: those on their way in, too', () => {
    const counter = new TrafficCounter()
    counter.record(aSighting(), 'sent')
    counter.record(typedAfter(SECOND_MS), 'sent')
    counter.inFlight++
    expect(counter.pending(NOW)).toBe(3)
    counter.record(typedAfter(SECOND_MS), 'early')
    expect(counter.pending(NOW)).toBe(2)
    counter.record(aSighting(), 'judged')
    expect(counter.pending(NOW + AGE_MS.judged)).toBe(1)
  })

  test('know all young ones until they are judged', () => {
    const counter = new TrafficCounter()
    const createdAt = NOW + 110 * SECOND_MS
    for (let n = 0; n < 15; n++) counter.record(aSighting({ createdAt }), 'sent')
    for (const ms of [90 * SECOND_MS, AGE_MS.judged - 1]) expect(counter.pending(createdAt + ms)).toBe(15)
  })

  test('hold nothing for young for ever, where looks have missed what became of it', () => {
    const counter = new TrafficCounter()
    for (let n = 0; n < 9; n++) counter.record(aSighting(), 'sent')
    expect(counter.pending(NOW)).toBe(9)
    expect(counter.pending(NOW + 2 * AGE_MS.judged)).toBe(0)
    counter.record(aSighting({ createdAt: NOW + HOUR_MS }), 'sent')
    expect(counter.pending(NOW + HOUR_MS)).toBe(1)
  })

  test('know at least how many phones there are, whatever one of them does', () => {
    const [one, many] = [new TrafficCounter(), new TrafficCounter()]
    for (let phone = 0; phone < 256; phone++) {
      one.record(aSighting(), 'sent')
      many.record(aSighting({ phone }), 'sent')
    }
    expect(one.phones).toBe(1)
    expect(many.phones).toBe(64)
  })

  test('know how many were not typed within the hour, for whatever reason', () => {
    const counter = seen(new TrafficCounter(), aSighting({ delivery: 'undelivered' }))
    seen(counter, aSighting())
    seen(counter, typedAfter(SECOND_MS))
    expect(counter.untyped(NOW + AGE_MS.judged)).toBe(2)
  })
})

test('a network knows to how many countries it had codes sent', () => {
  const network = new NetworkCounter()
  for (const country of ['KR', 'JP', 'KR', 'US']) network.record(aSighting({ country }), 'sent')
  expect(network.countries(NOW)).toBe(3)
  for (let n = 0; n < 100; n++) network.record(aSighting({ country: `C${n}` }), 'sent')
  expect(network.countries(NOW)).toBe(8)
})

test('and forgets a country after a day without one: what many people share has been to many', () => {
  const network = new NetworkCounter()
  for (const [day, country] of ['KR', 'JP', 'US', 'GB'].entries())
    network.record(aSighting({ country, createdAt: NOW + day * DAY_MS }), 'sent')
  expect(network.countries(NOW + 3 * DAY_MS)).toBe(1)
})

describe('a country', () => {
  const reporting = (times: number, delivery: IssueSample['delivery'] = 'delivered', at = NOW) => {
    const counter = new CountryCounter()
    for (let n = 0; n < times; n++) counter.recordReport(aSighting({ delivery, createdAt: at }))
    return counter
  }
  const unknown = aSighting({ delivery: 'unknown', createdAt: NOW + MINUTE_MS })

  test('whose carriers report notices where they are silent', () => {
    expect(reporting(9).isSilent(unknown)).toBe(false)
    expect(reporting(10).isSilent(unknown)).toBe(true)
    expect(reporting(10).isSilent(aSighting())).toBe(false)
  })

  test('whose carriers do not notices nothing', () => {
    expect(reporting(100, 'unknown').isSilent(unknown)).toBe(false)
    const changing = reporting(10)
    for (let n = 0; n < 10; n++) changing.recordReport(unknown)
    expect(changing.isSilent(unknown)).toBe(false)
  })

  test('forgets in two days how it was', () => {
    expect(reporting(100, 'delivered', NOW - 2 * DAY_MS).isSilent(unknown)).toBe(false)
  })

  test('counts a quarter of an hour of those that were typed, or that may not have arrived', () => {
    const counter = reporting(10)
    seen(counter, typedAfter(SECOND_MS))
    counter.recordReport(unknown)
    expect(counter.verifiedOrSilent(NOW + MINUTE_MS)).toBe(2)
    expect(counter.verifiedOrSilent(NOW + HOUR_MS)).toBe(0)
  })
})
