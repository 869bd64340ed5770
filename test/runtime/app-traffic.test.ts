/** What rules about typing may never do, whatever the history of an app: two promises to its customers. */
import { expect, test } from 'bun:test'
import { AppTraffic } from '../../src/abuse/counters/app-traffic'
import { PrefixAndNetworkCounters } from '../../src/abuse/counters/prefix-and-network-counters'
import type { RequestFacts } from '../../src/abuse/rules/assess'
import { baselineOf, type TrafficHour } from '../../src/abuse/rules/baseline'
import { NEW_APP, type Protection } from '../../src/abuse/rules/protection'
import { isProvable } from '../../src/abuse/rules/rule'
import { AGE_MS, type AgeBucket, type IssueSample } from '../../src/abuse/rules/traffic-counter'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import { NOW } from '../domain/sample'
import { aSighting, weeksOf } from '../domain/traffic-sample'
import fc from '../support/property'

const COUNTRIES = ['KR', 'DE']
/** What becomes of a code: how long after its issue it is typed, milliseconds, if it is. */
const aCode = fc.record({
  country: fc.constantFrom(...COUNTRIES),
  /** Within the last hour, and so within the last day. */
  secondsAgo: fc.integer({ min: 0, max: 44 * 60 }),
  typedAfterMs: fc.option(fc.constantFrom(5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS), { nil: undefined }),
  delivery: fc.constantFrom('delivered' as const, 'unknown' as const, 'undelivered' as const),
  prefix: fc.constantFrom('one', 'two', 'three'),
  network: fc.constantFrom('home', 'work'),
})
type Code = typeof aCode extends fc.Arbitrary<infer T> ? T : never

/** Some hours have nothing but typed codes, some nothing but attacks, most have both. */
const history = fc
  .tuple(fc.array(aCode, { maxLength: 60 }), fc.array(aCode, { maxLength: 150 }), fc.boolean())
  .map(([codes, more, areTyped]) => [
    ...codes,
    ...more.map((code) => ({ ...code, typedAfterMs: areTyped ? 5 * SECOND_MS : undefined })),
  ])
const usualTraffic = fc.record({
  verified: fc.integer({ min: 1, max: 200 }),
  unverified: fc.integer({ max: 100, min: 0 }),
})

const sightingOf = ({ country, secondsAgo, typedAfterMs, delivery, prefix, network }: Code): IssueSample => {
  const createdAt = NOW - secondsAgo * SECOND_MS
  return aSighting({
    ...{ country, prefix, network, delivery, createdAt },
    verifiedAt: typedAfterMs === undefined ? undefined : createdAt + typedAfterMs,
  })
}

const aWish = (country: string, changes: Partial<RequestFacts> = {}): RequestFacts => ({
  ...{ kind: 'pk', home: 'KR', country, phone: 'aa', prefix: 'fresh', digits: '+82101234' },
  ...{ address: '203.0.113.9', network: undefined },
  ...changes,
})

const PROTECTION: Protection = { ...NEW_APP, open: COUNTRIES, caps: [] }

/** An app that has lived through it all: each code asks first, so that pauses begin and are knocked at. */
function lived(codes: readonly Code[], hours: readonly TrafficHour[], protection = PROTECTION) {
  const learned = COUNTRIES.flatMap((country) => hours.map((hour) => ({ ...hour, kind: 'pk' as const, country })))
  const app = new AppTraffic('app_one', new PrefixAndNetworkCounters(), learned, 0)
  const looks = codes
    .map(sightingOf)
    .flatMap((sighting) =>
      (Object.keys(AGE_MS) as AgeBucket[]).map((stage) => ({
        sighting,
        stage,
        at: sighting.createdAt + AGE_MS[stage],
      })),
    )
    .filter(({ at }) => at <= NOW)
    .sort((one, other) => one.at - other.at)
  for (const { sighting, stage, at } of looks) {
    const { country, prefix = '', network } = sighting
    const sought = app.bucketsOfRequest(aWish(country, { prefix, network }))
    const finding = stage === 'sent' ? app.assess(protection, sought, 1, at) : undefined
    if (finding) app.recordHit(finding, sought, at)
    app.record(sighting, stage, sought)
  }
  return app
}

const ruleFound = (app: AppTraffic, facts: RequestFacts, protection = PROTECTION) => {
  const found = app.assess(protection, app.bucketsOfRequest(facts), 1, NOW)
  return found && isProvable(found.rule) ? found.rule : undefined
}

/** By the list of codes alone: at least half of the usual share was typed, whatever carriers said of the rest. */
function isHalfTyped(codes: readonly Code[], hours: readonly TrafficHour[]): boolean {
  const typed = codes.filter(({ secondsAgo, typedAfterMs }) => {
    const ageMs = secondsAgo * SECOND_MS
    // It counts once it has been looked at after that.
    const seenAtMs = Object.values(AGE_MS).find((ms) => typedAfterMs !== undefined && ms > typedAfterMs)
    return seenAtMs !== undefined && seenAtMs <= ageMs
  })
  return typed.length > 0 && typed.length / codes.length >= (1 - baselineOf(hours).unverifiedShare) / 2
}

test('nobody is refused in a country where half of the usual share was typed, whatever happens elsewhere', () => {
  let held = 0
  fc.assert(
    fc.property(history, usualTraffic, (codes, usual) => {
      const hours = weeksOf(usual)
      const app = lived(codes, hours)
      for (const country of COUNTRIES) {
        if (
          !isHalfTyped(
            codes.filter((code) => code.country === country),
            hours,
          )
        )
          continue
        held++
        expect(ruleFound(app, aWish(country))).toBeUndefined()
      }
    }),
    { numRuns: 300 },
  )
  expect(held).toBeGreaterThan(100)
})

test.each(['prefix', 'network'] as const)('nor for a %s of which half of the usual share was typed', (place) => {
  let held = 0
  fc.assert(
    fc.property(history, usualTraffic, fc.constantFrom('one', 'two', 'home', 'work'), (codes, usual, name) => {
      const hours = weeksOf(usual)
      if (
        !isHalfTyped(
          codes.filter((code) => code[place] === name),
          hours,
        )
      )
        return
      held++
      const rule = ruleFound(lived(codes, hours), aWish('KR', { [place]: name }))
      expect(rule?.startsWith(place) ?? false).toBe(false)
    }),
    { numRuns: 300 },
  )
  expect(held).toBeGreaterThan(20)
})

test('what an operator has reopened is open for that time, whatever rules find, and no incident begins there', () => {
  const reopened = [{ kind: 'pk', country: 'KR', until: NOW + HOUR_MS } as const]
  let held = 0
  fc.assert(
    fc.property(history, usualTraffic, (codes, usual) => {
      const hours = weeksOf(usual)
      const isRefused = ruleFound(lived(codes, hours), aWish('KR', { prefix: 'one', network: 'home' })) !== undefined
      if (isRefused) held++
      const app = lived(codes, hours, { ...PROTECTION, reopened })
      const facts = aWish('KR', { prefix: 'one', network: 'home' })
      expect(ruleFound(app, facts, { ...PROTECTION, reopened })).toBeUndefined()
      expect(app.takeFindings(NOW).incidentUpdates.filter(({ segment }) => segment.country === 'KR')).toEqual([])
    }),
    { numRuns: 300 },
  )
  expect(held).toBeGreaterThan(3)
})
