/** Closes an issue without a code: clients of Twilio Verify approve or cancel a verification. `/v1` has no such operation. */
import { type Issue, isActive, markReplaced, markVerified } from '../domain/codes/issue'
import { notFound } from '../domain/shared/error'
import type { Owner } from '../domain/shared/value'
import type { Store } from '../ports/store'
import { type SaveDependencies, saveIssue } from './shared/save-issue'
import { countCheck } from './verify-code'

export type Closing = 'approved' | 'canceled'

/** A cancelled issue is stored as `replaced`, without a newer one. Throws `not_found` where the issue is not active. */
export async function closeIssue(
  deps: SaveDependencies & { store: Store },
  owner: Owner,
  issueId: string,
  closing: Closing,
): Promise<Issue> {
  return deps.store.transaction(async (tx) => {
    const found = await tx.issues.lockToVerify(owner, issueId)
    if (!found || !isActive(found.issue, tx.now)) throw notFound('issue')
    const { issue } = found
    const closed = closing === 'approved' ? markVerified(issue, tx.now) : markReplaced(issue, tx.now)
    if (closing === 'approved') await countCheck(tx, found, true)
    await saveIssue(deps, tx, issue, closed)
    return closed
  })
}
