/** Checks that the operator webhook is reachable, with a HEAD request that notifies nobody. */
import { WEBHOOK_BACKLOG, WEBHOOK_LATE_MS } from '../../domain/operations/job'
import { MINUTE_MS } from '../../domain/shared/value'
import type { Reader } from '../../ports/store'
import { createTransport } from '../../system/transport'
import { type Check, findings, type Wrong } from './finding'

const TIMEOUT_MS = 5_000

export const checkOperatorWebhook: Check = async ({ config: { operatorHook }, store: { read } }) => {
  const check = 'operator-webhook'
  if (!operatorHook) return findings(check, [], 'None is set: incidents are told in the log and on the console only.')
  // The query may contain a token.
  const { origin, pathname } = new URL(operatorHook.url)
  const shown = origin + pathname
  return findings(
    check,
    [...(await unreached(operatorHook.url, shown)), ...(await toldInVain(read, shown))],
    `The operator is told of incidents at ${shown}, where a server answers.`,
  )
}

async function unreached(url: string, shown: string): Promise<Wrong[]> {
  const result = await createTransport().request({ method: 'HEAD', url, headers: {}, timeoutMs: TIMEOUT_MS })
  if (result.kind === 'answered') return []
  return [
    {
      state: 'problem',
      message: `The operator's webhook at ${shown} cannot be reached: ${result.reason}.`,
      advice: 'Nobody is told of incidents. Look at WATCHWORD_OPERATOR_WEBHOOK_URL, and at what listens there.',
    },
  ]
}

async function toldInVain(read: Reader, shown: string): Promise<Wrong[]> {
  const { length: count } = (await read.traffic.allOpenIncidents()).filter(({ tells }) => tells > 0)
  if (count === 0) return []
  return [
    {
      state: 'problem',
      message: `The operator's webhook at ${shown} did not take ${count} of the open incidents.`,
      advice: "The server's log says why: `could not tell the operator of an incident`.",
    },
  ]
}

/** Checks that webhook events are delivered in time. */
export const checkWebhooks: Check = async ({ store: { read }, now }) => {
  const queue = (await read.jobs.queues(now)).find(({ kind }) => kind === 'webhook')
  const { waiting = 0, oldestDueMs = 0 } = queue ?? {}
  const told = `${waiting} webhook events wait for their receivers.`
  const wrong: Wrong[] = []
  if (waiting > WEBHOOK_BACKLOG) {
    const advice = '`watchword webhook list --app ID` says which endpoint fails: tell its owner, or disable it.'
    wrong.push({ state: 'warn', message: told, advice })
  }
  if (oldestDueMs > WEBHOOK_LATE_MS) {
    wrong.push({
      state: 'warn',
      message: `A webhook event is late by ${Math.ceil(oldestDueMs / MINUTE_MS)} minutes.`,
      advice: 'Its receiver is slower than what it is told, or no server is at work: `watchword webhook events ID`.',
    })
  }
  return findings('webhooks', wrong, told)
}
