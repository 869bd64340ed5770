import { isFinal, maySendAgain, type Step } from '../../domain/delivery'
import { type Issue, settled } from '../../domain/issue'
import type { JobKind } from '../../domain/job'
import type { Tx } from '../../ports/store'
import { type SaveDependencies, type Sent, saveIssue } from './save-issue'
import { settle } from './settle'

/** Does what the delivery's next step asks: stores the issue and queues what follows from it, in the caller's transaction. */
export async function takeStep(deps: SaveDependencies, tx: Tx, before: Issue, step: Step, sent?: Sent): Promise<void> {
  let issue = step.issue
  const queue = (kind: JobKind, waitMs: number, where?: { queue: string }) => {
    tx.afterCommit(() => deps.node.wakeUps.wake(kind))
    return tx.jobs.add({ kind, owner: before, subjectId: before.issueId, runAt: tx.now + waitMs, ...where })
  }
  // Another leg is another message.
  if (issue.leg !== before.leg) issue = { ...issue, messageId: deps.random.uuid(tx.now) }
  const settlement = issue.billingStatus === 'reserved' ? step.finish : undefined
  if (settlement) issue = settled(issue, settlement)
  await saveIssue(deps, tx, before, issue, sent)
  if (sent?.letter && !sent.isKept && maySendAgain(issue)) await tx.outbox.add(issue, sent.letter)
  if (step.sendAfterMs !== undefined) await queue('deliver', step.sendAfterMs)
  // In a queue of its carrier: one that answers slowly must not keep us from asking the others.
  if (step.awaitReportMs !== undefined) await queue('await-report', step.awaitReportMs, sent && { queue: sent.by })
  if (isFinal(issue) || issue.leg !== before.leg) await tx.reports.forget(before.messageId)
  if (!settlement) return
  await settle(tx, issue, settlement)
  const ended = { issue, carrier: sent?.by, endedAt: tx.now }
  tx.afterCommit(() => deps.telemetry.deliveryEnded(ended))
}
