/** The one way a changed issue is stored. */
import type { Issue } from '../../domain/codes/issue'
import { maySendAgain } from '../../domain/delivery/delivery'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import type { Tx } from '../../ports/store'
import type { Telemetry } from '../../ports/telemetry'
import { emitEvents, type TellDependencies } from './emit-events'

/** A message that has just left, or may have. */
export interface SentMessage {
  /** The carrier. */
  by: string
  rendered?: RenderedMessage
  /** Whether the letter is in the outbox. */
  isKept: boolean
}

export interface SaveDependencies extends TellDependencies {
  telemetry: Telemetry
}

/**
 * Stores the issue and tells what has happened to it; number and text go in the same transaction as the last chance
 * that they are needed. `sent` is a message that has left just now: its number may be stored no more, or never have been.
 */
export async function saveIssue(
  deps: SaveDependencies,
  tx: Tx,
  before: Issue,
  after: Issue,
  sent?: SentMessage,
): Promise<void> {
  await tx.issues.save(after, before)
  await emitEvents(deps, tx, before, after, sent?.rendered?.to)
  if (after.verificationStatus !== before.verificationStatus) tx.afterCommit(() => deps.telemetry.codeEnded(after))
  // A message that could not be sent any more before was erased then.
  if (maySendAgain(after) || !maySendAgain(before)) return
  if (sent?.isKept !== false) await tx.outbox.erase(after.issueId)
  // It may wait long for a carrier; what will never be sent ends now.
  if (!after.sendPending) return
  await tx.jobs.hasten('deliver', after.issueId)
  tx.afterCommit(() => deps.node.wakeUps.wake('deliver'))
}
