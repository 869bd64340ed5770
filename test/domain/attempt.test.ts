/** Why one leg follows another. */
import { expect, test } from 'bun:test'
import { endOfLeg } from '../../src/domain/delivery/attempt'

const ANSWERED = { outcome: 'accepted', answeredAt: 1_000 } as const

test.each([
  [{ outcome: 'refused', answeredAt: 1_000 } as const, 'refused'],
  [{ ...ANSWERED, report: 'failed', reportedAt: 3_000 } as const, 'failed'],
  [ANSWERED, 'silent'],
  [{ ...ANSWERED, report: 'failed', reportedAt: 9_000 } as const, 'silent'],
  [{ ...ANSWERED, report: 'delivered', reportedAt: 9_000 } as const, 'silent'],
] as const)('a leg ended at 3 s because of what was known then: %j', (last, why) => {
  expect(endOfLeg(last, { calledAt: 3_000 })).toEqual({ why, afterMs: 2_000 })
})
