/** Administration of the servers that share a database. */

import { conditionOf, type NodeState } from '../../domain/operations/node'
import { missing, Refusal } from '../../domain/shared/error'
import type { Clock } from '../../ports/clock'
import type { Fleet } from '../../ports/node'
import { writeAudit } from '../shared/write-audit'
import type { AdminDependencies } from './shared'

interface NodeDependencies extends AdminDependencies {
  clock: Pick<Clock, 'now'>
  fleet: Pick<Fleet, 'forget'>
}

/** A server that does not come back is listed no more. Throws `not_found`, and `conflict` for one that is not silent. */
export async function forgetNode(deps: NodeDependencies, nodeId: string): Promise<NodeState> {
  const { store, clock, fleet } = deps
  const node = (await store.read.nodes()).find((one) => one.nodeId === nodeId)
  if (!node) throw missing('server', nodeId)
  const { name, version } = node
  if (conditionOf(node, clock.now()) !== 'silent')
    throw new Refusal('conflict', `${name} is at work: stopped, it goes by itself`)
  await store.transaction((tx) => writeAudit(deps, tx, 'node.forget', nodeId, { name, version }))
  await fleet.forget(nodeId)
  return node
}
