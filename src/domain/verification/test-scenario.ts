/** Scenarios of test mode, chosen by the last two digits of a magic number. Specification: "Test-mode behavior" 6 to 11. */
import type { DeliveryReport, SendOutcome } from '../delivery/delivery'
import type { OutboundMessage } from '../message/rendered-message'
import type { Recipient } from '../phone/phone'
import { Refusal, unavailable } from '../shared/error'
import { type Channel, MINUTE_MS, nextMidnightUtc } from '../shared/value'
import { PRICED, type PriceList } from '../wallet/wallet'

interface Played {
  /** Time after which the simulated carrier accepts. */
  answersAfterMs: number
  /** Time from the answer to the report. */
  reportsAfterMs: number
  report: 'delivered' | 'failed'
}

interface Scenario {
  /** By leg; `first` for legs that are not named. */
  first: Played
  afterAlimtalk?: Played
  alimtalk?: Played
  ambiguous?: boolean
  refuses?: 'perPhone' | 'credit' | 'trial' | 'unavailable'
  refusesEveryCode?: boolean
  lifetimeMs?: number
  defaultChannel?: Channel
}

const delivered: Played = { answersAfterMs: 1_000, reportsAfterMs: 1_000, report: 'delivered' }
const failed: Played = { answersAfterMs: 1_000, reportsAfterMs: 2_000, report: 'failed' }
const success: Scenario = { first: delivered }

/** By the last two digits of the magic number; all others behave like 00. */
const SCENARIOS: Readonly<Record<number, Scenario>> = {
  1: { first: failed },
  2: { first: { answersAfterMs: 1_000, reportsAfterMs: 29_000, report: 'delivered' } },
  3: { first: delivered, ambiguous: true },
  4: { first: delivered, lifetimeMs: 10_000 },
  5: { first: delivered, refusesEveryCode: true },
  6: { first: delivered, refuses: 'perPhone' },
  7: { first: delivered, refuses: 'credit' },
  8: { first: delivered, refuses: 'trial' },
  9: { first: delivered, refuses: 'unavailable' },
  10: {
    first: delivered,
    alimtalk: failed,
    afterAlimtalk: { answersAfterMs: 500, reportsAfterMs: 500, report: 'delivered' },
    defaultChannel: 'alimtalk',
  },
}

const scenarioOf = ({ scenario }: Pick<Recipient, 'scenario'>): Scenario => SCENARIOS[scenario ?? 0] ?? success

/** The fixed code of every magic number. */
const TEST_CODE = '000000'
/** A code that no guess equals. */
const UNGUESSABLE = 'never'

export const testCode = (recipient: Recipient): string =>
  scenarioOf(recipient).refusesEveryCode ? UNGUESSABLE : TEST_CODE

export const testChannel = (recipient: Recipient): Channel => scenarioOf(recipient).defaultChannel ?? 'sms'

/** Whether a failed AlimTalk falls back to SMS. */
export const testFallsBack = (recipient: Recipient, requested: boolean): boolean =>
  requested && scenarioOf(recipient).afterAlimtalk !== undefined

export const testLifetimeMs = (recipient: Recipient, requestedSec: number): number =>
  scenarioOf(recipient).lifetimeMs ?? requestedSec * 1_000

/** Test issues cost nothing. */
export const TEST_PRICES = Object.fromEntries(PRICED.map((name) => [name, 0])) as PriceList

/** The fixed test balance, which test issues never reduce. */
export const TEST_BALANCE = 1_000_000

/** Throws the refusal of a scenario that is one. */
export function assertTestAdmits(recipient: Recipient, now: number): void {
  switch (scenarioOf(recipient).refuses) {
    case 'perPhone':
      throw new Refusal('limited', 'Test scenario: rate limited', {
        limit: 'perPhone',
        policy: 'platform',
        retryAfterMs: MINUTE_MS,
      })
    case 'credit':
      throw new Refusal('no_credit', 'Test scenario: insufficient credit', { code: 'INSUFFICIENT_CREDIT' })
    case 'trial':
      throw new Refusal('no_credit', 'Test scenario: trial daily limit', {
        code: 'TRIAL_DAILY_LIMIT_EXCEEDED',
        resetAt: nextMidnightUtc(now),
      })
    case 'unavailable':
      throw unavailable('Test scenario: service unavailable', 2_000)
  }
}

const AMBIGUOUS_CODE = 'TEST_PROVIDER_OUTCOME_UNKNOWN'
const FAILED_CODE = 'TEST_DELIVERY_FAILED'

type PlayedMessage = Pick<OutboundMessage, 'messageId' | 'channel' | 'scenario' | 'isFallback'>

/** Answer of the simulated carrier, and the time it takes. */
export function testSend({ messageId, channel, scenario, isFallback }: PlayedMessage): {
  afterMs: number
  outcome: SendOutcome
} {
  const script = scenarioOf(scenario === undefined ? {} : { scenario })
  const { answersAfterMs, reportsAfterMs, report } =
    (channel === 'alimtalk' ? script.alimtalk : isFallback ? script.afterAlimtalk : undefined) ?? script.first
  if (script.ambiguous) return { afterMs: answersAfterMs, outcome: { kind: 'ambiguous', code: AMBIGUOUS_CODE } }
  // The carrier's message id encodes the report, so that the simulator keeps no state.
  const carrierMessageId = `${report}:${messageId}`
  return { afterMs: answersAfterMs, outcome: { kind: 'accepted', carrierMessageId, reportAfterMs: reportsAfterMs } }
}

/** The report of an accepted message. */
export const testReport = (carrierMessageId: string | undefined): DeliveryReport =>
  carrierMessageId?.startsWith('failed') ? { status: 'failed', code: FAILED_CODE } : { status: 'delivered' }
