import { describe, expect, test } from 'bun:test'
import type { DeliveryStatus } from '../../src/domain/message/message'
import type { VerificationStatus } from '../../src/domain/shared/addressed'
import { type Issue, type OverallStatus, overallStatus } from '../../src/domain/verification/issue'
import {
  attemptsRemaining,
  check,
  effectiveStatus,
  isActive,
  markExpired,
  markReplaced,
  type ReasonCode,
} from '../../src/domain/verification/verification'
import fc from '../support/property'
import { anIssue, NOW, RUNS } from './sample'

type Act = { act: 'guess'; right: boolean } | { act: 'wait'; ms: number } | { act: 'replace' } | { act: 'sweep' }

const story = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ act: fc.constant('guess' as const), right: fc.boolean() }) },
    {
      weight: 3,
      arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.integer({ min: -20_000, max: 60_000 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ act: 'replace' as const }) },
    { weight: 2, arbitrary: fc.constant({ act: 'sweep' as const }) },
  ),
  { maxLength: 40, size: 'max' },
)
const mostlyWrong = fc.array(fc.record({ act: fc.constant('guess' as const), right: fc.nat(9).map((n) => n === 0) }), {
  maxLength: 30,
  size: 'max',
})
const freshIssue = fc
  .record({ maxAttempts: fc.integer({ min: 1, max: 10 }), lifetimeMs: fc.integer({ min: 30_000, max: 600_000 }) })
  .map(({ maxAttempts, lifetimeMs }) => anIssue({ maxAttempts, expiresAt: NOW + lifetimeMs }))

interface Moment {
  act: Act
  before: Issue
  after: Issue
  now: number
  verified?: boolean
  reasonCode?: ReasonCode | undefined
}

/** Plays a story as the use cases do: only an issue stored as `issued` is replaced or swept. */
function play(issue: Issue, acts: readonly Act[]): Moment[] {
  let now = NOW
  let before = issue
  return acts.map((act) => {
    if (act.act === 'wait') now += act.ms
    const moment: Moment = { act, before, after: before, now }
    const isStoredLive = before.verificationStatus === 'issued'
    if (act.act === 'guess') {
      const { verified, reasonCode, changed } = check(before, act.right, now)
      Object.assign(moment, { verified, reasonCode, after: changed ?? before })
    } else if (act.act === 'replace' && isStoredLive) {
      moment.after = markReplaced(before, now)
    } else if (act.act === 'sweep' && isStoredLive && before.expiresAt <= now) {
      moment.after = markExpired(before, now)
    }
    before = moment.after
    return moment
  })
}

const holds = (acts: fc.Arbitrary<Act[]>, promise: (moments: Moment[], issue: Issue) => void) =>
  fc.assert(
    fc.property(freshIssue, acts, (issue, story) => promise(play(issue, story), issue)),
    RUNS,
  )

describe.each([
  ['any story', story],
  ['many guesses', mostlyWrong],
])('%s', (_, acts: fc.Arbitrary<Act[]>) => {
  test('a code verifies at most once, only while it is active, and only if it is right', () => {
    holds(acts, (moments) => {
      const successes = moments.filter(({ verified }) => verified)
      expect(successes.length).toBeLessThanOrEqual(1)
      for (const { act, before, after, now, verified } of moments) {
        if (act.act !== 'guess') continue
        expect(verified).toBe(act.right && isActive(before, now))
        if (verified) {
          expect(after).toEqual({ ...before, verificationStatus: 'verified', verifiedAt: now, updatedAt: now })
        }
      }
    })
  })

  test('attempts never exceed the maximum, and only a wrong guess at an active code uses one', () => {
    holds(acts, (moments) => {
      for (const { act, before, after, now, reasonCode } of moments) {
        expect(after.attemptsUsed).toBeLessThanOrEqual(after.maxAttempts)
        const isCounted = act.act === 'guess' && !act.right && isActive(before, now)
        expect(after.attemptsUsed - before.attemptsUsed).toBe(isCounted ? 1 : 0)
        if (!isCounted) continue
        const isLast = attemptsRemaining(after) === 0
        expect(reasonCode).toBe(isLast ? 'MAX_ATTEMPTS' : 'MISMATCH')
        expect(after.verificationStatus).toBe(isLast ? 'max_attempts' : 'issued')
      }
    })
  })

  test('what has ended never changes again', () => {
    holds(acts, (moments) => {
      for (const { before, after } of moments) if (before.verificationStatus !== 'issued') expect(after).toBe(before)
    })
  })

  test('an unsuccessful guess says why, a successful one says nothing', () => {
    holds(acts, (moments) => {
      for (const { act, verified, reasonCode } of moments) {
        if (act.act === 'guess') expect(reasonCode === undefined).toBe(verified === true)
      }
    })
  })

  test('what identifies an issue stays as it was admitted', () => {
    holds(acts, (moments, issue) => {
      const {
        verificationStatus: _,
        attemptsUsed: __,
        verifiedAt: ___,
        updatedAt: ____,
        wrongAt: _____,
        ...fixed
      } = issue
      for (const { after } of moments) expect(after).toMatchObject(fixed)
    })
  })
})

test('the right code on the last attempt still verifies', () => {
  const issue = anIssue({ maxAttempts: 3, attemptsUsed: 2 })
  expect(check(issue, true, NOW)).toMatchObject({ verified: true, changed: { attemptsUsed: 2 } })
  expect(check(issue, false, NOW)).toMatchObject({
    verified: false,
    reasonCode: 'MAX_ATTEMPTS',
    changed: { attemptsUsed: 3, verificationStatus: 'max_attempts' },
  })
})

test.each<[VerificationStatus, ReasonCode]>([
  ['replaced', 'REPLACED'],
  ['verified', 'ALREADY_VERIFIED'],
  ['max_attempts', 'MAX_ATTEMPTS'],
  ['expired', 'EXPIRED'],
])('a code that is %s answers %s, before and after its expiry, right or wrong', (verificationStatus, reasonCode) => {
  const issue = anIssue({ verificationStatus, ...(verificationStatus === 'verified' && { verifiedAt: NOW }) })
  for (const now of [NOW, issue.expiresAt - 1, issue.expiresAt, issue.expiresAt + 1]) {
    for (const right of [true, false]) expect(check(issue, right, now)).toEqual({ verified: false, reasonCode })
  }
})

describe('expiry is effective at the millisecond', () => {
  const issue = anIssue()
  const last = issue.expiresAt - 1

  test('the last millisecond of the lifetime still verifies', () => {
    expect(effectiveStatus(issue, last)).toBe('issued')
    expect(check(issue, true, last).verified).toBe(true)
    expect(markReplaced(issue, last)).toMatchObject({ verificationStatus: 'replaced', updatedAt: last })
  })

  test.each([issue.expiresAt, issue.expiresAt + 1])('at %d it is expired, whatever is stored', (now) => {
    expect(effectiveStatus(issue, now)).toBe('expired')
    expect(isActive(issue, now)).toBe(false)
    expect(check(issue, true, now)).toEqual({ verified: false, reasonCode: 'EXPIRED' })
    expect(check(issue, false, now)).toEqual({ verified: false, reasonCode: 'EXPIRED' })
    expect(markReplaced(issue, now)).toMatchObject({ verificationStatus: 'expired', updatedAt: now })
  })

  test('a clock that steps back makes an unswept code active again, a swept one not', () => {
    expect(isActive(issue, last)).toBe(true)
    expect(isActive(markExpired(issue, issue.expiresAt), last)).toBe(false)
  })
})

describe('overall status', () => {
  const DELIVERY: DeliveryStatus[] = ['queued', 'sent', 'delivered', 'failed']
  const WHILE_ACTIVE: Record<DeliveryStatus, OverallStatus> = {
    queued: 'in_progress',
    sent: 'in_progress',
    delivered: 'delivered',
    failed: 'delivery_failed',
  }
  const ENDED: Record<Exclude<VerificationStatus, 'issued'>, OverallStatus> = {
    verified: 'verified',
    expired: 'expired',
    max_attempts: 'max_attempts',
    replaced: 'replaced',
  }

  test.each(DELIVERY)('while active, the delivery decides: %s', (deliveryStatus) => {
    const issue = anIssue({ deliveryStatus })
    expect(overallStatus(issue, issue.expiresAt - 1)).toBe(WHILE_ACTIVE[deliveryStatus])
    expect(overallStatus(issue, issue.expiresAt)).toBe('expired')
  })

  test.each(Object.entries(ENDED))('an ended code is %s, whatever the delivery and the time', (status, overall) => {
    for (const deliveryStatus of DELIVERY) {
      const issue = anIssue({ verificationStatus: status as VerificationStatus, deliveryStatus })
      for (const now of [NOW, issue.expiresAt - 1, issue.expiresAt]) expect(overallStatus(issue, now)).toBe(overall)
    }
  })
})
