import { WEBHOOK_BACKLOG, WEBHOOK_LATE_MS } from '../../domain/operations/job'
import { MINUTE_MS } from '../../domain/shared/value'
import { type Check, findings, type Wrong } from './finding'

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
