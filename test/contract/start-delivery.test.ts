/** A message that goes out with its issue: begun in its transaction, sent once that is stored. */
import { afterEach, expect, test } from 'bun:test'
import { unavailable } from '../../src/domain/shared/error'
import type { Store } from '../../src/ports/store'
import * as administer from '../../src/usecases/administer'
import { answered } from '../support/carrier'
import { type Furnished, REPORT_SECRET, SMS_URL, World } from '../support/world'

let world: World
let keys: Furnished
/** What becomes of the next transaction. */
let next: 'stored, and nobody hears of it' | 'lost' | undefined
/** What happens as the next transaction begins. */
let meanwhile: (() => unknown) | undefined
let ended: Promise<void> | undefined

const uncertain = (store: Store): Store => ({
  ...store,
  async transaction(work) {
    const becomes = next
    next = undefined
    const happens = meanwhile
    meanwhile = undefined
    const during = happens?.()
    if (becomes) await during
    if (!becomes) return store.transaction(work)
    await store
      .transaction(async (tx) => {
        await work(Object.create(tx, { afterCommit: { value() {} } }))
        if (becomes === 'lost') throw new Error('lost')
      })
      .catch(() => {})
    throw unavailable('Nobody knows', 1_000)
  },
})

async function begin(): Promise<void> {
  world = await World.start({ wrapStore: uncertain })
  keys = await world.furnish()
  ended = undefined
}
/** The carrier of texts has room for one. */
async function beginWithOnePlace(): Promise<void> {
  await begin()
  await administer.setCarrier(world.admin, {
    ...{ name: 'main', type: 'http', channels: ['sms'], concurrency: 1 },
    config: { url: SMS_URL, reports: true, reportSecret: REPORT_SECRET },
  })
  await world.advance(1_500)
}
const end = () => (ended ??= world.stop())
afterEach(end)

const issue = () =>
  world.call('rest', 'issue', { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k' }, { key: keys.live })

test('where the answer to its commit is lost for good, and it is stored, it is sent, once', async () => {
  await begin()
  next = 'stored, and nobody hears of it'
  expect((await issue()).status).toBe(503)
  await world.advance(60_000)
  const { status, body } = await issue()
  expect(status).toBe(200)
  expect(world.sms.requests).toHaveLength(1)
  expect(world.sms.accepted[0]?.messageId).toBe(
    (await world.call('rest', 'status', { issueId: body.issueId }, { key: keys.live })).body.messageId,
  )
})

test('where it is not stored nothing is sent, and its place is free', async () => {
  await beginWithOnePlace()
  next = 'lost'
  expect((await issue()).status).toBe(503)
  await world.settle()
  expect(world.sms.requests).toHaveLength(0)
  expect((await issue()).status).toBe(200)
  expect(world.sms.requests).toHaveLength(1)
})

test('what waits for the place of one that is not stored goes out as soon as that is free', async () => {
  await beginWithOnePlace()
  next = 'lost'
  const other = { phoneNumber: '010-1234-5679', purpose: 'p', idempotencyKey: 'other' }
  meanwhile = async () => {
    await world.call('rest', 'issue', other, { key: keys.live })
    // The dispatcher has looked for it, and found no room.
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  }
  expect((await issue()).status).toBe(503)
  await world.settle()
  expect(world.sms.requests).toHaveLength(1)
})

test('of an AlimTalk, a failure that is reported before the carrier has answered still goes on as SMS', async () => {
  await begin()
  world.kakao.answer = async (message) => {
    await world.report('kakao', { messageId: message.messageId, status: 'failed' })
    return world.kakao.accept(message)
  }
  const order = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k', channel: 'alimtalk' }
  expect((await world.call('rest', 'issue', order, { key: keys.live })).status).toBe(200)
  await world.advance(2_000)
  expect(world.sms.accepted).toHaveLength(1)
})

test('who stops meanwhile waits for it: it is sent, and its answer recorded', async () => {
  await begin()
  world.sms.answer = async (message) => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    return world.sms.accept(message)
  }
  meanwhile = () => void end()
  expect((await issue()).status).toBe(200)
  await end()
  expect(world.sms.accepted).toHaveLength(1)
  expect(world.logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
})

/** A carrier with one place, which has answered at once, and then holds a message. Answers how it lets that go. */
async function heldUp(): Promise<() => Promise<void>> {
  await beginWithOnePlace()
  await order(1)
  await world.settle()
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof answered>>()
  world.sms.script(() => promise)
  expect((await order(2)).status).toBe(200)
  return async () => {
    resolve(answered(200, { id: 'held' }))
    await world.settle()
  }
}
const order = (n: number) =>
  world.call(
    'rest',
    'issue',
    { phoneNumber: `010-3000-000${n}`, purpose: 'p', idempotencyKey: `order-${n}` },
    { key: keys.live },
  )
const queued = async () =>
  (await world.rows<{ n: number }>("SELECT count(*) AS n FROM jobs WHERE kind = 'deliver' AND NOT leased"))[0]?.n

test('an issue waits for a place at a carrier that answers at once, and its message goes out with it', async () => {
  const letGo = await heldUp()
  let isAnswered = false
  const waiting = order(3).finally(() => {
    isAnswered = true
  })
  await world.settle()
  expect({ isAnswered, sent: world.sms.requests.length, queued: await queued() }).toEqual({
    ...{ isAnswered: false, sent: 2, queued: 0 },
  })
  await letGo()
  expect((await waiting).status).toBe(200)
  await world.settle()
  expect({ sent: world.sms.requests.length, queued: await queued() }).toEqual({ sent: 3, queued: 0 })
})

test('it waits a tenth of a second at most, and nobody waits behind one that is queued', async () => {
  const letGo = await heldUp()
  const waiting = order(3)
  await world.advance(100)
  expect((await waiting).status).toBe(200)
  expect(await queued()).toBe(1)
  expect((await order(4)).status).toBe(200)
  expect(await queued()).toBe(2)
  await letGo()
  expect(world.sms.requests).toHaveLength(4)
})

test('who will be refused by a rule does not wait for a place that another one could have', async () => {
  const letGo = await heldUp()
  const caps = [{ kind: 'sk', per: 'app', of: 'messages', every: 'hour', max: 2 }] as const
  await world.run(administer.protectApp(world.admin, keys.appId, { caps, capping: 'block' }))
  let status: number | undefined
  const refused = order(3).then((answer) => {
    status = answer.status
  })
  await world.settle()
  expect(status).toBe(429)
  await letGo()
  await refused
})

test('who waits for a carrier that is removed waits no longer, and takes no other down', async () => {
  const letGo = await heldUp()
  const waiting = order(3)
  await world.settle()
  await administer.removeCarrier(world.admin, 'main')
  await world.advance(90)
  await letGo()
  await world.advance(100)
  expect([200, 503]).toContain((await waiting).status)
})
