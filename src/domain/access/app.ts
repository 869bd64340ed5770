/** An app of the installation. */
import type { Protection } from '../../abuse/rules/protection'
import type { DeliveryPlan } from '../delivery/plan'
import type { Texts } from '../message/rendered-message'

/** Usage is counted after a day and three hours, by the issues themselves. */
export const RETENTION_DAYS = { min: 2, max: 3_650 } as const

export interface App {
  appId: string
  organizationId: string
  name: string
  /** ISO 3166 country whose national phone formats its numbers are read in; undefined: the server's default. */
  region: string | undefined
  /** What its owner has decided about abuse. */
  protection: Protection
  /** What its owner has decided about its texts; missing: nothing yet. */
  texts?: Partial<Texts> | undefined
  /** Whether proofs of verification say what an issue's metadata is; missing: they do not. */
  provesMetadata?: boolean | undefined
  /** Days its live issues are kept; missing: as the server is set. */
  retentionDays?: number | undefined
  /** The channels of its codes and their order; missing: as each channel has it. */
  plans?: readonly DeliveryPlan[] | undefined
  createdAt: number
  /** Of one that was removed; its ledger and issues stay. */
  removedAt?: number
}
