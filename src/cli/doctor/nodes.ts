/** The servers that share the database. */
import { conditionsOf, type NodeState } from '../../domain/operations/node'
import { findings, type SharedInstallation, type Wrong } from './finding'

export async function checkNodes({ store, now }: SharedInstallation) {
  const nodes = conditionsOf(await store.read.nodes(), now)
  const silent = nodes.filter(({ condition }) => condition === 'silent')
  const present = nodes.filter(({ condition }) => condition === 'working' || condition === 'leaving')
  const versions = new Set(present.map(({ version }) => version))
  const wrong: Wrong[] = silent.map(({ nodeId, name, version, seenAt }) => ({
    state: 'warn',
    message: `${name} (${version}) was last heard of at ${new Date(seenAt).toISOString()}, and did not say that it goes.`,
    advice: `It was killed, or cannot reach the database; others do its work. Start it again, or: watchword nodes forget ${nodeId}`,
  }))
  if (versions.size > 1) {
    wrong.push({
      state: 'warn',
      message: `Servers of different versions are at work: ${told(present)}.`,
      advice: 'During a deploy that is as it should be; afterwards, replace those that are left.',
    })
  }
  if (present.length === 0 && silent.length === 0) {
    const advice = '`watchword serve` starts one; with WATCHWORD_DATABASE_URL set it joins the others.'
    wrong.push({ state: 'warn', message: 'No server is at work.', advice })
  }
  return findings('nodes', wrong, `At work: ${told(present)}.`)
}

const told = (nodes: readonly NodeState[]) => nodes.map(({ name, version }) => `${name} (${version})`).join(', ')
