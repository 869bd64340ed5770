/** What one app sends to one country, as a server sees it. */
import { describe, expect, test } from 'bun:test'
import { TrafficSegment } from '../../src/abuse/counters/traffic-segment'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import { NOW } from '../domain/sample'
import { aSighting, weeksOf } from '../domain/traffic-sample'

const segment = () => new TrafficSegment({ kind: 'pk', country: 'KR' }, weeksOf({ verified: 60, unverified: 10 }), true)
const HOW = { mayPause: true, isLocal: false }

describe('how codes of a country fare one after another', () => {
  test('codes that are typed at once speak for it as those do that take longer', () => {
    const one = segment()
    for (let n = 0; n < 4; n++) one.record(aSighting({ createdAt: NOW + n * SECOND_MS }), 'judged', HOW)
    const before = one.suspicion.score
    expect(before).toBeGreaterThan(0)
    const createdAt = NOW + 5 * MINUTE_MS
    for (const verifiedAt of [createdAt + 10 * SECOND_MS, createdAt + 60 * SECOND_MS])
      for (const stage of ['sent', 'early', 'judged', 'late'] as const)
        one.record(aSighting({ createdAt, verifiedAt }), stage, HOW)
    const twoTyped = before - one.suspicion.score
    const other = segment()
    for (let n = 0; n < 4; n++) other.record(aSighting({ createdAt: NOW + n * SECOND_MS }), 'judged', HOW)
    other.record(aSighting({ createdAt, verifiedAt: createdAt + 60 * SECOND_MS }), 'judged', HOW)
    expect(twoTyped).toBeCloseTo(2 * (before - other.suspicion.score))
  })
})

describe('where nothing arrives', () => {
  /** Twenty-five in as many minutes, of which carriers say nothing. */
  const lost = (one: TrafficSegment, how = HOW) => {
    for (let n = 0; n < 25; n++)
      one.record(aSighting({ createdAt: NOW + n * MINUTE_MS, delivery: 'unknown' }), 'judged', how)
  }
  /** Looked at when they were typed, which is before those that were lost last are. */
  const typed = (one: TrafficSegment, count: number) => {
    for (let n = 0; n < count; n++) {
      const createdAt = NOW + 25 * MINUTE_MS + n * 20 * SECOND_MS
      one.record(aSighting({ createdAt, verifiedAt: createdAt + SECOND_MS }), 'early', HOW)
      one.record(aSighting({ createdAt: createdAt - 90 * SECOND_MS, delivery: 'unknown' }), 'judged', HOW)
    }
  }

  test('nobody is suspected while it lasts, nor when people type again and the last codes of before are judged', () => {
    const one = segment()
    lost(one)
    expect(one.isSuspected(NOW + 27 * MINUTE_MS)).toBe(false)
    for (let count = 1; count <= 30; count++) {
      const again = segment()
      lost(again)
      typed(again, count)
      expect(again.pause.pausedUntil).toBeUndefined()
    }
  })

  test('it is an attack where so many are refused as people are not', () => {
    const one = segment()
    for (let n = 0; n < 36; n++) one.recordRuleHit(NOW + 2 * MINUTE_MS)
    lost(one)
    expect(one.pause.pausedUntil).toBeGreaterThan(NOW)
    const other = segment()
    for (let n = 0; n < 34; n++) other.recordRuleHit(NOW + 2 * MINUTE_MS)
    lost(other)
    expect(other.pause.pausedUntil).toBeUndefined()
  })

  test('it is an attack where there are more codes than people ask for, of one prefix, too', () => {
    const one = segment()
    lost(one)
    for (let n = 0; n < 120; n++)
      one.record(aSighting({ createdAt: NOW + 25 * MINUTE_MS }), 'judged', { ...HOW, isLocal: true })
    one.record(aSighting({ createdAt: NOW + 25 * MINUTE_MS }), 'judged', HOW)
    expect(one.pause.pausedUntil).toBeGreaterThan(NOW)
  })
})

test('silence that was bought counts at once when it is found out', () => {
  const one = segment()
  for (let n = 0; n < 20; n++) one.record(aSighting({ createdAt: NOW - HOUR_MS }), 'judged', { ...HOW, isLocal: true })
  for (let n = 0; n < 20; n++) one.record(aSighting({ createdAt: NOW, delivery: 'unknown' }), 'judged', HOW)
  expect(one.suspicion).toMatchObject({ score: 0, unverified: 20 })
  one.record(aSighting({ createdAt: NOW }), 'judged', HOW)
  one.record(aSighting({ createdAt: NOW }), 'judged', HOW)
  expect(one.pause.pausedUntil).toBeGreaterThan(NOW)
})

test('an hour that is being stored stays as it was given', () => {
  const one = segment()
  const createdAt = Math.floor(NOW / HOUR_MS) * HOUR_MS
  one.record(aSighting({ createdAt }), 'sent', HOW)
  const [given] = one.finishedHours(createdAt, createdAt + 2 * HOUR_MS)
  one.record(aSighting({ createdAt }), 'sent', HOW)
  expect(given?.sent).toBe(1)
  expect(one.finishedHours(createdAt, createdAt + 2 * HOUR_MS)[0]?.sent).toBe(2)
})
