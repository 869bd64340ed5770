/** What is counted of a carrier's reports. */
import { expect, test } from 'bun:test'
import {
  addTallies,
  isSilent,
  NO_REPORTS,
  type ReportTally,
  refusedLately,
  tallyOf,
} from '../../src/domain/delivery/report-tally'
import { DAY_MS, MINUTE_MS } from '../../src/domain/shared/value'

const NOW = 1_800_000_000_000
const sum = (...tallies: ReportTally[]) => tallies.reduce(addTallies, NO_REPORTS)
const accepted = (count: number, at: number): ReportTally => ({ ...tallyOf('accepted', at), accepted: count })

test('messages are counted from the last report that was recorded', () => {
  const before = sum(accepted(150, NOW), accepted(50, NOW + 5))
  expect(before).toEqual({ ...NO_REPORTS, accepted: 200, acceptedSince: NOW })
  expect(sum(before, tallyOf('recorded', NOW + 9), accepted(3, NOW + 10))).toEqual({
    ...NO_REPORTS,
    ...{ recordedAt: NOW + 9, accepted: 3, acceptedSince: NOW + 10 },
  })
})

test('a carrier is silent after two hundred messages and a quarter of an hour', () => {
  const late = NOW + 15 * MINUTE_MS
  expect(isSilent(accepted(200, NOW), late)).toBe(true)
  expect(isSilent(accepted(199, NOW), late)).toBe(false)
  expect(isSilent(accepted(200, NOW), late - 1)).toBe(false)
})

test('refused reports are counted by reason, and anew after a day without one', () => {
  const first = sum(tallyOf('unmatched', NOW), tallyOf('unauthorized', NOW + 1), tallyOf('unauthorized', NOW + 2))
  expect(refusedLately(first, NOW + 3)).toEqual([
    { reason: 'unauthorized', times: 2, since: NOW + 1, lastAt: NOW + 2 },
    { reason: 'unmatched', times: 1, since: NOW, lastAt: NOW },
  ])
  const next = NOW + 2 + DAY_MS
  expect(refusedLately(first, next)).toEqual([])
  expect(refusedLately(sum(first, tallyOf('unauthorized', next)), next)).toEqual([
    { reason: 'unauthorized', times: 1, since: next, lastAt: next },
  ])
})

test('a report that is recorded leaves the count of refused ones', () => {
  const tally = sum(tallyOf('unreadable', NOW), tallyOf('recorded', NOW + 1))
  expect(refusedLately(tally, NOW + 2)).toMatchObject([{ reason: 'unreadable', times: 1 }])
})
