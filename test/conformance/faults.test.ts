/** `watchword conformance --faults`: the history of answers, of a server that keeps them and of servers that do not. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { holdUnderFaults } from '../../src/conformance/faults'
import { httpApi } from '../../src/conformance/http-api'
import type { Untyped } from '../../src/conformance/rule'
import { seededChoice } from '../../src/conformance/seeded-choice'
import { type Furnished, World } from '../support/world'

/** A client makes a call between two of them, so that certainly some codes are verified. */
const KILLS = 12

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterEach(() => world.stop())

/** What a server answers instead of what it should; `kills`: so many kills before. */
type Lie = (path: string, answer: { status: number; body: Untyped }, kills: number) => void

async function broken(lie: Lie = () => {}) {
  const events: string[] = []
  const killed: string[] = []
  const pause = (ms: number) => world.advance(ms)
  const server = httpApi({
    ...{ url: 'http://localhost/v1', key: keys.test, keys: {}, wire: 'rest', run: 'a-run' },
    async fetch(url, init) {
      const response = await world.app.fetch(new Request(url, init), '127.0.0.1')
      const answer = { status: response.status, body: await response.json() }
      lie(new URL(url).pathname, answer, killed.length)
      return Response.json(answer.body, { status: answer.status, headers: response.headers })
    },
    now: () => world.clock.elapsed(),
    pause,
  })
  const results = await holdUnderFaults({
    ...{ server, kills: KILLS, choice: seededChoice(7), pause },
    services: {
      names: async () => ['one', 'two', 'database'],
      kill: async (name) => void killed.push(name),
      start: async (name) => expect(name).toBe(killed.at(-1) ?? ''),
    },
    onEvent: (text) => void events.push(text),
  })
  expect(events[0]).toBe(`kill 1 of ${KILLS}: ${killed[0]}`)
  return results.flatMap(({ outcome, reason }) => (outcome === 'broken' ? [reason] : []))
}

test('a server that keeps its answers is found to', async () => {
  expect(await broken()).toEqual([])
})

test('a server that takes a code twice is found out', async () => {
  const found = await broken((path, { body }) => {
    if (path === '/v1/verify' && body.reasonCode === 'ALREADY_VERIFIED') Object.assign(body, { verified: true })
    if (path === '/v1/verify' && body.verified) body.reasonCode = undefined
  })
  expect(found.join()).toContain('was verified, and then answered')
})

test('a server that forgets what it answered is found out', async () => {
  const found = await broken((path, answer, kills) => {
    if (path === '/v1/status' && kills > 0) Object.assign(answer, { status: 404, body: { code: 'NOT_FOUND' } })
  })
  expect(found.join()).toContain('was answered and is not stored: 404')
})

test('a server that issues anew for the same key is found out', async () => {
  const found = await broken((path, { body }) => {
    if (path === '/v1/issue' && body.issueId) body.queuedAt = new Date(world.clock.now()).toISOString()
  })
  expect(found.join()).toContain('the replay of')
})

test('a server that charges for test mode is found out', async () => {
  const found = await broken((path, { body }, kills) => {
    if (path === '/v1/balance') body.balance -= kills
  })
  expect(found).toEqual([expect.stringContaining('the balance is')])
})
