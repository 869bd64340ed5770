/** Whether anybody types, told of codes that are 20 s old. */
import { describe, expect, test } from 'bun:test'
import { EarlyConversionTest, HARDLY_ANYBODY_TYPES, NOBODY_TYPES } from '../../src/abuse/rules/early-conversion-test'
import { AGE_MS, type AgeBucket } from '../../src/abuse/rules/traffic-counter'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import { seededRandom } from '../support/random'
import { NOW } from './sample'
import { aSighting } from './traffic-sample'

/** Typed after so many milliseconds, or not at all. */
type Typed = number | undefined

/** A code in each second, looked at when it was made and when it was early; answers the score. */
function scoreOf(codes: readonly Typed[], typing = new EarlyConversionTest()): number {
  for (const [n, tookMs] of codes.entries()) see(typing, NOW + n * SECOND_MS, tookMs)
  typing.advance(NOW + codes.length * SECOND_MS)
  return typing.score
}

function see(
  typing: EarlyConversionTest,
  createdAt: number,
  tookMs: Typed,
  stages: readonly AgeBucket[] = ['sent', 'early'],
): void {
  const verifiedAt = tookMs === undefined ? undefined : createdAt + tookMs
  for (const stage of stages) typing.record(aSighting({ createdAt, verifiedAt }), stage)
}

const nobody = (count: number): Typed[] => Array.from({ length: count }, () => undefined)
const SOON = 5 * SECOND_MS

describe('where nobody types', () => {
  test('a dozen codes say so where some are refused, two dozen alone', () => {
    const first = (most: number) => nobody(40).findIndex((_, n) => scoreOf(nobody(n)) >= most)
    expect([HARDLY_ANYBODY_TYPES, NOBODY_TYPES].map(first)).toEqual([13, 24])
  })

  test('one in twenty is nobody', () => {
    const codes = Array.from({ length: 60 }, (_, n) => (n % 20 === 10 ? SOON : undefined))
    expect(scoreOf(codes)).toBeGreaterThan(NOBODY_TYPES)
  })

  test('people who come later are believed soon: it rises only so far', () => {
    const people = Array.from({ length: 12 }, () => SOON)
    expect(scoreOf([...nobody(500), ...people])).toBe(0)
  })
})

test('where people type, nothing is told, however many come', () => {
  const { fraction } = seededRandom(1)
  const typing = new EarlyConversionTest()
  let most = 0
  for (let minute = 0; minute < 200; minute++) {
    const codes = Array.from({ length: 50 }, () => (fraction() < 0.5 ? SOON : undefined))
    for (const [n, tookMs] of codes.entries()) see(typing, NOW + minute * MINUTE_MS + n * SECOND_MS, tookMs)
    typing.advance(NOW + (minute + 1) * MINUTE_MS)
    most = Math.max(most, typing.score)
  }
  expect(most).toBeLessThan(NOBODY_TYPES)
})

describe('a code', () => {
  test('says nothing while it is too young', () => {
    const typing = new EarlyConversionTest()
    see(typing, NOW, undefined)
    typing.advance(NOW)
    expect(typing.score).toBe(0)
    typing.advance(NOW + SECOND_MS)
    expect(typing.score).toBeGreaterThan(0)
  })

  test.each(['judged', 'late'] as const)('that is found typed when it is %s speaks for people, too', (stage) => {
    const typing = new EarlyConversionTest()
    const before = scoreOf(nobody(10), typing)
    see(typing, NOW, AGE_MS[stage] - SECOND_MS, [stage])
    expect(typing.score).toBeLessThan(before)
    see(typing, NOW, undefined, [stage])
    see(typing, NOW, SOON, [stage])
    expect(before - typing.score).toBeCloseTo(Math.log(10))
  })

  test('that is told too late says nothing: it may have been typed', () => {
    const typing = new EarlyConversionTest()
    const before = scoreOf(nobody(10), typing)
    see(typing, NOW + 2 * SECOND_MS, undefined)
    typing.advance(NOW + MINUTE_MS)
    expect(typing.score).toBe(before)
  })

  test('of long ago has nothing to show, where many are told at once', () => {
    expect(scoreOf([...nobody(30), ...Array.from({ length: 64 }, () => SOON)])).toBe(0)
    expect(scoreOf([...nobody(64)])).toBe(scoreOf(nobody(1_000)))
  })
})

test('codes of a while ago say nothing to who is shown them now, as to a server that starts', () => {
  const typing = new EarlyConversionTest()
  for (let n = 0; n < 40; n++) see(typing, NOW + n * SECOND_MS, undefined)
  typing.advance(NOW + AGE_MS.late + 41 * SECOND_MS)
  expect(typing.score).toBe(0)
})

test('an hour without a code ends it', () => {
  const typing = new EarlyConversionTest()
  const score = scoreOf(nobody(40), typing)
  const last = NOW + 40 * SECOND_MS
  typing.advance(last + HOUR_MS)
  expect(typing.score).toBe(score)
  typing.advance(last + HOUR_MS + 1)
  expect(typing.score).toBe(0)
})

test('what an operator has ended begins anew', () => {
  const typing = new EarlyConversionTest()
  scoreOf(nobody(40), typing)
  typing.forget()
  expect(typing.score).toBe(0)
})
