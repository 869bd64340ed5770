/** What a server does before it stops: it waits for what it has begun, begins nothing more, and leaves nothing behind. */
import { afterEach, expect, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { answered } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { errorOf } from '../support/error-of'
import { Receivers, receives } from '../support/receiver'
import { START, World, type WorldOptions } from '../support/world'

let world: World
afterEach(() => world.place.remove())

async function begin(options: WorldOptions = {}) {
  world = await World.start(options)
  return world.furnish()
}

async function issue(key: string, n = 0): Promise<void> {
  const input = { phoneNumber: `+8210${20_000_000 + n}`, purpose: 'p', idempotencyKey: `k${n}` }
  expect((await world.call('rest', 'issue', input, { key })).status).toBe(200)
}

/** Tells the server to stop; answers whether it has. */
function stopping(): () => boolean {
  let isStopped = false
  void world.app.stop().then(() => {
    isStopped = true
  })
  return () => isStopped
}

const after = <T>(ms: number, answer: () => T) =>
  new Promise<T>((resolve) => world.clock.after(ms, () => resolve(answer())))

test('it waits for the message that is at a carrier, and writes down what became of it', async () => {
  const { live } = await begin()
  world.sms.answer = (message) => after(3_000, () => world.sms.accept(message))
  await issue(live)
  await world.settle()
  const isStopped = stopping()
  await world.advance(2_999)
  expect(isStopped()).toBe(false)
  await world.advance(1)
  expect(isStopped()).toBe(true)
  expect(await world.rows('SELECT delivery_status AS status FROM issues')).toEqual([{ status: 'sent' }])
  expect(await world.rows('SELECT * FROM jobs WHERE leased')).toEqual([])
})

test('before it stops it says so to who asks whether it is ready, and goes on with everything', async () => {
  const { live } = await begin()
  const isReady = async () => (await world.send('GET', '/readyz', undefined)).status
  expect(await isReady()).toBe(200)
  await world.app.leave()
  expect(await isReady()).toBe(503)
  await issue(live)
  await world.advance(1_000)
  expect(world.sms.accepted).toHaveLength(1)
  await world.app.stop()
})

test('it waits for the event that is at its receiver', async () => {
  const clock = new VirtualClock(START)
  const receivers = new Receivers(clock.now)
  receivers.answer = () => after(4_000, () => receives(200))
  const { appId, live } = await begin({ clock, hooks: receivers })
  await administer.addEndpoint(world.admin, { appId, mode: 'live', url: 'https://a.example/', events: ['otp.sent'] })
  await issue(live)
  await world.settle()
  const isStopped = stopping()
  await world.advance(3_999)
  expect(isStopped()).toBe(false)
  await world.advance(1)
  expect(isStopped()).toBe(true)
  expect(await world.rows('SELECT status FROM webhook_deliveries')).toEqual([{ status: 'delivered' }])
})

test('it begins nothing more, also where what ends makes room', async () => {
  const { live } = await begin({ env: { WATCHWORD_PROVIDER_CONCURRENCY: '1' } })
  world.sms.answer = () => after(1_000, () => answered(403, {}))
  for (let n = 0; n < 3; n++) await issue(live, n)
  await world.settle()
  const isStopped = stopping()
  await world.advance(10_000)
  expect(isStopped()).toBe(true)
  expect(world.sms.requests).toHaveLength(1)
  expect(await world.rows("SELECT * FROM jobs WHERE kind = 'deliver' AND NOT leased")).toHaveLength(2)
})

test('it waits for the sweep that is under way', async () => {
  let held: Array<() => void> | undefined
  await begin({
    wrapStore: (store) => ({
      ...store,
      transaction: async (work) => {
        await new Promise<void>((resolve) => (held ? held.push(resolve) : resolve()))
        return store.transaction(work)
      },
    }),
  })
  const moment = () => new Promise((resolve) => setImmediate(resolve))
  await world.settle()
  const sweeps: Array<() => void> = []
  held = sweeps
  while (sweeps.length === 0) {
    world.clock.fireNext(1_000)
    await moment()
  }
  const isStopped = stopping()
  for (let turn = 0; turn < 10; turn++) await moment()
  expect(isStopped()).toBe(false)
  held = undefined
  for (const goOn of sweeps) goOn()
  await world.settle()
  expect(isStopped()).toBe(true)
  expect(world.clock.fireNext(60_000)).toMatchObject({ fired: false })
  expect(world.logged.join()).not.toContain('failed')
})

test('nothing of it goes on afterwards', async () => {
  const { live } = await begin()
  await issue(live)
  await world.advance(5_000)
  await world.app.stop()
  expect(world.clock.fireNext(60_000)).toMatchObject({ fired: false })
  await errorOf(world.store.transaction(async () => {}))
  expect(world.logged.join()).not.toContain('"error"')
})
