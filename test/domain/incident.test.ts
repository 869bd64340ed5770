/** How long nothing is sent where codes do not pay, and when that is over. */
import { describe, expect, test } from 'bun:test'
import { HARDLY_ANYBODY_TYPES, NOBODY_TYPES } from '../../src/abuse/rules/early-conversion-test'
import {
  ended,
  type Incident,
  isCapIncident,
  isDoubtful,
  isOver,
  isPaused,
  isUntyped,
  NO_PAUSE,
  pause,
  prolong,
} from '../../src/abuse/rules/incident'
import { HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import { NOW } from './sample'

const AN_INCIDENT: Incident = {
  ...{ incidentId: 'one', appId: 'app_one', kind: 'pk', country: 'KR', since: NOW, lastAt: NOW, endedAt: undefined },
  ...{ isBlocked: true, refused: 12, rules: [], pausedUntil: NOW + HOUR_MS, pauses: 1, cost: 9 },
  ...{ refunded: undefined },
}

describe('what a rule was against', () => {
  test.each([
    ['cap', true, false, false],
    ['prefix_pending', true, true, false],
    ['prefix_pending', false, true, false],
    ['prefix_pending', false, false, true],
    ['country_pending', true, true, true],
    ['country_pending', false, false, true],
  ] as const)('may be people: %s, refused %p, learned %p: %p', (rule, isRefused, isLearned, doubtful) => {
    expect(isDoubtful({ rule, isRefused }, isLearned)).toBe(doubtful)
  })

  test('is none of people where nobody types, of whom less has to be seen where it is known what is usual', () => {
    const [few, many] = [HARDLY_ANYBODY_TYPES, NOBODY_TYPES]
    expect([few - 1, few].map((score) => isUntyped(score, true))).toEqual([false, true])
    expect([few, many - 1, many].map((score) => isUntyped(score, false))).toEqual([false, false, true])
  })
})

describe('a pause', () => {
  test('is three times as long each time, up to half a day', () => {
    let paused = NO_PAUSE
    const minutes = Array.from({ length: 6 }, () => {
      paused = pause(paused, NOW)
      return ((paused.pausedUntil ?? 0) - NOW) / MINUTE_MS
    })
    expect(minutes).toEqual([30, 90, 270, 720, 720, 720])
  })

  test('goes on as long again where somebody still knocks, and is no new one', () => {
    const second = pause(pause(NO_PAUSE, NOW), NOW)
    expect(prolong(second, NOW + HOUR_MS)).toEqual({ pauses: 2, pausedUntil: NOW + HOUR_MS + 90 * MINUTE_MS })
  })

  test('ends', () => {
    const paused = pause(NO_PAUSE, NOW)
    expect([29, 30].map((minutes) => isPaused(paused, NOW + minutes * MINUTE_MS))).toEqual([true, false])
    expect(isPaused(NO_PAUSE, NOW)).toBe(false)
  })
})

describe('an incident', () => {
  test('is over an hour after the last refusal, and an hour after its pause', () => {
    const over = (incident: Parameters<typeof isOver>[0], minutes: number) =>
      isOver(incident, NOW + minutes * MINUTE_MS)
    const unpaused = { lastAt: NOW, pausedUntil: undefined }
    expect([59, 60].map((minutes) => over(unpaused, minutes))).toEqual([false, true])
    const paused = { lastAt: NOW, pausedUntil: NOW + 30 * MINUTE_MS }
    expect([89, 90].map((minutes) => over(paused, minutes))).toEqual([false, true])
  })

  test('is over where its pause lies further ahead than any can: the clock was set back', () => {
    const over = (hours: number) => isOver({ lastAt: NOW, pausedUntil: NOW + hours * HOUR_MS }, NOW)
    expect([12, 13, 14].map(over)).toEqual([false, false, true])
    expect(isOver({ lastAt: NOW + 14 * HOUR_MS, pausedUntil: undefined }, NOW)).toBe(true)
  })

  test('of caps has no other rule', () => {
    const of = (...rules: Incident['rules'][number][]) => isCapIncident({ rules })
    expect([of('cap'), of('cap', 'country_pending'), of('country_paused'), of()]).toEqual([true, false, false, false])
  })

  test('that is ended pauses nothing', () => {
    expect(ended(AN_INCIDENT, NOW + 5)).toMatchObject({ endedAt: NOW + 5, pausedUntil: undefined })
  })
})
