import { describe, expect, test } from 'bun:test'
import type { SendOutcome } from '../../src/domain/delivery/delivery'
import { Semaphore } from '../../src/jobs/dispatch'
import type { CarrierPermit } from '../../src/ports/node'
import { CarrierLimiter, LocalLimiters } from '../../src/runtime/carriers/concurrency-limiter'

const accepted: SendOutcome = { kind: 'accepted', carrierMessageId: 'x' }
const busy: SendOutcome = { kind: 'refused', retry: 'later', code: 'HTTP_429' }
const unfit: SendOutcome = { kind: 'refused', retry: 'unfit', code: 'HTTP_401' }
const NOW = 1_000_000

function fill(limiter: CarrierLimiter, now = NOW): CarrierPermit[] {
  const passes: CarrierPermit[] = []
  for (let pass = limiter.acquire(now); pass; pass = limiter.acquire(now)) passes.push(pass)
  return passes
}

describe('places', () => {
  test('are given out as often as there are some, and each comes back once', () => {
    const places = new Semaphore(() => 2)
    const [first, second] = [places.acquire(), places.acquire()]
    expect(places.acquire()).toBeUndefined()
    first?.release()
    first?.release()
    expect([places.acquire() !== undefined, places.acquire()]).toEqual([true, undefined])
    second?.release()
    expect(places.acquire()).toBeDefined()
  })
})

describe('a gate', () => {
  test('lets in as many as its concurrency, and one more for each that leaves', () => {
    const limiter = new CarrierLimiter(3)
    const passes = fill(limiter)
    expect([passes.length, limiter.inFlight]).toEqual([3, 3])
    passes[0]?.settle(accepted, NOW)
    passes[1]?.release()
    passes[1]?.release()
    expect([fill(limiter).length, limiter.inFlight]).toEqual([2, 3])
  })

  test('sends a busy carrier no more at a time than it bore', () => {
    const limiter = new CarrierLimiter(128)
    const passes = fill(limiter)
    // 78 are refused at once, 50 are being worked on.
    for (const pass of passes.slice(50)) pass.settle(busy, NOW)
    expect([limiter.inFlight, fill(limiter).length]).toEqual([50, 0])
  })

  test('tries a busy carrier with a little more as it takes what it gets, up to its concurrency', () => {
    const limiter = new CarrierLimiter(4)
    const [first, ...rest] = fill(limiter)
    for (const pass of rest) pass.settle(busy, NOW)
    first?.settle(accepted, NOW)
    for (const expected of [2, 2, 3, 4, 4]) {
      const passes = fill(limiter)
      expect(passes.length).toBe(expected)
      for (const pass of passes) pass.settle(accepted, NOW)
    }
  })

  test('always leaves room for one, however busy the carrier', () => {
    const limiter = new CarrierLimiter(8)
    for (const pass of fill(limiter)) pass.settle(busy, NOW)
    expect(fill(limiter)).toHaveLength(1)
  })

  test('lets nobody in while the provider rests, then one, and all again when that one is taken', () => {
    const limiter = new CarrierLimiter(8)
    limiter.acquire(NOW)?.settle(unfit, NOW)
    expect([fill(limiter).length, limiter.admits(NOW)]).toEqual([0, false])
    const [probe, ...others] = fill(limiter, NOW + 10_000)
    expect([probe !== undefined, others]).toEqual([true, []])
    probe?.settle(accepted, NOW + 10_000)
    expect(fill(limiter, NOW + 10_000)).toHaveLength(8)
  })

  test('a probe that was not sent leaves its turn to the next, and only once', () => {
    const limiter = new CarrierLimiter(8)
    limiter.acquire(NOW)?.settle(unfit, NOW)
    const [first] = fill(limiter, NOW + 10_000)
    first?.release()
    const [second] = fill(limiter, NOW + 10_000)
    expect(second).toBeDefined()
    first?.release()
    expect(fill(limiter, NOW + 10_000)).toEqual([])
  })

  test('a probe that is refused for being busy, while others are in the air, leaves its turn to the next after a rest', () => {
    const limiter = new CarrierLimiter(8)
    const [first, ...others] = fill(limiter)
    first?.settle(unfit, NOW)
    others.pop()?.release()
    const [probe] = fill(limiter, NOW + 10_000)
    probe?.settle(busy, NOW + 10_000)
    expect(limiter.inFlight).toBe(6)
    expect(limiter.health(NOW + 10_000)).toMatchObject({ isHealthy: false, code: 'HTTP_429', retryAt: NOW + 30_000 })
    for (const other of others) other.settle(accepted, NOW + 20_000)
    expect(fill(limiter, NOW + 29_999)).toEqual([])
    const [next] = fill(limiter, NOW + 30_000)
    next?.settle(accepted, NOW + 30_000)
    expect(limiter.health(NOW + 30_000).isHealthy).toBe(true)
  })

  test('a carrier that refuses while it works on others is busy, not broken', () => {
    const limiter = new CarrierLimiter(128)
    const passes = fill(limiter)
    for (const pass of passes.slice(50)) pass.settle(busy, NOW)
    expect(limiter.health(NOW).isHealthy).toBe(true)
  })

  test('a carrier that refuses everybody is broken, soon', () => {
    const limiter = new CarrierLimiter(128)
    let sent = 0
    for (; limiter.admits(NOW) && sent < 1_000; sent++) limiter.acquire(NOW)?.settle(busy, NOW)
    expect(sent).toBe(10)
  })

  test('a carrier that cannot be reached is broken, whatever else is in the air', () => {
    const limiter = new CarrierLimiter(128)
    const passes = fill(limiter)
    for (const pass of passes.slice(0, 3))
      pass.settle({ kind: 'refused', retry: 'unreached', code: 'NOT_SENT_ECONNREFUSED' }, NOW)
    expect(limiter.health(NOW)).toMatchObject({ isHealthy: false, code: 'NOT_SENT_ECONNREFUSED' })
  })

  test('counts what the carrier still has in the air from before it was set anew', () => {
    const before = new CarrierLimiter(4)
    const passes = fill(before)
    const after = new CarrierLimiter(4, { former: before })
    expect([fill(after).length, after.inFlight]).toEqual([0, 4])
    for (const pass of passes) pass.settle(accepted, NOW)
    expect([fill(after).length, after.inFlight]).toEqual([4, 4])
  })

  test('of a provider whose failures are played never closes', () => {
    const limiter = new CarrierLimiter(8, { neverOpens: true })
    for (let n = 0; n < 50; n++) limiter.acquire(NOW)?.settle(unfit, NOW)
    expect([limiter.admits(NOW), limiter.health(NOW).isHealthy]).toEqual([true, true])
  })
})

describe('limiters', () => {
  test('are found by name until they are closed; one that is opened anew counts what the one before has in the air', () => {
    const limiters = new LocalLimiters()
    expect(limiters.find('main')).toBeUndefined()
    const first = limiters.open('main', 2)
    expect(limiters.find('main')).toBe(first)
    first.acquire(NOW)
    const second = limiters.open('main', 2)
    expect([limiters.find('main') === second, second.inFlight]).toEqual([true, 1])
    limiters.close('main')
    expect(limiters.find('main')).toBeUndefined()
    expect(limiters.open('main', 2).inFlight).toBe(0)
  })
})
