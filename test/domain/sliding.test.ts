/** How much there was lately, by two numbers. */
import { describe, expect, test } from 'bun:test'
import { Sliding } from '../../src/domain/sliding'
import { HOUR_MS, MINUTE_MS } from '../../src/domain/value'

/** Where a window begins. */
const BEGIN = 500_000 * HOUR_MS

/** So many at each of these moments. */
function counted(amounts: ReadonlyArray<readonly [amount: number, at: number]>): Sliding {
  const sliding = new Sliding(HOUR_MS)
  for (const [amount, at] of amounts) sliding.add(amount, at)
  return sliding
}

describe('what a window has had', () => {
  test('is all of the running one, and of the one before the share that is left of it', () => {
    const sliding = counted([
      [8, BEGIN + MINUTE_MS],
      [3, BEGIN + HOUR_MS],
    ])
    expect(sliding.total(BEGIN + HOUR_MS)).toBe(8 + 3)
    expect(sliding.total(BEGIN + 1.25 * HOUR_MS)).toBe(6 + 3)
    expect(sliding.total(BEGIN + 1.75 * HOUR_MS)).toBe(2 + 3)
  })

  test('fades when nothing more comes, and is forgotten after two windows', () => {
    const sliding = counted([[8, BEGIN]])
    expect(sliding.total(BEGIN + HOUR_MS - 1)).toBe(8)
    expect(sliding.total(BEGIN + 1.5 * HOUR_MS)).toBe(4)
    expect(sliding.total(BEGIN + 2 * HOUR_MS)).toBe(0)
    expect(
      counted([
        [8, BEGIN],
        [1, BEGIN + 2 * HOUR_MS],
      ]).total(BEGIN + 2 * HOUR_MS),
    ).toBe(1)
  })

  test('counts at once what is told late, and what is taken back', () => {
    const sliding = counted([
      [1, BEGIN + HOUR_MS],
      [4, BEGIN],
      [-2, BEGIN + HOUR_MS],
    ])
    expect(sliding.total(BEGIN + 2 * HOUR_MS - 1)).toBe(3)
  })
})

test('at most there was all of both windows, until there was nothing for one', () => {
  const sliding = counted([
    [8, BEGIN + MINUTE_MS],
    [3, BEGIN + HOUR_MS],
  ])
  expect([0, 1, 1.9, 2, 2.9, 3].map((hours) => sliding.most(BEGIN + hours * HOUR_MS))).toEqual([11, 11, 11, 3, 3, 0])
})

describe('how long until there are fewer', () => {
  test('is nothing where there are', () => {
    expect(counted([[4, BEGIN]]).waitMs(5, BEGIN)).toBe(0)
  })

  test.each([
    ['of the running window', [[8, BEGIN]], 0],
    ['of the running window, later', [[8, BEGIN]], 40],
    ['of the one before', [[8, BEGIN - HOUR_MS]], 10],
    [
      'of both',
      [
        [6, BEGIN - HOUR_MS],
        [3, BEGIN],
      ],
      5,
    ],
    [
      'of both, where the running one alone is too many',
      [
        [6, BEGIN - HOUR_MS],
        [7, BEGIN],
      ],
      30,
    ],
  ] as const)('is when it comes about, and not before: %s', (_, amounts, minutes) => {
    const sliding = counted(amounts)
    const now = BEGIN + minutes * MINUTE_MS
    const waitMs = sliding.waitMs(5, now)
    expect(waitMs).toBeGreaterThan(0)
    expect(sliding.total(now + waitMs + 1)).toBeLessThan(5)
    expect(sliding.total(now + waitMs - 1)).toBeGreaterThanOrEqual(5)
  })

  test('is two windows where there cannot be fewer', () => {
    expect(counted([[1, BEGIN]]).waitMs(0, BEGIN)).toBe(2 * HOUR_MS)
  })
})
