/** What a server does about a clock that is set back: it notices a second, once, before anything else is stored. */
import { describe, expect, test } from 'bun:test'
import type { Store } from '../../src/ports/store'
import { followClock, orderedIds } from '../../src/runtime/store-watch'
import { NOW } from '../domain/sample'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'

const DAY_MS = 24 * 60 * 60_000

/** A store that tells what is done to it, in order; `failures`: so often it cannot be mended; `standsStill`: after so many looks at a clock. */
function following({ failures = 0, standsStill = -1 } = {}) {
  const done: Array<number | 'unit'> = []
  const setBack = async (byMs: number) => {
    if (failures-- > 0) throw new Error('full')
    done.push(byMs)
  }
  const transaction = (async (work) => work({ clock: { setBack } } as never)) as Store['transaction']
  const clock = new VirtualClock(NOW)
  const looking = (look: () => number) => () => {
    const seen = look()
    if (standsStill-- === 0) clock.leap(5_000)
    return seen
  }
  const looked = { ...clock, now: looking(clock.now), elapsed: looking(clock.elapsed) }
  const store = followClock({ transaction } as Store, looked, seededRandom(1))
  const work = () => store.transaction(async () => void done.push('unit'))
  return { done, clock, work }
}

describe('a clock that is set back', () => {
  test.each<[number, Array<number | 'unit'>]>([
    [999, ['unit', 'unit']],
    [1_000, [1_000, 'unit', 'unit']],
  ])('by %d ms', async (byMs, expected) => {
    const { done, clock, work } = following()
    clock.step(-byMs)
    await work()
    await work()
    expect(done).toEqual(expected)
  })

  test('by a little again and again is only corrected', async () => {
    const { done, clock, work } = following()
    for (let n = 0; n < 3; n++) {
      clock.step(-900)
      await work()
    }
    expect(done).toEqual(['unit', 'unit', 'unit'])
  })

  test('is mended once for all that wait, and by as much as it was set forward before', async () => {
    const { done, clock, work } = following()
    clock.step(5_000)
    await work()
    clock.step(-3_000)
    await Promise.all([work(), work()])
    clock.step(-2_000)
    await work()
    expect(done).toEqual(['unit', 3_000, 'unit', 'unit', 2_000, 'unit'])
  })

  test('is none where the process stands still while it looks', async () => {
    for (let look = 0; look < 12; look++) {
      const { done, work } = following({ standsStill: look })
      for (let n = 0; n < 4; n++) await work()
      expect([look, done]).toEqual([look, ['unit', 'unit', 'unit', 'unit']])
    }
  })

  test('and could not be mended is mended with what comes next', async () => {
    const { done, clock, work } = following({ failures: 1 })
    clock.step(-3_000)
    await expect(work()).rejects.toThrow('full')
    await work()
    expect(done).toEqual([3_000, 'unit'])
  })
})

test('ids follow each other, also when the clock goes back, but for one that was wrong by more than a day', () => {
  const times: number[] = []
  const random = orderedIds({ ...seededRandom(1), uuid: (now) => String(times.push(now)) })
  for (const at of [NOW, NOW - 1, NOW + 5, NOW + 5 - DAY_MS, NOW + 4 - DAY_MS, NOW - DAY_MS]) random.uuid(at)
  expect(times).toEqual([NOW, NOW, NOW + 5, NOW + 5, NOW + 4 - DAY_MS, NOW + 4 - DAY_MS])
})
