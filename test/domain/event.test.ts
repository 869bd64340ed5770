import { describe, expect, test } from 'bun:test'
import type { HookEventType } from '../../contract/constants'
import { EVENT_TYPES, type EventType, otpEvent } from '../../contract/event'
import {
  abandon,
  afterReport,
  afterSend,
  CODE,
  isWorthSending,
  type SendOutcome,
} from '../../src/domain/delivery/delivery'
import type { Issue } from '../../src/domain/verification/issue'
import { check, markExpired, markReplaced } from '../../src/domain/verification/verification'
import { type EventContext, eventOf, eventsOf, maskNumber } from '../../src/domain/webhooks/event'
import fc from '../support/property'
import { anIssue, NOW, RUNS } from './sample'

const ACCEPTED: SendOutcome = { kind: 'accepted', carrierMessageId: 'p1' }
const AMBIGUOUS: SendOutcome = { kind: 'ambiguous', code: 'TIMEOUT' }
const BUSY: SendOutcome = { kind: 'refused', retry: 'later', code: 'BUSY' }
const BLOCKED: SendOutcome = { kind: 'refused', retry: 'never', code: 'BLOCKED' }

/** What happens at once: the states it leaves, in order. */
type Act = (issue: Issue) => Issue | Issue[]

const at = NOW + 1_000
const sends =
  (outcome: SendOutcome): Act =>
  (issue) =>
    afterSend(issue, outcome, { retryAfterMs: 500, reports: true, now: at }).message
const reports =
  (status: 'delivered' | 'failed'): Act =>
  (issue) =>
    afterReport(issue, issue, { status }, at).map((step) => step.message)
const guesses =
  (right: boolean): Act =>
  (issue) =>
    check(issue, right, at).changed ?? issue
const expires: Act = (issue) => markExpired(issue, issue.expiresAt)
const isReplaced: Act = (issue) => markReplaced(issue, at)
const isReplacedLate: Act = (issue) => markReplaced(issue, issue.expiresAt)
const isAbandoned: Act = (issue) => abandon(issue, CODE.noRoute, at).message
const isSettled: Act = (issue) => ({ ...issue, billingStatus: 'debited', debitedAmount: issue.price })

const told = (issue: Issue, acts: readonly Act[]): HookEventType[][] =>
  acts.map((act) =>
    [act(issue)].flat().flatMap((after) => {
      const before = issue
      issue = after
      return eventsOf(before, issue)
    }),
  )

const sms = anIssue()
const alimtalk = anIssue({ channel: 'alimtalk' })
const oneTry = anIssue({ maxAttempts: 1 })

describe('what happens to an issue is told', () => {
  test.each<[string, Issue, Act[], EventType[][]]>([
    ['accepted, delivered', sms, [sends(ACCEPTED), reports('delivered')], [['otp.sent'], ['otp.delivered']]],
    ['accepted, then reported as failed', sms, [sends(ACCEPTED), reports('failed')], [['otp.sent'], ['otp.failed']]],
    ['a report that overtakes the answer', sms, [reports('delivered')], [['otp.sent', 'otp.delivered']]],
    ['a failure reported before the answer', sms, [reports('failed')], [['otp.sent', 'otp.failed']]],
    ['a failure reported before the answer, on the first channel', alimtalk, [reports('failed')], [['otp.sent']]],
    ['no clear answer', sms, [sends(AMBIGUOUS)], [[]]],
    ['no clear answer, yet delivered', sms, [sends(AMBIGUOUS), reports('delivered')], [[], ['otp.delivered']]],
    ['no clear answer, and failed', sms, [sends(AMBIGUOUS), reports('failed')], [[], ['otp.failed']]],
    ['refused for now, then accepted', sms, [sends(BUSY), sends(ACCEPTED)], [[], ['otp.sent']]],
    ['refused for good', sms, [sends(BLOCKED)], [['otp.failed']]],
    ['never sent', sms, [isAbandoned], [['otp.failed']]],
    ['refused on one channel, accepted on the other', alimtalk, [sends(BLOCKED), sends(ACCEPTED)], [[], ['otp.sent']]],
    [
      'accepted on one channel, failed, delivered on the other',
      alimtalk,
      [sends(ACCEPTED), reports('failed'), sends(ACCEPTED), reports('delivered')],
      [['otp.sent'], [], ['otp.sent'], ['otp.delivered']],
    ],
    [
      'accepted on one channel, failed, refused on the other',
      alimtalk,
      [sends(ACCEPTED), reports('failed'), sends(BLOCKED)],
      [['otp.sent'], [], ['otp.failed']],
    ],
    [
      'accepted on one channel, failed, without a clear answer on the other',
      alimtalk,
      [sends(ACCEPTED), reports('failed'), sends(AMBIGUOUS)],
      [['otp.sent'], [], []],
    ],
    [
      'accepted on one channel, failed, reported before the answer of the other',
      alimtalk,
      [sends(ACCEPTED), reports('failed'), reports('delivered')],
      [['otp.sent'], [], ['otp.sent', 'otp.delivered']],
    ],
    [
      'reported twice',
      sms,
      [sends(ACCEPTED), reports('delivered'), reports('failed')],
      [['otp.sent'], ['otp.delivered'], []],
    ],
    ['verified', sms, [guesses(true)], [['otp.verified']]],
    ['verified, and again', sms, [guesses(true), guesses(true)], [['otp.verified'], []]],
    ['wrong, then verified', sms, [guesses(false), guesses(true)], [[], ['otp.verified']]],
    ['the last try wrong', oneTry, [guesses(false)], [['otp.max_attempts']]],
    ['expired', sms, [expires], [['otp.expired']]],
    ['expired when a newer one comes', sms, [isReplacedLate], [['otp.expired']]],
    ['replaced', sms, [isReplaced], [[]]],
    [
      'verified before it is delivered',
      sms,
      [sends(ACCEPTED), guesses(true), reports('delivered')],
      [['otp.sent'], ['otp.verified'], ['otp.delivered']],
    ],
    ['expired before it is sent', sms, [expires, isAbandoned], [['otp.expired'], ['otp.failed']]],
    ['settled', sms, [sends(ACCEPTED), isSettled], [['otp.sent'], []]],
  ])('%s', (_, issue, acts, expected) => {
    expect(told(issue, acts)).toEqual(expected)
  })

  const act = fc.constantFrom<Act>(
    (issue) => (issue.sendPending ? sends(ACCEPTED)(issue) : issue),
    (issue) => (issue.sendPending ? sends(AMBIGUOUS)(issue) : issue),
    (issue) => (issue.sendPending ? sends(BUSY)(issue) : issue),
    (issue) => (issue.sendPending ? sends(BLOCKED)(issue) : issue),
    (issue) => (issue.sendPending && !isWorthSending(issue, at) ? isAbandoned(issue) : issue),
    reports('delivered'),
    reports('failed'),
    guesses(true),
    guesses(false),
    (issue) => (issue.verificationStatus === 'issued' ? expires(issue) : issue),
    (issue) => (issue.verificationStatus === 'issued' ? isReplaced(issue) : issue),
    isSettled,
  )
  const start = fc
    .record({
      channel: fc.constantFrom('sms' as const, 'alimtalk' as const),
      mode: fc.constantFrom('live' as const, 'test' as const),
      maxAttempts: fc.integer({ min: 1, max: 3 }),
    })
    .map((changes) => anIssue(changes))

  test('once each, sent once for each channel, and with a body that is an event, whatever happens', () => {
    fc.assert(
      fc.property(start, fc.array(act, { maxLength: 15 }), (first, acts) => {
        const ends: EventType[] = []
        const sentOn: string[] = []
        let issue = first
        const happen = (act: Act) =>
          [act(issue)].flat().map((after) => {
            const before = issue
            issue = after
            return [before, after] as const
          })
        for (const [before, issue] of acts.flatMap(happen)) {
          for (const type of eventsOf(before, issue)) {
            const event = eventOf(type, issue, { eventId: 'e1', now: at, to: '+821012345678', carrier: 'main' })
            expect<unknown>(otpEvent.parse(event)).toEqual(event)
            if (type === 'otp.sent') sentOn.push(issue.leg)
            else ends.push(type as EventType)
          }
        }
        expect(new Set(sentOn).size).toBe(sentOn.length)
        const count = (...types: EventType[]) => ends.filter((type) => types.includes(type)).length
        const isAnyOf = (status: string, ...statuses: string[]) => (statuses.includes(status) ? 1 : 0)
        expect(count('otp.delivered', 'otp.failed')).toBe(isAnyOf(issue.deliveryStatus, 'delivered', 'failed'))
        expect(count('otp.verified', 'otp.expired', 'otp.max_attempts')).toBe(
          isAnyOf(issue.verificationStatus, 'verified', 'expired', 'max_attempts'),
        )
      }),
      { ...RUNS, numRuns: 1_000 },
    )
  })

  test('and nothing else is: an issue that is stored as it was tells nothing', () => {
    for (const verificationStatus of ['issued', 'verified', 'expired', 'max_attempts', 'replaced'] as const) {
      for (const deliveryStatus of ['queued', 'sent', 'delivered', 'failed'] as const) {
        const issue = anIssue({ verificationStatus, deliveryStatus })
        const later = anIssue({ ...issue, updatedAt: NOW + 1, providerOutcomeCode: 'X' })
        expect(eventsOf(issue, later)).toEqual([])
      }
    }
  })
})

describe('the body of an event', () => {
  const context: EventContext = { eventId: 'e1', now: NOW + 1_999, to: '+821012345678', carrier: 'main' }
  const metadata = { userId: 'u_42' }
  const issue = anIssue({
    channel: 'alimtalk',
    leg: 'sms',
    metadata,
    attemptsUsed: 2,
    price: 3,
    providerOutcomeCode: 'NO_USER',
    verificationStatus: 'verified',
    verifiedAt: NOW + 1_500,
  })
  const id = issue.issueId

  test.each<[EventType, object]>([
    [
      'otp.sent',
      { id, method: 'sms', type: 'signup', to: '+82******5678', status: 'sent', sent_at: '2026-03-01T12:00:01.999Z' },
    ],
    [
      'otp.delivered',
      {
        id,
        method: 'sms',
        type: 'signup',
        status: 'delivered',
        delivered_at: '2026-03-01T12:00:01.999Z',
        carrier: 'main',
        country: 'KR',
        cost: { amount: 3, currency: 'CREDIT' },
        metadata,
      },
    ],
    [
      'otp.failed',
      {
        id,
        status: 'failed',
        failed_at: '2026-03-01T12:00:01.999Z',
        error: { code: 'NO_USER', message: 'The carrier refused the message or could not deliver it' },
      },
    ],
    [
      'otp.verified',
      {
        ...{ id, method: 'sms', type: 'signup', status: 'verified' },
        ...{ verified_at: '2026-03-01T12:00:01.500Z', attempts: 3, metadata },
      },
    ],
    [
      'otp.expired',
      {
        id,
        method: 'sms',
        type: 'signup',
        status: 'expired',
        expired_at: '2026-03-01T12:03:00.000Z',
        attempts: 2,
        max_attempts: 5,
        metadata,
      },
    ],
    [
      'otp.max_attempts',
      {
        id,
        method: 'sms',
        type: 'signup',
        status: 'max_attempts',
        max_attempts_at: '2026-03-01T12:00:01.999Z',
        attempts: 2,
        max_attempts: 5,
        metadata,
      },
    ],
  ])('%s says what the specification says', (type, data) => {
    expect<unknown>(eventOf(type, issue, context)).toEqual({ id: 'e1', type, created: NOW / 1_000 + 1, data })
  })

  const issues: Array<[string, Issue]> = [
    ['with metadata and a country', anIssue({ metadata, country: 'GB' })],
    ['without metadata', anIssue({ metadata: undefined })],
    ['without a country', anIssue({ country: undefined })],
    ['by AlimTalk', anIssue({ channel: 'alimtalk' })],
    ['without a price', anIssue({ price: 0 })],
    ['with metadata under strange names', anIssue({ metadata: { constructor: 'c', 나: '둘', '': '' } as never })],
    ['with all attempts used', anIssue({ attemptsUsed: 5, verificationStatus: 'max_attempts' })],
  ]

  describe.each(issues)('of an issue %s', (_, issue) => {
    test.each([...EVENT_TYPES])('is %s as published, sent as it is made, without number or hashes', (type) => {
      for (const known of [context, { ...context, to: undefined, carrier: undefined }]) {
        const event = eventOf(type, issue, known)
        expect<unknown>(otpEvent.parse(event)).toEqual(event)
        const body = JSON.stringify(event)
        expect(JSON.parse(body)).toEqual(event)
        const hashes = [issue.phoneHash, issue.codeHash].map((hash) => Buffer.from(hash))
        const secrets = [
          '1012345678',
          '12345678',
          ...hashes.flatMap((hash) => [hash.toString('hex'), hash.toString('base64')]),
        ]
        for (const secret of secrets) expect(body).not.toContain(secret)
      }
    })
  })

  test('says that it does not know what is not known', () => {
    const unknown = { ...context, to: undefined, carrier: undefined }
    const nowhere = anIssue({ country: undefined, metadata: undefined })
    expect(eventOf('otp.sent', nowhere, unknown).data.to).toBe('+0****')
    expect(eventOf('otp.delivered', nowhere, unknown).data).toMatchObject({
      carrier: 'unknown',
      country: 'ZZ',
      metadata: {},
    })
    expect(eventOf('otp.failed', nowhere, unknown).data.error.code).toBe('UNKNOWN')
  })

  test.each([CODE.noRoute, CODE.unhealthy, CODE.noLetter, CODE.noLongerActive, CODE.expiredUnsent])(
    'says in words what our own code %s means',
    (code) => {
      const carriers = eventOf('otp.failed', anIssue({ providerOutcomeCode: 'X1' }), context).data.error
      const { error } = eventOf('otp.failed', anIssue({ providerOutcomeCode: code }), context).data
      expect(error.code).toBe(code)
      expect(error.message).not.toBe(carriers.message)
    },
  )

  test.each(['constructor', '__proto__', 'toString'])('a carrier whose code is %s is no surprise', (code) => {
    const event = eventOf('otp.failed', anIssue({ providerOutcomeCode: code }), context)
    expect<unknown>(otpEvent.parse(event)).toEqual(event)
  })
})

describe('a number is masked', () => {
  test.each([
    ['+821012345678', '+82******5678'],
    ['+82212345678', '+82*****5678'],
    ['+12015550123', '+1******0123'],
    ['+447700900123', '+44******0123'],
    ['+81312345678', '+81*****5678'],
    ['+35412345678', '+354****5678'],
    ['+3541234567', '+354*******'],
    ['+2471234', '+247****'],
    ['+820000', '+82****'],
    ['+99912345678', '+9******5678'],
    ['+5', '+5*'],
  ])('%s as %s', (number, masked) => {
    expect(maskNumber(number)).toBe(masked)
  })

  test('so that an event can carry it, with the last four digits at most, and at least as many hidden', () => {
    const codes = fc.constantFrom('82', '1', '44', '81', '354', '247', '883', '999', '39')
    const number = fc.tuple(codes, fc.stringMatching(/^[0-9]{2,12}$/)).map(([code, rest]) => `+${code}${rest}`)
    fc.assert(
      fc.property(number, (number) => {
        const masked = maskNumber(number)
        const [, code = '', stars = '', shown = ''] = /^\+([0-9]{1,3})(\*+)([0-9]{0,4})$/.exec(masked) ?? []
        expect(number.startsWith(`+${code}`)).toBe(true)
        expect(number.endsWith(shown)).toBe(true)
        expect(masked.length).toBe(number.length)
        expect(stars.length).toBeGreaterThanOrEqual(Math.max(shown.length, 1))
        const event = eventOf('otp.sent', anIssue(), { eventId: 'e1', now: NOW, to: number, carrier: undefined })
        expect(otpEvent.parse(event).data).toMatchObject({ to: masked })
      }),
      RUNS,
    )
  })
})
