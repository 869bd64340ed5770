import { describe, expect, test } from 'bun:test'
import { isBackupDue, nextBackupAt, timeOfDay } from '../../src/domain/operations/backup-schedule'

const at = (text: string) => Date.parse(`2026-03-0${text}:00Z`)
const TIMES = ['03:00', '15:30'].map((text) => timeOfDay(text) ?? 0)

describe('a backup is due', () => {
  const due = (now: string, { newest, failed }: { newest?: string; failed?: string } = {}) =>
    isBackupDue(TIMES, { newestAt: newest && at(newest), failedAt: failed && at(failed) } as never, at(now))

  test.each([
    ['2T03:00', '1T15:30', true],
    ['2T15:29', '2T03:00', false],
    ['2T15:30', '2T03:00', true],
    ['2T02:59', '1T15:31', false],
    // It was not there at the time, or the one before was made by hand.
    ['2T09:00', '1T15:31', true],
    ['2T09:00', '2T08:00', false],
  ])('at %s, the newest being of %s: %p', (now, newest, expected) => {
    expect(due(now, { newest })).toBe(expected)
  })

  test('where there is none', () => expect(due('2T09:00')).toBe(true))

  test('but not within the hour after one that failed, whatever the clock says since', () => {
    expect(due('2T03:30', { failed: '2T03:00' })).toBe(false)
    expect(due('2T04:00', { failed: '2T03:00' })).toBe(true)
    expect(due('2T04:00', { failed: '9T03:00' })).toBe(true)
  })

  test('never, without times', () => {
    expect(isBackupDue([], { newestAt: undefined, failedAt: undefined }, at('2T03:00'))).toBe(false)
    expect(nextBackupAt([], at('2T03:00'))).toBeUndefined()
  })
})

test.each([
  ['2T02:59', '2T03:00'],
  ['2T03:00', '2T15:30'],
  ['2T15:30', '3T03:00'],
])('after %s the next one is at %s', (now, next) => {
  expect(nextBackupAt(TIMES, at(now))).toBe(at(next))
})
