/** The one way a changed issue is stored. */
import { maySendAgain } from '../../domain/delivery'
import type { Issue } from '../../domain/issue'
import type { Tx } from '../../ports/store'
import { type TellDependencies, tellEvents } from './tell-events'

/**
 * Stores the issue and tells what has happened to it; number and text go in the same transaction as the last chance
 * that they are needed. `sentTo` is the number of a message that was sent just now: verified meanwhile, it is stored
 * no more.
 */
export async function saveIssue(
  deps: TellDependencies,
  tx: Tx,
  before: Issue,
  after: Issue,
  sentTo?: string,
): Promise<void> {
  await tx.issues.save(after)
  await tellEvents(deps, tx, before, after, sentTo)
  // What could not be sent any more before has been erased then.
  if (maySendAgain(after) || !maySendAgain(before)) return
  await tx.outbox.erase(after.issueId)
  // It may wait long for a carrier; what will never be sent ends now.
  if (!after.sendPending) return
  await tx.jobs.hasten('deliver', after.issueId)
  tx.afterCommit(() => deps.node.wakeUps.wake('deliver'))
}
