/** What several servers count together, where giving back takes its time. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Fleet } from '../../src/ports/node'
import { World } from '../support/world'

let world: World
let key: string
/** Ends what is being given back. */
let ends: Array<() => void>

const late: Fleet = {
  nodeId: 'this one',
  heartbeat: async () => [],
  forget: async () => {},
  acquire: async () => ({ release: () => new Promise((resolve) => ends.push(resolve)) }),
}

beforeEach(async () => {
  ends = []
  world = await World.start({ fleet: late })
  key = (await world.furnish()).test
})
afterEach(() => world.stop())

const issue = (change: object = {}, by = world) =>
  by.call('rest', 'issue', { phoneNumber: '010-0000-0000', purpose: 'p', idempotencyKey: 'k', ...change }, { key })

test.each<[string, number, object]>([
  ['a replay', 200, {}],
  ['what the transaction refuses', 409, { purpose: 'another' }],
  ['what is refused before', 400, { phoneNumber: 'nonsense' }],
])('%s is answered once it counts no more', async (_, status, change) => {
  expect((await issue()).status).toBe(200)
  // Who has issued it counts nothing for a replay.
  const beside = await World.open({ place: world.place, clock: world.clock, fleet: late })
  let answered: number | undefined
  const answering = issue(change, beside).then((answer) => {
    answered = answer.status
  })
  while (ends.length === 0) await world.settle()
  await world.settle()
  expect(answered).toBeUndefined()
  while (answered === undefined) {
    for (const end of ends.splice(0)) end()
    await world.settle()
  }
  await answering
  expect(answered).toBe(status)
  await beside.store.close()
})
