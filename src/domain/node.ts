/** One of the servers that share a database, as it last said of itself. */

export interface NodeState {
  readonly nodeId: string
  /** Of its machine and process, for people. */
  readonly name: string
  readonly version: string
  readonly startedAt: number
  /** Unix milliseconds, by the database's clock. */
  readonly seenAt: number
  /** It takes no new work. */
  readonly isLeaving: boolean
  /** How late the oldest due job was when it last looked, milliseconds. */
  readonly lagMs: number
}

/** One that has not been heard of for so long is gone, and others do its work. */
export const NODE_GONE_MS = 10_000

export type NodeCondition = 'working' | 'leaving' | 'silent'

export function conditionOf({ seenAt, isLeaving }: NodeState, now: number): NodeCondition {
  if (now >= seenAt + NODE_GONE_MS) return 'silent'
  return isLeaving ? 'leaving' : 'working'
}
