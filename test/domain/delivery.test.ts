import { describe, expect, test } from 'bun:test'
import {
  abandon,
  afterReport,
  afterSend,
  afterWait,
  CODE,
  type DeliveryReport,
  isFinal,
  isWorthSending,
  maySendAgain,
  presentableCode,
  presentableWords,
  REPORT_DEADLINE_MS,
  type SendOutcome,
  type Step,
  settlementOf,
  withoutQuotes,
} from '../../src/domain/delivery/delivery'
import { retryDelayMs } from '../../src/domain/delivery/route'
import type { VerificationStatus } from '../../src/domain/shared/addressed'
import type { Leg } from '../../src/domain/shared/value'
import type { Issue } from '../../src/domain/verification/issue'
import { isActive } from '../../src/domain/verification/verification'
import fc from '../support/property'
import { anIssue, NOW, RUNS, triedOn } from './sample'

const ACCEPTED: SendOutcome = { kind: 'accepted', carrierMessageId: 'p1' }
const AMBIGUOUS: SendOutcome = { kind: 'ambiguous', code: 'TIMEOUT' }
const BUSY: SendOutcome = { kind: 'refused', retry: 'later', code: 'BUSY' }
const BLOCKED: SendOutcome = { kind: 'refused', retry: 'never', code: 'BLOCKED' }
const IN_TIME = { retryAfterMs: 500, reports: true, now: NOW + 1_000 }

const alimtalk = (changes: Partial<Issue> = {}) => anIssue({ channel: 'alimtalk', ...changes })
const sent = (changes: Partial<Issue> = {}) => anIssue({ deliveryStatus: 'sent', sendPending: false, ...changes })

/** The message that an issue has on a leg: its own where it is on it, else one that it has left. */
const messageOn = (issue: Issue, leg: Leg) => ({ leg, messageId: leg === issue.leg ? issue.messageId : 'left' })

describe('an answered send', () => {
  test('accepted: sent, and a report is awaited until the deadline', () => {
    const step = afterSend(anIssue(), ACCEPTED, IN_TIME)
    expect(step.message).toMatchObject({ deliveryStatus: 'sent', sendPending: false, providerOutcomeAmbiguous: false })
    expect(step).toEqual({ message: step.message, awaitReportMs: REPORT_DEADLINE_MS })
  })

  test('accepted by a provider that says when to ask: a report is awaited until then', () => {
    expect(afterSend(anIssue(), { ...ACCEPTED, reportAfterMs: 2_500 }, IN_TIME).awaitReportMs).toBe(2_500)
  })

  test.each([ACCEPTED, AMBIGUOUS])(
    'a provider that never reports ends the processing with its answer: %o',
    (outcome) => {
      const step = afterSend(anIssue(), outcome, { ...IN_TIME, reports: false })
      expect(step).toEqual({ message: step.message, finish: 'debit' })
    },
  )

  test('ambiguous: sent, marked, and never sent again by itself', () => {
    const { message: issue, ...next } = afterSend(alimtalk(), AMBIGUOUS, IN_TIME)
    expect(issue).toMatchObject({
      deliveryStatus: 'sent',
      sendPending: false,
      providerOutcomeAmbiguous: true,
      providerOutcomeCode: 'TIMEOUT',
      leg: 'alimtalk',
    })
    expect(next).toEqual({ awaitReportMs: REPORT_DEADLINE_MS })
  })

  test('refused for now: the same leg is tried again after the wait', () => {
    const { message: issue, ...next } = afterSend(anIssue(), BUSY, IN_TIME)
    expect(issue).toMatchObject({
      deliveryStatus: 'queued',
      sendPending: true,
      providerOutcomeCode: 'BUSY',
      leg: 'sms',
    })
    expect(next).toEqual({ sendAfterMs: 500 })
  })

  test.each<[string, SendOutcome, Partial<typeof IN_TIME>]>([
    ['refused for good', BLOCKED, {}],
    ['refused with the leg exhausted', BUSY, { retryAfterMs: undefined as never }],
    ['refused after the code expired', BUSY, { now: anIssue().expiresAt }],
  ])('an SMS that is %s has failed, and its credit is given back', (_, outcome, changed) => {
    const { message: issue, ...next } = afterSend(anIssue(), outcome, { ...IN_TIME, ...changed })
    expect(issue).toMatchObject({ deliveryStatus: 'failed', sendPending: false })
    expect(next).toEqual({ finish: 'release' })
  })

  test.each<VerificationStatus>(['verified', 'replaced', 'max_attempts', 'expired'])(
    'a refused send of a code that is %s is not tried again, on no route',
    (verificationStatus) => {
      const { message: issue, ...next } = afterSend(alimtalk({ verificationStatus }), BUSY, IN_TIME)
      expect(issue).toMatchObject({ deliveryStatus: 'failed', leg: 'alimtalk', sendPending: false })
      expect(next).toEqual({ finish: 'release' })
    },
  )

  test('the code of an outcome is kept up to 128 characters, an accepted one without a code clears it', () => {
    const long = 'x'.repeat(200)
    expect(presentableCode(long)).toBe('x'.repeat(128))
    for (const quoting of ['bad +82 10 1234 5678', '123-456', '😀', 'a\nb'])
      expect(presentableCode(quoting)).toBe('REDACTED')
    const refused = afterSend(anIssue(), { ...BUSY, code: long }, IN_TIME).message
    expect(refused.providerOutcomeCode).toBe('x'.repeat(128))
    expect(afterSend(refused, ACCEPTED, IN_TIME).message.providerOutcomeCode).toBeUndefined()
    expect(refused.updatedAt).toBe(IN_TIME.now)
  })
})

describe('a code of a carrier', () => {
  const message = { to: '+821056784321', text: 'Your code is 918273' }
  const told = (code: string) => withoutQuotes({ ...BLOCKED, code }, message).code

  test.each([
    ['the last digits', 'INVALID 4321'],
    ['five digits', 'E56784'],
    ['digits with dashes', 'no-5-6-7-8'],
    ['digits with spaces', '5 6 7 8'],
    ['digits among letters', 'a5b6c7d8e'],
    ['words for digits', 'five six Seven EIGHT'],
    ['words and digits', 'ERR_FIVE6_SEVEN8'],
    ['full-width digits', '５６７８'],
    ['Arabic digits', '٥٦٧٨'],
    ['the whole number', '+82 10-5678-4321'],
    ['the number, spelled', 'eight two one zero five six seven eight four three two one'],
    ['what was sent', 'TEXT 9182'],
  ])('that quotes the message is not kept: %s', (_, code) => {
    expect(presentableCode(told(code) ?? '')).toBe('REDACTED')
  })

  test.each(['4004', '30003', 'HTTP_401', 'NO_ANSWER_ECONNRESET', '-2012', 'ESME_RINVDSTADR', 'one of none'])(
    'that says something else is kept as it is: %s',
    (code) => {
      expect(presentableCode(told(code) ?? '')).toBe(code)
    },
  )

  test('of a message that nobody has any more has no six digits, written or spelled', () => {
    expect(presentableCode('five six seven eight four three')).toBe('REDACTED')
    expect(presentableCode('5six78FOUR3')).toBe('REDACTED')
  })

  test('of an accepted message, which has none, stays none', () => {
    expect(withoutQuotes(ACCEPTED, message)).toEqual(ACCEPTED)
  })
})

describe('words of a carrier', () => {
  test.each([
    ['The number +82 10-1234-5678 is barred', 'The number +## ##-####-#### is barred'],
    ['번호 ０１０ 은(는)\n 수신 거부 ①', '번호 ### 은(는) 수신 거부 #'],
    [`${'x'.repeat(300)}`, 'x'.repeat(200)],
    ['the code was one two three four', undefined],
    [' \n ', undefined],
  ])('%s is kept as %s', (said, kept) => expect(presentableWords(said)).toBe(kept))

  test('that quote the text are dropped', () => {
    const message = { to: '+821012345678', text: 'Hello Ann, your code for Example Bank is ready' }
    const told = (said: string) => withoutQuotes({ kind: 'ambiguous', code: 'X', said }, message)
    expect(told('blocked: "your code for Example" is spam')).toEqual({ kind: 'ambiguous', code: 'X', said: undefined })
    expect(told('your code is spam')).toMatchObject({ said: 'your code is spam' })
    expect(told('Hello')).toMatchObject({ said: 'Hello' })
  })
})

describe('fallback', () => {
  test('an AlimTalk that is refused for good goes on as SMS at once, and nothing is settled', () => {
    const { message: issue, ...next } = afterSend(alimtalk(), BLOCKED, IN_TIME)
    expect(issue).toMatchObject({ leg: 'sms', channel: 'alimtalk', sendPending: true, deliveryStatus: 'queued' })
    expect(next).toEqual({ sendAfterMs: 0 })
  })

  test('an AlimTalk that is reported failed goes on as SMS at once', () => {
    const accepted = afterSend(alimtalk(), ACCEPTED, IN_TIME).message
    const [step] = afterReport(
      accepted,
      messageOn(accepted, 'alimtalk'),
      { status: 'failed', code: 'NO_USER' },
      IN_TIME.now,
    )
    expect(step?.message).toMatchObject({ leg: 'sms', sendPending: true, providerOutcomeCode: 'NO_USER' })
    expect(step).toEqual({ message: step?.message as Issue, sendAfterMs: 0 })
  })

  test('the SMS leg does not fall back again', () => {
    const onSms = afterSend(alimtalk(), BLOCKED, IN_TIME).message
    const { message: issue, ...next } = afterSend(onSms, BLOCKED, IN_TIME)
    expect(issue).toMatchObject({ leg: 'sms', deliveryStatus: 'failed', sendPending: false })
    expect(next).toEqual({ finish: 'release' })
  })

  test.each<[string, Partial<Issue>, number]>([
    ['switched off', { smsFallback: false }, NOW],
    ['after the code expired', {}, anIssue().expiresAt],
    ['after the code was verified', { verificationStatus: 'verified', verifiedAt: NOW }, NOW],
    ['after the code was replaced', { verificationStatus: 'replaced' }, NOW],
  ])('there is none %s', (_, changes, now) => {
    const refused = afterSend(alimtalk(changes), BLOCKED, { ...IN_TIME, now })
    expect(refused.message).toMatchObject({ leg: 'alimtalk', deliveryStatus: 'failed' })
    expect(refused.finish).toBe('release')
    const accepted = alimtalk({ ...changes, deliveryStatus: 'sent', sendPending: false })
    const [reported] = afterReport(accepted, messageOn(accepted, 'alimtalk'), { status: 'failed' }, now)
    expect(reported?.message).toMatchObject({ leg: 'alimtalk', deliveryStatus: 'failed' })
    expect(reported?.finish).toBe('debit')
  })

  test('there is one for an ambiguous send once it is reported failed, and none by a timer', () => {
    const ambiguous = afterSend(alimtalk(), AMBIGUOUS, IN_TIME).message
    expect(afterWait(ambiguous, IN_TIME.now)).toBeUndefined()
    const [step] = afterReport(ambiguous, messageOn(ambiguous, 'alimtalk'), { status: 'failed' }, IN_TIME.now)
    expect(step?.message).toMatchObject({ leg: 'sms', deliveryStatus: 'sent', providerOutcomeAmbiguous: false })
    expect([step?.sendAfterMs, step?.finish]).toEqual([0, undefined])
  })
})

describe('a report', () => {
  test('delivered: the message is charged and no longer ambiguous', () => {
    const [step] = afterReport(
      sent({ providerOutcomeAmbiguous: true }),
      messageOn(sent(), 'sms'),
      { status: 'delivered', code: '0000' },
      NOW,
    )
    expect(step?.message).toMatchObject({
      deliveryStatus: 'delivered',
      providerOutcomeAmbiguous: false,
      providerOutcomeCode: '0000',
    })
    expect(step).toEqual({ message: step?.message as Issue, finish: 'debit' })
  })

  test('failed: the message is charged all the same, because a provider took it', () => {
    const [step] = afterReport(sent(), messageOn(sent(), 'sms'), { status: 'failed', code: 'OFF' }, NOW)
    expect(step?.message).toMatchObject({ deliveryStatus: 'failed', providerOutcomeCode: 'OFF' })
    expect(step?.finish).toBe('debit')
  })

  test('that overtakes the answer of the provider counts as one, and the message was taken', () => {
    const [accepted, delivered] = afterReport(anIssue(), messageOn(anIssue(), 'sms'), { status: 'delivered' }, NOW)
    expect(accepted?.message).toMatchObject({ deliveryStatus: 'sent', sendPending: false })
    expect(accepted?.finish).toBeUndefined()
    expect(delivered?.message).toMatchObject({ deliveryStatus: 'delivered', sendPending: false })
    expect(delivered?.finish).toBe('debit')
    const [, failed] = afterReport(anIssue(), messageOn(anIssue(), 'sms'), { status: 'failed' }, NOW)
    expect(failed?.message).toMatchObject({ deliveryStatus: 'failed', sendPending: false })
    expect(failed?.finish).toBe('debit')
    const [, fallsBack] = afterReport(alimtalk(), messageOn(alimtalk(), 'alimtalk'), { status: 'failed' }, NOW)
    expect(fallsBack?.message).toMatchObject({ deliveryStatus: 'sent', leg: 'sms', sendPending: true })
  })

  test('after the last word changes nothing', () => {
    for (const deliveryStatus of ['delivered', 'failed'] as const) {
      for (const status of ['delivered', 'failed'] as const) {
        expect(
          afterReport(sent({ deliveryStatus }), messageOn(sent({ deliveryStatus }), 'sms'), { status }, NOW),
        ).toEqual([])
      }
    }
  })

  test('on a leg that was left changes nothing', () => {
    const onSms = alimtalk({ leg: 'sms', deliveryStatus: 'sent', sendPending: true })
    for (const status of ['delivered', 'failed'] as const) {
      expect(afterReport(onSms, messageOn(onSms, 'alimtalk'), { status }, NOW)).toEqual([])
    }
  })
})

describe('settlement', () => {
  test('only what no provider ever took, or may have taken, is given back', () => {
    expect(settlementOf(anIssue({ deliveryStatus: 'queued' }))).toBe('release')
    for (const deliveryStatus of ['sent', 'delivered', 'failed'] as const) {
      expect(settlementOf(anIssue({ deliveryStatus }))).toBe('debit')
    }
  })

  test('a message nobody took is given back when it is abandoned, and says why', () => {
    const { message: issue, ...next } = abandon(anIssue(), CODE.expiredUnsent, NOW + 5)
    expect(issue).toMatchObject({
      deliveryStatus: 'failed',
      sendPending: false,
      providerOutcomeCode: 'EXPIRED_UNSENT',
      updatedAt: NOW + 5,
    })
    expect(next).toEqual({ finish: 'release' })
  })

  test('an abandoned SMS leg is charged when the AlimTalk before it was accepted', () => {
    const onSms = alimtalk({ leg: 'sms', deliveryStatus: 'sent', sendPending: true })
    expect(abandon(onSms, CODE.noLongerActive, NOW).finish).toBe('debit')
  })
})

describe('number and text may still be needed', () => {
  test.each<[string, Issue, boolean]>([
    ['before the send', anIssue(), true],
    ['before the send of an AlimTalk without fallback', alimtalk({ smsFallback: false }), true],
    ['after an accepted SMS', sent(), false],
    ['after an accepted AlimTalk that may fall back', alimtalk({ deliveryStatus: 'sent', sendPending: false }), true],
    [
      'after an accepted AlimTalk without fallback',
      alimtalk({ deliveryStatus: 'sent', sendPending: false, smsFallback: false }),
      false,
    ],
    [
      'after an ambiguous AlimTalk, which may yet be reported failed',
      alimtalk({ deliveryStatus: 'sent', sendPending: false, providerOutcomeAmbiguous: true }),
      true,
    ],
    ['after a delivered AlimTalk', alimtalk({ deliveryStatus: 'delivered', sendPending: false }), false],
    ['after a failed AlimTalk', alimtalk({ deliveryStatus: 'failed', sendPending: false }), false],
    ['before the SMS of an AlimTalk', alimtalk({ leg: 'sms', deliveryStatus: 'sent' }), true],
    ['after the SMS of an AlimTalk', alimtalk({ leg: 'sms', deliveryStatus: 'sent', sendPending: false }), false],
  ])('%s: %#', (_, issue, expected) => {
    expect(maySendAgain(issue)).toBe(expected)
    for (const verificationStatus of ['verified', 'expired', 'max_attempts', 'replaced'] as const) {
      expect(maySendAgain({ ...issue, verificationStatus })).toBe(false)
    }
  })
})

describe('a simulated delivery', () => {
  const played = (changes: Partial<Issue> = {}) => alimtalk({ mode: 'test', ...changes })

  test.each<VerificationStatus>(['verified', 'replaced', 'max_attempts'])('goes on where the code is %s', (status) => {
    const issue = played({ verificationStatus: status })
    expect(isWorthSending(issue, issue.expiresAt - 1)).toBe(true)
    expect(maySendAgain(issue)).toBe(true)
    expect(afterSend(issue, BUSY, IN_TIME).sendAfterMs).toBe(500)
    expect(afterSend(issue, BLOCKED, IN_TIME)).toMatchObject({ message: { leg: 'sms' }, sendAfterMs: 0 })
  })

  test('ends with the expiry all the same', () => {
    const issue = played()
    expect(isWorthSending(issue, issue.expiresAt)).toBe(false)
    expect(maySendAgain(played({ verificationStatus: 'expired' }))).toBe(false)
    expect(afterSend(issue, BUSY, { ...IN_TIME, now: issue.expiresAt }).finish).toBe('release')
  })
})

test.each<[VerificationStatus, boolean]>([
  ['issued', true],
  ['verified', false],
  ['replaced', false],
  ['max_attempts', false],
  ['expired', false],
])('a live code that is %s is worth sending: %p', (verificationStatus, expected) => {
  const issue = anIssue({ verificationStatus })
  expect(isWorthSending(issue, issue.expiresAt - 1)).toBe(expected)
  expect(isWorthSending(issue, issue.expiresAt)).toBe(false)
})

describe('any story of outcomes, reports and time', () => {
  type Event =
    | { event: 'send'; outcome: SendOutcome; reports: boolean }
    | { event: 'report'; leg: Leg; status: DeliveryReport['status'] }
    | { event: 'wait'; ms: number }
    | { event: 'end'; as: 'verified' | 'replaced' }

  const outcome = fc.constantFrom(ACCEPTED, AMBIGUOUS, BUSY, BUSY, BUSY, BLOCKED)
  const send = fc.record({ event: fc.constant('send' as const), outcome, reports: fc.nat(4).map((n) => n > 0) })
  const events: fc.Arbitrary<Event[]> = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: send },
      {
        weight: 3,
        arbitrary: fc.record({
          event: fc.constant('report' as const),
          leg: fc.constantFrom<Leg>('alimtalk', 'sms'),
          status: fc.constantFrom<DeliveryReport['status']>('delivered', 'failed'),
        }),
      },
      { weight: 2, arbitrary: fc.record({ event: fc.constant('wait' as const), ms: fc.nat(40_000) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          event: fc.constant('end' as const),
          as: fc.constantFrom<'verified' | 'replaced'>('verified', 'replaced'),
        }),
      },
    ),
    { maxLength: 40, size: 'max' },
  )
  const fresh = fc
    .record({ isAlimtalk: fc.boolean(), smsFallback: fc.boolean() })
    .map(({ isAlimtalk, smsFallback }) => (isAlimtalk ? alimtalk({ smsFallback }) : anIssue({ smsFallback })))

  const ROUTE = ['first', 'second']

  /** One issue's delivery, moved on by the domain's steps as the use cases do it; checks what must hold at every one. */
  class Delivery {
    now = NOW
    readonly tries: Partial<Record<Leg, number>> = {}
    /** What each leg's provider took, or may have taken until it said that it had failed. */
    readonly taken: Array<{ leg: Leg; kind: 'accepted' | 'ambiguous' | 'failed' }> = []
    readonly finished: Array<'debit' | 'release'> = []
    awaited: Leg | undefined
    constructor(public issue: Issue) {}

    happen(event: Event): void {
      switch (event.event) {
        case 'wait':
          this.now += event.ms
          return
        case 'end':
          if (isActive(this.issue, this.now)) this.issue = { ...this.issue, verificationStatus: event.as }
          return
        case 'send':
          if (this.issue.sendPending) this.#send(event.outcome, event.reports)
          return
        case 'report':
          this.#report(event.leg, event.status)
      }
    }

    /** The report deadline, or the code's expiry, ends what is still open. */
    end(): void {
      this.now = this.issue.expiresAt
      if (this.issue.sendPending) this.#send(BUSY, true)
      if (this.awaited) {
        this.awaited = undefined
        this.#take({ message: this.issue, finish: settlementOf(this.issue) })
      }
    }

    #send(outcome: SendOutcome, reports: boolean): void {
      const { issue, now } = this
      if (!isWorthSending(issue, now)) {
        this.#take(abandon(issue, CODE.noLongerActive, now))
        return
      }
      expect(this.taken.some(({ leg }) => leg === issue.leg)).toBe(false)
      expect(this.taken.some(({ kind }) => kind === 'ambiguous')).toBe(false)
      const tries = (this.tries[issue.leg] ?? 0) + 1
      this.tries[issue.leg] = tries
      if (outcome.kind !== 'refused') {
        this.taken.push({ leg: issue.leg, kind: outcome.kind })
        if (reports) this.awaited = issue.leg
      }
      const retryAfterMs = retryDelayMs(issue, { route: ROUTE, tried: triedOn(ROUTE, tries), jitter: 0.5, now })
      const step = afterSend(issue, outcome, { retryAfterMs, reports, now })
      if (outcome.kind === 'refused' && outcome.retry === 'never' && step.sendAfterMs !== undefined) {
        expect([issue.leg, step.message.leg]).toEqual(['alimtalk', 'sms'])
      }
      if (outcome.kind !== 'refused') expect(step.sendAfterMs).toBeUndefined()
      this.#take(step)
    }

    /** A report is looked up by its message, so one nobody waits for never gets as far as the domain. */
    #report(leg: Leg, status: DeliveryReport['status']): void {
      if (leg !== this.issue.leg || isFinal(this.issue)) {
        expect(afterReport(this.issue, messageOn(this.issue, leg), { status }, this.now)).toEqual([])
      } else if (leg === this.awaited || (this.issue.sendPending && isWorthSending(this.issue, this.now))) {
        if (this.issue.sendPending) {
          // The carrier reports before it has answered: the message was taken.
          this.tries[leg] = (this.tries[leg] ?? 0) + 1
          this.taken.push({ leg, kind: 'accepted' })
        }
        this.awaited = undefined
        for (const one of this.taken) if (one.leg === leg && status === 'failed') one.kind = 'failed'
        const steps = afterReport(this.issue, messageOn(this.issue, leg), { status }, this.now)
        expect(steps).toHaveLength(this.issue.sendPending ? 2 : 1)
        for (const step of steps) this.#take(step)
      }
    }

    #take(step: Step<Issue>): void {
      const before = this.issue
      const after = step.message
      expect(isFinal(before)).toBe(false)
      expect(step.sendAfterMs !== undefined).toBe(after.sendPending)
      if (after.leg !== before.leg)
        expect([before.leg, after.leg, before.smsFallback]).toEqual(['alimtalk', 'sms', true])
      if (step.sendAfterMs !== undefined) expect(this.now + step.sendAfterMs).toBeLessThan(after.expiresAt)
      if (isFinal(after)) expect(step.finish).toBeDefined()
      if (step.finish) {
        expect(after.sendPending).toBe(false)
        expect(step.finish).toBe(this.taken.length === 0 ? 'release' : 'debit')
        this.finished.push(step.finish)
      }
      if (step.awaitReportMs !== undefined) expect(this.awaited).toBe(after.leg)
      this.issue = after
    }
  }

  const holds = (promise: (delivery: Delivery, story: Event[]) => void) =>
    fc.assert(
      fc.property(fresh, events, (issue, story) => promise(new Delivery(issue), story)),
      { ...RUNS, numRuns: 1_000 },
    )

  test('a reservation is finished at most once, and exactly once when the story has ended', () => {
    holds((delivery, story) => {
      for (const event of story) {
        delivery.happen(event)
        expect(delivery.finished.length).toBeLessThanOrEqual(1)
      }
      delivery.end()
      expect(delivery.finished).toEqual([delivery.taken.length === 0 ? 'release' : 'debit'])
      expect(delivery.issue.sendPending).toBe(false)
    })
  })

  test('a leg is taken at most once, and nothing at all is taken after an ambiguous send that was not reported failed', () => {
    holds((delivery, story) => {
      for (const event of story) delivery.happen(event)
      const legs = delivery.taken.map(({ leg }) => leg)
      expect(new Set(legs).size).toBe(legs.length)
      const ambiguousAt = delivery.taken.findIndex(({ kind }) => kind === 'ambiguous')
      if (ambiguousAt >= 0) expect(delivery.taken.length).toBe(ambiguousAt + 1)
    })
  })

  test('an AlimTalk that could fall back is tried no more than the route has tries', () => {
    holds((delivery, story) => {
      for (const event of story) delivery.happen(event)
      if (delivery.issue.smsFallback) expect(delivery.tries.alimtalk ?? 0).toBeLessThanOrEqual(3 * ROUTE.length)
    })
  })

  test('delivered and failed are final', () => {
    holds((delivery, story) => {
      let last: Issue | undefined
      for (const event of story) {
        delivery.happen(event)
        if (last) expect(delivery.issue.deliveryStatus).toBe(last.deliveryStatus)
        if (isFinal(delivery.issue)) last = delivery.issue
      }
    })
  })
})
