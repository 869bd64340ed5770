import { expect, test } from 'bun:test'
import type { NodeState } from '../../src/domain/operations/node'
import { shareOfSlots } from '../../src/runtime/cluster'

const nodes = (count: number): NodeState[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ nodeId: `node-${n}`, name: `host:${n}`, version: '1', isLeaving: false },
    ...{ startedAt: 0, seenAt: 0, lagMs: 0 },
  }))
const shares = (places: number, count: number, servers?: number) =>
  nodes(count).map(({ nodeId }) => shareOfSlots(places, nodes(count), nodeId, servers))

test.each([
  [128, 1, [128]],
  [10, 3, [4, 3, 3]],
  [2, 3, [1, 1, 0]],
])('%d places at a carrier are shared out among %d servers, all of them and no more', (places, count, expected) => {
  expect(shares(places, count)).toEqual(expected)
})

test.each([
  [10, 3, 2, [5, 5, 0]],
  [10, 3, 1, [10, 0, 0]],
  [10, 2, 5, [5, 5]],
])('%d places for %d servers, of which %d may be there, are those of the first', (places, count, servers, expected) => {
  expect(shares(places, count, servers)).toEqual(expected)
})

test('a server that nobody knows of yet waits for its share, and the first of all has everything', () => {
  expect(shareOfSlots(10, nodes(2), 'new')).toBe(0)
  expect(shareOfSlots(10, [], 'new')).toBe(10)
})
