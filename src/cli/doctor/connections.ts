/** Whether the database has a connection for everybody who may want one. */
import { conditionOf } from '../../domain/operations/node'
import { readersOf } from '../../store/postgres/connection/pool'
import { findings, type SharedInstallation, type Wrong } from './finding'

export async function checkConnections({ server: { connections }, pool, store, now }: SharedInstallation) {
  const nodes = (await store.read.nodes()).filter((node) => conditionOf(node, now) !== 'silent').length
  const each = pool + readersOf(pool)
  const taken = `Each server takes up to ${each} of ${connections} connections`
  const wrong: Wrong[] = [
    {
      state: 'problem',
      message: `${taken}, and ${nodes} are at work.`,
      advice: 'Raise max_connections (or the limit of the role or the database), or lower WATCHWORD_DATABASE_POOL.',
    },
  ]
  return findings(
    'connections',
    Math.max(1, nodes) * each > connections ? wrong : [],
    `${taken}: ${nodes} are at work, and ${Math.floor(connections / each)} could be.`,
  )
}
