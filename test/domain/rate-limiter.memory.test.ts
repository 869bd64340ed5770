import { describe, expect, test } from 'bun:test'
import type { LimitRule } from '../../src/domain/access/rate-limits'
import { RateLimiter } from '../../src/domain/access/rate-limits'
import { Refusal } from '../../src/domain/shared/error'
import { DAY_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { heldBytes, heldObjects } from '../support/memory'
import fc from '../support/property'
import { NOW, RUNS, thrownBy } from './sample'

const WINDOW = 1_000
const rule = (changes: Partial<LimitRule> = {}): LimitRule => ({
  limit: 'perKey',
  policy: 'key',
  subject: 'issue:key_1',
  max: 3,
  windowMs: WINDOW,
  ...changes,
})
const daily = (changes: Partial<LimitRule> = {}) => rule({ limit: 'perKeyDaily', windowMs: 'utc-day', ...changes })

/** Undefined when it was counted, else what the refusal said to wait. */
function refusedFor(limiter: RateLimiter, rules: readonly LimitRule[], now: number): number | undefined {
  try {
    limiter.acquire(rules, now)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== 'limited') throw error
    return error.detail.retryAfterMs
  }
}

/** How many of `count` are admitted now. */
const admitted = (limiter: RateLimiter, rules: readonly LimitRule[], now: number, count = 10) =>
  Array.from({ length: count }, () => refusedFor(limiter, rules, now)).filter((wait) => wait === undefined).length

describe('a sliding window', () => {
  const story = fc.record({
    max: fc.integer({ min: 1, max: 5 }),
    gaps: fc.array(fc.oneof(fc.nat(300), fc.constantFrom(0, 1, WINDOW - 1, WINDOW, WINDOW + 1)), {
      maxLength: 60,
      size: 'max',
    }),
  })

  test('admits exactly what a count over the last window admits, and says exactly when to come back', () => {
    let refusals = 0
    fc.assert(
      fc.property(story, ({ max, gaps }) => {
        const limiter = new RateLimiter()
        const counted: number[] = []
        const hasRoom = (at: number) => counted.filter((time) => at - time < WINDOW).length < max
        let now = NOW
        for (const gap of gaps) {
          now += gap
          const wait = refusedFor(limiter, [rule({ max })], now)
          expect(wait === undefined).toBe(hasRoom(now))
          if (wait === undefined) {
            counted.push(now)
          } else {
            refusals++
            expect([hasRoom(now + wait - 1), hasRoom(now + wait)]).toEqual([false, true])
          }
        }
      }),
      RUNS,
    )
    expect(refusals).toBeGreaterThan(100)
  })

  test('a refused request comes back exactly then and is admitted', () => {
    const limiter = new RateLimiter()
    for (const at of [0, 200, 400]) limiter.acquire([rule()], NOW + at)
    expect(refusedFor(limiter, [rule()], NOW + 500)).toBe(500)
    expect(refusedFor(limiter, [rule()], NOW + 999)).toBe(1)
    expect(refusedFor(limiter, [rule()], NOW + 1_000)).toBeUndefined()
    expect(refusedFor(limiter, [rule()], NOW + 1_000)).toBe(200)
  })

  test('a limit that was lowered waits for as many as are too many', () => {
    const limiter = new RateLimiter()
    for (const at of [0, 100, 200]) limiter.acquire([rule()], NOW + at)
    expect(refusedFor(limiter, [rule({ max: 1 })], NOW + 300)).toBe(900)
  })

  test('a refusal names the limit and whose it is', () => {
    const limiter = new RateLimiter()
    const narrow = rule({ limit: 'perPhone', policy: 'platform', max: 1 })
    limiter.acquire([narrow], NOW)
    expect(thrownBy(() => limiter.acquire([narrow], NOW))).toMatchObject({
      kind: 'limited',
      detail: { limit: 'perPhone', policy: 'platform', retryAfterMs: WINDOW },
    })
  })
})

test('of several limits that are exceeded the one with the longest wait is named', () => {
  const short = rule({ limit: 'perIp', max: 1 })
  const long = rule({ limit: 'perPhone', max: 1, windowMs: MINUTE_MS })
  for (const rules of [
    [short, long],
    [long, short],
  ]) {
    const limiter = new RateLimiter()
    limiter.acquire(rules, NOW)
    expect(thrownBy(() => limiter.acquire(rules, NOW + 10))).toMatchObject({
      detail: { limit: 'perPhone', retryAfterMs: MINUTE_MS - 10 },
    })
    expect(refusedFor(limiter, rules, NOW + MINUTE_MS)).toBeUndefined()
  }
})

describe('what is counted', () => {
  test.each<[string, Partial<LimitRule>]>([
    ['subjects', { subject: 'issue:key_2' }],
    ['limits', { limit: 'perIp' }],
    ['windows', { windowMs: MINUTE_MS }],
  ])('is counted apart for different %s', (_, other) => {
    const limiter = new RateLimiter()
    expect(admitted(limiter, [rule()], NOW)).toBe(3)
    expect(admitted(limiter, [rule(other)], NOW)).toBe(3)
  })

  test('is counted under every rule, or under none', () => {
    const limiter = new RateLimiter()
    const wide = rule({ limit: 'perIp', max: 5 })
    expect(admitted(limiter, [wide, rule()], NOW)).toBe(3)
    expect(admitted(limiter, [wide], NOW)).toBe(2)
  })

  test('includes what happened before this process started', () => {
    const limiter = new RateLimiter()
    limiter.preload(rule(), 2, NOW)
    expect(admitted(limiter, [rule()], NOW)).toBe(1)
    expect(refusedFor(limiter, [rule()], NOW)).toBe(WINDOW)
  })
})

describe('a UTC day', () => {
  const midnight = Math.ceil(NOW / DAY_MS) * DAY_MS

  test('starts anew at midnight, not a millisecond earlier, and says so', () => {
    const limiter = new RateLimiter()
    expect(admitted(limiter, [daily()], midnight - DAY_MS)).toBe(3)
    expect(refusedFor(limiter, [daily()], midnight - DAY_MS)).toBe(DAY_MS)
    expect(refusedFor(limiter, [daily()], midnight - 1)).toBe(1)
    expect(admitted(limiter, [daily()], midnight)).toBe(3)
    expect(refusedFor(limiter, [daily()], midnight)).toBe(DAY_MS)
  })

  test('does not slide: what was taken just before midnight is no burden after it', () => {
    const limiter = new RateLimiter()
    expect(admitted(limiter, [daily()], midnight - 1)).toBe(3)
    expect(admitted(limiter, [daily()], midnight)).toBe(3)
  })
})

describe('giving back', () => {
  test('makes room for one, under every rule', () => {
    const limiter = new RateLimiter()
    const rules = [rule(), daily()]
    expect(admitted(limiter, rules, NOW, 2)).toBe(2)
    const permit = limiter.acquire(rules, NOW)
    expect(refusedFor(limiter, rules, NOW)).toBeDefined()
    permit.release()
    expect([admitted(limiter, [rule()], NOW), admitted(limiter, [daily()], NOW)]).toEqual([1, 1])
  })

  test('gives back its own time, not that of a later one', () => {
    const limiter = new RateLimiter()
    const early = limiter.acquire([rule({ max: 2 })], NOW)
    limiter.acquire([rule({ max: 2 })], NOW + 600)
    early.release()
    limiter.acquire([rule({ max: 2 })], NOW + 700)
    expect(refusedFor(limiter, [rule({ max: 2 })], NOW + 700)).toBe(900)
  })

  test('leaves nothing behind, however often a caller repeats itself', async () => {
    const limiter = new RateLimiter()
    // One that stays: a window of one is kept as its time only.
    limiter.acquire([daily()], NOW)
    const others = await heldObjects()
    for (let n = 1; n <= 20_000; n++) limiter.acquire([daily()], NOW + n).release()
    expect((await heldObjects()) - others).toBeLessThan(1_000)
    expect(admitted(limiter, [daily()], NOW + 20_000)).toBe(2)
  })

  test('what has left the window already takes nothing from others', () => {
    const limiter = new RateLimiter()
    const permit = limiter.acquire([rule()], NOW)
    expect(admitted(limiter, [rule()], NOW + WINDOW)).toBe(3)
    permit.release()
    expect(admitted(limiter, [rule()], NOW + WINDOW)).toBe(0)
  })

  test.each([
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 3],
  ])('too late takes nothing from others: %d were counted, and now %d are', (before, after) => {
    const limiter = new RateLimiter()
    const late = Array.from({ length: before }, (_, index) => limiter.acquire([rule()], NOW + index))
    const then = NOW + before + WINDOW
    expect(admitted(limiter, [rule()], then, after)).toBe(after)
    for (const permit of late) permit.release()
    expect(admitted(limiter, [rule({ max: after })], then)).toBe(0)
  })

  test.each([0, 1, 2])('twice takes nothing from others, with %d counted before', (before) => {
    const limiter = new RateLimiter()
    expect(admitted(limiter, [rule()], NOW, before)).toBe(before)
    const permit = limiter.acquire([rule()], NOW)
    permit.release()
    expect(admitted(limiter, [rule()], NOW, 1)).toBe(1)
    permit.release()
    expect(admitted(limiter, [rule()], NOW)).toBe(2 - before)
  })
})

describe('a clock that steps back', () => {
  test('locks nobody out for longer than one window', () => {
    const limiter = new RateLimiter()
    expect(admitted(limiter, [rule()], NOW)).toBe(3)
    const past = NOW - 50 * WINDOW
    expect(refusedFor(limiter, [rule()], past)).toBe(WINDOW)
    expect(refusedFor(limiter, [rule()], past + WINDOW - 1)).toBe(1)
    expect(admitted(limiter, [rule()], past + WINDOW)).toBe(3)
  })

  test('lets the day that it is now still end at its midnight', () => {
    const limiter = new RateLimiter()
    const midnight = Math.ceil(NOW / DAY_MS) * DAY_MS
    expect(admitted(limiter, [daily()], midnight + 5)).toBe(3)
    expect(refusedFor(limiter, [daily()], midnight - 5)).toBe(5)
    expect(admitted(limiter, [daily()], midnight)).toBe(3)
  })

  test('wherever the clock goes, the wait is at most one window, and after it there is room', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: -3_000, max: 3_000 }), { maxLength: 40, size: 'max' }),
        (max, steps) => {
          const limiter = new RateLimiter()
          let now = NOW
          for (const step of steps) {
            now += step
            const wait = refusedFor(limiter, [rule({ max })], now)
            if (wait === undefined) continue
            expect(wait).toBeLessThanOrEqual(WINDOW)
            now += wait
            expect(refusedFor(limiter, [rule({ max })], now)).toBeUndefined()
          }
        },
      ),
      RUNS,
    )
  })
})

describe('giving back after the clock was set back', () => {
  test.each([1, 2])('makes room again, with %p counted', (counted) => {
    const limiter = new RateLimiter()
    const permits = Array.from({ length: counted }, () => limiter.acquire([rule()], NOW))
    limiter.prune(NOW - 100)
    expect(refusedFor(limiter, [rule({ max: counted })], NOW - 100)).toBeDefined()
    for (const permit of permits) permit.release()
    expect(admitted(limiter, [rule()], NOW - 100)).toBe(3)
  })

  test.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 0, 2]]])('makes room again, in whichever order: %j', (order) => {
    const limiter = new RateLimiter()
    const permits = [0, 1, 2].map((at) => limiter.acquire([rule()], NOW + at))
    expect(refusedFor(limiter, [rule()], NOW - 100)).toBeDefined()
    for (const index of order) permits[index]?.release()
    expect(admitted(limiter, [rule()], NOW - 100)).toBe(3)
  })
})

describe('pruning', () => {
  const SUBJECTS = 50_000
  /** What one of them takes at least: two numbers. */
  const BYTES = 16
  const subject = (index: number) => `issue:key_${index}`

  test.each([1, 2])('frees the memory of what no longer counts, and of that only, with %d of each', async (times) => {
    const pruneAll = (limiter: RateLimiter, at: number) => {
      // A look sees some of them.
      for (let look = 0; look < 50; look++) limiter.prune(at)
    }
    const fill = (limiter: RateLimiter) => {
      for (let n = 0; n < times; n++)
        for (let index = 0; index < SUBJECTS; index++) limiter.acquire([rule({ subject: subject(index) })], NOW + n)
      pruneAll(limiter, NOW + WINDOW - 1)
    }
    // What the engine keeps of a first run is none of it.
    const first = new RateLimiter()
    fill(first)
    pruneAll(first, NOW + WINDOW + times)
    const others = await heldBytes()

    const limiter = new RateLimiter()
    fill(limiter)
    const isFull = (index: number, at: number) =>
      refusedFor(limiter, [rule({ subject: subject(index), max: times })], at) !== undefined
    expect([0, 1, SUBJECTS - 1].map((index) => isFull(index, NOW + WINDOW - 1))).toEqual([true, true, true])
    expect((await heldBytes()) - others).toBeGreaterThan(SUBJECTS * BYTES)
    pruneAll(limiter, NOW + WINDOW + times)
    expect((await heldBytes()) - others).toBeLessThan((SUBJECTS * BYTES) / 4)
  })

  test('takes the memory of so many subjects at most: whoever was counted longest ago is forgotten', () => {
    const limiter = new RateLimiter()
    const MOST = 100_000
    const take = (index: number) => refusedFor(limiter, [rule({ subject: subject(index), max: 1 })], NOW)
    for (let index = 0; index < MOST; index++) take(index)
    expect([take(0), take(1)]).toEqual([WINDOW, WINDOW])
    take(MOST)
    expect([take(1), take(MOST - 1), take(MOST), take(0)]).toEqual([WINDOW, WINDOW, WINDOW, undefined])
  })

  test('does not forget first whoever came first and was counted again', () => {
    const limiter = new RateLimiter()
    const MOST = 100_000
    const take = (index: number) => refusedFor(limiter, [rule({ subject: subject(index), max: 2 })], NOW)
    for (let index = 0; index < MOST; index++) take(index)
    take(0)
    take(MOST)
    expect(take(0)).toBe(WINDOW)
  })

  test('forgets what no longer counts, for good', () => {
    const limiter = new RateLimiter()
    expect(admitted(limiter, [rule(), daily()], NOW)).toBe(3)
    limiter.prune(NOW + WINDOW)
    expect(admitted(limiter, [rule()], NOW)).toBe(3)
    limiter.prune(NOW + DAY_MS)
    expect(admitted(limiter, [daily()], NOW)).toBe(3)
  })

  test('keeps what still counts', () => {
    const limiter = new RateLimiter()
    expect(admitted(limiter, [rule(), daily()], NOW)).toBe(3)
    limiter.prune(NOW + WINDOW - 1)
    expect([admitted(limiter, [rule()], NOW + WINDOW - 1), admitted(limiter, [daily()], NOW)]).toEqual([0, 0])
  })

  test('does not disturb a permit that is given back afterwards', () => {
    const limiter = new RateLimiter()
    const permit = limiter.acquire([rule()], NOW)
    limiter.prune(NOW + WINDOW)
    expect(admitted(limiter, [rule()], NOW + WINDOW)).toBe(3)
    permit.release()
    expect(admitted(limiter, [rule()], NOW + WINDOW)).toBe(0)
  })
})
