import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Store } from '../../src/ports/store'
import { type Operation, WIRES, World } from '../support/world'

const OPERATIONS: Array<[Operation, object]> = [
  ['issue', { phoneNumber: '010-0000-0000', purpose: 'signup', idempotencyKey: 'overload' }],
  ['verify', { issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', code: '000000' }],
  ['status', { issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77' }],
  ['listIssues', {}],
]

describe.each(WIRES)('more than can be done, over %s', (wire) => {
  let waitingMs = 0
  let world: World
  let key = ''

  beforeEach(async () => {
    waitingMs = 0
    world = await World.start({ wrapStore: (store) => ({ ...store, waitingMs: () => waitingMs }) })
    key = (await world.furnish()).test
  })
  afterEach(() => world.stop())

  test.each(OPERATIONS)('%s is refused at once with 503 and the time to come back', async (operation, input) => {
    waitingMs = 401
    const answer = await world.call(wire, operation, input, { key })
    expect(answer).toMatchObject({ status: 503, body: { defined: true, code: 'SERVICE_UNAVAILABLE' } })
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('a page that may use a public key can read the refusal, another cannot', async () => {
    waitingMs = 401
    const allowed = async (origin: string) =>
      (await world.call(wire, 'listIssues', {}, { headers: { origin } })).headers.get('access-control-allow-origin')
    expect(await allowed('http://localhost:3000')).toBe('http://localhost:3000')
    expect(await allowed('https://elsewhere.example')).toBeNull()
  })

  test('a refused issue changes nothing: its idempotency key is unused', async () => {
    const [operation, input] = OPERATIONS[0] as (typeof OPERATIONS)[number]
    waitingMs = 401
    await world.call(wire, operation, input, { key })
    waitingMs = 400
    expect((await world.call(wire, 'listIssues', {}, { key })).body.items).toEqual([])
    expect((await world.call(wire, operation, { ...input, purpose: 'login' }, { key })).status).toBe(200)
  })

  test('health is answered all the same', async () => {
    waitingMs = 10_000
    expect((await world.send('GET', '/healthz', undefined)).status).toBe(200)
  })
})

describe('while the issues of the last day are still counted after a start', () => {
  test('new issues wait, and are limited by what was issued before; everything else is answered', async () => {
    const env = { WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1' }
    const before = await World.start({ env })
    const { live } = await before.furnish()
    const issue = { phoneNumber: '010-1234-5678', purpose: 'signup', idempotencyKey: 'first' }
    expect((await before.call('rest', 'issue', issue, { key: live })).status).toBe(200)
    await before.app.stop()

    const counting = Promise.withResolvers<void>()
    const slowly = (store: Store): Store => ({
      ...store,
      read: {
        ...store.read,
        issues: {
          ...store.read.issues,
          async *since(...args) {
            await counting.promise
            yield* store.read.issues.since(...args)
          },
        },
      },
    })
    const world = await World.start({ env, dir: before.dir, clock: before.clock, wrapStore: slowly })
    const again = world.call('rest', 'issue', { ...issue, idempotencyKey: 'second' }, { key: live })
    const isWaiting = Symbol()
    expect((await world.call('rest', 'balance', {}, { key: live })).status).toBe(200)
    expect(await Promise.race([again, Promise.resolve(isWaiting)])).toBe(isWaiting)
    counting.resolve()
    expect((await again).status).toBe(429)
    await world.stop()
  })
})
