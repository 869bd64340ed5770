import { describe, expect, test } from 'bun:test'
import type { Store } from '../../src/ports/store'
import { orderedIds, watchStore } from '../../src/runtime/store-watch'
import { NOW } from '../domain/sample'
import { VirtualClock } from '../support/clock'
import { errorOf } from '../support/error-of'
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
    expect((await errorOf(refused)).message).toContain('refused')
    expect([load.writeFailures(), load.waitingMs()]).toEqual([0, 0])
  })

  test('what could not be stored is, be it a transaction or a look whether it can be written', async () => {
    const { store, load, begin, breaks } = watching()
    await store.assertWritable()
    expect(load.writeFailures()).toBe(0)
    breaks()
    const broken = store.transaction(async () => {})
    await begin()
    expect((await errorOf(broken)).message).toContain('full')
    expect(load.writeFailures()).toBe(1)
    expect((await errorOf(store.assertWritable())).message).toContain('full')
    expect(load.writeFailures()).toBe(2)
  })
})

test('ids follow each other, also when the clock goes back, but for one that was wrong by more than a day, and those made beside each other', () => {
  const DAY_MS = 24 * 60 * 60_000
  const times: number[] = []
  const random = orderedIds({ ...seededRandom(1), uuid: (now) => String(times.push(now)) })
  for (const at of [NOW, NOW - 40_000, NOW + 5, NOW + 5 - DAY_MS, NOW - 1, NOW + 4 - DAY_MS, NOW - DAY_MS])
    random.uuid(at)
  expect(times).toEqual([NOW, NOW, NOW + 5, NOW + 5, NOW - 1, NOW + 4 - DAY_MS, NOW - DAY_MS])
})
