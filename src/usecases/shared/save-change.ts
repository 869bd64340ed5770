/** The one way that a changed message or verification is stored. */

import { maySendAgain } from '../../domain/delivery/delivery'
import type { RenderedMessage } from '../../domain/message/rendered-message'
import { hasCode, hasMessage, type Stored } from '../../domain/verification/verification'
import type { Tx } from '../../ports/store'
import type { Telemetry } from '../../ports/telemetry'
import { emitEvents, type KnownEndpoints, type TellDependencies } from './emit-events'

/** A message that has just left, or may have. */
export interface SentMessage {
  /** The carrier. */
  by: string
  rendered?: RenderedMessage
  /** Whether the letter is in the outbox. */
  isKept: boolean
  /** Its carrier took it, and may report on it from now on. */
  isAccepted?: boolean
}

export interface SaveDependencies extends TellDependencies {
  telemetry: Telemetry
}

/**
 * Stores the change and tells what has happened; number and text go in the same transaction as the last chance that they are needed.
 * `rendered` is a message that has left just now: its number may be stored no more, or never have been.
 */
export async function saveChange(
  deps: SaveDependencies,
  tx: Tx,
  before: Stored,
  after: Stored,
  { rendered, isKept = true, endpoints }: Partial<SentMessage> & KnownEndpoints = {},
): Promise<void> {
  await tx.issues.save(after, before)
  await emitEvents(deps, tx, before, after, { sentTo: rendered?.to, endpoints })
  if (hasCode(after) && after.verificationStatus !== before.verificationStatus)
    tx.afterCommit(() => deps.telemetry.codeEnded(after))
  if (!hasMessage(after) || !hasMessage(before)) return
  // A message that could not be sent any more before was erased then.
  if (maySendAgain(after) || !maySendAgain(before)) return
  if (isKept) await tx.outbox.erase(after.issueId)
  // It may wait long for a carrier; what will never be sent ends now.
  if (!after.sendPending) return
  await tx.jobs.hasten('deliver', after.issueId)
  tx.afterCommit(() => deps.node.wakeUps.wake('deliver'))
}
