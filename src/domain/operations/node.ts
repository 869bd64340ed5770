/** One of the servers that share a database, as it last said of itself. */
import { MINUTE_MS } from '../shared/value'

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

/** One that has been silent for so long, and in whose place another one has started, is nobody's concern any more. */
const NODE_REPLACED_MS = 5 * MINUTE_MS

export function conditionOf({ seenAt, isLeaving }: NodeState, now: number): 'working' | 'leaving' | 'silent' {
  if (now >= seenAt + NODE_GONE_MS) return 'silent'
  return isLeaving ? 'leaving' : 'working'
}

export type NodeCondition = ReturnType<typeof conditionOf> | 'replaced'

/** All of them, as people are told. Each that has started since replaces one that has fallen silent, the latest first. */
export function conditionsOf(
  nodes: readonly NodeState[],
  now: number,
): Array<NodeState & { readonly condition: NodeCondition }> {
  const replaced = new Set<NodeState>()
  for (const silent of nodes.toSorted((a, b) => b.seenAt - a.seenAt)) {
    if (now < silent.seenAt + NODE_REPLACED_MS) continue
    const newcomers = nodes.filter(({ startedAt }) => startedAt > silent.seenAt).length
    if (newcomers > replaced.size) replaced.add(silent)
  }
  return nodes.map((node) => ({ ...node, condition: replaced.has(node) ? 'replaced' : conditionOf(node, now) }))
}
