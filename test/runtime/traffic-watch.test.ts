/** Servers that watch where codes go: what they know follows from what is stored, so they agree, also after a restart. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { AppTraffic } from '../../src/abuse/counters/app-traffic'
import { PrefixAndNetworkCounters } from '../../src/abuse/counters/prefix-and-network-counters'
import { TrafficWatch } from '../../src/abuse/counters/traffic-watch'
import { NEW_APP, type Protection } from '../../src/abuse/rules/protection'
import type { Rule } from '../../src/abuse/rules/rule'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import type { Findings } from '../../src/ports/traffic'
import { recordTraffic } from '../../src/usecases/abuse/record-traffic'
import { Kept } from '../abuse/kept'
import { APP_ID, orderOf } from '../abuse/made'
import { NOW } from '../domain/sample'
import { weeksOf } from '../domain/traffic-sample'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

/** Codes for one country that may be open at once of an app that sends little: then nobody types. */
const LET_IN = 44

/** More codes than are read at first, over ten hours. */
async function longDay(server: { issue(): Promise<unknown> }, clock: VirtualClock): Promise<void> {
  for (let n = 0; n < 6_000; n++) {
    if (n % 100 === 0) clock.leap(10 * MINUTE_MS)
    await server.issue()
  }
  clock.leap(HOUR_MS)
}

/** Refuses nothing. */
const WATCHED = { ...NEW_APP, conversion: 'watch', capping: 'watch', countries: 'watch' } as const

const LOG = { debug() {}, info() {}, warn() {}, error() {} }

/** What servers share, and their clock. */
function platform({ isKnown = true, protection = NEW_APP as Protection } = {}) {
  const clock = new VirtualClock(NOW)
  const random = seededRandom(1)
  const kept = new Kept({ hours: isKnown ? weeksOf({ verified: 6, unverified: 1 }) : [], lastDay: [] }, clock.now)
  const recorded: Findings[] = []
  let made = 0

  const server = ({ isAlone = false } = {}) => {
    const record = async (store: typeof kept.store, findings: Findings) => {
      await recordTraffic({ store, random, log: LOG }, findings)
      recorded.push(findings)
    }
    const traffic = new TrafficWatch({ store: kept.store, clock, record, isAlone })
    /** Asks for a code, whose number no other shares a prefix with; answers which rule refuses it. */
    const issue = async (
      changes: { phone?: string; country?: string; address?: string } = {},
    ): Promise<Rule | undefined> => {
      const n = made++
      const phone = `+8210${2_000 + n}0000`
      const asked = { kind: 'pk', phone, country: 'KR', address: `198.51.${n >> 8}.${n & 255}`, ...changes } as const
      const { facts, issue: make } = orderOf(asked, random, clock.now())
      const entrant = await traffic.acquire(APP_ID, facts)
      const finding = entrant.assess(protection, 1)
      if (finding?.isRefused) {
        entrant.release(undefined)
        entrant.recordHit(finding)
        return finding.rule
      }
      const order = make()
      kept.add(phone, order)
      entrant.release(order)
      if (finding) entrant.recordHit(finding)
      newest = order.issueId
      return undefined
    }
    return { traffic, issue }
  }
  type Server = ReturnType<typeof server>
  let newest = ''

  /** Each server looks every second. */
  const pass = async (ms: number, ...servers: Server[]) => {
    for (let left = ms; left > 0; left -= SECOND_MS) {
      clock.leap(SECOND_MS)
      for (const { traffic } of servers) await traffic.maintain()
    }
  }
  /** By another server, whose transaction takes its time. */
  const storeLate = async (count: number, ms: number, ...servers: Server[]) => {
    const orders = Array.from({ length: count }, (_, n) => {
      const phone = `+8210${9_000 + n}0000`
      const asked = { kind: 'pk', phone, country: 'KR', address: `203.0.113.${n}` } as const
      return { phone, issue: orderOf(asked, random, clock.now()).issue() }
    })
    await pass(ms, ...servers)
    for (const { phone, issue } of orders) kept.add(phone, issue)
  }
  const type = () =>
    kept.change(newest, (issue, now) => ({ ...issue, verificationStatus: 'verified', verifiedAt: now }))
  return { clock, kept, recorded, server, pass, storeLate, type }
}

/** Asks for so many at once; answers how many were let in. */
async function letIn(count: number, issue: () => Promise<Rule | undefined>): Promise<number> {
  let admitted = 0
  for (let n = 0; n < count; n++) if ((await issue()) === undefined) admitted++
  return admitted
}

/** As many codes as are let in, which nobody types, judged. */
async function attacked() {
  const world = platform()
  const [one, other] = [world.server(), world.server()]
  expect(await letIn(LET_IN + 5, one.issue)).toBe(LET_IN)
  await world.pass(4 * SECOND_MS, one, other)
  expect(await other.issue()).toBe('country_unverified')
  await world.pass(5 * MINUTE_MS, one, other)
  return { ...world, one, other }
}

describe('several servers', () => {
  test('know some seconds later what another has issued', async () => {
    const { server, pass } = platform()
    const [one, other] = [server(), server()]
    await other.issue()
    expect(await letIn(LET_IN + 5, one.issue)).toBe(LET_IN)
    await pass(8 * SECOND_MS, one, other)
    expect(await other.issue()).toBe('country_unverified')
    expect(await one.issue()).toBe('country_unverified')
  })

  test('suspect a country together, and open one incident', async () => {
    const { one, other, pass, kept } = await attacked()
    for (const { issue } of [one, other]) expect(await letIn(12, issue)).toBe(0)
    await pass(70 * SECOND_MS, one, other)
    expect(kept.incidents).toMatchObject([{ country: 'KR', kind: 'pk', endedAt: undefined }])
  })

  test('let in who was refused by one and is found again in what the other has sent', async () => {
    const { one, other, pass } = await attacked()
    const person = { phone: '+821077770000' }
    expect([await one.issue(person), await other.issue(person)]).toEqual(Array(2).fill('country_unverified'))
    await pass(30 * SECOND_MS, one, other)
    expect(await other.issue(person)).toBeUndefined()
  })

  test('count each code once, whoever issued it', async () => {
    const { server, pass } = platform()
    const [one, other] = [server(), server()]
    for (let n = 0; n < LET_IN; n++) {
      expect(await (n % 2 === 0 ? one : other).issue()).toBeUndefined()
      await pass(4 * SECOND_MS, one, other)
    }
    await pass(8 * SECOND_MS, one, other)
    expect([await one.issue(), await other.issue()]).toEqual(['country_unverified', 'country_unverified'])
  })
})

test('what was stored too late to be found at once takes nothing from what is counted when it is judged', async () => {
  const { server, pass, storeLate } = platform()
  const one = server()
  await one.issue()
  await storeLate(3, 5 * SECOND_MS, one)
  await pass(210 * SECOND_MS, one)
  expect(await letIn(30, one.issue)).toBe(30)
  await pass(30 * SECOND_MS, one)
  // Four are judged and count as lost; the young ones are all still there.
  expect(await letIn(20, one.issue)).toBe(LET_IN - 30 - 4)
})

describe('a server that starts in the middle', () => {
  test('suspects what is suspected', async () => {
    const { one, other, pass, server } = await attacked()
    await pass(10 * SECOND_MS, one, other)
    const started = server()
    expect(await started.issue()).toBe('country_unverified')
  })

  test('counts what was sent a moment before it started: its first wave does not pass a cap once more', async () => {
    const cap = { kind: 'pk', per: 'app', of: 'messages', every: 'hour', max: 20 } as const
    const { server, clock } = platform({ protection: { ...WATCHED, capping: 'block', caps: [cap] } })
    const one = server({ isAlone: true })
    for (let n = 0; n < 20; n++) expect(await one.issue()).toBeUndefined()
    clock.leap(100)
    const started = server({ isAlone: true })
    expect(await Promise.all(Array.from({ length: 20 }, () => started.issue()))).toEqual(Array(20).fill('cap'))
  })

  test('has read what was sent before anybody asks, of an app in use', async () => {
    const { server, pass, kept } = platform()
    const one = server()
    await one.issue()
    await pass(4 * SECOND_MS, one)
    const started = server({ isAlone: true })
    await started.traffic.begin()
    const before = kept.reads
    expect(await started.issue()).toBeUndefined()
    expect(kept.reads).toBe(before)
  })

  test('reads what came since the last snapshot and what is still to be judged, however many there were before', async () => {
    const { server, pass, kept } = platform({ protection: WATCHED })
    const one = server({ isAlone: true })
    for (let n = 0; n < 2_100; n++) {
      await one.issue()
      await pass(SECOND_MS, one)
    }
    expect(kept.snapshot).toBeDefined()
    const before = kept.issuesRead
    const started = server({ isAlone: true })
    await started.traffic.begin()
    expect(kept.issuesRead - before).toBeLessThan(700)
    kept.snapshot = undefined
    await server({ isAlone: true }).traffic.begin()
    expect(kept.issuesRead - before).toBeGreaterThan(2_100)
  })

  test('reads the newest of a long day without a snapshot at first, and all of it beside while codes go out', async () => {
    const cap = { kind: 'pk', per: 'app', of: 'messages', every: 'day', max: 6_000 } as const
    const { server, pass, kept, clock } = platform({ protection: { ...WATCHED, capping: 'block', caps: [cap] } })
    await longDay(server({ isAlone: true }), clock)
    expect(kept.snapshot).toBeUndefined()
    const before = kept.issuesRead
    const started = server({ isAlone: true })
    await started.traffic.begin()
    expect(kept.issuesRead - before).toBeWithin(5_000, 5_200)
    expect(await started.issue()).toBeUndefined()
    await pass(3 * SECOND_MS, started)
    expect(kept.issuesRead - before).toBeGreaterThan(11_000)
    expect(await started.issue()).toBe('cap')
  })

  test('keeps a long day that was read, also where no snapshot of it can be stored', async () => {
    const { server, pass, kept, clock } = platform({ protection: WATCHED })
    await longDay(server({ isAlone: true }), clock)
    kept.refusesSnapshots = true
    const started = server({ isAlone: true })
    await started.traffic.begin()
    const before = kept.issuesRead
    await pass(SECOND_MS, started).catch(() => {})
    const once = kept.issuesRead - before
    expect(once).toBeWithin(6_000, 8_000)
    for (let second = 0; second < 90; second++) await pass(SECOND_MS, started).catch(() => {})
    expect(kept.issuesRead - before).toBeWithin(once, once + 100)
    kept.refusesSnapshots = false
    await pass(MINUTE_MS, started)
    expect(kept.snapshot).toBeDefined()
  })

  test('goes on assessing while a long day is read, and waits for nothing when it is there', async () => {
    const { server, pass, kept, clock } = platform({ protection: WATCHED })
    await longDay(server({ isAlone: true }), clock)
    const started = server({ isAlone: true })
    await started.traffic.begin()
    const reading = started.traffic.maintain()
    for (let n = 0; n < 200; n++) expect(await started.issue()).toBeUndefined()
    await reading
    await pass(3 * SECOND_MS, started)
    const before = kept.issuesRead
    expect(await started.issue()).toBeUndefined()
    expect(kept.issuesRead - before).toBeLessThan(1_000)
  })

  test('does not go on from a snapshot of a later time, as after a clock was set back', async () => {
    const { server, pass, kept, clock } = platform({ protection: WATCHED })
    const one = server()
    for (let n = 0; n < 2_100; n++) await one.issue()
    await pass(3 * SECOND_MS, one)
    expect(kept.snapshot).toBeDefined()
    clock.step(-HOUR_MS)
    await one.issue()
    const before = kept.issuesRead
    await pass(3 * SECOND_MS)
    await server().traffic.begin()
    expect(kept.issuesRead - before).toBe(1)
  })

  test('reads nothing of an app that rests until somebody asks', async () => {
    const { server, pass, kept, clock } = platform()
    const one = server()
    await one.issue()
    await pass(4 * SECOND_MS, one)
    clock.leap(2 * HOUR_MS)
    const before = kept.reads
    await server().traffic.begin()
    expect(kept.reads).toBe(before)
  })

  test('knows young codes of before', async () => {
    const { server, pass } = platform()
    const one = server()
    await letIn(LET_IN + 5, one.issue)
    await pass(4 * SECOND_MS, one)
    expect(await server().issue()).toBe('country_unverified')
  })

  test.each([
    ['attacked', 0],
    ['that people use', 1],
  ])('decides of an app %s as one that was there', async (_, typed) => {
    const { server, pass, type } = platform()
    const one = server()
    for (let n = 0; n < 40; n++) {
      await one.issue({ country: n % 8 === 7 ? 'JP' : 'KR' })
      await pass(10 * SECOND_MS, one)
      if (typed > 0 && n % 6 !== 0) type()
      const started = server()
      const [there, anew] = [await one.issue(), await started.issue()]
      if (there !== anew) expect([n, there, anew]).toEqual([n, there, there])
    }
  })
})

describe('a clock that is set back', () => {
  test('leaves nobody waiting for codes that were young then', async () => {
    const { server, pass, clock } = platform()
    const one = server({ isAlone: true })
    expect(await letIn(LET_IN + 5, one.issue)).toBe(LET_IN)
    clock.step(-HOUR_MS)
    await pass(5 * SECOND_MS, one)
    expect(await letIn(LET_IN + 5, one.issue)).toBe(LET_IN)
  })

  test('counts nothing of a network twice', async () => {
    const { server, pass, clock, type } = platform()
    const one = server({ isAlone: true })
    const fromOne = () => one.issue({ address: '203.0.113.7' })
    for (let n = 0; n < 4; n++) {
      await fromOne()
      await pass(3 * MINUTE_MS, one)
      await one.issue()
      type()
    }
    clock.step(-10 * SECOND_MS)
    await pass(5 * SECOND_MS, one)
    expect(await fromOne()).toBeUndefined()
  })

  test('by some seconds sticks to nothing: two minutes later the young ones are judged', async () => {
    const { server, pass, clock } = platform({ isKnown: false })
    const one = server({ isAlone: true })
    await letIn(5, one.issue)
    clock.step(-1_500)
    await pass(5 * MINUTE_MS, one)
    clock.step(-90 * SECOND_MS)
    await pass(5 * MINUTE_MS, one)
    expect(one.traffic.digitsOf(APP_ID).size).toBe(0)
    expect(await letIn(3, one.issue)).toBe(3)
  })

  test('and one that jumps ahead forgets nothing of the day', async () => {
    const { server, pass, clock } = await attacked().then(({ one, other, ...world }) => ({ ...world, one, other }))
    clock.step(10 * MINUTE_MS)
    const started = server()
    await pass(5 * SECOND_MS, started)
    expect(await started.issue()).toBe('country_unverified')
  })
})

test('a server learns what is usual while it runs, as one that starts then', async () => {
  const { server, pass, clock, type } = platform({ isKnown: false })
  const one = server({ isAlone: true })
  for (let half = 0; half < 16; half++) {
    for (let n = 0; n < 5; n++) {
      await one.issue()
      type()
    }
    await pass(20 * SECOND_MS, one)
    clock.leap(DAY_MS / 2)
  }
  await pass(20 * SECOND_MS, one)
  expect(await letIn(LET_IN + 5, one.issue)).toBeLessThanOrEqual(LET_IN)
  await pass(4 * SECOND_MS, one)
  expect([await one.issue(), await server().issue()]).toEqual(['country_unverified', 'country_unverified'])
})

describe('what a server has found', () => {
  test('is stored every few seconds, and once', async () => {
    const { one, other, pass, recorded, kept } = await attacked()
    await letIn(30, one.issue)
    await pass(10 * SECOND_MS, one, other)
    await pass(70 * SECOND_MS, one, other)
    const times = recorded.flatMap(({ decisions }) => decisions).reduce((total, { times }) => total + times, 0)
    // Five at first at one server and one at the other, thirty now.
    expect(times).toBe(36)
    expect(kept.incidents[0]).toMatchObject({ refused: 36, isBlocked: true })
  })

  test.each([
    ['where little is usual', [], true],
    ['of which each has a traffic of its own', weeksOf({ verified: 6, unverified: 1 }), false],
  ])('is an incident of each of six countries %s: two refusals in each', (_, hours, areIncidents) => {
    const countries = ['JP', 'US', 'GB', 'ID', 'VN', 'PH']
    const known = countries.flatMap((country) => hours.map((hour) => ({ ...hour, country })))
    const traffic = new AppTraffic(APP_ID, new PrefixAndNetworkCounters(), known, NOW)
    const refused = { rule: 'cap', waitMs: MINUTE_MS, isRefused: true, price: 1 } as const
    for (const country of [...countries, ...countries]) {
      const asked = { kind: 'pk', phone: '+821023450000', country, address: '198.51.100.7' } as const
      traffic.recordHit(refused, traffic.bucketsOfRequest(orderOf(asked, seededRandom(1), NOW).facts), NOW)
    }
    const found = traffic.takeFindings(NOW).incidentUpdates.map(({ segment }) => segment.country)
    expect(found.sort()).toEqual(areIncidents ? countries.sort() : [])
  })

  test('is kept where it cannot be stored, and stored when that is over', async () => {
    const { one, other, pass, kept, recorded } = await attacked()
    const before = recorded.length
    kept.failure = new Error('full')
    await letIn(30, one.issue)
    expect(await pass(10 * SECOND_MS, one, other).catch((error: Error) => error.message)).toBe('full')
    expect(recorded).toHaveLength(before)
    kept.failure = undefined
    await pass(80 * SECOND_MS, one, other)
    expect(kept.incidents[0]).toMatchObject({ refused: 36 })
  })

  test('is stored when it stops', async () => {
    const { one, kept, pass, other } = await attacked()
    await letIn(12, one.issue)
    await pass(70 * SECOND_MS, one, other)
    const { refused = 0 } = kept.incidents[0] ?? {}
    await letIn(3, one.issue)
    await one.traffic.stop()
    expect(kept.incidents[0]?.refused).toBe(refused + 3)
  })
})

test('who is on its way in counts for others, and never for itself, however often it is looked at', async () => {
  const { server } = platform()
  const { traffic } = server({ isAlone: true })
  const asked = { kind: 'pk', phone: '+821023450000', country: 'KR', address: '198.51.100.7' } as const
  const { facts } = orderOf(asked, seededRandom(1), NOW)
  const cap = { kind: 'pk', per: 'prefix', of: 'messages', every: 'hour', max: 1 } as const
  const protection = { ...NEW_APP, caps: [cap] }
  const [one, other] = [await traffic.acquire(APP_ID, facts), await traffic.acquire(APP_ID, facts)]
  expect(one.isRefused(protection, 1)).toBe(false)
  expect(other.isRefused(protection, 1)).toBe(true)
  for (let look = 0; look < 3; look++) expect(one.assess(protection, 1)).toBeUndefined()
  expect(other.assess(protection, 1)?.rule).toBe('cap')
  one.release(undefined)
  expect(other.assess(protection, 1)).toBeUndefined()
  expect(one.isRefused(protection, 1)).toBe(true)
})

test('a prefix has its cap, however many others are asked for in vain', () => {
  const traffic = new AppTraffic(APP_ID, new PrefixAndNetworkCounters(), [], NOW)
  const asked = { kind: 'pk', phone: '+821023450000', country: 'KR', address: '198.51.100.7' } as const
  const { facts } = orderOf(asked, seededRandom(1), NOW)
  const cap = { kind: 'pk', per: 'prefix', of: 'messages', every: 'hour', max: 1 } as const
  const at = (prefix: string) => traffic.bucketsOfRequest({ ...facts, prefix })
  const findingOf = (prefix: string) => traffic.assess({ ...NEW_APP, caps: [cap] }, at(prefix), 1, NOW)
  traffic.acquire(at(facts.prefix))
  for (let n = 0; n < 20_000; n++) {
    expect(findingOf(`${n}`)?.rule).not.toBe('cap')
    // Refused for something else: no template, no credit, another code too soon.
    traffic.acquire(at(`${n}`)).release()
  }
  expect(findingOf(facts.prefix)?.rule).toBe('cap')
})

test('an app of which nobody asks anything for a day is forgotten, and known again when somebody does', async () => {
  const { server, clock, pass } = platform({ protection: WATCHED })
  const one = server({ isAlone: true })
  const known = async () => {
    for (let n = 0; n < 40; n++) await one.issue({ phone: `+82102345${1_000 + n}` })
    return one.traffic.digitsOf(APP_ID).size
  }
  expect(await known()).toBeGreaterThan(0)
  clock.leap(DAY_MS + SECOND_MS)
  await pass(2 * SECOND_MS, one)
  expect(one.traffic.digitsOf(APP_ID).size).toBe(0)
  expect(await known()).toBeGreaterThan(0)
})
