/** Configuration and health of carriers. */
import type { Leg } from '../shared/value'

/** A configured carrier; `config` holds its credentials and is stored sealed. */
export interface CarrierConfig {
  name: string
  type: string
  channels: readonly Leg[]
  config: Record<string, unknown>
  createdAt: number
  /** Most messages in flight; undefined: the installation's setting. */
  concurrency?: number | undefined
  /** Timeout of a call, milliseconds; undefined: the installation's setting. */
  timeoutMs?: number | undefined
  /** When it was last saved, Unix milliseconds. A saved carrier starts healthy, also where nothing changed. */
  changedAt?: number
  /** Since when it gets no new message, Unix milliseconds. Reports on earlier ones still count. */
  pausedAt?: number | undefined
  /** After a rotation: the credentials before it, by which reports are believed for a while. */
  former?: readonly FormerConfig[] | undefined
}

export interface FormerConfig {
  config: Record<string, unknown>
  /** Unix milliseconds. */
  until: number
}

/** The settings of a carrier. */
export type CarrierSetup = Pick<CarrierConfig, 'type' | 'config'>

export const MAX_CONCURRENCY = 10_000

/** Health of a carrier; times are Unix milliseconds. */
export interface Health {
  isHealthy: boolean
  since: number
  /** Last outcome code, where it is unhealthy. */
  code: string | undefined
  /** When the next probe message is sent. */
  retryAt: number | undefined
  /** The circuit breaker stays open, so waiting messages need not be woken. */
  isStill?: boolean
}
