/** How late a server may learn of changed settings, whatever the network does. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { SettingsWatch } from '../../src/store/postgres/settings'
import type { Querying } from '../../src/store/session'
import { VirtualClock } from '../support/clock'

/** Age from which a version is not used any more, so that a change holds everywhere. */
const STALE_MS = 1_500

let clock: VirtualClock
let stored: number
let isSlow: boolean
/** Answers not yet delivered. */
let underWay: Array<() => void>
let watch: SettingsWatch

beforeEach(() => {
  clock = new VirtualClock(0)
  stored = 1
  isSlow = false
  underWay = []
  const asked = {
    get: () => {
      const seen = String(stored)
      return isSlow ? new Promise((answer) => underWay.push(() => answer(seen))) : Promise.resolve(seen)
    },
  } as unknown as Querying
  watch = new SettingsWatch(asked, clock.elapsed)
})

/** Resolves once everything that has arrived is handled. */
const heard = () => new Promise((resolve) => setImmediate(resolve))

describe('a look whose answer is long under way', () => {
  test('answers nobody who asks after a change held everywhere', async () => {
    isSlow = true
    const first = watch.current()
    stored = 2
    clock.leap(STALE_MS)
    const late = watch.current()
    for (const arrive of underWay) arrive()
    expect([await first, await late]).toEqual(['1', '2'])
  })

  test('does not come back as the newest when it arrives last', async () => {
    await watch.current()
    clock.leap(STALE_MS)
    isSlow = true
    void watch.current()
    stored = 2
    clock.leap(STALE_MS)
    const late = watch.current()
    underWay[1]?.()
    expect(await late).toBe('2')
    underWay[0]?.()
    await heard()
    expect(await watch.current()).toBe('2')
  })

  test('keeps nobody from an answer that is fresh enough, and is not asked for again and again', async () => {
    await watch.current()
    clock.leap(600)
    isSlow = true
    for (let times = 0; times < 5; times++, clock.leap(100)) expect(await watch.current()).toBe('1')
    expect(underWay).toHaveLength(1)
  })
})
