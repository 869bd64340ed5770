/** One receiver among many that hang. Decisions: "Webhooks". */
import { afterEach, expect, test } from 'bun:test'
import type { HookAnswer } from '../../src/ports/network'
import * as administer from '../../src/usecases/administer'
import { VirtualClock } from '../support/clock'
import { Receivers } from '../support/receiver'
import { START, World } from '../support/world'

const HANGING = 'https://hanging.example/'
const QUICK = 'https://quick.example/'
const TIMEOUT_MS = 5_000

let world: World
afterEach(() => world.stop())

test('a receiver that answers waits for one timeout at most, and for none once those that hang are known', async () => {
  const clock = new VirtualClock(START)
  const receivers = new Receivers(clock.now)
  const late: HookAnswer = { kind: 'failed', reason: 'timeout' }
  receivers.answer = ({ url }) =>
    url === QUICK
      ? { kind: 'answered', status: 200, location: undefined, retryAfter: undefined, body: '' }
      : new Promise((resolve) => void clock.after(TIMEOUT_MS, () => resolve(late)))
  world = await World.start({ clock, hooks: receivers })

  const newApp = async () => {
    const { appId } = await administer.createApp(world.admin, { name: 'crowd' })
    return { appId, key: await world.key({ appId, kind: 'sk', mode: 'test' }) }
  }
  const listen = ({ appId }: { appId: string }, url: string) =>
    administer.addEndpoint(world.admin, { appId, mode: 'test', url, events: ['otp.verified'] })
  let made = 0
  async function verified({ key }: { key: string }): Promise<void> {
    const input = { phoneNumber: '010-0000-0000', purpose: `p${made}`, idempotencyKey: `k${made++}` }
    const { body } = await world.call('rest', 'issue', input, { key })
    const { body: verdict } = await world.call('rest', 'verify', { issueId: body.issueId, code: '000000' }, { key })
    expect(verdict.verified).toBe(true)
  }
  const crowd = await Promise.all([newApp(), newApp(), newApp()])
  for (const app of crowd) for (let n = 0; n < 20; n++) await listen(app, HANGING)
  const own = await newApp()
  const { endpoint } = await listen(own, QUICK)
  // The last of all queues, by its name.
  await world.store.transaction(async (tx) => {
    await tx.endpoints.remove(endpoint.endpointId)
    await tx.endpoints.add({ ...endpoint, endpointId: 'whe_zzzzzzzzzzzz' })
  })
  for (const app of crowd) for (let n = 0; n < 20; n++) await verified(app)
  await world.settle()
  // As many as there is room for, and more wait than a timeout makes room for.
  expect(receivers.at(HANGING)).toHaveLength(256)

  await verified(own)
  await world.advance(TIMEOUT_MS + 100)
  expect(receivers.at(QUICK)).toHaveLength(1)
  await world.advance(2 * TIMEOUT_MS)
  for (let n = 2; n <= 10; n++) {
    await verified(own)
    await world.settle()
    expect(receivers.at(QUICK)).toHaveLength(n)
    await world.advance(700)
  }
  // And the others had their turns.
  expect(receivers.at(HANGING).length).toBeGreaterThan(2 * 256)
}, 60_000)
