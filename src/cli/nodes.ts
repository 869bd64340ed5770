/** `watchword nodes`: the servers that share the database. */
import type { Command } from 'commander'
import { conditionOf } from '../domain/node'
import { type CommonOptions, onData, onDataCommand } from './command'
import { iso } from './output'

export const nodesCommand = (): Command =>
  onDataCommand('nodes', 'servers that share a PostgreSQL, and how they are', 'nodes').action(
    (options: CommonOptions) =>
      onData(options, async ({ store, clock, fleet }, output) => {
        const nodes = (await store.read.nodes()).map((node) => ({
          ...{ nodeId: node.nodeId, name: node.name, version: node.version, state: conditionOf(node, clock.now()) },
          ...{ startedAt: iso(node.startedAt), seenAt: iso(node.seenAt), lagMs: node.lagMs },
        }))
        const nobody = fleet ? 'No server has said that it is there.' : 'A data folder has one server for itself.'
        const lines = nodes.map(
          ({ nodeId, name, version, state, seenAt, lagMs }) =>
            `${nodeId}  ${name}  ${version}  ${state}  last heard of ${seenAt}${lagMs > 0 ? `  work late by ${lagMs} ms` : ''}`,
        )
        output({ nodes }, lines.length > 0 ? lines : [nobody])
      }),
  )
