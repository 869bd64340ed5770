/** What they promise, the torture says; here a short one. A long one: `bun run torture:nodes --events 300`. */
import { expect, test } from 'bun:test'
import { tortureNodes } from './torture'

/** Each kind once. */
const EVENTS = 10

test('servers that share a database send nothing twice and forget no answer, whichever of them fails', async () => {
  const seed = Date.now() % 1_000_000
  const told = await tortureNodes({ events: EVENTS, seed, leases: 'end', database: 'alone' })
  // Otherwise nothing was put to the test.
  expect(Object.keys(told.events).length).toBe(EVENTS)
  expect(told.issues).toBeGreaterThan(30)
  expect(told.verified).toBeGreaterThan(3)
  expect(told.lostCommits).toBeGreaterThan(3)
  expect(told.unanswered + told.unavailable).toBeGreaterThan(3)
}, 120_000)
