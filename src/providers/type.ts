/** The interface of a type of carrier: one file each, behind one port. */
import type { z } from 'zod'
import type { CarrierConfig } from '../domain/delivery/carrier'
import type { Leg } from '../domain/shared/value'
import type { Carrier, ReportedMessage, TypeSetting } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Dial, Transport } from '../ports/network'
import type { Random, Vault } from '../ports/vault'
import type { CarrierDescription } from './description'

export interface CarrierType {
  /** The schema of `CarrierConfig.config`, which holds the credentials. */
  config: z.ZodType
  /** The channels that such a carrier can deliver. */
  channels: readonly Leg[]
  /** As data, where it is one of those; its fields make the help of the command line. */
  description?: CarrierDescription
  /** The fields of the console's form, for a type without a description. The command line sets the rest. */
  settings?: readonly TypeSetting[]
  /** Its reports come over HTTP and are believed by `config.reportSecret`. */
  reportsBySecret: boolean
  /** By its nature, where that is known: how many messages at a time, and how many servers. `config` has been checked. */
  places?(config: Record<string, unknown>): { concurrency: number; servers: number | undefined }
  /** `config` has been checked. */
  create(provider: CarrierConfig, dependencies: CarrierDependencies): Carrier
  /** The meaning of a code of this carrier, in words that an operator can act on. `config` may say more. */
  explain(code: string, config?: Record<string, unknown>): string | undefined
}

export interface CarrierDependencies {
  transport: Transport
  dial: Dial
  log: Log
  clock: Clock
  random: Random
  vault: Pick<Vault, 'seal' | 'open'>
  /** How long the carrier may take to answer. */
  timeoutMs: number
  /** Whether this server is one of those that may be at it now; asked again and again. */
  isOurs(): boolean
  /** Where the carrier may report to; undefined where no public URL is configured. */
  reportUrl: string | undefined
  /**
   * Records what the carrier pushes over a connection of its own. Answers whether it is about a message that is waited
   * for; rejects when it could not be stored.
   */
  report(report: ReportedMessage): Promise<boolean>
  /** A report over such a connection changed nothing, and why: it is logged and counted. */
  dropped(why: 'unmatched' | 'unreadable'): void
}
