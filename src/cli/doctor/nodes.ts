/** The servers that share the database. */
import { conditionOf, type NodeState } from '../../domain/node'
import { findings, type SharedInstallation, type Wrong } from './finding'

export async function checkNodes({ store, now }: SharedInstallation) {
  const nodes = await store.read.nodes()
  const silent = nodes.filter((node) => conditionOf(node, now) === 'silent')
  const present = nodes.filter((node) => !silent.includes(node))
  const versions = new Set(present.map(({ version }) => version))
  const wrong: Wrong[] = silent.map(({ name, version, seenAt }) => ({
    state: 'warn',
    message: `${name} (${version}) was last heard of at ${new Date(seenAt).toISOString()}, and did not say that it goes.`,
    advice: 'It was killed, or cannot reach the database; others do its work. After a day it is forgotten.',
  }))
  if (versions.size > 1) {
    wrong.push({
      state: 'warn',
      message: `Servers of different versions are at work: ${told(present)}.`,
      advice: 'During a deploy that is as it should be; afterwards, replace those that are left.',
    })
  }
  if (nodes.length === 0) {
    const advice = '`watchword serve` starts one; with WATCHWORD_DATABASE_URL set it joins the others.'
    wrong.push({ state: 'warn', message: 'No server is at work.', advice })
  }
  return findings('nodes', wrong, `At work: ${told(present)}.`)
}

const told = (nodes: readonly NodeState[]) => nodes.map(({ name, version }) => `${name} (${version})`).join(', ')
