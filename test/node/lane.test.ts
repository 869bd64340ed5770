/** What one app sends to one country, as a server sees it. */
import { describe, expect, test } from 'bun:test'
import { MINUTE_MS, SECOND_MS } from '../../src/domain/value'
import { Lane } from '../../src/node/lane'
import { NOW } from '../domain/sample'
import { aSighting, weeksOf } from '../domain/traffic-sample'

const lane = () => new Lane({ kind: 'pk', country: 'KR' }, weeksOf({ verified: 60, unverified: 10 }), true)
const HOW = { mayPause: true, isLocal: false }

describe('how codes of a country fare one after another', () => {
  test('codes that are typed at once speak for it as those do that take longer', () => {
    const one = lane()
    for (let n = 0; n < 4; n++) one.see(aSighting({ createdAt: NOW + n * SECOND_MS }), 'judged', HOW)
    const before = one.suspicion.score
    expect(before).toBeGreaterThan(0)
    const createdAt = NOW + 5 * MINUTE_MS
    for (const verifiedAt of [createdAt + 10 * SECOND_MS, createdAt + 60 * SECOND_MS])
      for (const stage of ['sent', 'early', 'judged', 'late'] as const)
        one.see(aSighting({ createdAt, verifiedAt }), stage, HOW)
    const twoTyped = before - one.suspicion.score
    const other = lane()
    for (let n = 0; n < 4; n++) other.see(aSighting({ createdAt: NOW + n * SECOND_MS }), 'judged', HOW)
    other.see(aSighting({ createdAt, verifiedAt: createdAt + 60 * SECOND_MS }), 'judged', HOW)
    expect(twoTyped).toBeCloseTo(2 * (before - other.suspicion.score))
  })
})
