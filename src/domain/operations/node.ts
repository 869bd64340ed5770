/** Servers that share a database, by their last heartbeats. */

import { MINUTE_MS } from '../shared/value'
import type { ChangeTopic } from './change'

export interface NodeState {
  readonly nodeId: string
  /** Name of machine and process, for people. */
  readonly name: string
  readonly version: string
  readonly startedAt: number
  /** Unix milliseconds, by the database's clock. */
  readonly seenAt: number
  /** The server is stopping and takes no new work. */
  readonly isLeaving: boolean
  /** How late the oldest due job was at its last poll, milliseconds. */
  readonly lagMs: number
  /** Whether a page of the console is open there. */
  readonly isFollowed?: boolean
  /** How often each topic has changed there while a page was open anywhere. */
  readonly changes?: Readonly<Partial<Record<ChangeTopic, number>>>
}

/** A server without a heartbeat for so long is gone, and others take over its jobs. */
export const NODE_GONE_MS = 10_000

/** A server silent for so long counts as replaced where another one has started since; on its own machine, at once. */
const NODE_REPLACED_MS = 5 * MINUTE_MS

export function conditionOf({ seenAt, isLeaving }: NodeState, now: number): 'working' | 'leaving' | 'silent' {
  if (now >= seenAt + NODE_GONE_MS) return 'silent'
  return isLeaving ? 'leaving' : 'working'
}

export type NodeCondition = ReturnType<typeof conditionOf> | 'replaced'

/** A name is the machine and its process. */
const machineOf = (name: string) => name.slice(0, name.lastIndexOf(':'))

/** The servers with their conditions. Each newcomer replaces one silent server, the latest first. */
export function conditionsOf(
  nodes: readonly NodeState[],
  now: number,
): Array<NodeState & { readonly condition: NodeCondition }> {
  const replaced = new Set<NodeState>()
  const gone = nodes.filter((node) => conditionOf(node, now) === 'silent')
  for (const silent of gone.toSorted((a, b) => b.seenAt - a.seenAt)) {
    const isLong = now >= silent.seenAt + NODE_REPLACED_MS
    const newcomers = nodes.filter(
      ({ startedAt, name }) => startedAt > silent.seenAt && (isLong || machineOf(name) === machineOf(silent.name)),
    ).length
    if (newcomers > replaced.size) replaced.add(silent)
  }
  return nodes.map((node) => ({ ...node, condition: replaced.has(node) ? 'replaced' : conditionOf(node, now) }))
}
