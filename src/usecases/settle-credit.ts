/**
 * Settle what a server before 0.2 has left to be settled, or one that still runs beside this one: here a reservation ends in
 * the unit that ends the processing (`shared/take-step.ts`). Decisions: "Credit".
 */
import { settled } from '../domain/issue'
import type { Job } from '../domain/job'
import type { Store } from '../ports/store'
import { settle } from './shared/settle'

const PENDING = { debit_pending: 'debit', release_pending: 'release' } as const

export async function settleCredit({ store }: { store: Store }, job: Job): Promise<void> {
  await store.transaction(async (tx) => {
    const issue = await tx.issues.lock(job, job.subjectId)
    if (!(await tx.jobs.finish(job))) return
    const { billingStatus } = issue ?? {}
    if (!issue || (billingStatus !== 'debit_pending' && billingStatus !== 'release_pending')) return
    const settlement = PENDING[billingStatus]
    await tx.issues.save({ ...settled(issue, settlement), updatedAt: tx.now })
    await settle(tx, issue, settlement)
  })
}
