/** `watchword nodes` lists the servers that share the database. */
import type { Command } from 'commander'
import { conditionsOf } from '../domain/operations/node'
import * as administer from '../usecases/administer'
import { type CommonOptions, onData, onDataCommand } from './command'
import { adminOf } from './open'
import { Failure, iso } from './output'

export function nodesCommand(): Command {
  const nodes = onDataCommand('nodes', 'servers that share a PostgreSQL, and their state', 'nodes')
  nodes.action((options: CommonOptions) =>
    onData(options, async ({ store, clock, fleet }, output) => {
      const nodes = conditionsOf(await store.read.nodes(), clock.now()).map((node) => ({
        ...{ nodeId: node.nodeId, name: node.name, version: node.version, state: node.condition },
        ...{ startedAt: iso(node.startedAt), seenAt: iso(node.seenAt), lagMs: node.lagMs },
      }))
      const nobody = fleet ? 'No server has sent a heartbeat.' : ALONE
      const lines = nodes.map(
        ({ nodeId, name, version, state, seenAt, lagMs }) =>
          `${nodeId}  ${name}  ${version}  ${state}  last heartbeat ${seenAt}${lagMs > 0 ? `  queue lag ${lagMs} ms` : ''}`,
      )
      output({ nodes }, lines.length > 0 ? lines : [nobody])
    }),
  )
  nodes.addCommand(forgetCommand())
  return nodes
}

const ALONE = 'A data folder has one server for itself.'

const forgetCommand = () =>
  onDataCommand('forget', 'remove a silent server from the list and from warnings', 'nodes forget b485e69d145b6cb4')
    .argument('<nodeId>', 'server, by its id')
    .action((nodeId: string, options: CommonOptions) =>
      onData(options, async (opened, output) => {
        const { fleet, clock } = opened
        if (!fleet) throw new Failure('not_found', ALONE)
        const { name, version } = await administer.forgetNode({ ...adminOf(opened), clock, fleet }, nodeId)
        output({ nodeId, name, version }, [`Forgotten: ${name}`])
      }),
    )
