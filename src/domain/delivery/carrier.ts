/** A carrier as the operator has set it up. */
import type { Leg } from '../shared/value'

/** A configured carrier; `config` holds its credentials and is stored sealed. */
export interface CarrierConfig {
  name: string
  type: string
  channels: readonly Leg[]
  config: Record<string, unknown>
  createdAt: number
  /** Messages in the air at a time; undefined: the installation's setting. */
  concurrency?: number | undefined
  /** How long it may take to answer; undefined: the installation's setting. */
  timeoutMs?: number | undefined
  /** Set anew, even to the same, it starts afresh and healthy. */
  changedAt?: number
}

export const MAX_CONCURRENCY = 10_000

/** What is told of a carrier when it changes. */
export interface Health {
  isHealthy: boolean
  since: number
  /** The carrier's last word, where it is unhealthy. */
  code: string | undefined
  /** When the next message tries it again. */
  retryAt: number | undefined
  /** It only goes on resting: nothing new for what waits. */
  isStill?: boolean
}
