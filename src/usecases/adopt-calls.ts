/**
 * Calls of carriers that were begun with their issues and never answered, because their server died. Nobody knows whether
 * the message left. Decisions: "Delivery (live)".
 */

import { begunAttempt } from '../domain/delivery/attempt'
import type { Message } from '../domain/message/message'
import { LEASE_MS } from '../domain/operations/job'
import { errorFields } from '../domain/shared/error'
import type { Log } from '../ports/log'
import type { Node } from '../ports/node'
import type { Store, Tx } from '../ports/store'

const AT_ONCE = 500

interface AdoptDependencies {
  store: Store
  node: Pick<Node, 'wakeUps'>
}

/** The attempt of a call whose answer has not come, where something else is to be noted in it. */
export async function storeBegun(tx: Tx, message: Message): Promise<Message> {
  if (!message.begunCall) return message
  const stored = { ...message, begunCall: undefined }
  await tx.attempts.add(begunAttempt(message, message.begunCall))
  await tx.issues.save(stored, message)
  return stored
}

/** Those that no server can still wait for. `isRunning`: this one does. */
export const adoptCalls = (deps: AdoptDependencies, isRunning: (issueId: string) => boolean): Promise<void> =>
  adopt(deps, LEASE_MS.deliver, isRunning)

/** All of them, as a server starts that has the database for itself. Where it fails they end by themselves. */
export const takeOverCalls = (deps: AdoptDependencies & { log: Log }): Promise<void> =>
  adopt(deps, undefined, () => false).catch((error) =>
    deps.log.warn(errorFields(error), 'could not take over calls that were begun'),
  )

/** Stores their attempts, each with a job that finds it unanswered. */
async function adopt(
  { store, node }: AdoptDependencies,
  agedMs: number | undefined,
  isRunning: (issueId: string) => boolean,
): Promise<void> {
  const some = async (tx: Tx): Promise<number> => {
    const begun = await tx.issues.lockBegun(agedMs, AT_ONCE)
    const lost = begun.filter(({ issueId }) => !isRunning(issueId))
    for (const message of lost) {
      await storeBegun(tx, message)
      await tx.jobs.add({ kind: 'deliver', owner: message, subjectId: message.issueId, runAt: tx.now })
    }
    if (lost.length > 0) tx.afterCommit(() => node.wakeUps.wake('deliver'))
    return lost.length
  }
  while ((await store.transaction(some)) === AT_ONCE);
}
