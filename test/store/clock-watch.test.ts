/** When a server concludes that the database's clock was set back. */
import { describe, expect, test } from 'bun:test'
import { ClockWatch } from '../../src/store/clock-watch'

/** Answers at once, unless `afterMs` says otherwise. */
const look = (elapsed: number, stamped: number, { followedMs = 0, afterMs = 0 } = {}) => ({
  ...{ stamped, followedMs, sentAt: elapsed - afterMs, answeredAt: elapsed },
})

describe('a clock is set back', () => {
  test.each<[string, Array<ReturnType<typeof look>>, number[]]>([
    ['when it says less than it must', [look(0, 5_000), look(10, 4_010)], [0, 1_000]],
    ['not when it is only corrected, however often', [look(0, 5_000), look(0, 4_001), look(0, 3_002)], [0, 0, 0]],
    ['by what it was set forward before', [look(0, 0), look(10, 9_010), look(20, 20)], [0, 0, 9_000]],
    ['not once somebody has followed', [look(0, 5_000), look(10, 10, { followedMs: 5_000 })], [0, 0]],
    ['again, after somebody has', [look(0, 5_000), look(10, -3_990, { followedMs: 5_000 })], [0, 4_000]],
    ['not because an answer was late', [look(0, 0), look(9_000, 0, { afterMs: 9_000 }), look(9_001, 9_001)], [0, 0, 0]],
    ['at least by what a late answer says', [look(0, 0), look(9_000, -2_000, { afterMs: 9_000 })], [0, 2_000]],
  ])('%s', (_, looks, expected) => {
    const watch = new ClockWatch()
    expect(looks.map((seen) => watch.setBackMs(seen))).toEqual(expected)
  })
})
