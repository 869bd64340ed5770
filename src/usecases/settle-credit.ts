/** Settle: end a reservation exactly once, with its ledger entry in the same transaction. Decisions: "Credit". */
import type { Job } from '../domain/job'
import { post, release } from '../domain/wallet'
import type { Store } from '../ports/store'

export async function settleCredit({ store }: { store: Store }, job: Job): Promise<void> {
  await store.transaction(async (tx) => {
    const issue = await tx.issues.lock(job, job.subjectId)
    if (!(await tx.jobs.finish(job))) return
    if (issue?.billingStatus === 'debit_pending') {
      await tx.issues.save({ ...issue, billingStatus: 'debited', debitedAmount: issue.price, updatedAt: tx.now })
      const freed = release(await tx.wallets.lock(issue.appId), issue.price)
      const { wallet, entry } = post(
        freed,
        { entryType: 'debit', amountDelta: -issue.price, issueId: issue.issueId },
        tx.now,
      )
      await tx.wallets.save(wallet)
      await tx.wallets.addEntry(entry)
    } else if (issue?.billingStatus === 'release_pending') {
      await tx.issues.save({ ...issue, billingStatus: 'released', updatedAt: tx.now })
      await tx.wallets.release(issue.appId, issue.price)
    }
  })
}
