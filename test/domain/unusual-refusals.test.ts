import { describe, expect, test } from 'bun:test'
import { COMPARED_HOURS, compareRefused } from '../../src/abuse/rules/rule-report'

/** Hours of a week in which `daily` were refused in one hour of each day, and the running one and the one before. */
const week = (daily: readonly number[], previous: number, running: number) => [
  ...daily.flatMap((refused) => [refused, ...Array<number>(23).fill(0)]),
  previous,
  running,
]
const quiet = [0, 0, 0, 0, 0, 0, 0]

describe('more is refused than usual', () => {
  test.each([
    ['where nothing ever was, from the fifth on', quiet, 0, 5, true],
    ['not for a few who asked twice', quiet, 2, 4, false],
    ['also when it began in the hour before', quiet, 300, 0, true],
    ['not at the peak of every day', [20, 22, 19, 25, 20, 18, 20], 0, 25, false],
    ['well above the peak of every day', [20, 22, 19, 25, 20, 18, 20], 0, 60, true],
    ['whatever one attack of the week was', [0, 0, 0, 10_000, 0, 0, 0], 0, 50, true],
  ])('%s', (_, daily, previous, running, isUnusual) => {
    const hours = week(daily, previous, running)
    expect(hours).toHaveLength(COMPARED_HOURS)
    expect(compareRefused(hours)).toMatchObject({ lately: Math.max(previous, running), isUnusual })
  })
})
