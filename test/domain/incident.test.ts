/** When an incident is over, and which is one of caps. */
import { describe, expect, test } from 'bun:test'
import { ended, type Incident, isCapIncident, isOver } from '../../src/abuse/rules/incident'
import { MINUTE_MS } from '../../src/domain/shared/value'
import { NOW } from './sample'

const AN_INCIDENT: Incident = {
  ...{ incidentId: 'one', appId: 'app_one', kind: 'pk', country: 'KR', since: NOW, lastAt: NOW, endedAt: undefined },
  ...{ isBlocked: true, refused: 12, rules: [], cost: 9 },
  ...{ refunded: undefined },
}

describe('an incident', () => {
  test('is over an hour after the last refusal, and where that lies ahead: the clock was set back', () => {
    const over = (minutes: number) => isOver({ lastAt: NOW }, NOW + minutes * MINUTE_MS)
    expect([-60, -59, 0, 59, 60].map(over)).toEqual([true, false, false, false, true])
  })

  test('of caps has no other rule', () => {
    const of = (...rules: Incident['rules'][number][]) => isCapIncident({ rules })
    expect([of('cap'), of('cap', 'country_unverified'), of('country_unverified'), of()]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  test('an ended incident says when', () => {
    expect(ended(AN_INCIDENT, NOW + 5)).toMatchObject({ endedAt: NOW + 5, refused: 12 })
  })
})
