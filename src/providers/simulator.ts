/**
 * Test mode's carrier. It plays the scenario a magic number names, by the timelines of the specification
 * ("Test-mode behavior" 6), and is asked for reports like any carrier that is polled.
 */
import type { Recipient } from '../domain/phone'
import type { Channel } from '../domain/value'
import type { Clock, Provider } from '../ports'

interface Played {
  /** The carrier takes this long to answer, and then accepts. */
  answersAfterMs: number
  /** Its report comes this long after the answer. */
  reportsAfterMs: number
  report: 'delivered' | 'failed'
}

interface Scenario {
  /** By the leg that is sent; `first` where a leg is not named. */
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

/** By the two last digits of the magic number; the rest behave like 00. */
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

export const scenarioOf = ({ scenario }: Pick<Recipient, 'scenario'>): Scenario => SCENARIOS[scenario ?? 0] ?? success

const AMBIGUOUS_CODE = 'TEST_PROVIDER_OUTCOME_UNKNOWN'
const FAILED_CODE = 'TEST_DELIVERY_FAILED'

export function createSimulator(clock: Clock): Provider {
  return {
    name: 'simulator',
    reports: true,

    async send({ messageId, channel, scenario, isFallback }) {
      const script = scenarioOf(scenario === undefined ? {} : { scenario })
      const played =
        (channel === 'alimtalk' ? script.alimtalk : isFallback ? script.afterAlimtalk : undefined) ?? script.first
      await new Promise<void>((resolve) => clock.after(played.answersAfterMs, resolve))
      if (script.ambiguous) return { kind: 'ambiguous', code: AMBIGUOUS_CODE }
      // The message's own id says what its report will be, so that nothing need be remembered.
      return {
        kind: 'accepted',
        providerMessageId: `${played.report}:${messageId}`,
        reportAfterMs: played.reportsAfterMs,
      }
    },

    async query({ providerMessageId }) {
      return providerMessageId?.startsWith('failed') ? { status: 'failed', code: FAILED_CODE } : { status: 'delivered' }
    },
  }
}
