/** How a server is, asked now and then: what can be looked at, where metrics count what happens. */
import type { QueueState } from '../domain/operations/job'
import type { NodeCondition } from '../domain/operations/node'
import type { PoolUsage } from './store'

export interface Vitals {
  queues: readonly QueueState[]
  /** What waits for room at a carrier. */
  carrierQueues: ReadonlyArray<QueueState & { carrier: string }>
  carriers: ReadonlyArray<{ name: string; isHealthy: boolean; inFlight: number; concurrency: number }>
  /** None where a server has its database for itself. */
  nodes: ReadonlyArray<{ state: NodeCondition }>
  pool: PoolUsage | undefined
  databaseBytes: number
  /** Of the write-ahead log; undefined where a server has none of its own. */
  logBytes: number | undefined
  /** How long the oldest unit that has not begun has waited. */
  waitingMs: number
  /** What apps have, and have set aside of it for messages on their way, credits; none where that is not asked for. */
  wallets: ReadonlyArray<{ appId: string; balance: number; reserved: number }>
}
