import { describe, expect, test } from 'bun:test'
import type { Store } from '../../src/ports/store'
import { followClock, orderedIds, watchStore } from '../../src/runtime/store-watch'
import { NOW } from '../domain/sample'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'

/** It measures how long transactions wait for their turn, and how many writes fail. */
describe('watchStore', () => {
  function watching() {
    const turns: Array<() => void> = []
    let disk: Error | undefined
    const transaction = (async (work) => {
      await new Promise<void>((begin) => turns.push(begin))
      const answer = await work({} as never)
      if (disk) throw disk
      return answer
    }) as Store['transaction']
    const assertWritable = async () => {
      if (disk) throw disk
    }
    const clock = new VirtualClock(NOW)
    const { store, load } = watchStore({ transaction, assertWritable } as Store, clock)
    const breaks = () => {
      disk = new Error('full')
    }
    const begin = async () => {
      turns.shift()?.()
      await Promise.resolve()
    }
    return { store, load, clock, begin, breaks }
  }

  test('the oldest transaction that has not begun says how long one waits', async () => {
    const { store, load, clock, begin } = watching()
    expect(load.waitingMs()).toBe(0)
    const first = store.transaction(async () => {})
    clock.fireNext(30)
    const second = store.transaction(async () => {})
    clock.fireNext(20)
    expect(load.waitingMs()).toBe(50)
    await begin()
    expect(load.waitingMs()).toBe(20)
    await begin()
    expect(load.waitingMs()).toBe(0)
    await Promise.all([first, second])
    expect(load.writeFailures()).toBe(0)
  })

  test('what a transaction itself refuses is no failure of the disk', async () => {
    const { store, load, begin } = watching()
    const refused = store.transaction(async () => {
      throw new Error('refused')
    })
    await begin()
    await expect(refused).rejects.toThrow('refused')
    expect([load.writeFailures(), load.waitingMs()]).toEqual([0, 0])
  })

  test('what could not be stored is, be it a transaction or a look whether it can be written', async () => {
    const { store, load, begin, breaks } = watching()
    await store.assertWritable()
    expect(load.writeFailures()).toBe(0)
    breaks()
    const broken = store.transaction(async () => {})
    await begin()
    await expect(broken).rejects.toThrow('full')
    expect(load.writeFailures()).toBe(1)
    await expect(store.assertWritable()).rejects.toThrow('full')
    expect(load.writeFailures()).toBe(2)
  })
})

/** It notices once that the clock was set back, before anything else is stored. */
describe('followClock', () => {
  const DAY_MS = 24 * 60 * 60_000

  /** A store that tells what is done to it, in order; `failures`: so often it cannot be mended; `standsStill`: after so many looks at a clock. */
  function following({ failures = 0, standsStill = -1 } = {}) {
    const done: Array<number | 'work'> = []
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
    const work = () => store.transaction(async () => void done.push('work'))
    return { done, clock, work }
  }

  describe('a clock that is set back', () => {
    test.each<[number, Array<number | 'work'>]>([
      [999, ['work', 'work']],
      [1_000, [1_000, 'work', 'work']],
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
      expect(done).toEqual(['work', 'work', 'work'])
    })

    test('is mended once for all that wait, and by as much as it was set forward before', async () => {
      const { done, clock, work } = following()
      clock.step(5_000)
      await work()
      clock.step(-3_000)
      await Promise.all([work(), work()])
      clock.step(-2_000)
      await work()
      expect(done).toEqual(['work', 3_000, 'work', 'work', 2_000, 'work'])
    })

    test('is none where the process stands still while it looks', async () => {
      for (let look = 0; look < 12; look++) {
        const { done, work } = following({ standsStill: look })
        for (let n = 0; n < 4; n++) await work()
        expect([look, done]).toEqual([look, ['work', 'work', 'work', 'work']])
      }
    })

    test('and could not be mended is mended with what comes next', async () => {
      const { done, clock, work } = following({ failures: 1 })
      clock.step(-3_000)
      await expect(work()).rejects.toThrow('full')
      await work()
      expect(done).toEqual([3_000, 'work'])
    })
  })

  test('ids follow each other, also when the clock goes back, but for one that was wrong by more than a day', () => {
    const times: number[] = []
    const random = orderedIds({ ...seededRandom(1), uuid: (now) => String(times.push(now)) })
    for (const at of [NOW, NOW - 1, NOW + 5, NOW + 5 - DAY_MS, NOW + 4 - DAY_MS, NOW - DAY_MS]) random.uuid(at)
    expect(times).toEqual([NOW, NOW, NOW + 5, NOW + 5, NOW + 4 - DAY_MS, NOW + 4 - DAY_MS])
  })
})
