/**
 * A day of a busy installation in virtual time: logins, reports, webhooks, an outage of the carrier, one of the receiver, a clock that is
 * set back, and the sweeps of each hour. Afterwards nothing waits, no promise is broken, and the memory is that of the morning.
 */
import { expect, setDefaultTimeout, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { answered, codeIn } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { Receivers, receives } from '../support/receiver'
import { HANGS_AFTER_MS } from '../support/until'
import { START, World } from '../support/world'
import { Invariants } from './invariants'

setDefaultTimeout(HANGS_AFTER_MS * 3)

const HOUR_MS = 3_600_000
const EVERY_MS = 20_000
const HOURS = 24
const MORNING = 6
const EVENTS = ['otp.sent', 'otp.delivered', 'otp.failed', 'otp.verified', 'otp.expired'] as const

test('a day of logins leaves nothing waiting, nothing doubled and no memory behind', async () => {
  const clock = new VirtualClock(START)
  const receivers = new Receivers(clock.now)
  const world = await World.start({ clock, hooks: receivers })
  const { appId, live: key } = await world.furnish()
  await administer.addCredit(world.admin, { appId, amount: 100_000 })
  await administer.addEndpoint(world.admin, { appId, mode: 'live', url: 'https://a.example/hooks', events: EVENTS })
  const invariants = new Invariants(world.file, [world.sms, world.kakao])
  const heap: number[] = []
  let sent = 0

  async function login(number: number): Promise<void> {
    const phoneNumber = `+8210${20_000_000 + number * 7}`
    const request = { phoneNumber, purpose: 'login', idempotencyKey: `day-${number}`, channel: 'sms' }
    const { status, body } = await world.run(world.call('rest', 'issue', request, { key }))
    expect(status).toBe(200)
    await world.advance(1_000)
    const message = world.sms.accepted.at(-1)
    if (message?.to !== phoneNumber) return
    if (number % 10 !== 0) await world.run(world.report('main', { messageId: message.messageId, status: 'delivered' }))
    const code = codeIn(message.text)
    const wrong = code === '000000' ? '000001' : '000000'
    const tries = number % 5 === 0 ? [wrong, code] : number % 7 === 0 ? [] : [code]
    for (const typed of tries)
      await world.run(world.call('rest', 'verify', { issueId: body.issueId, code: typed }, { key }))
  }

  try {
    for (let hour = 0; hour < HOURS; hour++) {
      world.sms.answer = hour === 9 ? () => answered(500, {}) : (message) => world.sms.accept(message)
      receivers.answer = () => receives(hour === 12 ? 500 : 200)
      if (hour === 15) clock.step(-60_000)
      for (let at = 0; at < HOUR_MS; at += EVERY_MS) {
        await login(hour * (HOUR_MS / EVERY_MS) + at / EVERY_MS)
        await world.leap(EVERY_MS - 1_000)
      }
      await world.run(world.sweep())
      expect(invariants.broken()).toBeUndefined()
      const ids = world.sms.accepted.map(({ messageId }) => messageId)
      expect(new Set(ids).size).toBe(ids.length)
      // A test's own memory is not the server's.
      sent += ids.length
      for (const kept of [world.sms.accepted, world.sms.requests, world.sms.headers, receivers.arrived, world.logged])
        kept.length = 0
      Bun.gc(true)
      heap.push(process.memoryUsage().heapUsed)
    }
    await world.leap(2 * HOUR_MS)
    // Reports of some messages never come. They are awaited for longer.
    const queues = await world.store.read.jobs.queues(clock.now())
    expect(queues.filter(({ kind, due }) => kind !== 'await-report' || due > 0)).toEqual([])
    expect(invariants.broken()).toBeUndefined()
    expect(sent).toBeGreaterThan(0.9 * HOURS * (HOUR_MS / EVERY_MS))
    const ofMorning = heap[MORNING] ?? 0
    expect((heap.at(-1) ?? 0) / ofMorning).toBeLessThan(1.2)
  } finally {
    invariants.close()
    await world.stop()
  }
})
