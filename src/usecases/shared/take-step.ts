import { type Issue, settled } from '../../domain/codes/issue'
import { isFinal, maySendAgain, type Step } from '../../domain/delivery/delivery'
import type { JobKind } from '../../domain/operations/job'
import type { Tx } from '../../ports/store'
import { type SaveDependencies, type SentMessage, saveIssue } from './save-issue'
import { settle } from './settle'

/** Does what the delivery's next step asks: stores the issue and queues what follows from it, in the caller's transaction. */
export async function takeStep(
  deps: SaveDependencies,
  tx: Tx,
  before: Issue,
  step: Step,
  sent?: SentMessage,
): Promise<void> {
  let issue = step.issue
  // Another leg is another message.
  if (issue.leg !== before.leg) issue = { ...issue, messageId: deps.random.uuid(tx.now) }
  const settlement = issue.billingStatus === 'reserved' ? step.finish : undefined
  if (settlement) issue = settled(issue, settlement)
  await saveIssue(deps, tx, before, issue, sent)
  if (sent?.rendered && !sent.isKept && maySendAgain(issue)) await tx.outbox.add(issue, sent.rendered)
  if (step.sendAfterMs !== undefined) await queue(deps, tx, before, { kind: 'deliver', waitMs: step.sendAfterMs })
  // In a queue of its carrier: one that answers slowly must not keep us from asking the others.
  if (step.awaitReportMs !== undefined)
    await queue(deps, tx, before, { kind: 'await-report', waitMs: step.awaitReportMs, at: sent?.by })
  if (isFinal(issue) || issue.leg !== before.leg) await tx.reports.forget(before.messageId)
  if (!settlement) return
  await settle(tx, issue, settlement)
  const ended = { issue, carrier: sent?.by, endedAt: tx.now }
  tx.afterCommit(() => deps.telemetry.deliveryEnded(ended))
}

function queue(
  { node }: SaveDependencies,
  tx: Tx,
  issue: Issue,
  { kind, waitMs, at }: { kind: JobKind; waitMs: number; at?: string | undefined },
): Promise<void> {
  tx.afterCommit(() => node.wakeUps.wake(kind))
  return tx.jobs.add({ kind, owner: issue, subjectId: issue.issueId, runAt: tx.now + waitMs, ...(at && { queue: at }) })
}
