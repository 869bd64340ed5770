/** Settle: end a reservation exactly once, with its ledger entry in the same transaction. Decisions: "Credit". */
import type { Job } from '../domain/job'
import { post, release } from '../domain/wallet'
import type { Store } from '../ports'

export async function settleCredit({ store }: { store: Store }, job: Job): Promise<void> {
  await store.transaction(async (tx) => {
    if (!(await tx.finishJob(job))) return
    const issue = await tx.lockIssue(job, job.subjectId)
    if (issue?.billingStatus === 'debit_pending') {
      const freed = release(await tx.lockWallet(issue.appId), issue.price)
      const { wallet, entry } = post(
        freed,
        { entryType: 'debit', amountDelta: -issue.price, issueId: issue.issueId },
        tx.now,
      )
      await tx.saveWallet(wallet)
      await tx.addLedgerEntry(entry)
      await tx.saveIssue({ ...issue, billingStatus: 'debited', debitedAmount: issue.price, updatedAt: tx.now })
    } else if (issue?.billingStatus === 'release_pending') {
      await tx.saveWallet(release(await tx.lockWallet(issue.appId), issue.price))
      await tx.saveIssue({ ...issue, billingStatus: 'released', updatedAt: tx.now })
    }
  })
}
