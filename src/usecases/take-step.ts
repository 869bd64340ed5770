/** Does what the delivery's next step asks: stores the issue and queues what follows from it, in the caller's transaction. */
import { isFinal, type Step } from '../domain/delivery'
import type { Issue } from '../domain/issue'
import type { Random, Tx } from '../ports'
import { saveIssue } from './save-issue'

interface StepDependencies {
  random: Random
  wakeDelivery: () => void
}

export async function takeStep(
  { random, wakeDelivery }: StepDependencies,
  tx: Tx,
  before: Issue,
  step: Step,
): Promise<void> {
  let issue = step.issue
  // Another leg is another message.
  if (issue.leg !== before.leg) issue = { ...issue, messageId: random.uuid(tx.now) }
  if (step.finish && issue.billingStatus === 'reserved') {
    issue = { ...issue, billingStatus: step.finish === 'debit' ? 'debit_pending' : 'release_pending' }
    await tx.addJob({ kind: 'settle', issue, runAt: tx.now })
  }
  await saveIssue(tx, issue)
  if (step.sendAfterMs !== undefined) await tx.addJob({ kind: 'deliver', issue, runAt: tx.now + step.sendAfterMs })
  if (step.awaitReportMs !== undefined)
    await tx.addJob({ kind: 'await-report', issue, runAt: tx.now + step.awaitReportMs })
  if (isFinal(issue) || issue.leg !== before.leg) await tx.forgetReport(before.messageId)
  tx.afterCommit(wakeDelivery)
}
