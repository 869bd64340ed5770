/** What it promises, the torture says; here a short one. A long one: `bun run torture --kills 300`. */
import { beforeAll, expect, test } from 'bun:test'
import { compile } from '../compiled'
import { torture } from './torture'

const KILLS = 20

let binary = ''
beforeAll(async () => {
  binary = await compile()
}, 60_000)

test(`killed ${KILLS} times at work, it sends nothing twice, forgets no answer and charges everything once`, async () => {
  const seed = Date.now() % 1_000_000
  const told = await torture({ binary, kills: KILLS, seed, leases: 'end' })
  // Otherwise nothing was put to the test.
  expect(told.issues).toBeGreaterThan(50)
  expect(told.interrupted).toBeGreaterThan(3)
  expect(told.verified).toBeGreaterThan(10)
  expect(told.unanswered).toBeGreaterThan(3)
}, 120_000)
