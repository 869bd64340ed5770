/** Which rule decides, and what it says. */
import { describe, expect, test } from 'bun:test'
import {
  type AssessmentContext,
  assess,
  mayRefuse,
  RETRY_AFTER_MS,
  type RequestFacts,
  refusalOf,
} from '../../src/abuse/rules/assess'
import { Place } from '../../src/abuse/rules/place'
import { assertProtection, NEW_APP, type Protection } from '../../src/abuse/rules/protection'
import { isProvable } from '../../src/abuse/rules/rule'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { NOW, thrownBy } from './sample'
import { aSighting } from './traffic-sample'

const A_WISH: RequestFacts = {
  ...{ kind: 'pk', home: 'KR', country: 'KR', phone: 'aa', prefix: 'bb', digits: '+82101234' },
  ...{ address: '203.0.113.9', network: 'cc' },
}

const around = (changes: Partial<AssessmentContext> = {}): AssessmentContext => ({
  ...{ price: 2, app: new Place(), country: new Place(), prefix: new Place() },
  usual: { app: undefined, country: { aDay: 0, isKnown: false } },
  isOnlyWatched: false,
  suspected: () => undefined,
  ...changes,
})

function sent(count: number): Place {
  const place = new Place()
  for (let n = 0; n < count; n++) place.count(aSighting(), 'sent', undefined, NOW)
  return place
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

const crowded = () => around({ app: sent(3_000) })
const pumped = () => around({ suspected: () => 'prefix_unverified' })

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
})

describe('a place where more wishes are lost than usual', () => {
  test.each(['network', 'prefix', 'country'] as const)('refuses for its %s, and says when to come back', (place) => {
    expect(found(around({ suspected: () => `${place}_unverified` as const }))).toMatchObject({
      ...{ rule: `${place}_unverified`, isRefused: true, waitMs: RETRY_AFTER_MS },
    })
  })

  test.each(['off', 'watch', 'block'] as const)('may be %s', (conversion) => {
    expect(found(pumped(), { conversion })?.isRefused).toBe({ off: undefined, watch: false, block: true }[conversion])
  })

  test('only watches where an own server asks, and it is not known yet what is usual', () => {
    expect(found({ ...pumped(), isOnlyWatched: true })).toMatchObject({ rule: 'prefix_unverified', isRefused: false })
  })

  test('is asked about with the tolerance of its owner', () => {
    const asked: number[] = []
    found(around({ suspected: (tolerance) => void asked.push(tolerance) as undefined }), { tolerance: 2 })
    expect(new Set(asked)).toEqual(new Set([2]))
  })

  test.each([0.4, 2.1, 0, Number.NaN])('cannot be tolerated so many times: %d', (tolerance) => {
    expect(thrownBy(() => assertProtection({ ...NEW_APP, tolerance }))).toMatchObject({
      detail: { param: 'tolerance' },
    })
  })

  test('refuses nobody where an operator has ended its incident', () => {
    const reopened = [{ kind: 'pk', country: 'KR', until: NOW + 1 } as const]
    expect(found(pumped(), { reopened })).toBeUndefined()
    expect(ruleOf(pumped(), { reopened: [{ kind: 'sk', country: 'KR', until: NOW + 1 }] })).toBe('prefix_unverified')
  })
})

describe('of several rules', () => {
  test('one that refuses is named before one that only would', () => {
    const all = { ...crowded(), ...pumped(), app: crowded().app }
    expect(found(all)).toMatchObject({ rule: 'cap', isRefused: true })
    expect(found(all, { capping: 'watch' })).toMatchObject({ rule: 'prefix_unverified', isRefused: true })
    expect(found(all, { capping: 'watch', conversion: 'watch' })).toMatchObject({ rule: 'cap', isRefused: false })
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
    const provable = (['cap', 'blocked', 'country_unverified', 'prefix_unverified'] as const).map(
      (rule) => refusalOf({ rule, waitMs: MINUTE_MS }).detail.provable,
    )
    expect(provable).toEqual([false, false, true, true])
  })
})
