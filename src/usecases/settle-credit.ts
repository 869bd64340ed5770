/** Settle: end a reservation exactly once, with its ledger entry in the same transaction. Decisions: "Credit". */
import type { Job } from '../domain/job'
import type { Store } from '../ports/store'

export async function settleCredit({ store }: { store: Store }, job: Job): Promise<void> {
  await store.transaction(async (tx) => {
    const issue = await tx.issues.lock(job, job.subjectId)
    if (!(await tx.jobs.finish(job))) return
    if (issue?.billingStatus === 'debit_pending') {
      await tx.issues.save({ ...issue, billingStatus: 'debited', debitedAmount: issue.price, updatedAt: tx.now })
      await tx.wallets.debit(issue.appId, issue)
    } else if (issue?.billingStatus === 'release_pending') {
      await tx.issues.save({ ...issue, billingStatus: 'released', updatedAt: tx.now })
      await tx.wallets.release(issue.appId, issue.price)
    }
  })
}
