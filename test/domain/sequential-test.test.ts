/** The one test: how many wishes may be lost before a place is suspected, and how that ends. */
import { describe, expect, test } from 'bun:test'
import { Place } from '../../src/abuse/rules/place'
import { SAYS_NOTHING_BELOW, SequentialTest } from '../../src/abuse/rules/sequential-test'
import { HOUR_MS, SECOND_MS } from '../../src/domain/shared/value'
import { seededRandom } from '../support/random'
import { NOW } from './sample'

const NOTHING_YOUNG = { excess: 0, kept: 0 }
const isAlarmed = (suspicion: SequentialTest, lostShare: number, at = NOW, young = NOTHING_YOUNG) =>
  suspicion.level(young, lostShare, at) >= 1

/** Wishes at which an alarm is raised, of so many at most: each is kept with that chance. */
function alarmedAfter(keptShare: number, lostShare: number, most: number, seed = 1): number | undefined {
  const { chance } = seededRandom(seed)
  const suspicion = new SequentialTest()
  for (let n = 1; n <= most; n++) {
    suspicion.record(chance(keptShare) ? 'kept' : 'lost', lostShare, NOW)
    if (isAlarmed(suspicion, lostShare)) return n
  }
  return undefined
}

describe('a place where nobody types', () => {
  test.each([
    [0.05, 17],
    [0.1, 19],
    [0.3, 29],
    [0.5, 46],
  ])('is suspected soon, where usually a share of %d is lost: after %d wishes', (lostShare, wishes) => {
    expect(alarmedAfter(0, lostShare, 100)).toBe(wishes)
  })
})

describe('a place that keeps 65 % or more of its usual share', () => {
  test.each([0.1, 0.3, 0.5])('raises fewer than one alarm in ten thousand wishes, where %d is lost', (lostShare) => {
    const [runs, each] = [40, 10_000]
    const alarms = Array.from({ length: runs }, (_, n) =>
      alarmedAfter(0.65 * (1 - lostShare), lostShare, each, n + 1),
    ).filter((after) => after !== undefined)
    expect(alarms.length).toBeLessThan(runs)
  })

  test('raises none at its usual share', () => {
    for (let seed = 1; seed <= 20; seed++) expect(alarmedAfter(0.9, 0.1, 10_000, seed)).toBeUndefined()
  })
})

test('a place that keeps a third of its usual share is suspected within some hundred wishes', () => {
  for (let seed = 1; seed <= 20; seed++) expect(alarmedAfter(0.3, 0.1, 400, seed)).toBeLessThan(400)
})

describe('a finding', () => {
  function alarmed(): SequentialTest {
    const suspicion = new SequentialTest()
    for (let n = 0; n < 200; n++) suspicion.record('lost', 0.1, NOW + n * SECOND_MS)
    return suspicion
  }

  test('is told as sums since it began', () => {
    const suspicion = alarmed()
    suspicion.record('kept', 0.1, NOW + 200 * SECOND_MS)
    expect(suspicion.state).toMatchObject({ since: NOW, kept: 1, lost: 200 })
  })

  test('is outweighed by people who type, however long it lasted', () => {
    const suspicion = alarmed()
    let typed = 0
    for (; isAlarmed(suspicion, 0.1, NOW); typed++) suspicion.record('kept', 0.1, NOW)
    expect(typed).toBeLessThan(30)
    for (; typed < 40; typed++) suspicion.record('kept', 0.1, NOW)
    expect(suspicion.state).toEqual({ score: 0, at: 0, since: 0, kept: 0, lost: 0 })
  })

  test('is half forgotten in six hours', () => {
    const suspicion = alarmed()
    expect(suspicion.level(NOTHING_YOUNG, 0.1, NOW + 6 * HOUR_MS)).toBeCloseTo(
      suspicion.level(NOTHING_YOUNG, 0.1, NOW) / 2,
      1,
    )
  })

  test('is not outweighed by young codes, which may still be lost', () => {
    expect(isAlarmed(alarmed(), 0.1, NOW, { excess: 0, kept: 100 })).toBe(true)
  })
})

describe('open wishes', () => {
  test('count as lost beyond what is usual, less what is typed meanwhile', () => {
    const suspicion = new SequentialTest()
    const alarmedAt = (young: typeof NOTHING_YOUNG) => isAlarmed(suspicion, 0.1, NOW, young)
    expect([18, 19].map((excess) => alarmedAt({ excess, kept: 0 }))).toEqual([false, true])
    expect([19, 40].map((excess) => alarmedAt({ excess, kept: 5 }))).toEqual([false, true])
  })
})

test('few phones say nothing, however often they are asked for', () => {
  const suspected = (phones: number) => {
    const place = new Place()
    for (let n = 0; n < phones; n++) place.notePhone(n)
    for (let n = 0; n < 100; n++) place.suspicion.record('lost', 0.1, NOW)
    return place.isSuspected({ lostShare: 0.1, open: 0 }, 1, NOW)
  }
  expect([SAYS_NOTHING_BELOW - 1, SAYS_NOTHING_BELOW].map(suspected)).toEqual([false, true])
})

test('a place is suspected half or twice as soon, as its owner tolerates', () => {
  const place = new Place()
  for (let n = 0; n < 64; n++) place.notePhone(n)
  const after = [0.5, 1, 2].map((tolerance) => {
    for (let lost = 1; ; lost++) {
      place.suspicion.record('lost', 0.1, NOW)
      if (place.isSuspected({ lostShare: 0.1, open: 0 }, tolerance, NOW)) {
        place.suspicion.forget()
        return lost
      }
    }
  })
  expect(after).toEqual([10, 19, 37])
})
