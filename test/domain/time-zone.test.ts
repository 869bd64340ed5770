import { describe, expect, test } from 'bun:test'
import { dayAt, isoAt, isTimeZone, timeOfDay, timeOfWall } from '../../src/domain/shared/time-zone'

const iso = (at: number) => new Date(at).toISOString()

describe('a day begins and has its hours', () => {
  test.each([
    ['Asia/Seoul', '2026-11-25', 0, 0, '2026-11-24T15:00:00.000Z'],
    ['Asia/Seoul', '2026-11-25', 1, 14, '2026-11-26T05:00:00.000Z'],
    ['UTC', '2026-12-31', 1, 0, '2027-01-01T00:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-25', 0, 0, '2026-11-24T18:30:00.000Z'],
    ['America/New_York', '2026-03-08', 0, 0, '2026-03-08T05:00:00.000Z'],
    // The clocks were put forward in the night.
    ['America/New_York', '2026-03-08', 0, 14, '2026-03-08T18:00:00.000Z'],
    ['America/New_York', '2026-03-08', 1, 0, '2026-03-09T04:00:00.000Z'],
    ['America/New_York', '2026-11-01', 1, 0, '2026-11-02T05:00:00.000Z'],
  ])('%s %s + %p days, %p h: %s', (zone, day, plusDays, hour, at) =>
    expect(iso(timeOfDay(day, zone, plusDays, hour))).toBe(at),
  )
})

test('a time belongs to the day of its zone, and is written with its offset', () => {
  const at = Date.parse('2026-11-25T23:30:00.007Z')
  expect(['Asia/Seoul', 'UTC', 'America/St_Johns'].map((zone) => [dayAt(at, zone), isoAt(at, zone)])).toEqual([
    ['2026-11-26', '2026-11-26T08:30:00.007+09:00'],
    ['2026-11-25', '2026-11-25T23:30:00.007+00:00'],
    ['2026-11-25', '2026-11-25T20:00:00.007-03:30'],
  ])
  for (const zone of ['Asia/Seoul', 'America/St_Johns']) {
    const wall = Date.parse(`${isoAt(at, zone).slice(0, 23)}Z`)
    expect(timeOfWall(wall, zone)).toBe(at)
  }
})

test('only names of time zones are ones', () => {
  expect(['Asia/Seoul', 'UTC', '', 'Asia/Nowhere', 'x'.repeat(300)].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
