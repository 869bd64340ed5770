/** The one way a changed issue is stored. */
import { maySendAgain } from '../domain/delivery'
import type { Issue } from '../domain/issue'
import type { Tx } from '../ports'

/** Stores the issue; number and text go in the same transaction as the last chance that they are needed. */
export async function saveIssue(tx: Tx, issue: Issue): Promise<void> {
  await tx.saveIssue(issue)
  if (maySendAgain(issue)) return
  await tx.eraseOutbox(issue.issueId)
  // It may wait long for a carrier; what will never be sent ends now.
  if (issue.sendPending) await tx.hastenDelivery(issue.issueId)
}
