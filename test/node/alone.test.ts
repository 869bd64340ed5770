/** A server that has its database to itself. */
import { expect, test } from 'bun:test'
import { alone } from '../../src/node/alone'
import { World } from '../support/world'

test('reads the last day when it is told to, and says once that it has', async () => {
  const world = await World.open()
  const { store, clock, random, config } = world
  const seen: Array<Promise<void> | undefined> = []
  const read = Promise.withResolvers<void>()
  const node = alone({
    ...{ store, clock, random, limits: config.limits, maxBacklog: 1, record: async () => {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    settled() {
      seen.push(node.limits.recalled())
      read.resolve()
    },
  })
  await node.start({ alone: true })
  expect(seen).toEqual([])
  node.warmUp()
  await read.promise
  expect(seen).toEqual([undefined])
  await node.stop()
  await world.stop()
})
