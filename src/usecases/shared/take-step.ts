import { isFinal, type Step } from '../../domain/delivery'
import type { Issue } from '../../domain/issue'
import type { JobKind } from '../../domain/job'
import type { Tx } from '../../ports/store'
import { saveIssue } from './save-issue'
import type { TellDependencies } from './tell-events'

/** A message that has just left, or may have: by which carrier, and to which number. */
interface Sent {
  by: string
  to?: string
}

/** Does what the delivery's next step asks: stores the issue and queues what follows from it, in the caller's transaction. */
export async function takeStep(deps: TellDependencies, tx: Tx, before: Issue, step: Step, sent?: Sent): Promise<void> {
  let issue = step.issue
  const queue = (kind: JobKind, waitMs: number, where?: { queue: string }) => {
    tx.afterCommit(() => deps.node.wakeUps.wake(kind))
    return tx.jobs.add({ kind, owner: before, subjectId: before.issueId, runAt: tx.now + waitMs, ...where })
  }
  // Another leg is another message.
  if (issue.leg !== before.leg) issue = { ...issue, messageId: deps.random.uuid(tx.now) }
  if (step.finish && issue.billingStatus === 'reserved') {
    issue = { ...issue, billingStatus: step.finish === 'debit' ? 'debit_pending' : 'release_pending' }
    await queue('settle', 0)
  }
  await saveIssue(deps, tx, before, issue, sent?.to)
  if (step.sendAfterMs !== undefined) await queue('deliver', step.sendAfterMs)
  // In a queue of its carrier: one that answers slowly must not keep us from asking the others.
  if (step.awaitReportMs !== undefined) await queue('await-report', step.awaitReportMs, sent && { queue: sent.by })
  if (isFinal(issue) || issue.leg !== before.leg) await tx.reports.forget(before.messageId)
}
