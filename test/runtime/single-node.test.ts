/** A server that has its database to itself. */
import { expect, test } from 'bun:test'
import { singleNode } from '../../src/runtime/single-node'
import { World } from '../support/world'

test('reads the last day once when it is told to, and says that it has', async () => {
  const world = await World.open()
  const { store, clock, config } = world
  let settled = 0
  const node = singleNode({
    ...{ store, clock, limits: config.limits, maxBacklog: 1, record: async () => {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    warmedUp: () => void settled++,
  })
  await node.start({ alone: true })
  expect(settled).toBe(0)
  await Promise.all([node.warm(), node.warm()])
  expect(settled).toBe(1)
  await node.stop()
  await world.stop()
})
