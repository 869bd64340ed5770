/** How often somebody may guess at one phone. */
import { describe, expect, test } from 'bun:test'
import {
  admitNext,
  type FailureCount,
  fail,
  forgive,
  NO_FAILURES,
  standingOf,
} from '../../src/abuse/rules/failure-budget'
import { DAY_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { NOW } from './sample'

const LOCKED_A_DAY = { lockMs: DAY_MS, failures: 'block' } as const
const LOCKED_FOR_GOOD = { ...LOCKED_A_DAY, lockMs: null }

/** Nothing is against it, and nothing is to be remembered. */
const AT_ONCE = { maxAttempts: 5, failures: undefined, found: undefined }

/** So many wrong codes, all at once. */
function failed(times: number, before?: FailureCount, at = NOW): FailureCount {
  let failures = before
  for (let n = 0; n < times; n++) failures = fail(failures, at)
  return failures as FailureCount
}

/** The last one now. */
function oneADay(times: number): FailureCount {
  let failures: FailureCount | undefined
  for (let day = times - 1; day >= 0; day--) failures = fail(failures, NOW - day * DAY_MS)
  return failures as FailureCount
}

const waitAfter = (times: number) => standingOf(failed(times), LOCKED_A_DAY, NOW).waitMs / MINUTE_MS
const foundIn = (failures: FailureCount, now = NOW) => admitNext(failures, 5, LOCKED_A_DAY, now).found

describe('a row of wrong codes', () => {
  test('costs nothing up to nine, then a pause that doubles up to 32 minutes', () => {
    expect([1, 9, 10, 11, 12, 13, 14, 15, 16, 59].map(waitAfter)).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 32, 32])
  })

  test('waits from the last one on', () => {
    const failures = failed(11)
    expect(standingOf(failures, LOCKED_A_DAY, NOW + MINUTE_MS).waitMs).toBe(MINUTE_MS)
    expect(standingOf(failures, LOCKED_A_DAY, NOW + 2 * MINUTE_MS).waitMs).toBe(0)
  })

  test('is against the next code, with what is left of it', () => {
    expect(foundIn(failed(10))).toEqual({ rule: 'failures_paused', waitMs: MINUTE_MS, isRefused: true })
    expect(admitNext(failed(10), 5, LOCKED_A_DAY, NOW + MINUTE_MS)).toEqual(AT_ONCE)
  })

  test('ends with a right code', () => {
    expect(standingOf(forgive(failed(40)), LOCKED_A_DAY, NOW)).toEqual({
      ...{ waitMs: 0, rule: undefined, unprovable: undefined, isLocked: false, isSeldom: false },
    })
    expect(fail(forgive(failed(40)), NOW).inARow).toBe(1)
  })
})

describe('a hundred in a row', () => {
  // Over two months and more, so that nothing else counts.
  const slow = oneADay(100)

  test('lock the phone for a day', () => {
    expect(standingOf(slow, LOCKED_A_DAY, NOW)).toMatchObject({ waitMs: DAY_MS, isLocked: true })
    expect(standingOf(slow, LOCKED_A_DAY, NOW + DAY_MS - 1)).toMatchObject({ waitMs: 1, isLocked: true })
    expect(standingOf(slow, LOCKED_A_DAY, NOW + DAY_MS)).toMatchObject({ waitMs: 0, isLocked: false })
  })

  test('are what is against the next code, whatever else it waits for', () => {
    expect(foundIn(failed(100))).toEqual({ rule: 'failures_locked', waitMs: DAY_MS, isRefused: true })
  })

  test('ninety-nine do not', () => {
    expect(standingOf(oneADay(99), LOCKED_A_DAY, NOW).isLocked).toBe(false)
  })

  test('more do not lock it for longer', () => {
    expect(standingOf(fail(slow, NOW + DAY_MS / 2), LOCKED_A_DAY, NOW + DAY_MS)).toMatchObject({ isLocked: false })
  })

  test('lock it until somebody opens it, where the owner has chosen that; a right code of one that is out does', () => {
    expect(standingOf(slow, LOCKED_FOR_GOOD, NOW + 300 * DAY_MS)).toMatchObject({ waitMs: DAY_MS, isLocked: true })
    expect(standingOf(forgive(slow), LOCKED_FOR_GOOD, NOW)).toMatchObject({ isLocked: false })
  })

  test('begin a new row when the lock has ended', () => {
    const later = NOW + 40 * DAY_MS
    expect(admitNext(slow, 5, LOCKED_A_DAY, later).failures).toMatchObject({ inARow: 0, lockedAt: undefined })
  })
})

describe('sixty in thirty days', () => {
  test('let one code through in three days, with one attempt, also after a right one', () => {
    const sixty = forgive(failed(60))
    const first = admitNext(sixty, 5, LOCKED_A_DAY, NOW)
    expect(first).toMatchObject({ maxAttempts: 1, failures: { issuedAt: NOW } })
    const remembered = first.failures as FailureCount
    expect(foundIn(remembered, NOW + MINUTE_MS)).toEqual({
      ...{ rule: 'failures_seldom', waitMs: 3 * DAY_MS - MINUTE_MS, isRefused: true },
    })
    expect(admitNext(remembered, 5, LOCKED_A_DAY, NOW + 3 * DAY_MS)).toMatchObject({ maxAttempts: 1 })
  })

  test('end by an operator, who opens the phone for all that is to come', () => {
    const opened = NO_FAILURES
    expect(standingOf(opened, LOCKED_A_DAY, NOW)).toMatchObject({ waitMs: 0, isSeldom: false })
    expect(admitNext(opened, 5, LOCKED_A_DAY, NOW)).toEqual(AT_ONCE)
    // It takes as many again.
    expect(admitNext(forgive(failed(59, opened)), 5, LOCKED_A_DAY, NOW)).toEqual(AT_ONCE)
  })

  test('let a proof of a human through, with one attempt, and leave the one code in three days to others', () => {
    const failures = { ...forgive(failed(60)), issuedAt: NOW }
    const later = NOW + MINUTE_MS
    expect(admitNext(failures, 5, LOCKED_A_DAY, later, true)).toEqual({
      ...{ maxAttempts: 1, failures: undefined },
      found: { rule: 'failures_seldom', waitMs: 3 * DAY_MS - MINUTE_MS, isRefused: false },
    })
    expect(admitNext(failures, 5, { ...LOCKED_A_DAY, failures: 'watch' }, later, true).maxAttempts).toBe(5)
  })

  test('let no proof through while a pause or a lock waits as well', () => {
    const issued = { issuedAt: NOW }
    expect(admitNext({ ...failed(70), ...issued }, 5, LOCKED_A_DAY, NOW, true).found).toEqual({
      ...{ rule: 'failures_paused', waitMs: 3 * DAY_MS, isRefused: true },
    })
    expect(admitNext({ ...failed(100), ...issued }, 5, LOCKED_A_DAY, NOW, true).found).toEqual({
      ...{ rule: 'failures_locked', waitMs: 3 * DAY_MS, isRefused: true },
    })
    // A lock that has ended begins a new row with a code by a proof, too: else no other hundred would lock it.
    const over = admitNext({ ...failed(100), issuedAt: NOW }, 5, LOCKED_A_DAY, NOW + DAY_MS, true)
    expect(over).toMatchObject({ maxAttempts: 1, failures: { inARow: 0, lockedAt: undefined, issuedAt: NOW } })
  })

  test('fifty-nine do not', () => {
    expect(admitNext(forgive(failed(59)), 5, LOCKED_A_DAY, NOW)).toEqual(AT_ONCE)
  })

  test('are over when fewer than sixty are left of the last thirty days', () => {
    const sixty = forgive(failed(1, failed(59, undefined, NOW - DAY_MS), NOW))
    expect(admitNext(sixty, 5, LOCKED_A_DAY, NOW + 28 * DAY_MS).maxAttempts).toBe(1)
    expect(admitNext(sixty, 5, LOCKED_A_DAY, NOW + 29 * DAY_MS).maxAttempts).toBe(5)
  })
})

describe('where they are only watched', () => {
  const watched = { ...LOCKED_A_DAY, failures: 'watch' } as const

  test('a code is sent with all its attempts, and what would have been is found', () => {
    expect(admitNext(failed(10), 5, watched, NOW)).toEqual({
      ...{ maxAttempts: 5, failures: undefined },
      found: { rule: 'failures_paused', waitMs: MINUTE_MS, isRefused: false },
    })
    expect(admitNext(failed(100), 5, watched, NOW).found).toMatchObject({ rule: 'failures_locked', isRefused: false })
    expect(admitNext(forgive(failed(60)), 5, watched, NOW)).toMatchObject({
      maxAttempts: 5,
      failures: { issuedAt: NOW },
    })
  })

  test('all is as it would have been: a code that would have been refused begins no three days anew', () => {
    const first = admitNext(forgive(failed(60)), 5, watched, NOW).failures as FailureCount
    const second = admitNext(first, 5, watched, NOW + DAY_MS)
    expect(second).toMatchObject({ failures: undefined, found: { rule: 'failures_seldom', isRefused: false } })
    expect(admitNext(first, 5, LOCKED_A_DAY, NOW + 3 * DAY_MS)).toMatchObject({ maxAttempts: 1, found: undefined })
  })

  test('or not at all, nothing is found, and a lock that has ended begins a new row all the same', () => {
    const off = { ...LOCKED_A_DAY, failures: 'off' } as const
    expect(admitNext(failed(100), 5, off, NOW)).toEqual(AT_ONCE)
    expect(admitNext(oneADay(100), 5, off, NOW + 40 * DAY_MS).failures).toMatchObject({
      inARow: 0,
      lockedAt: undefined,
    })
  })
})

test('a clock that was set back makes nobody wait longer than from now on', () => {
  const ahead = failed(11, undefined, NOW + 5 * MINUTE_MS)
  expect(standingOf(ahead, LOCKED_A_DAY, NOW).waitMs).toBe(2 * MINUTE_MS)
})

test('one that was a year ahead has locked nobody, and made no code come seldom', () => {
  const ahead = failed(100, undefined, NOW + 365 * DAY_MS)
  expect(standingOf(ahead, LOCKED_A_DAY, NOW)).toMatchObject({ waitMs: 0, isSeldom: false })
})

describe('whoever guesses at a phone all year, while its owner signs in every day', () => {
  const CODES_A_DAY = 15
  /** At the limits of codes for one phone, with as many at a time and as many attempts as there can be. */
  function guesses({
    atOnce,
    maxAttempts,
    burst,
    everyDays,
  }: {
    atOnce: number
    maxAttempts: number
    burst: number
    everyDays: number
  }) {
    let failures: FailureCount | undefined
    let made = 0
    let before = 0
    for (let day = 0; day < 365; day++) {
      if (failures) failures = forgive(failures)
      if (day % everyDays === 0) before = made
      let codes = 0
      for (let at = NOW + day * DAY_MS; at < NOW + (day + 1) * DAY_MS && codes < CODES_A_DAY; at += 10 * MINUTE_MS) {
        if (made - before >= burst) break
        const attempts: number[] = []
        while (attempts.length < atOnce && codes < CODES_A_DAY) {
          if (failures && standingOf(failures, LOCKED_A_DAY, at).waitMs > 0) break
          const admitted = admitNext(failures, maxAttempts, LOCKED_A_DAY, at)
          failures = admitted.failures ?? failures
          attempts.push(admitted.maxAttempts)
          codes++
        }
        for (const times of attempts) {
          failures = failed(times, failures, at)
          made += times
        }
      }
    }
    return made
  }

  test('has fewer than five hundred guesses by each kind of key, so that both have fewer than a thousand', () => {
    let most = 0
    for (const atOnce of [1, 5])
      for (const maxAttempts of [10])
        for (const burst of [59, 1_000])
          for (const everyDays of [1, 30, 31]) most = Math.max(most, guesses({ atOnce, maxAttempts, burst, everyDays }))
    expect(most).toBeLessThan(500)
    // Otherwise nothing was put to the test.
    expect(most).toBeGreaterThan(300)
  })
})
