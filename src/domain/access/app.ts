/** Apps: the units that own keys, a wallet and issues. Specification: "App". */
import type { Protection } from '../../abuse/rules/protection'
import type { DeliveryPlan } from '../delivery/plan'
import type { Texts } from '../message/rendered-message'
import type { ReviewNumber } from '../verification/review-number'

/** Least and most days. Usage is counted from issues after a day and three hours, so they stay two days. */
export const RETENTION_DAYS = { min: 2, max: 3_650 } as const

export interface App {
  appId: string
  organizationId: string
  name: string
  /** ISO 3166 country whose national phone formats its numbers are read in; undefined: the server's default. */
  region: string | undefined
  /** Settings against abuse. */
  protection: Protection
  /** Settings of message texts; missing: the defaults. */
  texts?: Partial<Texts> | undefined
  /** Whether proofs of verification contain the metadata; missing: they do not. */
  provesMetadata?: boolean | undefined
  /** Days that live issues are kept; missing: the server's setting. */
  retentionDays?: number | undefined
  /** Delivery plan: the channels of codes and their order; missing: the default of each channel. */
  plans?: readonly DeliveryPlan[] | undefined
  /** Live numbers of reviewers, with a fixed code; missing: none. */
  reviewNumbers?: readonly ReviewNumber[] | undefined
  /** Purposes that clients of Twilio Verify may name by the SID of a service; missing: none. */
  twilioPurposes?: readonly string[] | undefined
  createdAt: number
  /** When the app was removed, Unix milliseconds; its ledger and issues stay. */
  removedAt?: number
}
