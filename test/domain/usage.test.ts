import { expect, test } from 'bun:test'
import { addUp, LATENCY_STEPS_MS, type UsageRow } from '../../src/domain/operations/usage'

const row = (more: Partial<UsageRow> = {}): UsageRow => ({
  ...{ at: 0, channel: 'sms', carrier: 'main', country: 'KR', purpose: 'login' },
  ...{ issued: 0, sent: 0, delivered: 0, failed: 0, verified: 0, spent: 0, messages: 0, latencies: [] },
  ...more,
})
const at = (step: number, count = 1) =>
  Array.from({ length: LATENCY_STEPS_MS.length + 1 }, (_, n) => (n === step ? count : 0))

test('rows are added up by name', () => {
  const counts = { issued: 7, sent: 6, messages: 8, delivered: 5, failed: 2, verified: 4, spent: 6 }
  expect(addUp([row(counts), row({ issued: 1 }), row()])).toEqual({ ...counts, issued: 8 })
  expect(addUp([])).toEqual({ issued: 0, sent: 0, delivered: 0, failed: 0, verified: 0, spent: 0, messages: 0 })
})

test('each step of latency is above the one before', () => {
  expect(LATENCY_STEPS_MS.toSorted((a, b) => a - b)).toEqual([...LATENCY_STEPS_MS])
  expect(new Set(LATENCY_STEPS_MS).size).toBe(LATENCY_STEPS_MS.length)
})

test.each([...LATENCY_STEPS_MS.entries()])(
  'a percentile lies within its step, in proportion: %i, to %i ms',
  (step, above) => {
    const below = LATENCY_STEPS_MS[step - 1] ?? 0
    const { p50Ms, p95Ms } = addUp([row({ latencies: at(step, 60) }), row({ latencies: at(step, 40) })])
    expect([p50Ms, p95Ms]).toEqual([0.5, 0.95].map((share) => Math.round(below + share * (above - below))))
  },
)

test('half and nearly all are told apart, also across rows', () => {
  const { p50Ms, p95Ms } = addUp([row({ latencies: at(0, 50) }), row({ latencies: at(3, 50) })])
  expect([p50Ms, p95Ms]).toEqual([50, 290])
})

test('beyond the last step is as far as the last step', () => {
  const beyond = addUp([row({ latencies: at(LATENCY_STEPS_MS.length) })])
  expect([beyond.p50Ms, beyond.p95Ms]).toEqual([60_000, 60_000])
})
