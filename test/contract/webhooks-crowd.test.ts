/** How much a receiver gets at a time, and one among many that hang. Decisions: "Webhooks". */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { HookAnswer } from '../../src/ports/network'
import * as administer from '../../src/usecases/administer'
import { VirtualClock } from '../support/clock'
import { Receivers, receives } from '../support/receiver'
import { HANGS_AFTER_MS } from '../support/until'
import { START, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const HANGING = 'https://hanging.example/'
const QUICK = 'https://quick.example/'
const TIMEOUT_MS = 5_000

let world: World
let clock: VirtualClock
let receivers: Receivers
let made: number
beforeEach(async () => {
  clock = new VirtualClock(START)
  receivers = new Receivers(clock.now)
  made = 0
  world = await World.start({ clock, hooks: receivers })
})
afterEach(() => world.stop())

const late: HookAnswer = { kind: 'failed', reason: 'timeout' }
const hang = () => new Promise<HookAnswer>((resolve) => void clock.after(TIMEOUT_MS, () => resolve(late)))

async function newApp() {
  const { appId } = await administer.createApp(world.admin, { name: 'crowd' })
  return { appId, key: await world.key({ appId, kind: 'sk', mode: 'test' }) }
}
const listen = ({ appId }: { appId: string }, url: string) =>
  administer.addEndpoint(world.admin, { appId, mode: 'test', url, events: ['otp.verified'] })
const tell = (endpointId: string, events: number) =>
  Promise.all(times(events, () => administer.testEndpoint(world.admin, endpointId, 'otp.sent')))
async function verified({ key }: { key: string }): Promise<void> {
  const input = { phoneNumber: '010-0000-0000', purpose: `p${made}`, idempotencyKey: `k${made++}` }
  const { body } = await world.call('rest', 'issue', input, { key })
  const { body: verdict } = await world.call('rest', 'verify', { issueId: body.issueId, code: '000000' }, { key })
  expect(verdict.verified).toBe(true)
}
const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work)

/** Three apps with twenty endpoints each, and for each of these twenty events. */
async function hangingCrowd() {
  const crowd = await Promise.all([newApp(), newApp(), newApp()])
  await Promise.all(crowd.flatMap((app) => times(20, () => listen(app, HANGING))))
  return async () => {
    for (let n = 0; n < 20; n++) await Promise.all(crowd.map(verified))
    await world.settle()
  }
}

/** All that is due then happens in one turn of the event loop. */
async function passTimeoutAtOnce(): Promise<void> {
  await world.advance(TIMEOUT_MS - 1)
  clock.leap(1)
  while (clock.fireNext(0).fired);
  await world.settle()
}

test.each([
  ['one after the other', () => world.advance(TIMEOUT_MS + 100)],
  ['at once', passTimeoutAtOnce],
])(
  'a receiver that answers waits for one timeout at most, where those that hang are given up %s',
  async (_, passTimeout) => {
    receivers.answer = ({ url }) => (url === QUICK ? receives(200) : hang())
    const crowdVerifies = await hangingCrowd()
    const own = await newApp()
    const { endpoint } = await listen(own, QUICK)
    // The last of all queues, by its name.
    await world.store.transaction(async (tx) => {
      await tx.endpoints.remove(endpoint.endpointId)
      await tx.endpoints.add({ ...endpoint, endpointId: 'whe_zzzzzzzzzzzz' })
    })
    await crowdVerifies()
    // As many as there is room for, and more wait than a timeout makes room for.
    expect(receivers.at(HANGING)).toHaveLength(256)

    await verified(own)
    await passTimeout()
    expect(receivers.at(QUICK)).toHaveLength(1)
    await world.advance(2 * TIMEOUT_MS)
    // Those that hang are known now, so it waits for none.
    for (let n = 2; n <= 10; n++) {
      await verified(own)
      await world.settle()
      expect(receivers.at(QUICK)).toHaveLength(n)
      await world.advance(700)
    }
    // And the others had their turns.
    expect(receivers.at(HANGING).length).toBeGreaterThan(2 * 256)
  },
)

test('a receiver that took long once and answers quickly again does not wait with those that hang', async () => {
  receivers.answer = ({ url }) => (url === QUICK ? receives(200) : hang())
  const own = await newApp()
  await listen(own, QUICK)
  receivers.script(QUICK, hang)
  await verified(own)
  await world.advance(2 * TIMEOUT_MS)
  expect(receivers.at(QUICK)).toHaveLength(2)
  const crowdVerifies = await hangingCrowd()
  await crowdVerifies()
  // Then all of them are known, and there is no more room for such.
  await world.advance(2 * TIMEOUT_MS + 100)
  await verified(own)
  await world.settle()
  expect(receivers.at(QUICK)).toHaveLength(3)
})

describe('at a time a receiver gets', () => {
  /** What it has not answered yet. */
  let open: Array<(answer: HookAnswer) => void>
  beforeEach(async () => {
    open = []
    receivers.answer = () => new Promise((resolve) => open.push(resolve))
    const { endpoint } = await listen(await newApp(), QUICK)
    await tell(endpoint.endpointId, 700)
    await world.advance(1_000)
  })
  async function answer(...answers: HookAnswer[]): Promise<void> {
    for (const given of answers) open.shift()?.(given)
    await world.settle()
  }
  const all = (given: HookAnswer) => answer(...open.map(() => given))
  const grow = async () => {
    for (let round = 0; round < 5; round++) await all(receives(200))
  }

  test('eight events, and one more for each that it takes quickly, up to ninety-six', async () => {
    const shares = [open.length]
    for (let round = 0; round < 5; round++) {
      await all(receives(200))
      shares.push(open.length)
    }
    expect(shares).toEqual([8, 16, 32, 64, 96, 96])
    await answer(receives(204))
    expect(open).toHaveLength(96)
  })

  test.each([
    ['does not take', receives(500)],
    ['refuses for good', receives(400)],
    ['does not answer', late],
  ])('eight again once there is one that it %s', async (_, given) => {
    await grow()
    await answer(given)
    expect(open).toHaveLength(95)
    await all(given)
    expect(open).toHaveLength(8)
    await all(receives(200))
    expect(open).toHaveLength(16)
  })

  test('eight again where it takes them, but a second later', async () => {
    await grow()
    await world.advance(999)
    await all(receives(200))
    expect(open).toHaveLength(96)
    await world.advance(1_000)
    await all(receives(200))
    expect(open).toHaveLength(8)
  })
})

test('a receiver gets its eight after there was no room for any, however often that was looked for', async () => {
  const open: Array<() => void> = []
  receivers.answer = () => new Promise((resolve) => open.push(() => resolve(receives(400))))
  const { endpoint } = await listen(await newApp(), QUICK)
  const queue = async (endpointId: string, events: number) => {
    await tell(endpointId, events)
    await world.advance(1_000)
  }
  await queue(endpoint.endpointId, 1)
  for (const app of [await newApp(), await newApp()])
    for (let n = 0; n < 20; n++) await queue((await listen(app, HANGING)).endpoint.endpointId, 8)
  await queue(endpoint.endpointId, 20)
  await world.advance(20_000)
  expect([receivers.at(QUICK).length, receivers.arrived.length]).toEqual([1, 256])
  for (const end of open.splice(0)) end()
  await world.settle()
  expect(receivers.at(QUICK)).toHaveLength(1 + 8)
})
