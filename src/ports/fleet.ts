/** Servers that share a database: what they know of each other, and what they count together. */
import type { LimitRule, Permit } from '../domain/access/rate-limits'
import type { NodeState } from '../domain/operations/node'

export interface Fleet {
  readonly nodeId: string
  /** Says that this server is here; answers everybody who was heard of within a day, in one order everywhere. */
  beat(how: Pick<NodeState, 'name' | 'version' | 'isLeaving'>): Promise<NodeState[]>
  /** It is gone for good; until it is heard of again. */
  forget(nodeId: string): Promise<void>
  /** Counts one under every rule for all servers at once, exactly, or throws `limited` and counts none. */
  take(rules: readonly LimitRule[]): Promise<Permit>
}
