/** What a magic number makes happen, by its two last digits. Specification: "Test-mode behavior" 6. */
import type { Recipient } from './phone'
import type { Channel } from './value'

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
