/** When a server begins to limit: not before it has counted what was issued before it started, and trying until it can. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { LocalLimits } from '../../src/node/limits'
import type { Reader } from '../../src/ports/store'
import { World } from '../support/world'

let world: World
beforeEach(async () => {
  world = await World.start()
})
afterEach(() => world.stop())

/** `failures`: so many looks at what was issued fail. */
function limitsOf(failures: number) {
  const looks: number[] = []
  const apps: Reader['apps'] = {
    ...world.store.read.apps,
    withRemoved: () => {
      looks.push(world.clock.now())
      return looks.length > failures ? world.store.read.apps.withRemoved() : Promise.reject(new RangeError('broken'))
    },
  }
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (fields: object) => void world.logged.push(JSON.stringify(fields)),
  }
  const { clock, config } = world
  return { limits: new LocalLimits({ read: { ...world.store.read, apps }, clock, log, limits: config.limits }), looks }
}

test('whoever would issue has what was issued before counted, and waits for it; afterwards nobody waits', async () => {
  const { limits, looks } = limitsOf(0)
  const recalled = limits.recalled()
  expect(recalled).toBeInstanceOf(Promise)
  expect(limits.recalled()).toBe(recalled)
  await recalled
  expect(limits.recalled()).toBeUndefined()
  await limits.begin()
  await world.advance(60_000)
  expect(looks).toHaveLength(1)
})

test('a count that fails is made again every second, until it succeeds', async () => {
  const begunAt = world.clock.now()
  const { limits, looks } = limitsOf(2)
  await limits.begin()
  expect(limits.recalled()).toBeInstanceOf(Promise)
  await world.advance(60_000)
  expect(looks.map((at) => at - begunAt)).toEqual([0, 1_000, 2_000])
  expect(limits.recalled()).toBeUndefined()
  expect(world.logged.filter((line) => line === '{"err":"RangeError"}')).toHaveLength(2)
})

test('who has stopped counts no more, whether it was about to or just failed', async () => {
  const failed = limitsOf(9)
  await failed.limits.begin()
  failed.limits.stop()
  const stopped = limitsOf(9)
  stopped.limits.stop()
  await stopped.limits.begin()
  await world.advance(60_000)
  for (const { looks } of [failed, stopped]) expect(looks).toHaveLength(1)
})
