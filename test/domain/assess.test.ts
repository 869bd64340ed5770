/** Which rule decides, and what it says. */
import { describe, expect, test } from 'bun:test'
import {
  type AssessmentContext,
  assess,
  mayRefuse,
  type RequestFacts,
  refusalOf,
  type SegmentView,
} from '../../src/abuse/rules/assess'
import { baselineOf, SUSPECTED, UNSUSPECTED } from '../../src/abuse/rules/baseline'
import { assertProtection, NEW_APP, type Protection } from '../../src/abuse/rules/protection'
import { isProvable } from '../../src/abuse/rules/rule'
import { AGE_MS, CountryCounter, NetworkCounter, TrafficCounter } from '../../src/abuse/rules/traffic-counter'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { NOW, thrownBy } from './sample'
import { aSighting, weeksOf } from './traffic-sample'

const USUAL = baselineOf(weeksOf({ verified: 6, unverified: 1 }))
const A_WISH: RequestFacts = {
  ...{ kind: 'pk', home: 'KR', country: 'KR', phone: 'aa', prefix: 'bb', digits: '+82101234' },
  ...{ address: '203.0.113.9', network: 'cc' },
}

const aWay = (changes: Partial<SegmentView> = {}): SegmentView => ({
  ...{
    counter: new CountryCounter(),
    baseline: USUAL,
    suspicion: UNSUSPECTED,
    isSuspected: () => false,
    pausedUntil: undefined,
  },
  ...changes,
})

function around({ segments = [aWay()], ...changes }: Partial<AssessmentContext> = {}): AssessmentContext {
  const country = segments[0]?.counter ?? new CountryCounter()
  const places = { app: new TrafficCounter(), prefix: new TrafficCounter(), network: new NetworkCounter() }
  return { price: 2, ...places, country, baseline: USUAL, segments: segments, ...changes }
}

/** So many that nobody types: young, or judged. */
function untyped<T extends TrafficCounter>(counter: T, count: number, stage: 'sent' | 'judged', changes = {}): T {
  const createdAt = stage === 'sent' ? NOW : NOW - AGE_MS.judged
  for (let n = 0; n < count; n++) counter.record(aSighting({ createdAt, ...changes }), stage)
  return counter
}

/** Whether it is refused is told the same also where nothing else is asked. */
function found(near: AssessmentContext, protection: Partial<Protection> = {}, facts: Partial<RequestFacts> = {}) {
  const asked = [{ ...NEW_APP, ...protection }, { ...A_WISH, ...facts }, near, NOW] as const
  const finding = assess(...asked)
  expect(assess(...asked, mayRefuse)?.isRefused === true).toBe(finding?.isRefused === true)
  return finding
}
const ruleOf = (...asked: Parameters<typeof found>) => found(...asked)?.rule

test('nothing is against a code where nothing has been', () => {
  expect(found(around())).toBeUndefined()
})

describe('a country', () => {
  test.each([
    ['pk', { country: 'JP' }, {}, 'country_closed'],
    ['pk', { country: undefined }, {}, 'country_closed'],
    ['pk', { country: 'JP' }, { open: ['JP'] }, undefined],
    ['sk', { country: 'JP' }, {}, undefined],
    ['sk', { country: 'JP' }, { closed: ['JP'] }, 'country_closed'],
    ['pk', {}, { closed: ['KR'] }, 'country_closed'],
    ['sk', { country: 'JP' }, { secretTo: ['KR', 'JP'] }, undefined],
    ['sk', {}, { secretTo: ['JP'] }, 'country_closed'],
    ['sk', { country: undefined }, { secretTo: ['JP'] }, 'country_closed'],
    ['sk', { country: 'JP' }, { secretTo: ['JP'], closed: ['JP'] }, 'country_closed'],
    ['pk', {}, { secretTo: ['JP'] }, undefined],
  ] as const)('is open to %s keys, or not: %p, %p', (kind, facts, protection, rule) => {
    expect(ruleOf(around(), protection, { kind, ...facts })).toBe(rule)
  })

  test('that is closed is told from one that was not opened, which may only be watched', () => {
    expect(found(around(), { countries: 'watch' }, { country: 'JP' })).toMatchObject({ isRefused: false, price: 2 })
    expect(found(around(), { countries: 'off' }, { country: 'JP' })).toBeUndefined()
    expect(found(around(), { countries: 'off', closed: ['JP'] }, { country: 'JP' })?.isRefused).toBe(true)
    const sender = { kind: 'sk', country: 'JP' } as const
    expect(found(around(), { countries: 'watch', secretTo: ['KR'] }, sender)?.isRefused).toBe(true)
  })

  test('refuses for good, as the field that it is of', () => {
    const finding = found(around(), {}, { country: 'JP' })
    expect(refusalOf(finding ?? { rule: 'cap', waitMs: 1 })).toMatchObject({
      ...{ kind: 'forbidden', detail: { param: 'phoneNumber', reason: 'country_closed' } },
    })
  })
})

describe('a number that gets no texts', () => {
  const number = { withoutTexts: true } as const

  test('is refused for good before anything else is looked at, or watched, or not looked at', () => {
    const finding = found(around(), { closed: ['KR'] }, number)
    expect(finding).toEqual({ rule: 'number_type', waitMs: undefined, isRefused: true, price: 2 })
    expect(refusalOf(finding ?? { rule: 'cap', waitMs: 1 })).toMatchObject({
      ...{ kind: 'invalid', detail: { param: 'phoneNumber', reason: 'phone_number_without_texts' } },
    })
    expect(found(around(), { numberTypes: 'watch' }, number)).toMatchObject({ rule: 'number_type', isRefused: false })
    expect(found(around(), { numberTypes: 'off' }, number)).toBeUndefined()
  })

  test('only watched is refused for what is refused', () => {
    expect(ruleOf(around(), { numberTypes: 'watch', closed: ['KR'] }, number)).toBe('country_closed')
  })
})

test.each(['number_type', 'resend', 'failures_paused', 'failures_locked'] as const)(
  'a proof of a human lifts no %s',
  (rule) => {
    expect(isProvable(rule)).toBe(false)
    expect(refusalOf({ rule, waitMs: 1_000 }).detail.provable).not.toBe(true)
  },
)

describe('what an operator has stopped', () => {
  const until = NOW + HOUR_MS

  test.each([
    [{ country: 'KR', until }, 'blocked'],
    [{ country: 'KR', prefix: 'bb', until }, 'blocked'],
    [{ country: 'KR', prefix: 'dd', until }, undefined],
    [{ country: 'JP', until }, undefined],
    [{ country: 'KR', until: NOW }, undefined],
  ] as const)('is refused until then: %p', (block, rule) => {
    expect(ruleOf(around(), { blocks: [block] })).toBe(rule)
  })

  test('is refused to the trusted, too, and says for how long', () => {
    const trusted = { networks: [], countries: ['KR'], phones: [] }
    expect(found(around(), { blocks: [{ country: 'KR', until }], trusted })).toMatchObject({ waitMs: HOUR_MS })
  })
})

const crowded = () => around({ app: untyped(new TrafficCounter(), 3_000, 'sent') })
const pumped = () => around({ prefix: untyped(new TrafficCounter(), 9, 'judged') })

describe('who is trusted', () => {
  test.each([
    [{ countries: ['KR'] }, undefined],
    [{ countries: ['JP'] }, 'cap'],
    [{ phones: ['aa'] }, undefined],
    [{ phones: ['ab'] }, 'cap'],
    [{ networks: ['203.0.113.0/24'] }, undefined],
    [{ networks: ['198.51.100.0/24'] }, 'cap'],
  ] as const)('is held to no cap: %p', (some, rule) => {
    const trusted = { networks: [], countries: [], phones: [], ...some }
    expect(ruleOf(crowded(), { trusted })).toBe(rule)
  })

  test('is nobody whose address is not known', () => {
    const trusted = { networks: ['0.0.0.0/0'], countries: [], phones: [] }
    expect(ruleOf(crowded(), { trusted }, { address: undefined })).toBe('cap')
  })

  test('goes only where it is open', () => {
    const trusted = { networks: [], countries: ['JP'], phones: [] }
    expect(ruleOf(around(), { trusted }, { country: 'JP' })).toBe('country_closed')
  })
})

describe('caps', () => {
  test('are of one kind of key', () => {
    expect(ruleOf(crowded(), {}, { kind: 'sk' })).toBeUndefined()
  })

  test.each(['off', 'watch', 'block'] as const)('may be %s', (capping) => {
    expect(found(crowded(), { capping })?.isRefused).toBe({ off: undefined, watch: false, block: true }[capping])
  })

  test('do not need to know what is usual', () => {
    expect(found({ ...crowded(), baseline: { ...USUAL, isLearned: false } })).toMatchObject({
      rule: 'cap',
      isRefused: true,
    })
  })
})

describe('codes that nobody types', () => {
  test.each([
    ['network_unverified', () => around({ network: untyped(new NetworkCounter(), 5, 'judged') })],
    ['network_pending', () => around({ network: untyped(new NetworkCounter(), 10, 'sent') })],
    ['network_countries', () => around({ network: abroad(4) })],
    ['prefix_unverified', () => around({ prefix: untyped(new TrafficCounter(), 4, 'judged') })],
    ['prefix_pending', () => around({ prefix: untyped(new TrafficCounter(), 5, 'sent') })],
    ['country_paused', () => around({ segments: [aWay({ pausedUntil: NOW + HOUR_MS })] })],
    ['country_paused', () => around({ segments: [aWay({ isSuspected: () => true })] })],
    [
      'country_unverified',
      () => around({ segments: [aWay({ counter: untyped(new CountryCounter(), 20, 'judged') })] }),
    ],
    ['country_pending', () => around({ segments: [aWay({ counter: untyped(new CountryCounter(), 15, 'sent') })] })],
    ['country_paused', () => around({ segments: [aWay(), aWay({ isSuspected: () => true })] })],
  ] as const)('are too many by %s', (rule, near) => {
    expect(ruleOf(near())).toBe(rule)
  })

  test.each([
    ['of a network', () => around({ network: untyped(new NetworkCounter(), 4, 'judged') })],
    ['young ones of a network', () => around({ network: untyped(new NetworkCounter(), 9, 'sent') })],
    ['of a network to three countries', () => around({ network: abroad(3) })],
    ['of a prefix', () => around({ prefix: untyped(new TrafficCounter(), 3, 'judged') })],
    ['young ones of a prefix', () => around({ prefix: untyped(new TrafficCounter(), 4, 'sent') })],
    ['of a country that was paused', () => around({ segments: [aWay({ pausedUntil: NOW })] })],
    [
      'young ones of a country',
      () => around({ segments: [aWay({ counter: untyped(new CountryCounter(), 14, 'sent') })] }),
    ],
  ] as const)('are not too many yet: %s', (_, near) => {
    expect(found(near())).toBeUndefined()
  })

  test('are no matter of a network where nobody says which', () => {
    expect(found(around({ network: undefined }), {}, { network: undefined })).toBeUndefined()
  })

  test('are allowed to a network of many countries from which one was verified', () => {
    const network = abroad(6)
    network.record(aSighting({ createdAt: NOW, verifiedAt: NOW }), 'early')
    expect(found(around({ network }))).toBeUndefined()
  })

  test.each(['off', 'watch', 'block'] as const)('may be %s', (conversion) => {
    expect(found(pumped(), { conversion })?.isRefused).toBe({ off: undefined, watch: false, block: true }[conversion])
  })

  test.each([
    ['network', 'network_unverified', { network: 5 }],
    ['prefix', 'prefix_unverified', { prefix: 4 }],
    ['country', 'country_unverified', { country: 16 }],
  ] as const)(
    'are half or twice as many of a %s, as its owner tolerates',
    (_, rule, { network = 0, prefix = 0, country = 0 }: Record<string, number>) => {
      const of = (times: number, tolerance: number) =>
        ruleOf(
          around({
            network: untyped(new NetworkCounter(), network * times, 'judged'),
            prefix: untyped(new TrafficCounter(), prefix * times, 'judged'),
            segments: [aWay({ counter: untyped(new CountryCounter(), country * times, 'judged') })],
          }),
          { tolerance },
        )
      expect([of(0.5, 1), of(0.75, 0.5), of(1, 1), of(1.75, 2), of(2, 2)]).toEqual([
        undefined,
        rule,
        rule,
        undefined,
        rule,
      ])
    },
  )

  test.each([0.4, 2.1, 0, Number.NaN])('cannot be tolerated so many times: %d', (tolerance) => {
    expect(thrownBy(() => assertProtection({ ...NEW_APP, tolerance }))).toMatchObject({
      detail: { param: 'tolerance' },
    })
  })

  test('are watched until it is known what is usual', () => {
    expect(found({ ...pumped(), baseline: { ...USUAL, isLearned: false } })).toMatchObject({
      ...{ rule: 'prefix_unverified', isRefused: false },
    })
  })

  test('are three at a time after a pause, until the suspicion has gone', () => {
    const counter = untyped(new CountryCounter(), 3, 'sent')
    const careful = (score: number) =>
      ruleOf(around({ segments: [aWay({ counter, pausedUntil: NOW, suspicion: { ...UNSUSPECTED, score } })] }))
    expect([SUSPECTED / 2 - 1, SUSPECTED / 2].map(careful)).toEqual([undefined, 'country_pending'])
  })
})

function abroad(countries: number): NetworkCounter {
  const network = new NetworkCounter()
  for (let n = 0; n < countries; n++) network.record(aSighting({ country: `C${n}`, createdAt: NOW - HOUR_MS }), 'sent')
  return network
}

describe('of several rules', () => {
  test('the narrowest is named, and one that refuses before one that only would', () => {
    const ways = [aWay({ pausedUntil: NOW + HOUR_MS })]
    const all = { ...crowded(), ...{ prefix: untyped(new TrafficCounter(), 9, 'judged'), segments: ways } }
    expect(found(all)).toMatchObject({ rule: 'cap', isRefused: true })
    expect(found(all, { capping: 'watch' })).toMatchObject({ rule: 'prefix_unverified', isRefused: true })
    expect(found(all, { capping: 'watch', conversion: 'watch' })).toMatchObject({ rule: 'cap', isRefused: false })
    expect(found({ ...all, prefix: new TrafficCounter() }, { capping: 'off' })).toMatchObject({
      rule: 'country_paused',
      waitMs: HOUR_MS,
    })
  })
})

describe('a refusal', () => {
  test('says how long, a second at least, and nothing of why', () => {
    const refusal = refusalOf({ rule: 'prefix_unverified', waitMs: 5 })
    expect(refusal).toMatchObject({
      ...{ kind: 'limited', message: 'Limit exceeded: abuse' },
      ...{ detail: { limit: 'abuse', policy: 'platform', retryAfterMs: 1_000 } },
    })
    expect(refusalOf({ rule: 'cap', waitMs: DAY_MS }).detail.retryAfterMs).toBe(DAY_MS)
    expect(JSON.stringify(refusal)).not.toContain('prefix')
  })

  test('of traffic is outweighed by a proof of a human, of caps and blocks it is not', () => {
    const provable = (['cap', 'blocked', 'country_paused', 'prefix_pending'] as const).map(
      (rule) => refusalOf({ rule, waitMs: MINUTE_MS }).detail.provable,
    )
    expect(provable).toEqual([false, false, true, true])
  })
})
