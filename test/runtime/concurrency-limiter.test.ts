import { describe, expect, test } from 'bun:test'
import type { SendOutcome } from '../../src/domain/delivery/delivery'
import { Semaphore } from '../../src/jobs/dispatch'
import type { CarrierPermit } from '../../src/ports/node'
import { CarrierLimiter, CircuitBreaker, LocalLimiters } from '../../src/runtime/carriers/concurrency-limiter'

const accepted: SendOutcome = { kind: 'accepted', carrierMessageId: 'x' }
const busy: SendOutcome = { kind: 'refused', retry: 'later', code: 'HTTP_429' }
const unfit: SendOutcome = { kind: 'refused', retry: 'unfit', code: 'HTTP_401' }
const NOW = 1_000_000

function fill(limiter: CarrierLimiter, now = NOW): CarrierPermit[] {
  const permits: CarrierPermit[] = []
  for (let permit = limiter.acquire(now); permit; permit = limiter.acquire(now)) permits.push(permit)
  return permits
}

describe('a semaphore', () => {
  test('are given out as often as there are some, and each comes back once', () => {
    const semaphore = new Semaphore(() => 2)
    const [first, second] = [semaphore.acquire(), semaphore.acquire()]
    expect(semaphore.acquire()).toBeUndefined()
    first?.release()
    first?.release()
    expect([semaphore.acquire() !== undefined, semaphore.acquire()]).toEqual([true, undefined])
    second?.release()
    expect(semaphore.acquire()).toBeDefined()
  })
})

describe('a limiter', () => {
  test('lets in as many as its concurrency, and one more for each that leaves', () => {
    const limiter = new CarrierLimiter(3)
    const permits = fill(limiter)
    expect([permits.length, limiter.inFlight]).toEqual([3, 3])
    permits[0]?.settle(accepted, NOW)
    permits[1]?.release()
    permits[1]?.release()
    expect([fill(limiter).length, limiter.inFlight]).toEqual([2, 3])
  })

  test('sends a busy carrier no more at a time than it bore', () => {
    const limiter = new CarrierLimiter(128)
    const permits = fill(limiter)
    // 78 are refused at once, 50 are being worked on.
    for (const permit of permits.slice(50)) permit.settle(busy, NOW)
    expect([limiter.inFlight, fill(limiter).length]).toEqual([50, 0])
  })

  test('tries a busy carrier with a little more as it takes what it gets, up to its concurrency', () => {
    const limiter = new CarrierLimiter(4)
    const [first, ...rest] = fill(limiter)
    for (const permit of rest) permit.settle(busy, NOW)
    first?.settle(accepted, NOW)
    for (const expected of [2, 2, 3, 4, 4]) {
      const permits = fill(limiter)
      expect(permits.length).toBe(expected)
      for (const permit of permits) permit.settle(accepted, NOW)
    }
  })

  test('always leaves room for one, however busy the carrier', () => {
    const limiter = new CarrierLimiter(8)
    for (const permit of fill(limiter)) permit.settle(busy, NOW)
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
    const permits = fill(limiter)
    for (const permit of permits.slice(50)) permit.settle(busy, NOW)
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
    const permits = fill(limiter)
    for (const permit of permits.slice(0, 3))
      permit.settle({ kind: 'refused', retry: 'unreached', code: 'NOT_SENT_ECONNREFUSED' }, NOW)
    expect(limiter.health(NOW)).toMatchObject({ isHealthy: false, code: 'NOT_SENT_ECONNREFUSED' })
  })

  test('counts what the carrier still has in the air from before it was set anew', () => {
    const before = new CarrierLimiter(4)
    const permits = fill(before)
    const after = new CarrierLimiter(4, { former: before })
    expect([fill(after).length, after.inFlight]).toEqual([0, 4])
    for (const permit of permits) permit.settle(accepted, NOW)
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

const unclear: SendOutcome = { kind: 'ambiguous', code: 'HTTP_500' }
const unreached: SendOutcome = { kind: 'refused', retry: 'unreached', code: 'NOT_SENT_ECONNREFUSED' }
const wrongMessage: SendOutcome = { kind: 'refused', retry: 'never', code: 'BAD_NUMBER' }

const breakerAfter = (...outcomes: SendOutcome[]) => {
  const breaker = new CircuitBreaker()
  for (const outcome of outcomes) breaker.answered(outcome, { isProbe: false, now: NOW })
  return breaker
}
const times = (count: number, outcome: SendOutcome) => Array.from({ length: count }, () => outcome)

describe('a breaker', () => {
  test.each<[string, SendOutcome[], boolean]>([
    ['nothing yet', [], true],
    ['few failures', times(9, unclear), true],
    ['ten unclear outcomes', times(10, unclear), false],
    ['half unclear', [...times(5, accepted), ...times(5, unclear)], false],
    ['less than half unclear', [...times(6, accepted), ...times(5, unclear)], true],
    ['half of the last fifty unclear, whatever was before', [...times(100, accepted), ...times(25, unclear)], false],
    ['less than half of the last fifty unclear', [...times(26, accepted), ...times(24, unclear)], true],
    ['ten refusals for being busy and nothing taken', times(10, busy), false],
    ['one that was taken and many refusals for being busy', [accepted, ...times(49, busy)], true],
    ['two connections that could not be made', times(2, unreached), true],
    ['three connections that could not be made', times(3, unreached), false],
    ['three connections that could not be made, one call between', [unreached, unreached, busy, unreached], true],
    ['refusals of messages, not of the carrier', times(50, wrongMessage), true],
    ['one refusal of credentials', [...times(30, accepted), unfit], false],
  ])('after %s', (_, outcomes, isHealthy) => {
    const breaker = breakerAfter(...outcomes)
    expect(breaker.health(NOW).isHealthy).toBe(isHealthy)
    expect(breaker.admits(NOW)).toBe(isHealthy)
  })

  test.each<[string, number, SendOutcome]>([
    ['three connections that could not be made', 3, unreached],
    ['ten calls nobody knows the end of', 10, unclear],
    ['ten refusals for being busy', 10, busy],
  ])('%s in a row open it, an hour between each two', (_, count, outcome) => {
    const breaker = new CircuitBreaker()
    const isOpenAfter = Array.from({ length: count }, (_, n) => {
      const now = NOW + n * 3_600_000
      breaker.answered(outcome, { isProbe: false, now })
      return !breaker.admits(now)
    })
    expect(isOpenAfter).toEqual([...times(count - 1, outcome).map(() => false), true])
  })

  test('one that is taken ends the row', () => {
    const breaker = breakerAfter(...times(2, unreached), accepted, ...times(2, unreached))
    expect(breaker.admits(NOW)).toBe(true)
    breaker.answered(accepted, { isProbe: false, now: NOW })
    for (let n = 0; n < 30; n++) {
      const now = NOW + n * 120_000
      breaker.answered(n % 9 === 8 ? accepted : unclear, { isProbe: false, now })
      expect(breaker.admits(now)).toBe(true)
    }
  })

  test.each<[number, SendOutcome]>([
    [10, unclear],
    [3, unreached],
  ])('that has closed again counts from the beginning: %d', (count, outcome) => {
    const breaker = breakerAfter(...times(count, outcome))
    breaker.beginProbe()
    breaker.answered(accepted, { isProbe: true, now: NOW })
    for (let n = 1; n <= count; n++) {
      expect(breaker.admits(NOW)).toBe(true)
      breaker.answered(outcome, { isProbe: false, now: NOW })
    }
    expect(breaker.admits(NOW)).toBe(false)
  })

  test('forgets a share of failures after a minute', () => {
    const breaker = breakerAfter(...times(5, unclear), ...times(4, accepted))
    expect(breaker.answered(accepted, { isProbe: false, now: NOW + 60_000 })).toBeUndefined()
    expect(breaker.admits(NOW + 60_000)).toBe(true)
  })

  test('tells that it opened, why, and when it is tried again', () => {
    const breaker = breakerAfter(...times(9, unclear))
    expect(breaker.answered(unclear, { isProbe: false, now: NOW })).toEqual({
      isHealthy: false,
      since: NOW,
      code: 'HTTP_500',
      retryAt: NOW + 10_000,
    })
    expect(breaker.admits(NOW + 9_999)).toBe(false)
    expect(breaker.admits(NOW + 10_000)).toBe(true)
  })

  test('lets one message try it at a time', () => {
    const breaker = breakerAfter(unfit)
    const later = NOW + 10_000
    expect(breaker.wouldProbe(later)).toBe(true)
    breaker.beginProbe()
    expect(breaker.admits(later)).toBe(false)
    breaker.abandonProbe()
    expect(breaker.admits(later)).toBe(true)
  })

  test.each<[string, SendOutcome]>([
    ['unclear', unclear],
    ['busy', busy],
    ['unfit', unfit],
    ['unreached', unreached],
    ['taken, and it opens again', accepted],
  ])('after a probe that was %s, another one may try it once it has rested', (_, outcome) => {
    const breaker = breakerAfter(unfit)
    const later = NOW + 10_000
    breaker.beginProbe()
    breaker.answered(outcome, { isProbe: true, now: later })
    if (outcome === accepted) breaker.answered(unfit, { isProbe: false, now: later })
    expect([breaker.admits(later), breaker.wouldProbe(later + 20_000)]).toEqual([false, true])
  })

  test('closes when the probe is taken, and begins to count anew', () => {
    const breaker = breakerAfter(...times(10, unclear))
    breaker.beginProbe()
    expect(breaker.answered(accepted, { isProbe: true, now: NOW + 10_000 })?.isHealthy).toBe(true)
    expect(breaker.answered(unclear, { isProbe: false, now: NOW + 10_000 })).toBeUndefined()
    expect(breaker.admits(NOW + 10_000)).toBe(true)
  })

  test('rests twice as long after each probe that fails, a minute at most, and remembers since when', () => {
    const breaker = breakerAfter(...times(10, unclear))
    let now = NOW + 10_000
    for (const restMs of [20_000, 40_000, 60_000, 60_000]) {
      breaker.beginProbe()
      expect(breaker.answered(unclear, { isProbe: true, now })).toMatchObject({ since: NOW, retryAt: now + restMs })
      now += restMs
    }
  })

  test('says that a failed probe has changed nothing for those who wait', () => {
    const breaker = breakerAfter(...times(10, unclear))
    for (const outcome of [unclear, unfit]) {
      breaker.beginProbe()
      expect(breaker.answered(outcome, { isProbe: true, now: NOW + 60_000 })?.isStill).toBe(true)
    }
  })

  test('is not moved by the answers to messages that left before it opened', () => {
    const breaker = breakerAfter(...times(10, unclear))
    expect(breaker.answered(accepted, { isProbe: false, now: NOW + 1 })).toBeUndefined()
    expect(breaker.admits(NOW + 1)).toBe(false)
  })

  test('a clock that goes back does not prolong the rest', () => {
    const breaker = breakerAfter(...times(10, unclear))
    expect(breaker.admits(NOW - 3_600_000)).toBe(true)
  })

  test('what was answered more than a minute ago, or in a future that a step of the clock took back, counts no more', () => {
    const answered = (at: number, outcome: SendOutcome) => ({ at, outcome })
    const isHealthyAfter = (calls: Array<ReturnType<typeof answered>>) => {
      const breaker = new CircuitBreaker()
      for (const { at, outcome } of calls) breaker.answered(outcome, { isProbe: false, now: at })
      return breaker.health(NOW).isHealthy
    }
    const early = times(5, unclear).map((outcome) => answered(NOW, outcome))
    const late = (at: number) => [...times(4, accepted), unclear].map((outcome) => answered(at, outcome))
    expect(isHealthyAfter([...early, ...late(NOW + 59_999)])).toBe(false)
    expect(isHealthyAfter([...early, ...late(NOW + 60_000)])).toBe(true)
    expect(isHealthyAfter([...early, ...late(NOW - 1)])).toBe(true)
    expect(isHealthyAfter([...early, ...late(NOW)])).toBe(false)
  })
})
