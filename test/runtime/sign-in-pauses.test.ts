import { describe, expect, test } from 'bun:test'
import type { Refusal } from '../../src/domain/shared/error'
import type { SignInAttempt, SignInSubject } from '../../src/ports/node'
import {
  FORGET_FAILURES_MS,
  MAX_SUBJECTS,
  PAUSE_POLICIES,
  pauseMs,
  SignInPauses,
} from '../../src/runtime/limits/sign-in-pauses'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const ANN: SignInSubject = {
  account: 'ann',
  liftedAt: undefined,
  anyLiftedAt: undefined,
  address: '203.0.113.1',
  isKnown: false,
}

/** How long an attempt has to wait; 0: it is looked at. */
function waitOf(attempt: () => unknown): number {
  try {
    attempt()
    return 0
  } catch (refusal) {
    return (refusal as Refusal).detail.retryAfterMs ?? Number.NaN
  }
}

describe('how long the pause is', () => {
  test.each([
    ['pair', 0, 0],
    ['pair', 4, 0],
    ['pair', 5, 30 * SECOND],
    ['pair', 6, MINUTE],
    ['pair', 8, 4 * MINUTE],
    ['pair', 11, 32 * MINUTE],
    ['pair', 12, HOUR],
    ['pair', 10_000, HOUR],
    ['address', 29, 0],
    ['address', 30, 30 * SECOND],
    ['address', 34, 8 * MINUTE],
    ['address', 35, 15 * MINUTE],
    ['address', 1_000_000, 15 * MINUTE],
    ['code', 4, 0],
    ['code', 5, 30 * SECOND],
    ['code', 99, HOUR],
  ] as const)('of a %s that has failed %i times it is %i ms', (kind, failures, ms) => {
    expect(pauseMs(PAUSE_POLICIES[kind], failures)).toBe(ms)
  })
})

describe('failed sign-ins', () => {
  const fail = (pauses: SignInPauses, who: SignInSubject, now: number) => waitOf(() => pauses.acquire(who, now))
  const failTimes = (pauses: SignInPauses, who: SignInSubject, times: number, now = 0) => {
    for (let n = 0; n < times; n++) fail(pauses, who, now)
  }

  test('slow down the account and the address together, with growing pauses', () => {
    const pauses = new SignInPauses()
    failTimes(pauses, ANN, 5)
    expect(fail(pauses, ANN, 0)).toBe(30 * SECOND)
    expect(fail(pauses, ANN, 29 * SECOND)).toBe(SECOND)
    expect(fail(pauses, ANN, 30 * SECOND)).toBe(0)
    expect(fail(pauses, ANN, 30 * SECOND)).toBe(MINUTE)
    expect(fail(pauses, ANN, 90 * SECOND)).toBe(0)
    expect(fail(pauses, ANN, 90 * SECOND)).toBe(2 * MINUTE)
  })

  test('do not keep the same account out of other addresses, nor other accounts out of the same', () => {
    const pauses = new SignInPauses()
    failTimes(pauses, ANN, 40)
    expect(fail(pauses, { ...ANN, address: '203.0.113.2' }, 0)).toBe(0)
    expect(fail(pauses, { ...ANN, account: 'bob' }, 0)).toBe(0)
  })

  test('to many accounts slow down the address, more generously', () => {
    const pauses = new SignInPauses()
    for (let n = 0; n < 30; n++) expect(fail(pauses, { ...ANN, account: `p${n}` }, 0)).toBe(0)
    expect(fail(pauses, { ...ANN, account: 'one more' }, 0)).toBe(30 * SECOND)
    expect(fail(pauses, { ...ANN, address: '203.0.113.2', account: 'one more' }, 0)).toBe(0)
  })

  test('that were refused unlooked do not make the pause longer', () => {
    const pauses = new SignInPauses()
    failTimes(pauses, ANN, 500)
    expect(fail(pauses, ANN, 30 * SECOND)).toBe(0)
  })

  test('of a known address are looked at in any case, and count', () => {
    const pauses = new SignInPauses()
    const known = { ...ANN, isKnown: true }
    failTimes(pauses, known, 11)
    const guess = pauses.acquire(known, 0)
    expect(guess.refusal(0)?.detail.retryAfterMs).toBe(HOUR)
    expect(fail(pauses, ANN, 0)).toBe(HOUR)
  })

  test('are forgiven the pair by the right password, and the address nothing by it', () => {
    const pauses = new SignInPauses()
    for (let n = 0; n < 29; n++) fail(pauses, { ...ANN, account: `p${n}` }, 0)
    for (let n = 0; n < 100; n++) pauses.acquire(ANN, 0).succeed()
    expect(fail(pauses, ANN, 0)).toBe(0)
    expect(fail(pauses, ANN, 0)).toBe(30 * SECOND)
  })

  test('are forgotten after a day', () => {
    const pauses = new SignInPauses()
    failTimes(pauses, { ...ANN, isKnown: true }, 20)
    expect(fail(pauses, ANN, FORGET_FAILURES_MS)).toBe(0)
    for (let n = 0; n < 4; n++) expect(fail(pauses, ANN, FORGET_FAILURES_MS)).toBe(0)
    expect(fail(pauses, ANN, FORGET_FAILURES_MS)).toBe(30 * SECOND)
  })

  test('an attempt that was none leaves everything as it was, the time too', () => {
    const pauses = new SignInPauses()
    failTimes(pauses, ANN, 5)
    for (let n = 0; n < 5; n++) pauses.acquire(ANN, MINUTE).release()
    expect(fail(pauses, ANN, MINUTE)).toBe(0)
    expect(fail(pauses, ANN, MINUTE)).toBe(MINUTE)
  })

  test('an attempt that was none leaves nothing behind, and takes nothing from what was counted since', () => {
    const pauses = new SignInPauses()
    pauses.acquire(ANN, 0).release()
    expect(pauses.size).toBe(0)
    const early = pauses.acquire(ANN, 0)
    pauses.acquire(ANN, 0).succeed()
    failTimes(pauses, ANN, 5)
    early.release()
    expect(fail(pauses, ANN, 0)).toBe(30 * SECOND)
  })

  test('many at a time are as many: who has begun has failed until it is known better', () => {
    const pauses = new SignInPauses()
    const begun: SignInAttempt[] = []
    let refused = 0
    for (let n = 0; n < 40; n++) {
      try {
        begun.push(pauses.acquire(ANN, 0))
      } catch {
        refused++
      }
    }
    expect([begun.length, refused]).toEqual([5, 35])
    begun[0]?.succeed()
    // What was under way when the right one came is forgiven with the rest, and taken back once only.
    for (const guess of begun) guess.release()
    for (let n = 0; n < 5; n++) expect(fail(pauses, ANN, 0)).toBe(0)
    expect(fail(pauses, ANN, 0)).toBe(30 * SECOND)
  })

  test('are lifted of an account, and of addresses with it, but of no other account', () => {
    const pauses = new SignInPauses()
    const bob = { ...ANN, account: 'bob' }
    for (const who of [ANN, bob]) failTimes(pauses, who, 6)
    for (let n = 0; n < 30; n++) fail(pauses, { ...ANN, account: `p${n}` }, 0)
    const lifted = { anyLiftedAt: 1 }
    expect(fail(pauses, { ...bob, ...lifted }, 0)).toBe(30 * SECOND)
    expect(fail(pauses, { ...ANN, ...lifted, liftedAt: 1 }, 0)).toBe(0)
  })

  test('whatever is tried, what is remembered is bounded', () => {
    const pauses = new SignInPauses()
    for (let n = 0; n < 3 * MAX_SUBJECTS; n++) {
      const who = { ...ANN, account: `a${n}`, address: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` }
      pauses.acquire(who, 0).continueWithSecondFactor(0)
    }
    expect(pauses.size).toBeLessThanOrEqual(3 * MAX_SUBJECTS)
  })

  test('who would push one out of memory has to fail for as many others as are remembered', () => {
    const pauses = new SignInPauses()
    const others = (count: number) => {
      for (let n = 0; n < count; n++) pauses.acquire({ ...ANN, account: `a${made}`, address: `host ${made++}` }, 0)
    }
    let made = 0
    failTimes(pauses, ANN, 5)
    others(MAX_SUBJECTS - 1)
    // One more failure of the same is of no other.
    made--
    others(1)
    expect(fail(pauses, ANN, 0)).toBe(30 * SECOND)
    others(1)
    expect(fail(pauses, ANN, 0)).toBe(0)
  })

  test('that are remembered from long ago are forgiven by the right password, too', () => {
    const pauses = new SignInPauses()
    const ann = { ...ANN, isKnown: true }
    failTimes(pauses, ann, 5)
    for (let n = 0; n < MAX_SUBJECTS / 2; n++) pauses.acquire({ ...ANN, account: `a${n}`, address: `host ${n}` }, 0)
    pauses.acquire(ann, 0).succeed()
    expect(fail(pauses, ANN, 0)).toBe(0)
  })

  test('news of an operator come once an hour, and only of a pause', () => {
    const pauses = new SignInPauses()
    const known = { ...ANN, isKnown: true }
    expect(pauses.acquire(known, 0).failuresToLog('op', 0)).toBeUndefined()
    failTimes(pauses, known, 3)
    expect(pauses.acquire(known, 0).failuresToLog('op', 0)).toBe(5)
    expect(pauses.acquire(known, 0).failuresToLog('op', HOUR - 1)).toBeUndefined()
    expect(pauses.acquire(known, HOUR).failuresToLog('op', HOUR)).toBe(7)
  })
})

describe('the second factor', () => {
  const guessCode = (pauses: SignInPauses, who: SignInSubject, now: number) =>
    waitOf(() => pauses.acquire(who, now).continueWithSecondFactor(now))

  test('guessed from ever other addresses is slowed down by the account', () => {
    const pauses = new SignInPauses()
    for (let n = 0; n < 5; n++) expect(guessCode(pauses, { ...ANN, address: `203.0.113.${n}` }, 0)).toBe(0)
    expect(guessCode(pauses, { ...ANN, address: '203.0.113.9' }, 0)).toBe(30 * SECOND)
    // Which keeps nobody out who comes from where they have been before.
    expect(guessCode(pauses, { ...ANN, address: '203.0.113.10', isKnown: true }, 0)).toBe(0)
  })

  test('guessed from a known address is slowed down, too', () => {
    const pauses = new SignInPauses()
    const known = { ...ANN, isKnown: true }
    for (let n = 0; n < 5; n++) expect(guessCode(pauses, known, 0)).toBe(0)
    expect(guessCode(pauses, known, 0)).toBe(30 * SECOND)
  })

  test('pauses that are lifted are those of the second factor, too', () => {
    const pauses = new SignInPauses()
    for (let n = 0; n < 5; n++) guessCode(pauses, { ...ANN, address: `203.0.113.${n}` }, 0)
    expect(guessCode(pauses, { ...ANN, address: '203.0.113.9', liftedAt: 1, anyLiftedAt: 1 }, 0)).toBe(0)
  })

  test('a right one forgives the wrong ones', () => {
    const pauses = new SignInPauses()
    const known = { ...ANN, isKnown: true }
    for (let n = 0; n < 4; n++) guessCode(pauses, known, 0)
    const guess = pauses.acquire(known, 0)
    guess.continueWithSecondFactor(0)
    guess.succeed()
    for (let n = 0; n < 5; n++) expect(guessCode(pauses, known, 0)).toBe(0)
  })
})
