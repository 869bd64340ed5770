import { isFinal, type Step } from '../../domain/delivery'
import type { Issue } from '../../domain/issue'
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
  const ofIssue = { owner: issue, subjectId: issue.issueId }
  // Another leg is another message.
  if (issue.leg !== before.leg) issue = { ...issue, messageId: deps.random.uuid(tx.now) }
  if (step.finish && issue.billingStatus === 'reserved') {
    issue = { ...issue, billingStatus: step.finish === 'debit' ? 'debit_pending' : 'release_pending' }
    await tx.jobs.add({ kind: 'settle', ...ofIssue, runAt: tx.now })
  }
  await saveIssue(deps, tx, before, issue, sent?.to)
  if (step.sendAfterMs !== undefined)
    await tx.jobs.add({ kind: 'deliver', ...ofIssue, runAt: tx.now + step.sendAfterMs })
  if (step.awaitReportMs !== undefined) {
    // In a queue of its carrier: one that answers slowly must not keep us from asking the others.
    const queue = sent && { queue: sent.by }
    await tx.jobs.add({ kind: 'await-report', ...ofIssue, runAt: tx.now + step.awaitReportMs, ...queue })
  }
  if (isFinal(issue) || issue.leg !== before.leg) await tx.reports.forget(before.messageId)
  tx.afterCommit(deps.node.wakeUps.wake)
}
