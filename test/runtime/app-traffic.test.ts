/** What a server counts of an app: wishes of people, where they are lost, and who comes back after a refusal. */
import { describe, expect, test } from 'bun:test'
import { AppTraffic } from '../../src/abuse/counters/app-traffic'
import { PrefixAndNetworkCounters } from '../../src/abuse/counters/prefix-and-network-counters'
import type { RequestFacts } from '../../src/abuse/rules/assess'
import { NEW_APP, type Protection } from '../../src/abuse/rules/protection'
import type { Rule } from '../../src/abuse/rules/rule'
import { AGE_MS, type AgeBucket, type IssueSample } from '../../src/abuse/rules/wish'
import type { CallerKind } from '../../src/domain/access/caller'
import { MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import type { SegmentHour } from '../../src/ports/store/traffic'
import { NOW } from '../domain/sample'
import { aSighting, weeksOf } from '../domain/traffic-sample'

const PROTECTION: Protection = { ...NEW_APP, open: ['JP', 'US', 'GB'], caps: [] }
const WEEKS: SegmentHour[] = weeksOf({ verified: 60, unverified: 6 })

interface Asked {
  country?: string
  prefix?: string
  network?: string | undefined
  phone?: number
  kind?: CallerKind
}

/** A day of an app, second by second. */
class Day {
  readonly app: AppTraffic
  now = NOW
  readonly #codes: Array<{ sample: IssueSample; looked: number }> = []
  #made = 0

  constructor(hours: readonly SegmentHour[] = WEEKS) {
    this.app = new AppTraffic('app_one', new PrefixAndNetworkCounters(), hours, 0)
  }

  pass(ms: number): void {
    this.now += ms
    for (const code of this.#codes) this.#look(code)
    this.app.takeFindings(this.now)
  }

  /** A phone, prefix and network of its own, where nothing else is said. Answers the rule that refuses it. */
  ask({ country = 'KR', prefix, network, phone, kind = 'pk' }: Asked = {}, typedAfterMs?: number): Rule | undefined {
    const n = this.#made++
    const of = { kind, country, prefix: prefix ?? `p${n}`, network: network ?? `n${n}`, phone: phone ?? n + 1 }
    const facts: RequestFacts = {
      ...{ ...of, home: 'KR', digits: '+82101234', address: '203.0.113.9' },
      phone: of.phone.toString(16).padStart(12, '0'),
    }
    const buckets = this.app.bucketsOfRequest(facts)
    const finding = this.app.assess(PROTECTION, buckets, 1, this.now)
    if (finding?.isRefused) {
      this.app.recordHit(finding, buckets, this.now)
      return finding.rule
    }
    const verifiedAt = typedAfterMs === undefined ? undefined : this.now + typedAfterMs
    for (const code of this.#codes)
      if (code.sample.phone === of.phone && (code.sample.verifiedAt ?? this.now) >= this.now)
        Object.assign(code.sample, { isReplaced: true, verifiedAt: undefined })
    const sample = aSighting({ ...of, issueId: `${n}`, createdAt: this.now, verifiedAt, isEvidence: kind !== 'relay' })
    const code = { sample, looked: 0 }
    this.#codes.push(code)
    this.#look(code)
    return undefined
  }

  /** One a minute, who types the code and comes back when told; answers how many were refused at first. */
  people(count: number): number {
    let refused = 0
    for (let n = 0; n < count; n++) {
      const phone = PEOPLE + this.#made
      if (this.ask({ phone }, 15 * SECOND_MS) !== undefined) {
        refused++
        this.pass(30 * SECOND_MS)
        expect(this.ask({ phone }, 15 * SECOND_MS)).toBeUndefined()
      }
      this.pass(30 * SECOND_MS)
    }
    return refused
  }

  #look(code: { sample: IssueSample; looked: number }): void {
    const ages = Object.entries(AGE_MS) as Array<[AgeBucket, number]>
    for (const [age, ms] of ages.slice(code.looked)) {
      if (code.sample.createdAt + ms > this.now) return
      // A code that is typed later is not typed yet.
      const { verifiedAt } = code.sample
      const sample = { ...code.sample, verifiedAt: (verifiedAt ?? 0) <= this.now ? verifiedAt : undefined }
      this.app.record(sample, age, this.app.bucketsOf(sample))
      code.looked++
    }
  }

  /** One each second; answers what refused them. */
  each(count: number, asked: (n: number) => Asked, typedAfterMs?: number): Array<Rule | undefined> {
    return Array.from({ length: count }, (_, n) => {
      this.pass(SECOND_MS)
      return this.ask(asked(n), typedAfterMs)
    })
  }
}

const PEOPLE = 100_000
const admitted = (rules: ReadonlyArray<Rule | undefined>) => rules.filter((rule) => rule === undefined).length
/** From an attack that nobody types. */
const attacked = (asked: (n: number) => Asked = () => ({}), hours = WEEKS) => {
  const day = new Day(hours)
  return { day, rules: day.each(300, asked) }
}

describe('an attack', () => {
  test('on every number of a country is refused after some dozen codes, for the country', () => {
    const { rules } = attacked()
    expect(admitted(rules)).toBeLessThan(80)
    expect(new Set(rules.slice(100))).toEqual(new Set(['country_unverified']))
  })

  test.each([
    ['prefix', (n: number) => ({ prefix: `block${n % 2}` }), 70],
    ['network', () => ({ network: 'one' }), 40],
  ] as const)('on one %s is refused there, and nowhere else for long', (place, asked, most) => {
    const { day, rules } = attacked(asked)
    expect(admitted(rules)).toBeLessThan(most)
    expect(rules.at(-1)).toBe(`${place}_unverified`)
    expect(day.people(90)).toBeLessThan(60)
    expect(day.ask()).toBeUndefined()
  })

  test('on many prefixes, or from many networks, is one on the country', () => {
    for (const asked of [(n: number) => ({ prefix: `block${n % 12}` }), (n: number) => ({ network: `net${n % 12}` })])
      expect(attacked(asked).day.ask()).toBe('country_unverified')
  })

  test('on countries with little traffic is one on all of them, and on none with its own', () => {
    const { day, rules } = attacked((n) => ({ country: ['JP', 'US', 'GB'][n % 3] ?? '' }))
    expect(admitted(rules)).toBeLessThan(80)
    expect(day.ask({ country: 'JP' })).toBe('country_unverified')
    expect(day.ask()).toBeUndefined()
  })

  test('with browser keys is none with secret keys', () => {
    const { day } = attacked()
    expect(day.ask({ kind: 'sk' })).toBeUndefined()
  })

  test('on a new app is refused after some hundred codes, and with a secret key only watched', () => {
    const sent = (kind: CallerKind) => admitted(new Day([]).each(600, () => ({ kind })))
    expect(sent('pk')).toBeGreaterThanOrEqual(300)
    expect(sent('pk')).toBeLessThan(400)
    expect(sent('relay')).toBeLessThan(500)
    expect(sent('sk')).toBe(600)
  })

  test('by a known relay is refused as well: nobody comes back', () => {
    const weeks = WEEKS.map((hour) => ({ ...hour, kind: 'relay' as const, sent: 2, verified: 0, unverified: 0 }))
    expect(admitted(attacked(() => ({ kind: 'relay' }), weeks).rules)).toBeLessThan(100)
  })
})

describe('people', () => {
  test('are refused nothing while they type as usual, and ask again as they do', () => {
    const day = new Day()
    const rules = day.each(1_200, (n) => ({ phone: Math.floor(n / 2) + 1 }), 20 * SECOND_MS)
    expect(admitted(rules)).toBe(1_200)
  })

  test('people who press five times and type once are kept wishes', () => {
    const day = new Day()
    for (let person = 1; person <= 60; person++) {
      for (let n = 0; n < 4; n++) {
        expect(day.ask({ phone: person })).toBeUndefined()
        day.pass(10 * SECOND_MS)
      }
      expect(day.ask({ phone: person }, 15 * SECOND_MS)).toBeUndefined()
      day.pass(20 * SECOND_MS)
    }
  })

  test('people of a company whose numbers are one block are let in as they type', () => {
    const day = new Day()
    expect(admitted(day.each(200, () => ({ prefix: 'company', network: 'office' }), 15 * SECOND_MS))).toBe(200)
  })

  test('are let in during an outage, however long: nothing is typed, and no more is asked for than usual', () => {
    const day = new Day()
    for (let minute = 0; minute < 180; minute++) {
      expect([minute, day.ask()]).toEqual([minute, undefined])
      day.pass(MINUTE_MS)
    }
    for (let minute = 0; minute < 60; minute++) {
      expect([minute, day.ask({}, 20 * SECOND_MS)]).toEqual([minute, undefined])
      day.pass(MINUTE_MS)
    }
  })
})

test('a code that is removed before it is judged is open no longer than others', () => {
  const day = new Day()
  for (let n = 0; n < 45; n++) {
    const sample = aSighting({ issueId: `removed ${n}`, phone: 70_000 + n, prefix: `removed ${n}`, network: undefined })
    day.app.record(sample, 'sent', day.app.bucketsOf(sample))
  }
  day.pass(10 * MINUTE_MS)
  expect(admitted(day.each(20, () => ({}), 15 * SECOND_MS))).toBe(20)
})

describe('a phone that comes back after a refusal', () => {
  const PERSON = { phone: 9_999 }

  test.each([
    ['too soon', 20 * SECOND_MS, false],
    ['when told', 30 * SECOND_MS, true],
    ['ten minutes later', 10 * MINUTE_MS, true],
    ['a quarter of an hour later', 15 * MINUTE_MS, false],
  ])('%s: is let in, or not', (_, afterMs, isLetIn) => {
    const { day } = attacked()
    expect(day.ask(PERSON)).toBe('country_unverified')
    day.pass(afterMs)
    expect(day.ask(PERSON) === undefined).toBe(isLetIn)
  })

  test('gets a code through a whole day of an attack, which gets hardly any', () => {
    const { day } = attacked()
    let letIn = 0
    for (let minute = 0; minute < 8 * 60; minute++) {
      letIn += admitted(Array.from({ length: 20 }, () => day.ask()))
      expect(day.ask({ phone: 20_000 + minute })).toBeDefined()
      day.pass(30 * SECOND_MS)
      expect(day.ask({ phone: 20_000 + minute }, 20 * SECOND_MS)).toBeUndefined()
      day.pass(30 * SECOND_MS)
    }
    expect(letIn).toBeLessThan(20)
  })

  test('opens the country again when the attack is over', () => {
    const { day } = attacked()
    expect(day.people(90)).toBeLessThan(60)
    expect(day.ask()).toBeUndefined()
  })

  test('is refused where those who come back type nothing either', () => {
    const { day } = attacked()
    const rules: Array<Rule | undefined> = []
    for (let round = 0; round < 40; round++) {
      for (let n = 0; n < 10; n++) day.ask({ phone: 40_000 + 10 * round + n })
      day.pass(30 * SECOND_MS)
      for (let n = 0; n < 10; n++) rules.push(day.ask({ phone: 40_000 + 10 * round + n }))
    }
    expect(admitted(rules)).toBeLessThan(110)
    expect(rules.at(-1)).toBe('country_unverified')
  })
})

describe('an incident', () => {
  const incidents = (day: Day) => day.app.takeFindings(day.now).incidentUpdates

  test('begins within some minutes where nobody comes back, with what is lost', () => {
    const day = new Day()
    let seenAfter: number | undefined
    for (let second = 0; second < 300 && seenAfter === undefined; second++) {
      day.now += SECOND_MS
      day.ask()
      const [update] = incidents(day)
      if (update) seenAfter = second
    }
    expect(seenAfter).toBeLessThan(150)
  })

  test('is none of a crowd that comes back', () => {
    const day = new Day()
    const crowd = Array.from({ length: 100 }, (_, n) => 50_000 + n)
    const refused = crowd.filter((phone) => day.ask({ phone }) !== undefined)
    expect(refused.length).toBeGreaterThan(10)
    day.pass(31 * SECOND_MS)
    for (const phone of refused) day.ask({ phone }, 20 * SECOND_MS)
    for (let second = 0; second < 120; second++) {
      day.now += SECOND_MS
      expect(incidents(day)).toEqual([])
    }
  })

  test('says of how many wishes how many are lost, and how many usually', () => {
    const { day } = attacked(() => ({ prefix: 'block' }))
    const found = day.app.lostWishes({ kind: 'pk', country: 'KR' })
    expect(found).toMatchObject({ place: 'prefix_unverified' })
    expect(found?.wishes).toBeGreaterThan(20)
    expect(found?.lost).toBe(found?.wishes ?? 0)
    expect(found?.usually).toBe(Math.round((found?.wishes ?? 0) / 11))
    expect(day.app.lostWishes({ kind: 'pk', country: 'JP' })).toBeUndefined()
  })

  test('an incident that an operator ends is ended: what was lost before says nothing any more', () => {
    const { day } = attacked()
    const open = {
      ...{ incidentId: 'one', appId: 'app_one', kind: 'pk' as const, country: 'KR', since: NOW, lastAt: NOW },
      ...{ endedAt: undefined, isBlocked: true, refused: 50, rules: [], cost: 5, refunded: undefined },
    }
    day.app.applyIncidents([open])
    day.pass(MINUTE_MS)
    expect(day.ask()).toBe('country_unverified')
    day.app.applyIncidents([])
    expect(day.ask()).toBeUndefined()
  })
})
