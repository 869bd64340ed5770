/** How much there was lately, by five numbers. */
import { describe, expect, test } from 'bun:test'
import { SlidingCounter } from '../../src/domain/access/sliding-window'
import { HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { seededRandom } from '../support/random'

/** Where a window begins. */
const BEGIN = 500_000 * HOUR_MS

/** So many at each of these minutes. */
function counted(amounts: ReadonlyArray<readonly [amount: number, minute: number]>): SlidingCounter {
  const sliding = new SlidingCounter(HOUR_MS)
  for (const [amount, minute] of amounts) sliding.add(amount, BEGIN + minute * MINUTE_MS)
  return sliding
}
const totals = (sliding: SlidingCounter, minutes: readonly number[]) =>
  minutes.map((minute) => sliding.total(BEGIN + minute * MINUTE_MS))

describe('what a window has had', () => {
  test('is all of its quarters, and of the one before the share that is left of it', () => {
    expect(
      totals(
        counted([
          [8, 0],
          [3, 20],
        ]),
        [20, 59, 60, 63, 72, 75, 80],
      ),
    ).toEqual([11, 11, 11, 9.4, 4.6, 3, 2])
  })

  test('is forgotten after a window and a quarter', () => {
    expect(totals(counted([[8, 14]]), [14, 59, 67.5, 74, 75, 200])).toEqual([8, 8, 4, 8 / 15, 0, 0])
    expect(
      totals(
        counted([
          [8, 0],
          [1, 600],
        ]),
        [600, 659],
      ),
    ).toEqual([1, 1])
  })

  test('counts at once what is told late, and what is taken back', () => {
    expect(
      totals(
        counted([
          [1, 60],
          [4, 0],
          [-2, 61],
        ]),
        [61],
      ),
    ).toEqual([3])
  })

  test('is what there was, but for what came in the quarter before it', () => {
    const { below } = seededRandom(7)
    const sliding = new SlidingCounter(HOUR_MS)
    const times: number[] = []
    for (let at = BEGIN; at < BEGIN + 24 * HOUR_MS; at += below(6 * MINUTE_MS)) {
      sliding.add(1, at)
      times.push(at)
      const within = (ms: number) => times.filter((time) => time > at - ms).length
      expect(sliding.total(at)).toBeGreaterThanOrEqual(within(0.75 * HOUR_MS))
      expect(sliding.total(at)).toBeLessThanOrEqual(within(1.25 * HOUR_MS))
      expect(sliding.most(at)).toBeGreaterThanOrEqual(within(HOUR_MS))
    }
  })
})

test('at most there was all of it, and of the quarter before', () => {
  const sliding = counted([
    [8, 14],
    [3, 15],
  ])
  const most = [15, 60, 74, 75, 89, 90].map((minute) => sliding.most(BEGIN + minute * MINUTE_MS))
  expect(most).toEqual([11, 11, 11, 3, 3, 0])
})

describe('how long until there are fewer', () => {
  test('is nothing where there are', () => {
    expect(counted([[4, 0]]).waitMs(5, BEGIN)).toBe(0)
  })

  test.each([
    ['of one quarter', [[8, 0]], 0],
    ['of one quarter, later', [[8, 0]], 40],
    ['of one quarter, while it goes', [[8, 0]], 62],
    ['of one quarter, while there are just as many', [[8, 0]], 65.625],
    [
      'of two',
      [
        [6, 0],
        [3, 20],
      ],
      25,
    ],
    [
      'of two, where the later one alone is too many',
      [
        [6, 0],
        [7, 20],
      ],
      30,
    ],
  ] as const)('is when it comes about, and not before: %s', (_, amounts, minute) => {
    const sliding = counted(amounts)
    const now = BEGIN + minute * MINUTE_MS
    const waitMs = sliding.waitMs(5, now)
    expect(waitMs).toBeGreaterThan(0)
    expect(sliding.total(now + waitMs + 1)).toBeLessThan(5)
    expect(sliding.total(now + waitMs - 1)).toBeGreaterThanOrEqual(5)
  })

  test('is two windows where there cannot be fewer', () => {
    expect(counted([[1, 0]]).waitMs(0, BEGIN)).toBe(2 * HOUR_MS)
  })

  test('surely is when the part has gone in which they came', () => {
    const sliding = counted([
      [6, 14],
      [3, 20],
    ])
    const surely = (max: number) => sliding.surelyWaitMs(max, BEGIN + 25 * MINUTE_MS) / MINUTE_MS
    expect([10, 9, 5, 3].map(surely)).toEqual([0, 50, 50, 65])
    expect(surely(0)).toBe(120)
  })
})

test('what is stored goes on as what it was stored of', () => {
  const { below } = seededRandom(11)
  const sliding = new SlidingCounter(HOUR_MS)
  for (let at = BEGIN; at < BEGIN + 12 * HOUR_MS; at += below(40 * MINUTE_MS)) {
    sliding.add(1 + below(3), at)
    const restored = new SlidingCounter(HOUR_MS)
    restored.restore(sliding.state)
    for (const minutes of [0, 14, 44, 61, 90]) {
      const later = at + minutes * MINUTE_MS
      expect([restored.total(later), restored.most(later)]).toEqual([sliding.total(later), sliding.most(later)])
    }
    restored.add(2, at + 20 * MINUTE_MS)
    expect(restored.most(at + 20 * MINUTE_MS)).toBe(sliding.most(at + 20 * MINUTE_MS) + 2)
  }
})
